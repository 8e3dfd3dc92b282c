"""Board tables: which hands each player can hold on each board, in which order, and how boards are copies of each other.

A street's boards are numbered one after the other; a board's hands are places in the list of the board it comes from. On the
last street hands are sorted by strength and `groups` marks hands of equal strength. Isomorphic deals are kept once. The sum over
the copies of a deal is a sum over the relabellings G of suits that leave the board before as it is, so values of kept boards are
added with the weight copies / |G|, and what has been added up is then summed over G (`images`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from math import comb

import numpy as np
import numpy.typing as npt

from equilibrist.cards.board_sample import BoardSample
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import all_hands, boards_strengths, pairs, small_hand_strengths
from equilibrist.cards.isomorphism import isomorphic_sets, lowest_set, suit_relabellings, symmetries
from equilibrist.cards.strength import hand_strength
from equilibrist.cards.suit_symmetry import Moves, SuitSymmetry
from equilibrist.core.arrays import Floats, Ints, Longs
from equilibrist.forms.boards._kernels import deals

LANES = 16  # hands handled together; blocks are multiples of it
LONGEST_BLOCK = 128
AT_ONCE = 2048  # boards whose strengths lie in memory together


@dataclass(frozen=True)
class Deal:
    """Who is dealt what: private cards, the board at the start and how many cards each later street adds.

    Cards of the board at the start lie in sets; a relabelling of suits that leaves each of them as it is may leave the game as it is.
    """

    deck: Deck
    hole: int
    board: tuple[tuple[int, ...], ...]
    streets: tuple[int, ...]

    @classmethod
    def holdem(cls, board: Sequence[int], *, by_street: bool = False) -> Deal:
        """The rest of a hold'em hand from a board of 3 to 5 cards, one set, since nothing that was before it counts.

        `by_street` tells the flop and each later card apart, as files of earlier versions do.
        """
        sets = (tuple(board[:3]), *((card,) for card in board[3:])) if by_street else (tuple(board),)
        return cls(Deck(), 2, sets, (1,) * (5 - len(board)))

    @property
    def by_street(self) -> bool:
        """Whether streets of the board at the start are told apart."""
        return len(self.board) > 1

    def sets_of(self, cards: Sequence[int]) -> list[list[int]]:
        """The cards of a later board as they came: sets of the board at the start, then street by street."""
        sizes = [*map(len, self.board), *self.streets]
        ends = [end for end in accumulate(sizes) if end <= len(cards)]
        return [list(cards[end - size : end]) for size, end in zip(sizes, ends, strict=False)]

    @cached_property
    def hands(self) -> npt.NDArray[np.integer]:
        """[H, hole] every private hand, in the order of weights."""
        return pairs(self.deck) if self.hole == 2 else all_hands(self.deck, self.hole)

    @property
    def board_cards(self) -> tuple[int, ...]:
        return tuple(card for street in self.board for card in street)

    @cached_property
    def chances(self) -> tuple[float, ...]:
        """Probability of one particular board of each street, given the board before it and both hands."""
        before = accumulate(self.streets[:-1], initial=len(self.board_cards)) if self.streets else ()
        left = [self.deck.size - 2 * self.hole - dealt for dealt in before]
        return (1.0, *(1.0 / comb(free, cards) for free, cards in zip(left, self.streets, strict=True)))

    def strengths_on(self, boards: Longs) -> npt.NDArray[np.integer]:
        """[B, H] how strong every hand is on each of `boards` [B, cards]; the larger number wins, 0 where hand and board collide."""
        total = self.hole + boards.shape[1]
        if self.hole == 2 and total >= 5:
            return boards_strengths(boards, self.deck)
        rank = self._ranked if total > 3 else lambda cards: small_hand_strengths(self.deck, self.hole, cards)
        return np.stack([rank(cards) for cards in boards.tolist()])

    def strengths(self, cards: Sequence[int]) -> npt.NDArray[np.integer]:
        """[H] the same on one board."""
        found: npt.NDArray[np.integer] = self.strengths_on(np.array([cards], dtype=np.int64).reshape(1, -1))[0]
        return found

    def met(self, held: Floats) -> Floats:
        """[..., H] the weight of the hands in `held` [..., H] that share no card with each hand."""
        rows = np.ascontiguousarray(held, dtype=np.float64).reshape(-1, held.shape[-1])
        out = np.empty_like(rows)
        deals.weigh_sharing(rows, _hands_of(self.deck, self.hole), np.zeros(self.deck.size), out)
        found: Floats = held.sum(axis=-1)[..., None] - out.reshape(held.shape)
        return found + held if self.hole > 1 else found  # the same hand was taken away once for each of its cards

    def _ranked(self, cards: Sequence[int]) -> npt.NDArray[np.integer]:
        """By the rules themselves, for hands that no table serves."""
        deck, free = self.deck, ~np.isin(self.hands, cards).any(axis=1)
        found = [
            hand_strength([deck.rank(c) for c in hand], [deck.suit(c) for c in hand], deck.ranks)
            for hand in ([*own, *cards] for own in self.hands[free].tolist())
        ]
        place = {strength: number for number, strength in enumerate(sorted(set(found)), start=1)}
        out = np.zeros(len(self.hands), dtype=np.int64)
        out[free] = [place[strength] for strength in found]
        return out


@lru_cache(maxsize=8)
def _hands_of(deck: Deck, hole: int) -> Longs:
    """[H, hole] the cards of every private hand."""
    hands = Deal(deck, hole, (), ()).hands.astype(np.int64)
    hands.setflags(write=False)
    return hands


@dataclass(frozen=True)
class PlayerBoards:
    """One player's hands on all boards of a street; places are padded to whole blocks."""

    count: Ints  # [B] hands
    pair: Ints  # [B, places] hand number, -1 in the padding
    order: Ints  # [B, places] place on the board before; the padding points one past its last place
    card1: Ints  # [B, places]
    card2: Ints  # [B, places]; with one private card a number that no card of the opponent has
    twin: Ints  # [B, places] place of the same hand in the other player's list, -1 if absent or never counted twice
    images: Ints  # [S, places] where a relabelling of suits takes each place; the padding stays where it is
    blocks: int
    block: int  # hands in a block

    @property
    def places(self) -> int:
        return self.blocks * self.block


