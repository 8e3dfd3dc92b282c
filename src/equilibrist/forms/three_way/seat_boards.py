"""SeatBoards: which hands each of three seats can hold on the boards of a street, on rivers in order of strength."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equilibrist.cards.evaluator import board_strengths
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.core.arrays import Bools, Floats, Ints, Longs
from equilibrist.games.spots.three_way_spot import SEATS, ThreeWaySpot

DECK = 52
FINAL = 5  # cards of a river
_HANDS = hands_of(STANDARD)


@dataclass(frozen=True)
class SeatHands:
    """Hands of one seat on every board of a street; groups are hands of one strength, the same groups for all seats."""

    hand: Ints  # [board, place] place on the first board of the spot; -1 where there is no hand
    card1: Ints  # [board, place] counting the cards that are not on the board
    card2: Ints  # [board, place]
    count: Ints  # [board]
    start: Ints  # [board, group + 1] where the hands of a group begin; before the river there is one group
    groups: Ints  # [board]

    @property
    def places(self) -> int:
        return int(self.card1.shape[1])


@dataclass(frozen=True)
class SeatBoards:
    """The boards of one street, every card by itself."""

    cards: Ints  # [board, cards]
    seats: tuple[SeatHands, ...]

    def __len__(self) -> int:
        return len(self.cards)


@dataclass(frozen=True)
class SeatDeal:
    """The boards of every street of a spot, and the hands of each seat with their weights, rising by number."""

    numbers: tuple[Longs, ...]  # [seat][hand] C(high, 2) + low
    weights: tuple[Floats, ...]  # [seat][hand]
    streets: tuple[SeatBoards, ...]


def deal_seats(spot: ThreeWaySpot) -> SeatDeal:
    """The first board, and of a turn all rivers that may come."""
    whole = [spot.weights(seat) for seat in range(SEATS)]
    numbers = tuple(np.flatnonzero(each > 0.0) for each in whole)
    weights = tuple(each[held] for each, held in zip(whole, numbers, strict=True))
    streets, boards = [], [tuple(spot.board)]
    while True:
        streets.append(_boards(boards, numbers))
        if len(boards[0]) == FINAL:
            return SeatDeal(numbers, weights, tuple(streets))
        boards = [(*board, card) for board in boards for card in range(DECK) if card not in board]


def _boards(boards: Sequence[tuple[int, ...]], numbers: Sequence[Longs]) -> SeatBoards:
    orders, starts = list[list[Longs]](), list[list[Longs]]()
    for board in boards:
        free: Bools = ~(np.isin(_HANDS.low, board) | np.isin(_HANDS.high, board))
        held = [np.flatnonzero(free[each]) for each in numbers]
        final = len(board) == FINAL
        strengths = board_strengths(board).astype(np.int64) if final else np.zeros(_HANDS.count, dtype=np.int64)
        mine = [strengths[each[places]] for each, places in zip(numbers, held, strict=True)]
        levels = np.unique(np.concatenate(mine))
        order = [np.argsort(each, kind="stable") for each in mine]
        orders.append([places[by] for places, by in zip(held, order, strict=True)])
        starts.append(
            [np.append(np.searchsorted(each[by], levels), len(by)) for each, by in zip(mine, order, strict=True)]
        )
    seats = tuple(
        _hands(boards, numbers[seat], [one[seat] for one in orders], [one[seat] for one in starts])
        for seat in range(SEATS)
    )
    return SeatBoards(np.array(boards, dtype=np.int32), seats)


def _hands(
    boards: Sequence[tuple[int, ...]], numbers: Longs, orders: Sequence[Longs], starts: Sequence[Longs]
) -> SeatHands:
    """Rows of different lengths, padded."""
    places, most = max(len(each) for each in orders), max(len(each) for each in starts)
    hand = np.full((len(boards), places), -1, dtype=np.int32)
    card1, card2 = np.zeros_like(hand), np.zeros_like(hand)
    start = np.zeros((len(boards), most), dtype=np.int32)
    for b, (board, order, begin) in enumerate(zip(boards, orders, starts, strict=True)):
        live = np.full(DECK, -1, dtype=np.int32)
        left = [card for card in range(DECK) if card not in board]
        live[left] = np.arange(len(left))
        hand[b, : len(order)] = order
        card1[b, : len(order)] = live[_HANDS.low[numbers[order]]]
        card2[b, : len(order)] = live[_HANDS.high[numbers[order]]]
        start[b, : len(begin)] = begin
    count = np.array([len(each) for each in orders], dtype=np.int32)
    groups = np.array([len(each) - 1 for each in starts], dtype=np.int32)
    return SeatHands(hand, card1, card2, count, start, groups)
