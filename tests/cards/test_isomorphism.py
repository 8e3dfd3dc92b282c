"""The hand indexer against known counts, Burnside's lemma and the naive twin; next cards up to suits."""

from __future__ import annotations

from itertools import permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.cards.deck import RANKS, SUITS, Deck
from equilibrist.cards.isomorphism import HandIndexer, NextCards, isomorphic_deals
from equilibrist.core.errors import ParameterError, TooLargeError
from reference.naive_isomorphism import all_deals, burnside_count, naive_canonical, naive_orbit, relabel, split

HOLDEM = HandIndexer((2, 3, 1, 1))


def cards_of(text: str) -> list[int]:
    return [4 * RANKS.index(text[i]) + SUITS.index(text[i + 1]) for i in range(0, len(text), 2)]


def random_hands(rng: np.random.Generator, hands: int, cards: int, deck: int = 52) -> np.ndarray:
    return np.argsort(rng.random((hands, deck)), axis=1)[:, :cards].astype(np.int8)


# ---- counts


@pytest.mark.parametrize(
    ("dealt", "size"),
    [  # [Ganzfried15, §5.3.1 and §6.1.2] and recomputed
        ((2,), 169),
        ((3,), 1_755),
        ((4,), 16_432),
        ((5,), 134_459),
        ((2, 3), 1_286_792),
        ((2, 4), 13_960_050),
        ((2, 5), 123_156_254),
        ((2, 3, 1), 55_190_538),
        ((2, 3, 1, 1), 2_428_287_420),
        ((1, 1, 1), 9_997),
    ],
)
def test_published_counts(dealt: tuple[int, ...], size: int) -> None:
    assert HandIndexer(dealt).size == size


def test_sizes_after_each_round() -> None:
    assert HOLDEM.sizes == (169, 1_286_792, 55_190_538, 2_428_287_420)
    assert HandIndexer((1, 1, 1)).sizes == (13, 325, 9_997)  # Rhode Island, recomputed
    # Leduc's deck: a rank; then the same rank, or another one in the same or the other suit
    assert HandIndexer((1, 1), Deck(3, 2)).sizes == (3, 15)


def small_rounds() -> st.SearchStrategy[tuple[Deck, tuple[int, ...]]]:
    decks = st.builds(Deck, st.integers(1, 6), st.integers(1, 4))
    dealt = st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple)
    return st.tuples(decks, dealt).filter(lambda drawn: sum(drawn[1]) <= min(drawn[0].size, 9))


@settings(max_examples=60, deadline=None)
@given(small_rounds())
def test_counts_follow_burnside(drawn: tuple[Deck, tuple[int, ...]]) -> None:
    deck, dealt = drawn
    for size, r in zip(HandIndexer(dealt, deck).sizes, range(len(dealt)), strict=True):
        assert size == burnside_count(dealt[: r + 1], deck.ranks, deck.suits)


def test_sixteen_ranks() -> None:
    deck = Deck(16, 4)
    indexer = HandIndexer((2, 3), deck)
    assert indexer.size == burnside_count((2, 3), 16, 4)
    indices = np.random.default_rng(1).integers(0, indexer.size, 2_000)
    assert (indexer.index(indexer.unindex(indices)) == indices).all()
    highest = [[63, 62, 61, 60, 59]]  # the last rank of the last suit fills the highest bit
    assert naive_orbit(split(indexer.canonical(highest)[0], (2, 3)), 4) == naive_orbit(split(highest[0], (2, 3)), 4)


# ---- bijection


