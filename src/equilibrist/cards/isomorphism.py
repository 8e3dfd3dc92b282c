"""Hands up to suits: a perfect index of deals street by street, and which next cards are the same but for suits.

Each street's cards are a set; two deals are alike if some relabelling of suits turns one into the other. Every class of alike
deals has one number, without gaps ([Ganzfried15, §6.1.2]). `docs/isomorphism.md` tells how the numbers are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations, product
from math import comb, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equilibrist.cards._kernels.isomorphism import count_deals, index_hands, unindex_hands
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import hand_index, pairs
from equilibrist.core.errors import ParameterError, TooLargeError

STANDARD_DECK = Deck()
LARGEST_RANKS = 16  # the ranks of a suit share 16 bits in the kernels
_SUITS = 4  # smaller decks are indexed as if they had four suits, the further ones always empty
_MOST_CONFIGURATIONS = 1 << 10  # these two keep the tables within some tens of megabytes
_MOST_ASSIGNMENTS = 1 << 18
_MOST_HANDS = 1 << 61  # the kernels multiply by up to four before they divide

Shape = tuple[int, ...]  # configurations of four suits, falling


class HandIndexer:
    """Numbers the deals of `dealt` cards per street, up to suits: `HandIndexer((2, 3, 1, 1))` for hold'em."""

    def __init__(self, dealt: Sequence[int], deck: Deck = STANDARD_DECK) -> None:
        self.dealt = tuple(int(cards) for cards in dealt)
        self.deck = deck
        _check_streets(self.dealt, deck)
        self._tables = tuple(_build_tables(self.dealt[: r + 1], deck) for r in range(len(self.dealt)))

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many different hands there are after each street."""
        return tuple(tables.size for tables in self._tables)

    @property
    def size(self) -> int:
        return self._tables[-1].size

    def index(self, cards: ArrayLike, street: int = -1) -> NDArray[np.int64]:
        """Numbers of the hands `cards` [N, cards dealt up to `street`], columns by street, any order within a street."""
        t = self._at(street)
        hands = self._as_hands(cards, t)
        out = np.empty(len(hands), np.int64)
        suits = self.deck.suits
        bad = index_hands(
            hands, t.dealt, t.strides, suits, t.choose, t.ones, t.values, t.pair, t.shape, t.offset, t.weight, t.place, out
        )  # fmt: skip
        if bad >= 0:
            raise ParameterError(
                f"Row {bad} of the hands is {hands[bad].tolist()}, but a hand has different cards from 0 to {self.deck.size - 1}."
            )
        return out

    def unindex(self, indices: ArrayLike, street: int = -1) -> NDArray[np.int8]:
        """One hand [N, cards] for each number: the canonical one, cards rising within streets."""
        t = self._at(street)
        wanted = _as_indices(indices, t.size)
        out = np.empty((len(wanted), int(t.dealt.sum())), np.int8)
        suits = self.deck.suits
        unindex_hands(wanted, t.dealt, t.strides, suits, t.choose, t.values, t.configurations, t.offset, t.place, out)
        return out

    def multiplicity(self, indices: ArrayLike, street: int = -1) -> NDArray[np.int64]:
        """How many deals (a set of cards per street) have each number."""
        t = self._at(street)
        wanted = _as_indices(indices, t.size)
        out = np.empty(len(wanted), np.int64)
        count_deals(wanted, self.deck.suits, t.values, t.configurations, t.offset, t.place, out)
        return out

    def canonical(self, cards: ArrayLike, street: int = -1) -> NDArray[np.int8]:
        """The hand that stands for all hands alike to each row."""
        return self.unindex(self.index(cards, street), street)

    def _at(self, street: int) -> _Tables:
        if not -len(self.dealt) <= street < len(self.dealt):
            raise ParameterError(f"Street {street} was asked for, but the streets are 0 to {len(self.dealt) - 1}.")
        return self._tables[street]

    def _as_hands(self, cards: ArrayLike, tables: _Tables) -> NDArray[np.int8]:
        hands = np.asarray(cards)
        columns = int(tables.dealt.sum())
        if hands.ndim != 2 or hands.shape[1] != columns or not np.issubdtype(hands.dtype, np.integer):
            raise ParameterError(
                f"Hands of {tuple(tables.dealt.tolist())} are an integer array [N, {columns}], but one of shape "
                f"{list(hands.shape)} and type {hands.dtype} was given."
            )
        if hands.dtype != np.int8 and hands.size and (hands.min() < 0 or hands.max() >= self.deck.size):
            bad = int(np.flatnonzero(((hands < 0) | (hands >= self.deck.size)).any(axis=1))[0])
            raise ParameterError(
                f"Row {bad} of the hands is {hands[bad].tolist()}, but the cards of this deck are 0 to {self.deck.size - 1}."
            )
        return np.ascontiguousarray(hands, np.int8)


def _as_indices(indices: ArrayLike, size: int) -> NDArray[np.int64]:
    wanted = np.asarray(indices)
    if wanted.ndim != 1 or not np.issubdtype(wanted.dtype, np.integer):
        raise ParameterError(
            f"Indices are a one-dimensional integer array, but one of shape {list(wanted.shape)} and type "
            f"{wanted.dtype} was given."
        )
    if wanted.size and (wanted.min() < 0 or wanted.max() >= size):
        bad = wanted[(wanted < 0) | (wanted >= size)][0]
        raise ParameterError(f"Index {bad} was given, but the hands are numbered 0 to {size - 1}.")
    return np.ascontiguousarray(wanted, np.int64)


def _check_streets(dealt: tuple[int, ...], deck: Deck) -> None:
    if not dealt or min(dealt) < 1:
        raise ParameterError(
            f"Streets of {list(dealt)} cards were given; name one or more streets of at least one card."
        )
    if deck.merged or deck.ranks > LARGEST_RANKS:
        raise ParameterError(
            f"Hands are indexed up to suits in decks of at most {LARGEST_RANKS} ranks with suits told apart, not in {deck}."
        )
    if sum(dealt) > deck.size:
        raise ParameterError(f"Streets of {list(dealt)} cards need {sum(dealt)} cards, but the deck has {deck.size}.")
    configurations = prod(min(cards, deck.ranks) + 1 for cards in dealt)
    assignments = prod(comb(cards + deck.suits - 1, deck.suits - 1) for cards in dealt)
    if configurations > _MOST_CONFIGURATIONS or assignments > _MOST_ASSIGNMENTS:
        raise TooLargeError(
            f"Streets of {list(dealt)} cards fall on the suits in {assignments} ways, too many for a table; deal on fewer streets."
        )


@dataclass(frozen=True, eq=False)
class NextCards:
    """Which cards may come next, and which of them are the same but for suits (see `isomorphic_deals`).

    The subgame after `card` is the one after `representative[card]` with every card c read as
    `permutation(card)[c]`: value[card][hand] = value[representative][hand_map(card)[hand]].
    """

    representative: NDArray[np.int8]  # [deck]; the lowest card alike, -1 for dealt cards
    multiplicity: NDArray[np.int8]  # [deck]; at representatives the number of cards alike, elsewhere 0
    which: NDArray[np.int8]  # [deck]; row of `permutations` that takes a card to its representative, or -1
    permutations: NDArray[np.int8]  # [P, deck]; all relabellings that change nothing, the identity first
    hand_maps: NDArray[np.int16]  # [P, C(deck, 2)]; the same for pairs of hole cards

    @property
    def cards(self) -> NDArray[np.int64]:
        """The representatives, rising: one subgame each."""
        return np.flatnonzero(self.multiplicity)

    def permutation(self, card: int) -> NDArray[np.int8]:
        """Where each card goes [deck] when `card` becomes its representative."""
        moved: NDArray[np.int8] = self.permutations[self._row(card)]
        return moved

    def hand_map(self, card: int) -> NDArray[np.int16]:
        """Where each pair of hole cards goes when `card` becomes its representative."""
        moved: NDArray[np.int16] = self.hand_maps[self._row(card)]
        return moved

    def _row(self, card: int) -> int:
        if not 0 <= card < len(self.which) or self.which[card] < 0:
            raise ParameterError(f"Card {card} cannot come next; it is on the board or not in the deck.")
        return int(self.which[card])


def isomorphic_deals(
    board: Sequence[Sequence[int]], ranges: Sequence[ArrayLike | None] = (), deck: Deck = STANDARD_DECK
) -> NextCards:
    """The next cards after `board` (cards by street) that differ by more than suits, given every player's weights.

    Suits may be exchanged only where that leaves each street (as a set) and each player's weights of the hands still possible
    exactly as they are. Weights are by pair h1 < h2 at C(h2, 2) + h1; `None` stands for weights that treat suits alike.
    """
    moves, hand_maps = _suit_permutations(deck)
    dealt = [card for street in board for card in street]
    allowed = _harmless(board, [each for each in ranges if each is not None], deck, pairs(deck), hand_maps)
    group = moves[allowed]
    live = ~np.isin(np.arange(deck.size), dealt)
    representative = np.where(live, group.min(axis=0), -1).astype(np.int8)
    which = np.where(live, group.argmin(axis=0), -1).astype(np.int8)
    multiplicity = np.bincount(representative[live], minlength=deck.size).astype(np.int8)
    return NextCards(representative, multiplicity, which, group, hand_maps[allowed])


def symmetries(
    board: Sequence[Sequence[int]], weights: Sequence[ArrayLike], deck: Deck, hands: NDArray[np.integer]
) -> NDArray[np.int8]:
    """[S, deck] relabellings of suits that leave a board and all weights of `hands` [H, cards] as they are, the identity first."""
    moves, _ = _suit_permutations(deck)
    maps = np.array([hand_index(move[hands]) for move in moves]) if weights else None
    return moves[_harmless(board, weights, deck, hands, maps)]


def isomorphic_sets(
    free: NDArray[np.integer], cards: int, moves: NDArray[np.int8]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One set [N, cards] out of the `free` cards for each class that `moves` turn into each other, and the sizes of the classes."""
    sets = np.asarray(free, dtype=np.int64)[list(combinations(range(len(free)), cards))].reshape(-1, cards)
    lowest = np.min([hand_index(move[sets]) for move in moves], axis=0)
    own = hand_index(sets)
    kept = np.flatnonzero(lowest == own)
    kept = kept[np.argsort(own[kept])]
    classes, sizes = np.unique(lowest, return_counts=True)
    assert np.array_equal(classes, own[kept])
    return sets[kept], sizes


