"""GameShrink: hands that may be treated as one, from the rules alone ([Gilpin09, chapter 5]).

`automorphism` merges what some relabelling of suits exchanges. It is lossless. `signature` is what the published numbers were
computed with: complete hands are alike if they win, tie and lose equally often against a uniform opponent, earlier ones if their
followers are alike one to one, and siblings alike are merged. It is *not* lossless, although the text says so: the matching of
opponents' cards ignores that opponents have acted on them (docs/gameshrink.md). `solvers/hand_classes/gameshrink_loss.py`
measures the loss.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.information.ordered_game import OrderedGame, ordered_game
from equilibrist.abstraction.information.signal_tree import next_hands, outcome_counts
from equilibrist.core.arrays import Longs
from equilibrist.core.errors import ParameterError, suggest
from equilibrist.forms.hand_classes.classes import HandClasses, classes_from_labels, view_of
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import Game

MODES = ("automorphism", "signature")


def shrink(game: Game | PokerRules | OrderedGame, mode: str = "automorphism") -> HandClasses:
    """Classes of hands in every betting round."""
    if mode not in MODES:
        raise ParameterError(f"The mode '{mode}' is not one of {', '.join(MODES)}.{suggest(str(mode), MODES)}")
    ordered = ordered_game(game)
    labels = suit_patterns(ordered) if mode == "automorphism" else signatures(ordered)
    return classes_from_labels(ordered.rules, per_round(ordered, labels))


def per_round(game: OrderedGame, by_deal: Sequence[Longs]) -> list[Longs]:
    """Labels of the deal seen in each betting round."""
    return [by_deal[deal] for deal in view_of(game.rules)[1]]


def suit_patterns(game: OrderedGame) -> list[Longs]:
    """[hands] by deal: a number for each orbit of the relabellings that leave the game as it is.

    These exchange whole suits; where no hand can be a flush, also the cards of one rank.
    """
    indexer, _ = view_of(game.rules)
    if game.cards > 2 or game.orders:
        return [np.arange(size) for size in indexer.sizes]
    out = []
    for deal, size in enumerate(indexer.sizes):
        cards = indexer.unindex(np.arange(size), deal) // indexer.deck.suits
        streets = np.split(cards, np.cumsum(indexer.dealt[:deal]), axis=1)
        ranks = np.concatenate([np.sort(street, axis=1) for street in streets], axis=1)
        out.append(row_numbers(ranks))
    return out


def signatures(game: OrderedGame) -> list[Longs]:
    """[hands] by deal: equal numbers for equal multisets of what follows, at the end for equal wins, ties and losses.

    Likeness is an equivalence, so followers can be matched one to one exactly if these multisets are equal.
    """
    indexer, _ = view_of(game.rules)
    labels = [row_numbers(outcome_counts(game))]
    for deal in range(len(indexer.dealt) - 2, -1, -1):
        labels.append(row_numbers(np.sort(labels[-1][next_hands(indexer, deal)], axis=1)))
    return labels[::-1]


def row_numbers(rows: NDArray[np.integer]) -> Longs:
    """Equal numbers for equal rows."""
    numbers: Longs = np.unique(rows, axis=0, return_inverse=True)[1].ravel().astype(np.int64)
    return numbers
