"""The average strategies of a saved spot, for any cards that are dealt; and its locks, found by walking their lines.

Of the solver nothing is used but the tables in the file and the order in which they are written down.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.ranges import parse_cards
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import FormatError
from equilibrist.forms.boards.street_betting import DEAL, StreetForest, street_forests
from equilibrist.forms.boards.street_boards import street_boards

if TYPE_CHECKING:
    from equilibrist.games.spots.locks import Lock
    from equilibrist.games.spots.spot import Spot


LOW, HIGH = hands_of(STANDARD).low, hands_of(STANDARD).high
SUIT_ORDERS = sorted(permutations(range(4)), key=lambda order: sum(suit != to for suit, to in enumerate(order)))
CARDS = np.arange(52)


@dataclass(frozen=True)
class SavedBoard:
    """A board of the file, and the relabelling of suits that turns the cards dealt into it."""

    depth: int
    number: int
    moved: NDArray[np.int64]  # [52] each card's place in the file


class SavedStrategies:
    """The average strategies in a file, for any cards that are dealt."""

    def __init__(
        self, spot: Spot, state: Mapping[str, NDArray[Any]], *, isomorphism: bool = True, by_street: bool = False
    ) -> None:
        """`by_street`: for merging boards by suits the file tells the streets of the spot's own board apart."""
        self.first = 3 if by_street else len(spot.board)  # cards that count as a set
        self.weights = [spot.weights(p) for p in range(2)]
        self.forests = street_forests(spot)
        self.boards = street_boards(spot.board, self.weights, isomorphism, by_street=by_street)
        self.averages = [[self._average(state, d, p) for p in range(2)] for d in range(len(self.forests))]

    def _average(self, state: Mapping[str, NDArray[Any]], depth: int, player: int) -> NDArray[Any]:
        """[board, block, slot, hand] as the file has it."""
        own, boards = self.boards[depth].player[player], len(self.boards[depth].cards)
        shape = (boards, own.blocks, self.forests[depth].slots[player], own.block)
        table = state.get(
            f"average.{depth}.{player}", state.get(f"average16.{depth}.{player}")
        )  # a node's scale cancels
        if table is None or table.size != math.prod(shape) or not np.isfinite(table).all():
            raise FormatError("The file is damaged: its tables do not fit its spot; write it again.")
        return table.reshape(shape)

    def root(self) -> SavedBoard:
        return SavedBoard(0, 0, CARDS)

    def after(self, board: SavedBoard, card: int) -> SavedBoard:
        """The board one card further; where the file has only a twin of it, suits are relabelled."""
        here, following = self.boards[board.depth], self.boards[board.depth + 1]
        first, last = int(here.first_child[board.number]), int(here.first_child[board.number + 1])
        kept = {following.cards[number][-1]: number for number in range(first, last)}
        seen = int(board.moved[card])
        for order in SUIT_ORDERS:
            moved = CARDS - CARDS % 4 + np.array(order)[CARDS % 4]
            if int(moved[seen]) in kept and self._harmless(moved, here.cards[board.number]):
                return SavedBoard(board.depth + 1, kept[int(moved[seen])], moved[board.moved])
        raise FormatError("The file is damaged: it lacks a board; write it again.")

    def _harmless(self, moved: NDArray[np.int64], cards: Sequence[int]) -> bool:
        """Whether a relabelling changes neither the first cards as a set, nor the later ones, nor a range on this board."""
        first, later = list(cards[: self.first]), list(cards[self.first :])
        if set(moved[first].tolist()) != set(first) or moved[later].tolist() != later:
            return False
        free = ~(np.isin(LOW, cards) | np.isin(HIGH, cards))
        twin = _moved_hands(moved, np.arange(len(LOW)))
        return all(np.array_equal(each[free], each[twin][free]) for each in self.weights)

    def table(self, board: SavedBoard, player: int, hands: NDArray[np.int64]) -> Floats:
        """Strategy [slot, hand], for hands numbered as they are dealt; even where the file has no weight."""
        forest = self.forests[board.depth]
        own = self.boards[board.depth].player[player]
        slots = forest.slots[player]
        table = np.moveaxis(self.averages[board.depth][player][board.number], 1, 0)
        average = table.reshape(slots, table.shape[1] * table.shape[2])  # a player may have no decision at all
        place = np.full(len(LOW), -1)
        count = int(own.count[board.number])
        place[own.pair[board.number, :count]] = np.arange(count)
        at = place[_moved_hands(board.moved, hands)]
        shares = np.where(at >= 0, average[:, at], 0.0).astype(np.float64)
        for node in np.flatnonzero(forest.kind == player):
            rows = slice(first := int(forest.slot[node]), first + int(forest.children[node]))
            total = shares[rows].sum(axis=0)
            shares[rows] = np.where(
                total > 0.0, shares[rows] / np.where(total > 0.0, total, 1.0), 1.0 / len(shares[rows])
            )
        return shares


def _moved_hands(moved: NDArray[np.int64], hands: NDArray[np.int64]) -> NDArray[np.int64]:
    """Numbers of hands after their cards were relabelled."""
    first, second = moved[LOW[hands]], moved[HIGH[hands]]
    high, low = np.maximum(first, second), np.minimum(first, second)
    numbers: NDArray[np.int64] = high * (high - 1) // 2 + low
    return numbers


@dataclass(frozen=True)
class BoundNode:
    """Hands that do not choose freely at one node after certain cards."""

    cards: tuple[int, ...]  # the whole board
    node: int
    player: int
    fixed: Floats  # [action, hand] what is forced
    weight: Floats  # [hand] how much of the strategy is

    def mixed(self, free: Floats) -> Floats:
        """What is played [action, hand]."""
        return (1.0 - self.weight) * free + self.weight * self.fixed


def bound_nodes(
    locks: Iterable[Lock], board: Sequence[int], forests: Sequence[StreetForest], hands: Sequence[NDArray[np.int64]]
) -> dict[tuple[int, ...], list[BoundNode]]:
    """The locks of a spot by the cards they stand on; of two that name a hand the later counts."""
    places: dict[tuple[tuple[int, ...], int], BoundNode] = {}
    for lock in locks:
        cards, depth, node = tuple(board), 0, 0
        for move in lock.line.split(":") if lock.line else ():
            if forests[depth].kind[node] == DEAL:
                cards, depth, node = (*cards, *parse_cards(move)), depth + 1, int(forests[depth].next_root[node])
            else:
                node = forests[depth].child(node, move)
        player = int(forests[depth].kind[node])
        every, binds = lock.rows(forests[depth].labels(node))
        fixed, weight = every[:, hands[player]], binds[hands[player]]
        before = places.get((cards, node))
        if before is not None:
            fixed = np.where(weight > 0.0, fixed, before.fixed)
            weight = np.where(weight > 0.0, weight, before.weight)
        places[cards, node] = BoundNode(cards, node, player, fixed, weight)
    found: dict[tuple[int, ...], list[BoundNode]] = {}
    for one in places.values():
        found.setdefault(one.cards, []).append(one)
    return found