def lowest_set(cards: Sequence[int], moves: NDArray[np.int8]) -> tuple[tuple[int, ...], int]:
    """The set that stands for a set of cards in `isomorphic_sets`, and the row of `moves` that leads to it."""
    moved = np.sort(moves[:, list(cards)], axis=1).astype(np.int64)
    row = int(hand_index(moved).argmin())
    return tuple(moved[row].tolist()), row


def _harmless(
    board: Sequence[Sequence[int]],
    weights: Sequence[ArrayLike],
    deck: Deck,
    hands: NDArray[np.integer],
    hand_maps: NDArray[np.integer] | None,
) -> list[int]:
    """Numbers of the relabellings that change neither a street (as a set) nor a weight of a hand that is still possible."""
    streets = [list(street) for street in board]
    dealt = [card for street in streets for card in street]
    if len(set(dealt)) != len(dealt) or any(not 0 <= card < deck.size for card in dealt):
        raise ParameterError(f"The board is {streets}, but a board has different cards from 0 to {deck.size - 1}.")
    live = [_live_weights(each, dealt, hands) for each in weights]
    moves, _ = _suit_permutations(deck)
    return [
        p
        for p in range(len(moves))
        if all(set(moves[p, street].tolist()) == set(street) for street in streets)
        and all(np.array_equal(each, each[hand_maps[p]]) for each in live if hand_maps is not None)
    ]