@pytest.mark.parametrize(
    ("ranks", "suits", "dealt"),
    [(5, 4, (2,)), (5, 4, (3,)), (5, 4, (2, 3)), (3, 3, (2,)), (3, 3, (2, 3)), (3, 3, (4, 5)), (2, 4, (1, 2, 1)),
     (6, 1, (2, 2)), (1, 4, (2, 1)), (4, 2, (1, 1, 2)), (3, 2, (1, 1))],
)  # fmt: skip
def test_every_class_has_one_number(ranks: int, suits: int, dealt: tuple[int, ...]) -> None:
    indexer = HandIndexer(dealt, Deck(ranks, suits))
    deals = np.array(list(all_deals(dealt, range(ranks * suits))), np.int8)
    indices = indexer.index(deals)
    everything = np.arange(indexer.size)
    # every number is used, as often as `multiplicity` says; relabelled deals share it; there are as many as classes
    assert (np.bincount(indices, minlength=indexer.size) == indexer.multiplicity(everything)).all()
    assert indexer.multiplicity(everything).min() >= 1
    for order in permutations(range(suits)):
        assert (indexer.index(deals - deals % suits + np.array(order, np.int8)[deals % suits]) == indices).all()
    assert indexer.size == burnside_count(dealt, ranks, suits)
    assert (indexer.index(indexer.unindex(everything)) == everything).all()


def test_classes_equal_the_naive_ones() -> None:
    dealt = (2, 2)
    indexer = HandIndexer(dealt, Deck(3, 3))
    number: dict[object, int] = {}
    for row in all_deals(dealt, range(9)):
        index = int(indexer.index([row])[0])
        assert number.setdefault(naive_canonical(split(row, dealt), 3), index) == index
    assert sorted(number.values()) == list(range(indexer.size))


def test_all_flop_hands_round_trip() -> None:
    indexer = HandIndexer((2, 3))
    everything = np.arange(indexer.size)
    assert (indexer.index(indexer.unindex(everything)) == everything).all()
    assert indexer.multiplicity(everything).sum() == comb(52, 2) * comb(50, 3)


def test_multiplicities() -> None:
    flops = HandIndexer((3,))
    assert flops.multiplicity(np.arange(flops.size)).sum() == 22_100  # [Ganzfried15, §6.1.2]
    hands = [cards_of(text) for text in ("AsAh", "AsKs", "AsKh")]
    assert HOLDEM.multiplicity(HOLDEM.index(hands, street=0), street=0).tolist() == [6, 4, 12]
    small = HandIndexer((1, 1), Deck(3, 2))
    assert small.multiplicity(np.arange(15)).sum() == 6 * 5


def test_random_river_indices_round_trip() -> None:
    indices = np.random.default_rng(2).integers(0, HOLDEM.size, 200_000)
    indices[:2] = 0, HOLDEM.size - 1
    hands = HOLDEM.unindex(indices)
    assert (HOLDEM.index(hands) == indices).all()
    assert (HOLDEM.canonical(hands) == hands).all()
    assert (np.sort(hands, axis=1)[:, 1:] > np.sort(hands, axis=1)[:, :-1]).all()


@pytest.mark.parametrize("dealt", [(2,), (3,), (2, 3), (2, 3, 1), (2, 3, 1, 1), (2, 4), (2, 5), (1, 1, 1)])
def test_random_hands_against_the_naive_twin(dealt: tuple[int, ...]) -> None:
    indexer = HandIndexer(dealt)
    hands = random_hands(np.random.default_rng(3), 200, sum(dealt))
    indices = indexer.index(hands)
    canonical = indexer.unindex(indices)
    multiplicity = indexer.multiplicity(indices)
    for hand, alike, count in zip(hands, canonical, multiplicity, strict=True):
        orbit = naive_orbit(split(hand, dealt), 4)
        assert split(alike, dealt) in orbit  # also: cards rise within streets
        assert count == len(orbit)


# ---- what does not matter and what does


@settings(max_examples=100, deadline=None)
@given(st.permutations(range(52)), st.permutations(range(4)), st.randoms(use_true_random=False))
def test_suits_and_order_within_rounds_do_not_matter(deck: list[int], order: list[int], random: object) -> None:
    dealt = (2, 3, 1, 1)
    deal = relabel(split(deck[:7], dealt), order)
    shuffled = [card for cards in deal for card in random.sample(cards, len(cards))]  # type: ignore[attr-defined]
    assert HOLDEM.index([shuffled])[0] == HOLDEM.index([deck[:7]])[0]


