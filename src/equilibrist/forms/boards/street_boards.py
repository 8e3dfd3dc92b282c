"""Board tables: which hands each player can hold on each board, in which order, and how boards are copies of each other.

A street's boards are numbered one after the other; a board's hands are places in the list of the board it comes from. On the
last street hands are sorted by strength and `groups` marks hands of equal strength. Isomorphic deals are kept once. The sum over
the copies of a deal is a sum over the relabellings G of suits that leave the board before as it is, so values of kept boards are
added with the weight copies / |G|, and what has been added up is then summed over G (`images`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import comb

import numpy as np
import numpy.typing as npt

from equilibrist.cards.board_sample import BoardSample
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import all_hands, board_strengths, hand_index, small_hand_strengths
from equilibrist.cards.isomorphism import isomorphic_sets, lowest_set, symmetries
from equilibrist.cards.strength import hand_strength
from equilibrist.core.arrays import Floats, Ints, Longs

LANES = 16  # hands handled together; blocks are multiples of it
LONGEST_BLOCK = 128


@dataclass(frozen=True)
class Deal:
    """Who is dealt what: private cards, the board at the start (cards by street) and how many cards each later street adds."""

    deck: Deck
    hole: int
    board: tuple[tuple[int, ...], ...]
    streets: tuple[int, ...]

    @classmethod
    def holdem(cls, board: Sequence[int]) -> Deal:
        """The rest of a hold'em hand from a board of 3 to 5 cards."""
        return cls(Deck(), 2, (tuple(board[:3]), *((card,) for card in board[3:])), (1,) * (5 - len(board)))

    @cached_property
    def hands(self) -> npt.NDArray[np.integer]:
        """[H, hole] every private hand, in the order of weights."""
        return all_hands(self.deck, self.hole)

    @property
    def board_cards(self) -> tuple[int, ...]:
        return tuple(card for street in self.board for card in street)

    @cached_property
    def chances(self) -> tuple[float, ...]:
        """Probability of one particular board of each street, given the board before it and both hands."""
        before = accumulate(self.streets[:-1], initial=len(self.board_cards)) if self.streets else ()
        left = [self.deck.size - 2 * self.hole - dealt for dealt in before]
        return (1.0, *(1.0 / comb(free, cards) for free, cards in zip(left, self.streets, strict=True)))

    def strengths(self, cards: Sequence[int]) -> npt.NDArray[np.integer]:
        """[H] how strong every hand is on a board; the larger number wins, 0 where hand and board collide."""
        total = self.hole + len(cards)
        if self.hole == 2 and total >= 5:
            return board_strengths(cards, deck=self.deck)
        if total <= 3:
            return small_hand_strengths(self.deck, self.hole, cards)
        return self._ranked(cards)

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
    board: Sequence[int], weights: Sequence[Floats], isomorphism: bool = True
) -> tuple[StreetBoards, ...]:
    """Tables for every street of hold'em from the given board (3 to 5 cards) to the river."""
    return deal_boards(Deal.holdem(board), weights, isomorphism)


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
    sizes = [len(street) for street in deal.board] + list(deal.streets[:depth])
    groups = [here[end - size : end] for size, end in zip(sizes, accumulate(sizes), strict=True)]
    moves = _moves(deal, groups, _telling(weights), isomorphism)
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


@dataclass
class _Board:
    groups: tuple[tuple[int, ...], ...]  # cards by street
    parent: int
    copies: int
    share: float
    hands: list[Longs]  # of each player, in the order they are kept
    order: list[Longs]  # their places on the board before
    symmetry: Longs  # [S, H] images of all hands, the identity left out

    @property
    def cards(self) -> tuple[int, ...]:
        return tuple(card for group in self.groups for card in group)


