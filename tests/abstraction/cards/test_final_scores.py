"""Scores of complete hands and their sums over all runouts, against the sweep over whole boards."""

import numpy as np
import pytest

from equilibrist.abstraction.cards.build import build_abstraction
from equilibrist.abstraction.cards.card_abstraction import load_card_abstraction
from equilibrist.abstraction.cards.deals import HOLDEM, Streets, board_count, hands_on
from equilibrist.abstraction.cards.features import Histogram, Strength
from equilibrist.abstraction.cards.final_scores import SummedStrength, board_sums, hand_scores
from equilibrist.abstraction.cards.recipe import find_preset, make_recipe
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import evaluate
from equilibrist.core.artifact import Artifact, open_artifact, save_artifact
from equilibrist.core.errors import FormatError

DECKS = (Streets(Deck(5, 3)), Streets(Deck(6, 4)), Streets(Deck(5, 4), (2, 3, 2)), Streets(Deck(4, 3), (2, 3)))


def naive_score(cards, deck):
    """Twice the wins plus the ties, one opponent after the other."""
    free = [card for card in range(deck.size) if card not in cards]
    pairs = [(a, b) for a in free for b in free if a < b]
    rows = np.array([[*pair, *cards[2:]] for pair in pairs])
    mine, theirs = int(evaluate(np.array([cards]), deck)[0]), evaluate(rows, deck)
    return 2 * int((theirs < mine).sum()) + int((theirs == mine).sum())


@pytest.mark.parametrize("suited", [0, 2, 3, 4, 5])  # cards of one suit on the board: flushes change who beats whom
def test_scores_count_what_a_hand_beats(suited):
    rng, deck = np.random.default_rng(suited), Deck()
    for _ in range(12):
        ranks = rng.permutation(13)[:5]
        suits = [0 if place < suited else 1 + (place % 3) for place in range(5)]
        board = [int(4 * rank + suit) for rank, suit in zip(ranks, suits, strict=True)]
        hole = rng.choice([card for card in range(52) if card not in board], 2, replace=False)
        cards = [int(card) for card in hole] + board
        assert hand_scores(np.array([cards]), deck)[0] == naive_score(cards, deck)


@pytest.mark.parametrize("streets", DECKS, ids=str)
def test_scores_equal_the_sweep(streets):
    dealt = streets.merged(streets.count - 1)
    batch = hands_on(dealt, streets.deck, np.arange(0, board_count(dealt, streets.deck), 2))
    scores = hand_scores(batch.cards(streets.deck), streets.deck)
    for feature in (Strength(), Histogram(7)):
        assert np.array_equal(feature.of_scores(streets, scores), feature.rows(streets, batch))


def test_hands_on_one_board_score_as_each_by_itself():
    """Long runs of hands on one board are counted together; every other hand in between breaks them."""
    rng, deck = np.random.default_rng(5), Deck()
    boards = [rng.choice(52, 5, replace=False) for _ in range(3)] + [np.array([0, 4, 8, 12, 16])]
    both = np.array([(a, b) for b in range(52) for a in range(b)])
    rows = [np.hstack([both, np.tile(board, (len(both), 1))]) for board in boards]
    free = [part[~np.isin(part[:, :2], board).any(axis=1)] for part, board in zip(rows, boards, strict=True)]
    free[1][:, :2] = free[1][:, 1::-1]
    together = np.vstack(free)
    assert len(together) == 4 * 1081
    mixed = rng.permutation(len(together))
    assert np.array_equal(hand_scores(together, deck)[mixed], hand_scores(together[mixed], deck))


@pytest.mark.parametrize("streets", DECKS, ids=str)
def test_sums_of_boards_equal_all_runouts(streets):
    for cards in range(streets.final_board - 1, 2, -1):
        dealt = (2, cards)
        batch = hands_on(dealt, streets.deck, np.arange(0, board_count(dealt, streets.deck), 3))
        summed = SummedStrength(board_sums(streets, cards))
        assert np.array_equal(summed.rows(streets, batch), Strength().rows(streets, batch))


def test_holdem_rivers_need_no_table_of_all_hands(tmp_path):
    """River scores on the full deck: quads on a paired board beat all 990 hands, the board's own straight flush ties with all."""
    deck = HOLDEM.deck
    quads = [48, 49, 50, 51, 0, 6, 13]  # AcAd on AhAs2c3h5d
    royal = [0, 5, 51, 47, 43, 39, 35]  # a royal flush on the board
    assert hand_scores(np.array([quads]), deck)[0] == HOLDEM.full_score
    assert hand_scores(np.array([royal]), deck)[0] == HOLDEM.full_score // 2


@pytest.mark.parametrize("method", ["ehs-equal", "ehs-percentile(of=ehs2)", "kmeans-emd(bins=10)"])
def test_last_street_by_rule_and_by_table(method, tmp_path):
    streets = Streets(Deck(5, 3))
    made = build_abstraction(make_recipe(f"kmeans-l2/{method}/{method}/{method}", "5/6/6/6", streets=streets))
    table = made.tables[3]
    assert table.fine is None and table.by_score is not None  # noqa: PT018
    batch = hands_on(table.dealt, streets.deck, np.arange(0, board_count(table.dealt, streets.deck), 2))
    rows = (Histogram(10) if "emd" in method else Strength()).rows(streets, batch)
    wanted = made.recipe.methods[3].assign(rows, table.clusters, None)
    assert np.array_equal(made.bucket(3, batch.cards(streets.deck)), wanted)
    made.save(tmp_path / "buckets.eqb")
    again = load_card_abstraction(tmp_path / "buckets.eqb", hash=made.hash)
    assert np.array_equal(again.bucket(3, batch.cards(streets.deck)), wanted)


def test_files_without_scores_are_refused(tmp_path):
    streets = Streets(Deck(5, 3))
    made = build_abstraction(make_recipe("ehs-equal", "5/6/6/6", streets=streets))
    made.save(tmp_path / "whole.eqb")
    kept = open_artifact(tmp_path / "whole.eqb", "card-abstraction")
    for change in ({}, {"scores.3": np.zeros(3, np.uint16)}, {"scores.3": made.tables[3].by_score + np.uint16(90)}):
        arrays = {name: array for name, array in kept.arrays.items() if name != "scores.3"} | change
        save_artifact(tmp_path / "broken.eqb", Artifact("card-abstraction", kept.header, arrays))
        with pytest.raises(FormatError):
            load_card_abstraction(tmp_path / "broken.eqb")


def test_quick_presets_look_at_all_runouts():
    for word in ("tiny", "small", "boards"):
        recipe = find_preset(word).recipe()
        assert recipe.runouts == 0
        assert recipe.by_score(3)