@dataclass(frozen=True)
class StreetBoards:
    """All boards of one street up to isomorphism."""

    cards: tuple[tuple[int, ...], ...]  # the board cards
    parent: Ints  # [B] board of the street before
    first_child: Ints  # [B + 1] boards of the next street (empty on the last one)
    copies: Ints  # [B] how many deals this board stands for
    share: Floats  # [B] copies / relabellings that leave the board before as it is
    first_image: Ints  # [B + 1] into `images`: the relabellings of this board other than the identity
    player: tuple[PlayerBoards, PlayerBoards]
    group_start: Ints  # [B + 1] into groups (last street only)
    groups: Ints  # [G, 2] first place of each strength group for both players; one closing row per board


def street_boards(
    board: Sequence[int], weights: Sequence[Floats], isomorphism: bool = True, *, by_street: bool = False
) -> tuple[StreetBoards, ...]:
    """Tables for every street of hold'em from the given board (3 to 5 cards) to the river; `by_street` as of `Deal.holdem`."""
    return deal_boards(Deal.holdem(board, by_street=by_street), weights, isomorphism)


def deal_boards(
    deal: Deal, weights: Sequence[Floats], isomorphism: bool = True, sample: BoardSample | None = None
) -> tuple[StreetBoards, ...]:
    """Tables for every street; `weights` of all private hands of both players say which hands are there at all.

    With a `sample` only some of the deals are there, and the `share` of each is larger for it.
    """
    return _Dealer(deal, weights, isomorphism, sample).deal()