class _Dealer:
    """Deals street by street."""

    def __init__(
        self, deal: Deal, weights: Sequence[Floats], isomorphism: bool, sample: BoardSample | None = None
    ) -> None:
        self.dealt, self.isomorphism, self.sample = deal, isomorphism, sample
        self.weights = [np.asarray(w, dtype=np.float64) for w in weights]
        self.hands = deal.hands.astype(np.int64)
        self.last = len(deal.board_cards) + sum(deal.streets)
        self.telling = _telling(weights)

    def deal(self) -> tuple[StreetBoards, ...]:
        free = ~np.isin(self.hands, self.dealt.board_cards).any(axis=1)
        root = [np.flatnonzero((w > 0) & free) for w in self.weights]
        streets = [[self._board(self.dealt.board, -1, 1, 1.0, root, None)]]
        for cards in self.dealt.streets:
            before = streets[-1]
            streets.append(
                [
                    child
                    for number, board in enumerate(before)
                    for child in self._deals(board, number, cards, len(streets) - 1, len(before))
                ]
            )
        built: list[StreetBoards] = []
        for depth, boards in enumerate(streets):
            following = streets[depth + 1] if depth + 1 < len(streets) else []
            widths = [player.places for player in built[-1].player] if built else [None, None]
            built.append(self._lay_out(boards, following, widths))
        return tuple(built)

    def _deals(self, parent: _Board, number: int, cards: int, street: int, parents: int) -> list[_Board]:
        """Boards one street further, one for each class of isomorphic deals."""
        free = np.setdiff1d(np.arange(self.dealt.deck.size), parent.cards)
        moves = _moves(self.dealt, parent.groups, self.telling, self.isomorphism)
        dealt, copies = isomorphic_sets(free, cards, moves)
        weight = np.ones(len(copies))
        if self.sample is not None:
            kept, weight = self.sample.choose(copies.astype(np.int64), street, number, parents)
            dealt, copies = dealt[kept], copies[kept]
        return [
            self._board(
                (*parent.groups, tuple(new)), number, int(count), count * w / len(moves), parent.hands, parent.hands
            )
            for new, count, w in zip(dealt.tolist(), copies.tolist(), weight.tolist(), strict=True)
        ]

    def _board(
        self,
        groups: tuple[tuple[int, ...], ...],
        parent: int,
        copies: int,
        share: float,
        before: Sequence[Longs],
        places: Sequence[Longs] | None,
    ) -> _Board:
        """A board whose hands are those of the board before that do not collide with it."""
        cards = tuple(card for group in groups for card in group)
        strengths = self.dealt.strengths(cards) if len(cards) == self.last else None
        hands, order = [], []
        for own in before:
            live = own[~np.isin(self.hands[own], groups[-1] if groups else ()).any(axis=1)]
            if strengths is not None:
                live = live[np.argsort(strengths[live], kind="stable")]
            place = np.full(len(self.hands), len(own))
            place[own] = np.arange(len(own))
            hands.append(live)
            order.append(place[live] if places is not None else np.arange(len(live)))
        symmetry = np.zeros((0, len(self.hands)), dtype=np.int64)
        if strengths is None:
            moved = _moves(self.dealt, groups, self.telling, self.isomorphism)[1:].astype(np.int64)
            symmetry = np.array([hand_index(move[self.hands]) for move in moved], dtype=np.int64).reshape(
                -1, len(self.hands)
            )
        return _Board(groups, parent, copies, share, hands, order, symmetry)

    def _lay_out(self, boards: list[_Board], following: list[_Board], widths: Sequence[int | None]) -> StreetBoards:
        players = tuple(self._player(boards, p, widths[p]) for p in range(2))
        if self.dealt.hole > 1:  # a hand of one card is taken away once only
            for p in range(2):
                for b, board in enumerate(boards):
                    where = np.full(len(self.hands), -1)
                    where[board.hands[1 - p]] = np.arange(len(board.hands[1 - p]))
                    players[p].twin[b, : len(board.hands[p])] = where[board.hands[p]]
        group_start, groups = self._strength_groups(boards)
        children = np.searchsorted([child.parent for child in following], np.arange(len(boards) + 1)).astype(np.int32)
        return StreetBoards(
            cards=tuple(board.cards for board in boards),
            parent=np.array([board.parent for board in boards], dtype=np.int32),
            first_child=children,
            copies=np.array([board.copies for board in boards], dtype=np.int32),
            share=np.array([board.share for board in boards], dtype=np.float64),
            first_image=np.cumsum([0, *(len(board.symmetry) for board in boards)]).astype(np.int32),
            player=(players[0], players[1]),
            group_start=group_start,
            groups=groups,
        )

    def _player(self, boards: list[_Board], p: int, width: int | None) -> PlayerBoards:
        """`width`: places on the street before; its next column is always zero, and the padding points there."""
        count = np.array([len(board.hands[p]) for board in boards], dtype=np.int32)
        blocks, block = block_shape(int(count.max(initial=1)))
        places = blocks * block
        shape = (len(boards), places)
        pair = np.full(shape, -1, dtype=np.int32)
        order = np.full(shape, places if width is None else width, dtype=np.int32)
        card1, card2 = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32)
        images = []
        for b, board in enumerate(boards):
            n, own = count[b], board.hands[p]
            pair[b, :n] = own
            card1[b, :n] = self.hands[own, -1]
            card2[b, :n] = self.hands[own, 0] if self.dealt.hole > 1 else self.dealt.deck.size + p
            order[b, :n] = board.order[p]
            images += [self._image(own, moved, places) for moved in board.symmetry]
        return PlayerBoards(
            count=count,
            pair=pair,
            order=order,
            card1=card1,
            card2=card2,
            twin=np.full(shape, -1, dtype=np.int32),
            images=np.array(images, dtype=np.int32).reshape(-1, places),
            blocks=blocks,
            block=block,
        )

    def _image(self, own: Longs, moved: Longs, places: int) -> Ints:
        place = np.full(len(self.hands), -1)
        place[own] = np.arange(len(own))
        out = np.arange(places, dtype=np.int32)
        out[: len(own)] = place[moved[own]]
        return out

    def _strength_groups(self, boards: list[_Board]) -> tuple[Ints, Ints]:
        if len(boards[0].cards) < self.last:
            return np.zeros(len(boards) + 1, dtype=np.int32), np.zeros((0, 2), dtype=np.int32)
        start, rows = [0], []
        for board in boards:
            strengths = self.dealt.strengths(board.cards)
            own = [strengths[hands].astype(np.int64) for hands in board.hands]
            levels = np.unique(np.concatenate(own))
            begin = np.stack([np.searchsorted(each, levels) for each in own], axis=1)
            rows += [begin, np.array([[len(own[0]), len(own[1])]])]
            start.append(start[-1] + len(levels) + 1)
        return np.array(start, dtype=np.int32), np.concatenate(rows).astype(np.int32)


def block_shape(hands: int) -> tuple[int, int]:
    """Blocks and hands per block: as few blocks as possible, hands a multiple of the lanes."""
    blocks = max(1, -(-hands // LONGEST_BLOCK))
    block = -(-hands // (blocks * LANES)) * LANES
    return blocks, max(block, LANES)