@settings(max_examples=100, deadline=None)
@given(st.permutations(range(52)), st.lists(st.permutations(range(4)), min_size=3, max_size=3))
def test_suits_of_single_rounds_do_matter(deck: list[int], orders: list[list[int]]) -> None:
    dealt = (2, 1, 1)
    indexer = HandIndexer(dealt)
    deal = split(deck[:4], dealt)
    other = tuple(relabel([cards], order)[0] for cards, order in zip(deal, orders, strict=True))
    flat = [card for cards in other for card in cards]
    if len(set(flat)) == 4:
        same = indexer.index([flat])[0] == indexer.index([deck[:4]])[0]
        assert same == (naive_canonical(deal, 4) == naive_canonical(other, 4))


def test_rounds_are_told_apart() -> None:
    turn_first, flop_first = cards_of("AsKd2c3h4s9d"), cards_of("AsKd3h4s9d2c")
    assert HOLDEM.index([turn_first], street=2) != HOLDEM.index([flop_first], street=2)
    merged = HandIndexer((2, 4))
    assert merged.index([turn_first]) == merged.index([flop_first])


def test_prefix_rounds_agree_with_their_own_indexer() -> None:
    hands = random_hands(np.random.default_rng(4), 500, 5)
    alone = HandIndexer((2, 3))
    assert (HOLDEM.index(hands, street=1) == alone.index(hands)).all()
    assert (HOLDEM.unindex(alone.index(hands), street=1) == alone.canonical(hands)).all()


def test_empty_input() -> None:
    assert HOLDEM.index(np.empty((0, 7), np.int64)).shape == (0,)
    assert HOLDEM.unindex(np.empty(0, np.int64)).shape == (0, 7)


# ---- refusals