def _live_weights(weights: ArrayLike, dealt: list[int], hands: NDArray[np.integer]) -> NDArray[np.float64]:
    """Weights with 0 for hands that hold a dealt card: those cannot break a symmetry."""
    given = check_weights(weights, len(hands))
    given[np.isin(hands, dealt).any(axis=1)] = 0.0
    return given


def check_weights(weights: ArrayLike, hands: int) -> NDArray[np.float64]:
    """A copy of the weights of a range."""
    given = np.array(weights, np.float64)
    if given.shape != (hands,) or not np.isfinite(given).all():
        raise ParameterError(
            f"A range is an array of {hands} finite weights, one per hand, but an array of shape {list(given.shape)} "
            "was given, or one with weights that are not numbers."
        )
    return given


def suit_relabellings(deck: Deck) -> NDArray[np.int8]:
    """[suits!, deck] where each relabelling of suits takes each card, the identity first."""
    return _suit_permutations(deck)[0]


@lru_cache(maxsize=8)
def _suit_permutations(deck: Deck) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """All relabellings of suits, those that move fewest suits first, as maps of cards and of pairs of cards."""
    if deck.size > 127:
        raise ParameterError(f"Deals are compared in decks of at most 127 cards, but {deck} has {deck.size}.")
    orders = sorted(permutations(range(deck.suits)), key=lambda order: sum(s != to for s, to in enumerate(order)))
    cards = np.arange(deck.size)
    moves = np.array([cards - cards % deck.suits + np.array(order)[cards % deck.suits] for order in orders], np.int8)
    return moves, np.array([hand_index(move[pairs(deck)]) for move in moves], np.int16)