def board_after(
    deal: Deal,
    streets: Sequence[StreetBoards],
    weights: Sequence[Floats],
    path: Sequence[int],
    cards: Sequence[int],
    isomorphism: bool = True,
) -> tuple[int, npt.NDArray[np.int8]]:
    """The kept board that stands for dealing `cards` after the board at the end of `path`, and where each card goes there [deck].

    `path` numbers a board of each street after the first; `cards` are called as on the kept board before.
    """
    depth, number = len(path), path[-1] if path else 0
    here = streets[depth].cards[number]
    moves = _moves(deal, deal.sets_of(here), _telling(weights), isomorphism)
    lowest, row = lowest_set(cards, moves)
    first, last = streets[depth].first_child[number : number + 2]
    for child in range(int(first), int(last)):
        if streets[depth + 1].cards[child][-len(lowest) :] == lowest:
            return child, moves[row]
    raise AssertionError("every deal has a board")


def _moves(
    deal: Deal, groups: Sequence[Sequence[int]], weights: Sequence[Floats], isomorphism: bool
) -> npt.NDArray[np.int8]:
    """[S, deck] relabellings of suits that leave a board and the weights as they are, the identity first."""
    if not isomorphism:
        return np.arange(deal.deck.size, dtype=np.int8)[None]
    return symmetries(groups, weights, deal.deck, deal.hands.astype(np.int64))


def _telling(weights: Sequence[Floats]) -> list[Floats]:
    """Weights that may tell suits apart: none of them, where all hands weigh the same."""
    given = [np.asarray(w, dtype=np.float64) for w in weights]
    return [] if all(bool((w == w[0]).all()) for w in given) else given


@dataclass(frozen=True)
class _Deals:
    """The boards of one street: which cards, and how they come from the boards before."""

    cards: Longs  # [B, cards on the board]
    dealt: npt.NDArray[np.bool_]  # [B, deck] whether a card is on the board
    new: npt.NDArray[np.bool_]  # [B, deck] whether it came with this street
    parent: Ints
    copies: Ints
    share: Floats
    streets: Moves  # [B, relabelling] that leave each street as a set


