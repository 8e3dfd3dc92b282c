"""ExactPasses: values and best responses of a run's average strategies, in double precision.

Vector CFR learns and checks itself in 32 bits, which is off by millionths of the largest pot. Where that is more than may be stated, the
numbers that leave a run are found here, by the same passes in 64 bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from itertools import pairwise
from queue import SimpleQueue
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.solvers.postflop._kernels.symmetry import symmetrise
from equilibrist.solvers.postflop.double_precision._kernels.exact import (
    Payments,
    exact_down,
    exact_terminals,
    exact_up,
)
from equilibrist.solvers.postflop.locks.locked_nodes import LockArrays
from equilibrist.solvers.postflop.tables import Street

Boards = Sequence[int]  # numbers of one board of each street after the first


class ExactPasses:
    """Passes over the boards of a run; it reads the tables of the streets as they stand."""

    def __init__(
        self, streets: Sequence[Street], chances: Sequence[float], locks: Mapping[tuple[int, int], LockArrays]
    ) -> None:
        """`locks` by street and player; chances and weights of boards are not rounded to 32 bits either."""
        self.streets, self.chances = streets, chances
        self.hands = [[hands._replace(share=street.boards.share) for hands in street.hands] for street in streets]
        self.tables = [list(street.tables) for street in streets]
        for (depth, player), lock in locks.items():
            self.tables[depth][player] = self.tables[depth][player]._replace(bound=lock.bound, fixed=lock.fixed)
        self.payments = [
            Payments(np.array(one.win), np.array(one.lose), np.array(one.tie), np.array(one.folder))
            for one in (street.betting for street in streets)
        ]

    def memory(self) -> Memory:
        """Rows for one thread."""
        return Memory(self.streets)

    def values(self, mode: int, me: int, reach: Floats, pool: Executor | None = None) -> Floats:
        """My counterfactual values [root, place] against the opponent's average strategy, which begins with `reach`."""
        memory, value = self.memory(), np.zeros(self.streets[0].forest.roots * self._width(0, me))
        if pool is None or len(self.streets) == 1:
            self._board(memory, 0, 0, mode, me, reach, value)
            return value
        self._down(memory, 0, 0, 1 - me, reach)
        memory.next_value[0][me][:] = self._over_boards(memory, mode, me, memory.next_reach[0][1 - me], pool)
        self._symmetrise(memory, 0, 0, me)
        self._up(memory, 0, 0, mode, me, value)
        return value

    def _over_boards(self, memory: Memory, mode: int, me: int, reach: Floats, pool: Executor | None) -> Floats:
        """My values where cards come on the first board, added up over all boards of the second street."""
        boards, found = range(len(self.streets[1].boards.cards)), np.zeros_like(memory.next_value[0][me])
        if pool is None:
            for board in boards:
                self._board(memory, 1, board, mode, me, reach, found)
            return found
        spare: SimpleQueue[Memory] = SimpleQueue()

        def work(board: int) -> Floats:
            own = self.memory() if spare.empty() else spare.get()
            one = np.zeros_like(found)
            self._board(own, 1, board, mode, me, reach, one)
            spare.put(own)
            return one

        return np.asarray(np.sum([*pool.map(work, boards)], axis=0))

    def reach_at(self, path: Boards, player: int, reach: Floats) -> Floats:
        """A player's average reach [node, place] on the last board of a path."""
        return self._look_down(self.memory(), path, player, reach)

    def value_at(self, path: Boards, mode: int, me: int, reach: Floats) -> Floats:
        """My counterfactual values [node, place] on the last board of a path."""
        memory, depth, board = self.memory(), len(path), path[-1] if path else 0
        self._look_down(memory, path, 1 - me, reach)
        if depth + 1 < len(self.streets):
            self._below(memory, depth, board, mode, me)
        self._up(memory, depth, board, mode, me, np.zeros(self.streets[depth].forest.roots * self._width(depth, me)))
        return memory.value[depth][me]

    def _look_down(self, memory: Memory, path: Boards, player: int, reach: Floats) -> Floats:
        for depth, board in enumerate((0, *path)):
            self._down(memory, depth, board, player, reach)
            if depth < len(path):
                reach = memory.next_reach[depth][player]
        return memory.reach[len(path)][player]

    def _board(self, memory: Memory, depth: int, board: int, mode: int, me: int, reach: Floats, value: Floats) -> None:
        """One board with everything under it: my values are added to those of the boards before."""
        self._down(memory, depth, board, 1 - me, reach)
        if depth + 1 < len(self.streets):
            self._below(memory, depth, board, mode, me)
        self._up(memory, depth, board, mode, me, value)

    def _below(self, memory: Memory, depth: int, board: int, mode: int, me: int) -> None:
        """My values where cards come, over all boards that follow."""
        under = memory.next_value[depth][me]
        under[:] = 0.0
        first, last = self.streets[depth].boards.first_child[board : board + 2].tolist()
        for following in range(first, last):
            self._board(memory, depth + 1, following, mode, me, memory.next_reach[depth][1 - me], under)
        self._symmetrise(memory, depth, board, me)

    def _down(self, memory: Memory, depth: int, board: int, player: int, reach: Floats) -> None:
        rows, following = memory.reach[depth][player], memory.next_reach[depth][player]
        self._follow(self.tables[depth][player], depth, board, player, reach, rows, following)

    def _follow(
        self, tables: Any, depth: int, board: int, player: int, above: Floats, reach: Floats, following: Floats
    ) -> None:
        """A player's reach on one board by some tables, from that `above` to that `following`."""
        exact_down(
            board, player, self.streets[depth].forest, self.hands[depth][player], tables, self.chances[depth], above,
            self._width(depth, player), reach, following, self._width(depth + 1, player),
        )  # fmt: skip

    def _up(self, memory: Memory, depth: int, board: int, mode: int, me: int, value: Floats) -> None:
        street, own = self.streets[depth], memory.value[depth][me]
        exact_terminals(
            board, me, street.forest, self.payments[depth], street.boards.group_start, street.groups, self.hands[depth][me],
            self.hands[depth][1 - me], memory.reach[depth][1 - me], memory.cards, own,
        )  # fmt: skip
        exact_up(
            mode, board, me, street.forest, self.hands[depth][me], self.tables[depth][me], own, memory.next_value[depth][me],
            self._width(depth + 1, me), value, self._width(depth, me),
        )  # fmt: skip

    def _symmetrise(self, memory: Memory, depth: int, board: int, me: int) -> None:
        """What the boards below have added up to stands for their suit-copies too."""
        symmetrise(
            board, self.hands[depth][me], self.streets[depth + 1].forest.roots, self._width(depth + 1, me),
            memory.next_value[depth][me], memory.spare,
        )  # fmt: skip

    def _width(self, depth: int, player: int) -> int:
        """Columns of what a street receives from the one above (the first one from the ranges)."""
        return int(self.streets[max(depth - 1, 0)].hands[player].places) + 1


class Memory:
    """Rows of one thread: reach and values of both players on a board of every street, and what passes between streets."""

    def __init__(self, streets: Sequence[Street]) -> None:
        shapes = [[(len(one.forest.kind), one.hands[p].places) for p in range(2)] for one in streets]
        self.reach = [[np.zeros(shape) for shape in both] for both in shapes]
        self.value = [[np.zeros(shape) for shape in both] for both in shapes]
        links = [
            [following.forest.roots * (street.hands[p].places + 1) for p in range(2)]
            for street, following in pairwise(streets)
        ]
        self.next_reach = [[np.zeros(size) for size in both] for both in (*links, (1, 1))]
        self.next_value = [[np.zeros(size) for size in both] for both in (*links, (1, 1))]
        self.cards = np.zeros(max(one.card_numbers for one in streets))
        self.spare = np.zeros(max(one.hands[p].places for one in streets for p in range(2)))