@dataclass(frozen=True, eq=False)
class _Tables:
    """What the kernels need to number the hands of one sequence of streets: D configurations, H shapes."""

    dealt: NDArray[np.int64]  # [R]
    strides: NDArray[np.int64]  # [R]; the configuration of a suit is the sum of its counts times strides
    choose: NDArray[np.int64]  # [ranks + 1, ranks + 1]
    ones: NDArray[np.uint8]  # [2^ranks]; set bits
    values: NDArray[np.int64]  # [D]; in how many ways the ranks of a suit fill a configuration
    configurations: NDArray[np.int64]  # [H, 4]
    pair: NDArray[np.int32]  # [D, D]; number of the first two configurations of a shape
    shape: NDArray[np.int32]  # [pairs, D]; number of the shape that goes on with a third; the fourth follows
    offset: NDArray[np.int64]  # [H + 1]; first index of each shape
    weight: NDArray[np.int64]  # [H, 4]; what one step of a suit's multiset rank adds to the index
    place: NDArray[np.int64]  # [H, 4]; suits of the same configuration from this one on

    @property
    def size(self) -> int:
        return int(self.offset[-1])


def _build_tables(dealt: tuple[int, ...], deck: Deck) -> _Tables:
    radices = [min(cards, deck.ranks) + 1 for cards in dealt]
    counts = list(product(*(range(radix) for radix in radices)))  # by configuration
    values = [_suit_ways(each, deck.ranks) for each in counts]
    shapes = list(_shapes(dealt, counts, values, deck.suits))
    place = [[shape[s:].count(shape[s]) for s in range(_SUITS)] for shape in shapes]
    weight, offset = _mixed_radix(shapes, place, values)
    if offset[-1] >= _MOST_HANDS:
        raise TooLargeError(
            f"Streets of {dealt} cards have {offset[-1]} hands, more than an index holds; deal fewer cards."
        )
    pair, shape = _lookup(shapes, len(counts))
    return _Tables(
        dealt=np.array(dealt, np.int64),
        strides=np.array([prod(radices[r + 1 :]) for r in range(len(dealt))], np.int64),
        choose=np.array([[comb(n, k) for k in range(deck.ranks + 1)] for n in range(deck.ranks + 1)], np.int64),
        ones=np.array([bits.bit_count() for bits in range(1 << deck.ranks)], np.uint8),
        values=np.array(values, np.int64),
        configurations=np.array(shapes, np.int64),
        pair=pair,
        shape=shape,
        offset=np.array(offset, np.int64),
        weight=np.array(weight, np.int64),
        place=np.array(place, np.int64),
    )


def _suit_ways(counts: Sequence[int], ranks: int) -> int:
    """Ways to choose the ranks of one suit street by street; 0 if the suit has too few."""
    ways = 1
    for count in counts:
        ways *= comb(ranks, count) if ranks >= 0 else 0
        ranks -= count
    return ways


def _shapes(dealt: Shape, counts: list[tuple[int, ...]], values: list[int], suits: int) -> Iterator[Shape]:
    """All falling sequences of configurations that deal out the streets, with empty suits behind."""
    number = {each: i for i, each in enumerate(counts)}

    def extend(chosen: Shape, left: tuple[int, ...]) -> Iterator[Shape]:
        bound = chosen[-1] if chosen else len(counts) - 1
        if len(chosen) == suits - 1:
            last = number.get(left, len(counts))
            if last <= bound and values[last] > 0:
                yield (*chosen, last, *[0] * (_SUITS - suits))
            return
        for taken in product(*(range(min(most, rest) + 1) for most, rest in zip(counts[-1], left, strict=True))):
            if number[taken] <= bound and values[number[taken]] > 0:
                yield from extend((*chosen, number[taken]), tuple(a - b for a, b in zip(left, taken, strict=True)))

    return extend((), dealt)


def _mixed_radix(shapes: list[Shape], place: list[list[int]], values: list[int]) -> tuple[list[list[int]], list[int]]:
    """Weight of every suit by shape, and the first index of every shape; suits of one configuration are a multiset."""
    weight: list[list[int]] = []
    offset = [0]
    for shape, places in zip(shapes, place, strict=True):
        weights: list[int] = []
        size, before, group = 1, 1, -1
        for configuration, alike in zip(shape, places, strict=True):
            if configuration != group:
                group, before = configuration, size
                size *= comb(values[configuration] + alike - 1, alike)
            weights.append(before)
        weight.append(weights)
        offset.append(offset[-1] + size)
    return weight, offset


def _lookup(shapes: list[Shape], configurations: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Two steps from the first three configurations to the number of a shape."""
    pairs = {each: i for i, each in enumerate(dict.fromkeys(shape[:2] for shape in shapes))}
    pair = np.zeros((configurations, configurations), np.int32)
    table = np.zeros((len(pairs), configurations), np.int32)
    for (a, b), i in pairs.items():
        pair[a, b] = i
    for h, (a, b, c, _) in enumerate(shapes):
        table[pairs[a, b], c] = h
    return pair, table