class _Dealer:
    """Deals street by street."""

    def __init__(
        self, deal: Deal, weights: Sequence[Floats], isomorphism: bool, sample: BoardSample | None = None
    ) -> None:
        self.deck, self.rules, self.sample = deal.deck, deal, sample
        self.weights = [np.asarray(w, dtype=np.float64) for w in weights]
        self.hands = deal.hands.astype(np.int64)
        isomorphism = isomorphism and bool(deal.streets)  # where nothing is dealt any more there is nothing to merge
        self.symmetry = SuitSymmetry(deal.deck, deal.hole, _telling(weights)) if isomorphism else None
        self.moves = suit_relabellings(deal.deck) if isomorphism else np.arange(deal.deck.size, dtype=np.int8)[None]

    def deal(self) -> tuple[StreetBoards, ...]:
        boards = self._first()
        built: list[StreetBoards] = []
        for depth in range(len(self.rules.streets) + 1):
            last = depth == len(self.rules.streets)
            group = np.ones((len(boards.cards), 1), dtype=np.bool_)  # the identity alone
            if self.symmetry is not None and not last:
                group = self.symmetry.of(boards.streets, boards.dealt)
            following = None if last else self._deals(boards, group, depth)
            built.append(self._lay_out(boards, group, following, built[-1] if built else None))
            if following is not None:
                boards = following
        return tuple(built)

    def _first(self) -> _Deals:
        """The board that is there from the start."""
        cards = np.array([self.rules.board_cards], dtype=np.int64).reshape(1, -1)
        dealt = np.zeros((1, self.deck.size), dtype=np.bool_)
        dealt[0, cards[0]] = True
        streets = np.ones((1, len(self.moves)), dtype=np.bool_)
        if self.symmetry is not None:
            for street in self.rules.board:
                streets = self.symmetry.after(streets, np.array([street], dtype=np.int64))
        one = np.ones(1, dtype=np.int32)
        return _Deals(cards, dealt, dealt, -one, one, np.ones(1), streets)

    def _deals(self, before: _Deals, group: Moves, street: int) -> _Deals:
        """Boards one street further, one for each class of isomorphic deals."""
        number = self.rules.streets[street]
        parent, cards, copies = self._classes(before, group, number)
        weight = np.ones(len(parent))
        if self.sample is not None:
            parent, cards, copies, weight = self._sampled(parent, cards, copies, street, len(before.cards))
        new = np.zeros((len(parent), self.deck.size), dtype=np.bool_)
        np.put_along_axis(new, cards, True, axis=1)
        streets = before.streets[parent]
        return _Deals(
            cards=np.concatenate([before.cards[parent], cards], axis=1),
            dealt=before.dealt[parent] | new,
            new=new,
            parent=parent.astype(np.int32),
            copies=copies.astype(np.int32),
            share=copies * weight / group.sum(axis=1)[parent],
            streets=self.symmetry.after(streets, cards) if self.symmetry is not None else streets,
        )

    def _classes(self, before: _Deals, group: Moves, number: int) -> tuple[Longs, Longs, Longs]:
        """Board before, cards and number of copies of each class of deals, board by board."""
        if number > 1:
            parts = [
                isomorphic_sets(np.flatnonzero(~dealt), number, self.moves[own])
                for dealt, own in zip(before.dealt, group, strict=True)
            ]
            parent = np.repeat(np.arange(len(parts)), [len(copies) for _, copies in parts])
            return (
                parent,
                np.concatenate([cards for cards, _ in parts]),
                np.concatenate([copies for _, copies in parts]),
            )
        groups, which = np.unique(group, axis=0, return_inverse=True)
        lowest = np.stack([self.moves[own].min(axis=0) for own in groups])[which.ravel()]  # [board, card]
        copies = np.zeros((len(group), self.deck.size), dtype=np.int64)
        rows, free = np.nonzero(~before.dealt)
        np.add.at(copies, (rows, lowest[rows, free]), 1)
        parent, cards = np.nonzero(copies)
        return parent, cards[:, None], copies[parent, cards]

    def _sampled(
        self, parent: Longs, cards: Longs, copies: Longs, street: int, parents: int
    ) -> tuple[Longs, Longs, Longs, Floats]:
        assert self.sample is not None
        starts = np.searchsorted(parent, np.arange(parents + 1))
        chosen = [
            (first + kept, weight)
            for number, (first, end) in enumerate(pairwise(starts.tolist()))
            for kept, weight in [self.sample.choose(copies[first:end], street, number, parents)]
        ]
        kept = np.concatenate([rows for rows, _ in chosen])
        return parent[kept], cards[kept], copies[kept], np.concatenate([weight for _, weight in chosen])

    def _lay_out(
        self, boards: _Deals, group: Moves, following: _Deals | None, before: StreetBoards | None
    ) -> StreetBoards:
        number, last = len(boards.cards), following is None
        held = tuple(self._hands(boards, p, None if before is None else before.player[p]) for p in range(2))
        group_start = np.zeros(number + 1, dtype=np.int32)
        groups = np.zeros((0, 2), dtype=np.int32)
        if last:
            groups = self._by_strength(boards, held, group_start)
        if before is None:  # nothing came before: places are their own
            for own in held:
                own.order[0, : own.count[0]] = np.arange(own.count[0])
        for p, own in enumerate(held):
            self._fill_cards(p, own, held[1 - p])
        # dense, or kernels would be compiled once more for arrays with gaps
        rows, moves = map(np.ascontiguousarray, np.nonzero(group[:, 1:]))
        children = np.zeros(0, dtype=np.int32) if following is None else following.parent
        return StreetBoards(
            cards=tuple(map(tuple, boards.cards.tolist())),
            parent=boards.parent,
            first_child=np.searchsorted(children, np.arange(number + 1)).astype(np.int32),
            copies=boards.copies,
            share=boards.share,
            first_image=np.searchsorted(rows, np.arange(number + 1)).astype(np.int32),
            player=(self._with_images(held[0], rows, moves + 1), self._with_images(held[1], rows, moves + 1)),
            group_start=group_start,
            groups=groups,
        )

    def _hands(self, boards: _Deals, p: int, before: PlayerBoards | None) -> PlayerBoards:
        """The hands of the boards before that do not collide with the new cards, in that order; everything else is still empty."""
        if before is None:
            listed = np.flatnonzero(self.weights[p] > 0).astype(np.int32)[None]
            counted, parent = np.array([listed.shape[1]], dtype=np.int32), np.zeros(1, dtype=np.int32)
        else:
            listed, counted, parent = before.pair, before.count, boards.parent
        count = np.zeros(len(parent), dtype=np.int32)
        none = np.empty((0, 0), dtype=np.int32)
        deals.keep_hands(parent, boards.new, self.hands, listed, counted, count, none, none)
        blocks, block = block_shape(int(count.max(initial=1)))
        shape = (len(parent), blocks * block)
        pair = np.full(shape, -1, dtype=np.int32)
        # the column after the places before is always zero, and the padding points there
        order = np.full(shape, shape[1] if before is None else before.places, dtype=np.int32)
        deals.keep_hands(parent, boards.new, self.hands, listed, counted, count, pair, order)
        cards = np.zeros((2, *shape), dtype=np.int32)
        twin = np.full(shape, -1, dtype=np.int32)
        images = np.zeros((0, shape[1]), dtype=np.int32)
        return PlayerBoards(count, pair, order, cards[0], cards[1], twin, images, blocks, block)

    def _by_strength(self, boards: _Deals, held: tuple[PlayerBoards, ...], group_start: Ints) -> Ints:
        """Sort hands of the last street; where groups of equal strength begin."""
        one, other = held
        groups = np.zeros((int(one.count.sum() + other.count.sum()) + len(boards.cards), 2), dtype=np.int32)
        rows = 0
        for first in range(0, len(boards.cards), AT_ONCE):
            part = slice(first, first + AT_ONCE)
            strengths = self.rules.strengths_on(boards.cards[part])
            for own in held:
                spare = np.empty((2, own.places), dtype=np.int32), np.empty(deals.DIGIT + 1, dtype=np.int64)
                deals.sort_hands(own.count[part], strengths, own.pair[part], own.order[part], *spare)
            rows = deals.strength_groups(
                one.count[part], one.pair[part], other.count[part], other.pair[part], strengths, rows,
                group_start[1:][part], groups,
            )  # fmt: skip
        return groups[:rows].copy()

    def _fill_cards(self, p: int, own: PlayerBoards, other: PlayerBoards) -> None:
        """Cards of each hand, and the same hand of the other player."""
        where = np.full(len(self.hands), -1, dtype=np.int32)
        deals.fill_cards(own.count, own.pair, self.hands, self.deck.size + p, own.card1, own.card2)
        if self.rules.hole > 1:  # a hand of one card is taken away once only
            deals.find_twins(own.count, own.pair, other.count, other.pair, where, own.twin)

    def _with_images(self, own: PlayerBoards, rows: Longs, moves: Longs) -> PlayerBoards:
        """`moves`: numbers of the relabellings other than the identity, by board `rows`."""
        if not len(rows):
            return own
        assert self.symmetry is not None
        images = np.tile(np.arange(own.places, dtype=np.int32), (len(rows), 1))
        where = np.full(len(self.hands), -1, dtype=np.int32)
        deals.find_images(rows, moves, own.count, own.pair, self.symmetry.hand_maps, where, images)
        return replace(own, images=images)


def block_shape(hands: int) -> tuple[int, int]:
    """Blocks and hands per block: as few blocks as possible, hands a multiple of the lanes."""
    blocks = max(1, -(-hands // LONGEST_BLOCK))
    block = -(-hands // (blocks * LANES)) * LANES
    return blocks, max(block, LANES)
