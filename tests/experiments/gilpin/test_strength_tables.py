"""Tables of all hands, against the evaluator and naive counting on small decks."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from equilibrist.abstraction.cards.deals import Streets, indexer_of
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import all_hands, evaluate
from equilibrist.compute.workers import ThreadWorkers
from equilibrist.experiments.gilpin.abstraction.strength_tables import flop_prospects, strength_of_all


@pytest.mark.parametrize("cards", [5, 6, 7])
@pytest.mark.parametrize("deck", [Deck(6, 4), Deck(5, 3), Deck(13, 2)], ids=str)
def test_every_hand_stands_at_its_number(deck, cards):
    found = strength_of_all(deck, cards, workers=ThreadWorkers(2))
    assert np.array_equal(found, evaluate(all_hands(deck, cards), deck))


def naive_prospects(cards, deck):
    """Wins, losses and games of hole cards and a flop, one opponent and one runout at a time."""
    free = [card for card in range(deck.size) if card not in cards]
    wins = losses = games = 0
    for runout in combinations(free, 2):
        board = [*cards[2:], *runout]
        others = [pair for pair in combinations(free, 2) if not set(pair) & set(runout)]
        mine = int(evaluate(np.array([[*cards[:2], *board]]), deck)[0])
        theirs = evaluate(np.array([[*pair, *board] for pair in others]), deck)
        wins, losses, games = (
            wins + int((theirs < mine).sum()),
            losses + int((theirs > mine).sum()),
            games + len(others),
        )
    return wins, losses, games


def test_flop_prospects_equal_counting():
    deck = Deck(5, 3)
    found = flop_prospects(Streets(deck))
    indexer = indexer_of((2, 3), deck)
    times = indexer.multiplicity(np.arange(indexer.size))
    assert times.sum() == comb(deck.size, 2) * comb(deck.size - 2, 3)
    assert times @ found.wins.astype(np.int64) == times @ found.losses.astype(np.int64)
    rng = np.random.default_rng(0)
    for _ in range(8):
        cards = rng.permutation(deck.size)[:5].tolist()
        wins, losses, games = naive_prospects(cards, deck)
        assert found.of([cards])[0].tolist() == [wins, losses]
        assert found.games == games
