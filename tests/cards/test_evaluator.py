"""Hand strengths: exhaustive counts, the readable ranking, an independent evaluator, boards, small decks, bad input."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.cards.deck import RANKS, SUITS, Deck
from equilibrist.cards.evaluator import (
    FULL_DECK,
    PAIRS,
    all_hands,
    board_strengths,
    boards_strengths,
    class_count,
    evaluate,
    hand_index,
    pair_index,
    pairs,
    small_hand_strengths,
    strength_table,
)
from equilibrist.cards.evaluator_tables import MOST_CARDS, SMALLEST_KEYS
from equilibrist.cards.strength import hand_strength
from equilibrist.core.errors import NotApplicableError, ParameterError, TooLargeError

# (hand classes, five-card hands, seven-card hands) of each category, from high card to straight flush: the combinatorics of
# poker as tabulated in many places, e.g. Wikipedia, "Poker probability".
CATEGORIES = {
    "high card": (1277, 1_302_540, 23_294_460),
    "pair": (2860, 1_098_240, 58_627_800),
    "two pair": (858, 123_552, 31_433_400),
    "trips": (858, 54_912, 6_461_620),
    "straight": (10, 10_200, 6_180_020),
    "flush": (1277, 5_108, 4_047_644),
    "full house": (156, 3_744, 3_473_184),
    "quads": (156, 624, 224_848),
    "straight flush": (10, 40, 41_584),
}
SEVEN_CARD_SUM = 547_965_983_972  # of all 133,784,560 hands in the numbering 1 = best ... 7462
SMALL_DECKS = [
    Deck(9, 4),
    Deck(8, 3),
    Deck(6, 2),
    Deck(5, 4),
    Deck(4, 3),
    Deck(3, 3),
    Deck(9, 1),
    Deck(2, 4),
    Deck(14, 1),
]


def cards(text: str) -> list[int]:
    return [4 * RANKS.index(text[i]) + SUITS.index(text[i + 1]) for i in range(0, len(text), 2)]


def one(text: str) -> int:
    return int(evaluate(np.array([cards(text)]))[0])


def naive(hand: np.ndarray, deck: Deck) -> tuple[int, ...]:
    return hand_strength([deck.rank(int(c)) for c in hand], [deck.suit(int(c)) for c in hand], deck.ranks)


def random_hands(count: int, size: int, seed: int, deck: Deck = FULL_DECK) -> np.ndarray:
    draws = np.random.default_rng(seed).random((count, deck.size), dtype=np.float32)
    return np.ascontiguousarray(np.argsort(draws, axis=1)[:, :size].astype(np.int8))


@pytest.fixture(scope="module")
def fives() -> np.ndarray:
    return all_hands(Deck(), 5)


# -- five cards ----------------------------------------------------------------------------------------------------


def test_all_five_card_hands_fall_into_7462_classes_of_the_right_sizes(fives: np.ndarray) -> None:
    counts = np.bincount(evaluate(fives))
    assert counts[0] == 0
    assert (counts[1:] > 0).all()
    assert len(counts) - 1 == class_count() == 7462
    ends = np.cumsum([classes for classes, _, _ in CATEGORIES.values()])
    sizes = np.add.reduceat(counts[1:], np.r_[0, ends[:-1]])
    assert sizes.tolist() == [five for _, five, _ in CATEGORIES.values()]


def test_the_order_of_all_classes_is_that_of_the_readable_ranking(fives: np.ndarray) -> None:
    strengths, first = np.unique(evaluate(fives), return_index=True)
    tuples = [naive(hand, Deck()) for hand in fives[first]]
    assert all(weaker < stronger for weaker, stronger in pairwise(tuples))
    sample = np.random.default_rng(1).choice(len(fives), 20_000)
    for strength, hand in zip(evaluate(fives[sample]), fives[sample], strict=True):
        assert tuples[strength - 1] == naive(hand, Deck())
    assert strengths[-1] == one("AsKsQsJsTs")


# -- six and seven cards -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [6, 7])
def test_more_cards_are_worth_their_best_five(size: int) -> None:
    hands = random_hands(200_000, size, seed=size)
    best = np.max([evaluate(hands[:, list(chosen)]) for chosen in combinations(range(size), 5)], axis=0)
    np.testing.assert_array_equal(evaluate(hands), best)


def test_all_seven_card_hands_have_the_known_sum_and_category_sizes(fives: np.ndarray) -> None:
    rows = np.empty((len(fives), 7), np.int8)
    rows[:, :5] = fives
    counts = np.zeros(7463, np.int64)
    for fifth, top in combinations(range(5, 52), 2):
        hands = rows[: comb(fifth, 5)]  # all fives below: the order of `all_hands`
        hands[:, 5], hands[:, 6] = fifth, top
        counts += np.bincount(evaluate(hands), minlength=7463)
    assert counts.sum() == comb(52, 7)
    assert (counts * (7463 - np.arange(7463))).sum() == SEVEN_CARD_SUM
    assert np.count_nonzero(counts) == 4824  # classes that are the best five of seven cards
    ends = np.cumsum([classes for classes, _, _ in CATEGORIES.values()])
    assert np.add.reduceat(counts[1:], np.r_[0, ends[:-1]]).tolist() == [seven for _, _, seven in CATEGORIES.values()]


@pytest.mark.parametrize("size", [5, 6, 7])
def test_an_independent_evaluator_agrees(size: int) -> None:
    phevaluator = pytest.importorskip("phevaluator")  # numbers cards as we do, and hands from 1 = best
    hands = random_hands(40_000, size, seed=10 + size)
    theirs = [phevaluator.evaluate_cards(*hand) for hand in hands.tolist()]
    np.testing.assert_array_equal(7463 - evaluate(hands).astype(int), theirs)


@given(st.permutations(range(52)), st.permutations(range(4)), st.integers(5, 7))
@settings(max_examples=100, deadline=None)
def test_order_and_names_of_suits_do_not_matter(deck: list[int], suits: list[int], size: int) -> None:
    hand = np.array(deck[:size])
    relabelled = hand // 4 * 4 + np.array(suits)[hand % 4]
    shown = evaluate(np.array([hand, hand[::-1], relabelled]))
    assert len(set(shown.tolist())) == 1


def test_hands_people_argue_about() -> None:
    assert one("AsKsQsJsTs2c2d") == 7462
    assert one("5s4s3s2sAs6d7d") == 7462 - 9  # the steel wheel is the lowest straight flush
    assert one("Ac2d3h4s5c") < one("2c3d4h5s6c")
    assert one("Ac2d3h4s5c9d9h") == one("Ah2d3h4s5c")
    assert one("QcQdKh2s3sAcKd") == one("KsKcQhQsAd")  # two pair with the best kicker
    assert one("2c2d3c3d4c4dAh") == one("4h4s3h3sAd")  # a third pair does not play
    assert one("2c2d2h3c3d3hAs") == one("3c3d3s2c2s")  # two trips are a full house
    assert one("7s5s4s3s2s") < one("8s5s4s3s2s")
    assert one("2h7s5s4s3s2sAc") == one("7d5d4d3d2d")
    assert one("2c3c4c5c7c") > one("AcKdQhJsTc") > one("AcAdAhKsQc")


# -- boards --------------------------------------------------------------------------------------------------------


def board_by_hands(board: np.ndarray, deck: Deck) -> np.ndarray:
    """The strengths of all pairs on one board, hand by hand."""
    out = np.zeros(comb(deck.size, 2), np.uint16)
    free = ~np.isin(pairs(deck), board).any(axis=1)
    shared = np.broadcast_to(board, (free.sum(), len(board)))
    out[free] = evaluate(np.hstack([pairs(deck)[free], shared]), deck)
    return out


@pytest.mark.parametrize("size", [3, 4, 5])
def test_boards_rank_every_pair_as_a_hand(size: int) -> None:
    boards = random_hands(600, size, seed=20 + size)
    boards[:100] = boards[:100] % 13 * 4 + 2  # one suit: every way to hold a flush, when the cards differ
    boards = boards[[len(set(board)) == size for board in boards.tolist()]]
    np.testing.assert_array_equal(boards_strengths(boards), [board_by_hands(board, Deck()) for board in boards])


def test_flushes_of_four_and_five_on_the_board() -> None:
    for board in ("2s5s7sJsKd", "2s5s7sJsKs", "AsKsQsJsTs", "2c2d2h2sAs"):
        np.testing.assert_array_equal(board_strengths(cards(board)), board_by_hands(np.array(cards(board)), Deck()))
    royal = board_strengths(cards("AsKsQsJsTs"))
    assert set(royal.tolist()) == {0, 7462}
    assert (royal == 0).sum() == 1326 - comb(47, 2)


@pytest.mark.slow
def test_all_boards_have_the_known_sum(fives: np.ndarray) -> None:
    """Every seven-card hand is met once for each of its 21 ways to be two cards and a board."""
    total = 0
    for begin in range(0, len(fives), 4096):
        strengths = boards_strengths(fives[begin : begin + 4096])
        total += int(strengths.sum(dtype=np.int64))
    assert 7463 * comb(52, 7) - total // 21 == SEVEN_CARD_SUM


def test_one_board_can_be_asked_for_some_hands() -> None:
    board, hands = cards("Td9d6hQc"), [cards("KdJd"), cards("AsAc"), cards("Td2c")]
    shown = board_strengths(board, hands)
    assert shown[:2].tolist() == [one("Td9d6hQcKdJd"), one("Td9d6hQcAsAc")]
    assert shown[2] == 0


def test_threads_may_share_the_boards() -> None:
    boards = random_hands(2000, 5, seed=5)
    out = np.empty((2000, 1326), np.uint16)
    with ThreadPoolExecutor(2) as pool:
        for begin in range(0, 2000, 250):
            pool.submit(boards_strengths, boards[begin : begin + 250], out=out[begin : begin + 250])
    np.testing.assert_array_equal(out, boards_strengths(boards))


# -- other decks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deck", SMALL_DECKS, ids=str)
@pytest.mark.parametrize("size", [5, 6, 7])
def test_other_decks_rank_as_the_readable_ranking(deck: Deck, size: int) -> None:
    if deck.size < size:
        return
    hands = all_hands(deck, size) if comb(deck.size, size) < 3000 else random_hands(1500, size, size, deck)
    classes: dict[int, tuple[int, ...]] = {}
    for strength, hand in zip(evaluate(hands, deck).tolist(), hands, strict=True):
        assert classes.setdefault(strength, naive(hand, deck)) == naive(hand, deck)
    ordered = [classes[strength] for strength in sorted(classes)]
    assert ordered == sorted(set(ordered))
    assert min(classes) >= 1
    assert max(classes) <= class_count(deck)


@pytest.mark.parametrize("deck", [d for d in SMALL_DECKS if d.size >= 7], ids=str)
def test_boards_of_other_decks(deck: Deck) -> None:
    for size in (3, 4, 5):
        boards = random_hands(20, size, 30 + size, deck)
        expected = [board_by_hands(board, deck) for board in boards]
        np.testing.assert_array_equal(boards_strengths(boards, deck), expected)


def test_class_counts_of_other_decks() -> None:
    assert class_count(Deck(9, 4)) == 1404  # 6 + 72 + 72 + 120 + 6 + 252 + 252 + 504 + 120, category by category
    assert class_count(Deck(13, 1)) == 1287  # C(13, 5) flushes, 10 of them straight
    assert class_count(Deck(13, 2)) == 2 * 1287 + 2860 + 858  # no three of a kind
    for deck in (Deck(9, 4), Deck(6, 2), Deck(7, 3), Deck(9, 1)):
        assert np.unique(evaluate(all_hands(deck, 5), deck)).tolist() == list(range(1, class_count(deck) + 1))


def test_the_largest_deck() -> None:
    deck = Deck(16, 4)
    hands = random_hands(3000, 7, 3, deck)
    strengths, tuples = evaluate(hands, deck), [naive(hand, deck) for hand in hands]
    order = sorted(range(len(hands)), key=lambda i: tuples[i])
    for i, j in pairwise(order):
        assert (strengths[i] < strengths[j]) == (tuples[i] < tuples[j])
    np.testing.assert_array_equal(
        boards_strengths(hands[:5, :5], deck), [board_by_hands(h[:5], deck) for h in hands[:5]]
    )


# -- one to three cards --------------------------------------------------------------------------------------------


def test_three_card_hands_of_rhode_island() -> None:
    table = strength_table(Deck(), 3)
    counts = np.bincount(table)[1:]
    # high card, pair, flush, straight, trips, straight flush; three-card poker counts the same hands
    assert len(counts) == 274 + 156 + 274 + 12 + 13 + 12
    sizes = np.add.reduceat(counts, np.cumsum([0, 274, 156, 274, 12, 13]))
    assert sizes.tolist() == [16_440, 3_744, 1_096, 720, 52, 48]
    board = cards("7h8h")
    shown = small_hand_strengths(Deck(), 1, board)
    assert shown[cards("9h")[0]] > shown[cards("9d")[0]] > shown[cards("Ah")[0]] > shown[cards("8c")[0]] > shown[0] > 0
    assert shown[board].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("deck", "size"), [(Deck(3, 2), 1), (Deck(3, 2), 2), (Deck(5, 2, merged=True), 2), (Deck(4, 3), 3)]
)
def test_small_tables_order_as_the_readable_ranking(deck: Deck, size: int) -> None:
    hands, table = all_hands(deck, size), strength_table(deck, size)
    tuples = [naive(hand, deck) for hand in hands]
    for i, j in combinations(range(len(hands)), 2):
        assert (table[i] < table[j], table[i] == table[j]) == (tuples[i] < tuples[j], tuples[i] == tuples[j])
    assert set(table.tolist()) == set(range(1, len(set(tuples)) + 1))


def test_leduc_boards() -> None:
    deck = Deck(3, 2)  # J, Q, K; cards 2 and 3 are the queens
    assert small_hand_strengths(deck).tolist() == [1, 1, 2, 2, 3, 3]
    shown = small_hand_strengths(deck, 1, [2])
    assert shown[2] == 0
    assert shown[3] == shown.max()
    assert shown[0] == shown[1] < shown[4] == shown[5] < shown[3]
    assert small_hand_strengths(deck, hole=2, board=[0]).shape == (15,)


# -- numbering -----------------------------------------------------------------------------------------------------


def test_pairs_stand_at_their_index() -> None:
    assert PAIRS.shape == (1326, 2)
    assert PAIRS.dtype == np.int8
    np.testing.assert_array_equal(pair_index(PAIRS[:, 0], PAIRS[:, 1]), np.arange(1326))
    np.testing.assert_array_equal(pair_index(PAIRS[:, 1], PAIRS[:, 0]), np.arange(1326))
    assert (pair_index(0, 1), pair_index(51, 50), pair_index(0, 2)) == (0, 1325, 1)  # [Ganzfried15, Algorithm 15]
    for deck in (Deck(3, 2), Deck(9, 4)):
        np.testing.assert_array_equal(hand_index(pairs(deck)), np.arange(comb(deck.size, 2)))


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_all_hands_stand_at_their_index(size: int) -> None:
    hands = all_hands(Deck(6, 3), size)
    assert {tuple(hand) for hand in hands.tolist()} == set(combinations(range(18), size))
    np.testing.assert_array_equal(hand_index(hands[:, ::-1]), np.arange(comb(18, size)))


# -- bad input -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64])
def test_bad_rows_are_named(dtype: type) -> None:
    hands = random_hands(50, 7, seed=9).astype(dtype)
    for card in (52, 64, 127):
        hands[31, 4] = card
        with pytest.raises(ParameterError, match=f"Row 31 is .*{card}.* different cards .* from 0 to 51"):
            evaluate(hands)
    hands[31, 4] = hands[31, 0]
    with pytest.raises(ParameterError, match="Row 31 is"):
        evaluate(hands)
    with pytest.raises(ParameterError, match="Row 31 is"):
        boards_strengths(hands[:, :5])


def test_negative_and_huge_cards_are_refused() -> None:
    for dtype, card in ((np.int8, -1), (np.int64, -1), (np.int32, -256), (np.int64, 256), (np.int16, 300)):
        hand = np.array([[0, 1, 2, 3, card]], dtype)
        with pytest.raises(ParameterError, match=rf"Row 0 is \[0, 1, 2, 3, {card}\]"):
            evaluate(hand)


def test_other_refusals() -> None:
    with pytest.raises(ParameterError, match="rows of 5 to 7"):
        evaluate(np.zeros((2, 4), np.int8))
    with pytest.raises(ParameterError, match="whole numbers"):
        evaluate(np.zeros((2, 5)))
    with pytest.raises(ParameterError, match="rows of 3 to 5"):
        board_strengths([1, 2])
    with pytest.raises(ParameterError, match="Row 1 is"):
        board_strengths([0, 1, 2], [[5, 6], [7, 7]])
    with pytest.raises(ParameterError, match="'out' must be"):
        boards_strengths(np.array([[0, 1, 2]]), out=np.zeros((1, 1326), np.int64))
    with pytest.raises(ParameterError, match="the deck has 6"):
        evaluate(np.array([[0, 1, 2, 3, 4, 5, 6]]), Deck(3, 2))
    with pytest.raises(ParameterError, match="the deck has 6"):
        board_strengths([0, 1, 2, 3, 4], deck=Deck(3, 2))
    with pytest.raises(ParameterError, match="up to 16 ranks"):
        evaluate(np.array([[0, 1, 2, 3, 4]]), Deck(17, 2))
    with pytest.raises(NotApplicableError, match="merged"):
        evaluate(np.array([[0, 1, 2, 3, 4]]), Deck(5, 2, merged=True))
    with pytest.raises(NotApplicableError, match="merged"):
        strength_table(Deck(5, 2, merged=True), 3)
    with pytest.raises(ParameterError, match="1 to 3 cards"):
        strength_table(Deck(), 4)
    with pytest.raises(ParameterError, match=r"different cards from 0 to 5, but \[2, 2\]"):
        small_hand_strengths(Deck(3, 2), 1, [2, 2])
    with pytest.raises(TooLargeError, match="133,784,560"):
        all_hands(Deck(), 7)
    assert evaluate(np.zeros((0, 7), np.int8)).shape == (0,)


# -- keys of cards -------------------------------------------------------------------------------------------------


def smallest_key(sums: np.ndarray, sizes: np.ndarray, suits: int, least: int) -> int:
    """The smallest key from `least` on with which no two multisets of at most seven cards add up to the same sum."""
    taken = set[int]()
    for more in range(1, suits + 1):  # cards that one of the two has more of: the other can be thought to have none
        fitting = sums[sizes <= MOST_CARDS - more]
        gaps = (sums[:, None] - fitting[None, :]).ravel()
        taken |= set(np.unique(gaps[(gaps > 0) & (gaps % more == 0)] // more).tolist())
    return next(key for key in range(least, 1 << 20) if key not in taken)


@pytest.mark.parametrize("suits", SMALLEST_KEYS)
def test_keys_are_the_smallest_that_tell_hands_apart(suits: int) -> None:
    sums, sizes, least = np.zeros(1, np.int64), np.zeros(1, np.int64), 1
    for key in SMALLEST_KEYS[suits]:
        assert key == smallest_key(sums, sizes, suits, least)
        parts = [(copies, sizes + copies <= MOST_CARDS) for copies in range(suits + 1)]
        sums = np.concatenate([sums[fits] + copies * key for copies, fits in parts])
        sizes, least = np.concatenate([sizes[fits] + copies for copies, fits in parts]), key