@pytest.mark.parametrize(
    ("dealt", "deck", "message"),
    [
        ((), Deck(), "one or more streets"),
        ((2, 0), Deck(), "at least one card"),
        ((2, 3), Deck(2, 2), "need 5 cards, but the deck has 4"),
        ((1,), Deck(17, 2), "at most 16 ranks"),
        ((1, 1), Deck(3, 2, merged=True), "suits told apart"),
    ],
)
def test_refused_streets(dealt: tuple[int, ...], deck: Deck, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        HandIndexer(dealt, deck)


def test_refused_sizes() -> None:
    with pytest.raises(TooLargeError, match="fewer streets"):
        HandIndexer((1,) * 20)
    with pytest.raises(TooLargeError, match="fewer cards"):
        HandIndexer((11, 11))


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ([[0, 1], [5, 5]], r"Row 1 of the hands is \[5, 5\]"),
        ([[0, 52]], "0 to 51"),
        ([[-1, 3]], "0 to 51"),
        (np.array([[0, 52]], np.int8), "0 to 51"),
        (np.array([[0, -1]], np.int8), "0 to 51"),
        ([[0, 256]], r"Row 0 of the hands is \[0, 256\]"),  # would wrap to card 0
        ([[0, 1, 2]], r"\[N, 2\]"),
        ([0, 1], r"\[N, 2\]"),
        ([[0.0, 1.0]], "integer array"),
    ],
)
def test_refused_hands(cards: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        HandIndexer((2,)).index(cards)  # type: ignore[arg-type]


def test_refused_repetition_across_rounds() -> None:
    with pytest.raises(ParameterError, match=r"Row 0 of the hands is \[0, 1, 8, 9, 1\]"):
        HOLDEM.index([[0, 1, 8, 9, 1]], street=1)


def test_refused_indices() -> None:
    indexer = HandIndexer((2,))
    for method in (indexer.unindex, indexer.multiplicity):
        with pytest.raises(ParameterError, match="Index 169 was given, but the hands are numbered 0 to 168"):
            method([3, 169])
        with pytest.raises(ParameterError, match="Index -1"):
            method([-1])
        with pytest.raises(ParameterError, match="one-dimensional integer"):
            method([[1.5]])
    with pytest.raises(ParameterError, match="Street 1"):
        indexer.index([[0, 1]], street=1)


# ---- next cards up to suits


def pair_index(first: int, second: int) -> int:
    high, low = max(first, second), min(first, second)
    return comb(high, 2) + low


def weights_with(changes: dict[str, float]) -> np.ndarray:
    weights = np.ones(1326)
    for text, weight in changes.items():
        weights[pair_index(*cards_of(text))] = weight
    return weights


def check_group(deals: NextCards, board: list[list[int]], ranges: list[np.ndarray]) -> None:
    """The permutations form a group that changes neither streets nor live weights, and lead to representatives."""
    group = {tuple(each) for each in deals.permutations.tolist()}
    assert tuple(range(52)) == tuple(deals.permutations[0].tolist())
    assert all(tuple(a[b] for b in q) in group for a in group for q in group)
    dealt = {card for street in board for card in street}
    for permutation, hand_map in zip(deals.permutations, deals.hand_maps, strict=True):
        assert all({int(permutation[card]) for card in street} == set(street) for street in board)
        for low, high in ((4, 51), (0, 1), (17, 30)):
            assert hand_map[pair_index(low, high)] == pair_index(int(permutation[low]), int(permutation[high]))
        for weights in ranges:
            for high in range(52):
                for low in range(high):
                    if not {low, high} & dealt:
                        moved = pair_index(int(permutation[low]), int(permutation[high]))
                        assert weights[pair_index(low, high)] == weights[moved]
    for card in range(52):
        if card in dealt:
            assert deals.representative[card] == deals.which[card] == -1
        else:
            assert deals.permutation(card)[card] == deals.representative[card] <= card
    counts = np.bincount(deals.representative[deals.representative >= 0], minlength=52)
    assert (counts == deals.multiplicity).all()
    assert deals.multiplicity.sum() == 52 - len(dealt)


@pytest.mark.parametrize(
    ("flop", "turns"),
    [  # live cards of each suit, exchangeable suits counted once
        ("AsKs2s", 10 + 13),  # monotone: three suits alike
        ("AsKs2d", 11 + 12 + 13),  # two-tone
        ("AsKd2c", 12 + 12 + 12 + 13),  # rainbow: nothing
        ("AsAd2c", 12 + 12 + 13),  # paired rainbow: the suits of the pair are alike
        ("AsAd2s", 11 + 12 + 13),  # paired two-tone
        ("AsAdAc", 12 + 13),  # three of a kind
    ],
)
def test_turn_cards_of_symmetric_ranges(flop: str, turns: int) -> None:
    board = [cards_of(flop)]
    symmetric = np.ones(1326)
    for ranges in ([], [None, None], [symmetric, None], [symmetric, symmetric]):
        assert len(isomorphic_deals(board, ranges).cards) == turns
    check_group(isomorphic_deals(board, [symmetric]), board, [symmetric])


@pytest.mark.parametrize(
    ("flop", "changes", "turns"),
    [
        ("AsKs2s", {"AhKh": 0.5}, 10 + 13 + 13),  # hearts stand out, clubs and diamonds stay alike
        ("AsKs2s", {"QhJh": 0.5, "QdJd": 0.25}, 10 + 13 + 13 + 13),
        ("AsKs2s", {"AcKd": 2.0, "AdKh": 2.0, "AhKc": 2.0}, 10 + 13),  # alike in a ring only
        ("AsKs2s", {"AsKh": 0.0}, 10 + 13),  # cannot be held on this board: changes nothing
        ("AsKs2d", {"AcKc": 0.0}, 49),
        ("AsKs2d", {"AdKd": 0.0}, 11 + 12 + 13),  # diamonds stood apart anyway
        ("AsAd2c", {"KsQs": 0.9}, 49),
        ("AsAd2c", {"KsQd": 0.9}, 49),
        ("AsAd2c", {"KsQd": 0.9, "KdQs": 0.9}, 12 + 12 + 13),
        ("AsKd2c", {"QsJs": 0.0}, 49),
    ],
)
def test_turn_cards_of_asymmetric_ranges(flop: str, changes: dict[str, float], turns: int) -> None:
    board = [cards_of(flop)]
    weights = weights_with(changes)
    for ranges in ([weights, None], [None, weights], [np.ones(1326), weights]):
        deals = isomorphic_deals(board, ranges)
        assert len(deals.cards) == turns
    check_group(deals, board, [weights])


def test_both_ranges_must_agree() -> None:
    board = [cards_of("AsKs2s")]
    hearts, diamonds = weights_with({"QhJh": 0.5}), weights_with({"QdJd": 0.5})
    assert len(isomorphic_deals(board, [hearts, diamonds]).cards) == 49
    assert len(isomorphic_deals(board, [hearts, hearts]).cards) == 36


def test_streets_are_kept_apart() -> None:
    flop, turn = cards_of("AsKs2d"), cards_of("2h")
    assert len(isomorphic_deals([flop, turn]).cards) == 48
    # as one street diamonds and hearts would be alike
    assert len(isomorphic_deals([flop + turn]).cards) == 48 - 12
    assert len(isomorphic_deals([flop, cards_of("3s")]).cards) == 10 + 12 + 13
    assert len(isomorphic_deals([]).cards) == 13


def test_values_carry_over_to_cards_alike() -> None:
    """A payoff that looks at suits only through the indexer obeys value[card][hand] = value[representative][mapped hand]."""
    deck = Deck(5, 4)
    flop = [3, 7, 11]  # one suit
    weights = np.ones(190)
    for first, second in ((16, 13), (17, 14), (18, 12)):  # a ring of three suits: the direction of the maps matters
        weights[pair_index(first, second)] = 3.0
    deals = isomorphic_deals([flop], [weights], deck)
    assert len(deals.permutations) == 3
    indexer = HandIndexer((3, 1, 2, 2), deck)
    high, low = np.tril_indices(20, -1)
    hand, opponent = (each.ravel() for each in np.meshgrid(np.arange(190), np.arange(190), indexing="ij"))
    private = np.stack([high[hand], low[hand], high[opponent], low[opponent]], axis=1)

    def values(card: int) -> np.ndarray:
        rows = np.concatenate([np.tile([*flop, card], (len(private), 1)), private], axis=1)
        live = (np.diff(np.sort(rows, axis=1), axis=1) > 0).all(axis=1)
        payoff = indexer.index(rows[live]) % 997 * weights[opponent[live]]
        return np.bincount(hand[live], weights=payoff, minlength=190)

    by_card = {card: values(card) for card in range(20) if card not in flop}
    for card, value in by_card.items():
        alike = by_card[int(deals.representative[card])]
        assert (value == alike[deals.hand_map(card)]).all()


@pytest.mark.parametrize(
    ("board", "ranges", "message"),
    [
        ([[1, 1, 2]], [], "different cards"),
        ([[1, 2, 3], [2]], [], "different cards"),
        ([[1, 2, 52]], [], "0 to 51"),
        ([[1, 2, 3]], [np.ones(1325)], "1326 finite weights"),
        ([[1, 2, 3]], [np.full(1326, np.nan)], "finite"),
    ],
)
def test_refused_boards_and_ranges(board: list[list[int]], ranges: list[np.ndarray], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        isomorphic_deals(board, ranges)


def test_dealt_cards_cannot_come_next() -> None:
    with pytest.raises(ParameterError, match="cannot come next"):
        isomorphic_deals([[1, 2, 3]]).permutation(2)
