"""Follower: values below the edge of a search, where both players follow continuations of a blueprint."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.compute.lanes import aligned
from equilibrist.games.holdem.forest import StreetForest
from equilibrist.solvers._kernels import boards as kernels
from equilibrist.solvers._kernels import followed
from equilibrist.solvers.board_run import Worker

Floats32 = npt.NDArray[np.float32]
Preference = tuple[float, float, float]  # by how much fold, call (or check) and raise (or bet) are preferred


@dataclass(frozen=True)
class Biases:
    """One player's continuations on one street: a factor for every slot, and the shares where the blueprint never was."""

    ways: int
    factor: Floats32  # [way * slots]
    even: Floats32  # [way * slots]


def biases(forest: StreetForest, player: int, preferences: Sequence[Preference]) -> Biases:
    """What preferences for kinds of actions mean for a player's slots on a street."""
    kind_of = {"f": 0, "c": 1, "x": 1}
    nodes = np.flatnonzero(forest.kind == player)
    kinds = [kind_of.get(label[:1], 2) for node in nodes for label in forest.labels(int(node))]
    factor = np.array(preferences, dtype=np.float32)[:, kinds]
    widths = forest.children[nodes]
    if not len(kinds):
        return Biases(len(preferences), np.ones(1, dtype=np.float32), np.ones(1, dtype=np.float32))
    total = np.add.reduceat(factor, np.cumsum(widths) - widths, axis=1)
    even = factor / np.repeat(total, widths, axis=1)
    return Biases(len(preferences), np.ascontiguousarray(factor.ravel()), np.ascontiguousarray(even.ravel()))


class Follower:
    """One thread's walk over the boards below the first street; uses the scratch memory of a worker."""

    def __init__(self, worker: Worker, ways: Sequence[Sequence[Biases]]) -> None:
        """`ways` [street][player]; those of the first street are not used."""
        self.worker, self.ways = worker, ways
        streets = worker.streets
        self.sums = [
            [aligned((len(s.forest.kind) + 2) * s.hands[1 - me].size, stagger=5) for me in range(2)] for s in streets
        ]
        self.next_reach: list[list[Floats32]] = []
        self.next_value: list[list[Floats32]] = []
        for street, following in itertools.pairwise(streets):
            sizes = [following.forest.roots * ways[0][p].ways * (street.hands[p].places + 1) for p in range(2)]
            self.next_reach.append([np.zeros(size, dtype=np.float32) for size in sizes])
            self.next_value.append([np.zeros(size, dtype=np.float32) for size in sizes])
        self.total = [np.zeros_like(table) for table in self.next_value[0]]

    def boards(self, numbers: Sequence[int], me: int, reach: Floats32) -> Floats32:
        """My values [root, way, hand] added up over some boards of the second street; `reach` is laid out likewise."""
        out = self.total[me]
        out[:] = 0.0
        for b in numbers:
            self._below(1, b, b + 1, me, reach, out)
        return out

    def _below(self, depth: int, first: int, last: int, me: int, reach: Floats32, value: Floats32) -> None:
        worker, them = self.worker, 1 - me
        s, scratch = worker.streets[depth], worker.scratch[depth][me]
        mine, theirs = self.ways[depth][me], self.ways[depth][them]
        widths = worker.width(depth, me), worker.width(depth, them)
        if depth + 1 == len(worker.streets):
            followed.follow_last(
                first, last, me, mine.ways, theirs.ways, s.forest, s.hands[me], s.hands[them], s.boards.group_start, s.groups,
                s.payoff[me], s.tables[me], s.tables[them], mine.factor, mine.even, theirs.factor, theirs.even, s.factor,
                reach, widths[1], value, widths[0], scratch, self.sums[depth][me], worker.nothing,
            )  # fmt: skip
            return
        under, following = self.next_value[depth][me], self.next_reach[depth][them]
        for b in range(first, last):
            followed.follow_down(
                b, them, theirs.ways, s.forest, s.hands[them], s.tables[them], theirs.factor, theirs.even, reach, widths[1],
                s.factor, scratch, self.sums[depth][me], following, worker.width(depth + 1, them),
            )  # fmt: skip
            under[:] = 0.0
            children = s.boards.first_child[b : b + 2]
            self._below(depth + 1, int(children[0]), int(children[1]), me, following, under)
            self.symmetrise(depth, b, me, under)
            kernels.terminals(
                b, me, s.forest, s.hands[me], s.hands[them], s.boards.group_start, s.groups, s.payoff[me], scratch
            )
            followed.follow_up(
                b, me, mine.ways, s.forest, s.hands[me], s.tables[me], mine.factor, mine.even, s.payoff[me], scratch, under,
                worker.width(depth + 1, me), value, widths[0],
            )  # fmt: skip

    def symmetrise(self, depth: int, board: int, me: int, values: Floats32) -> None:
        """What the boards below have added up to stands for their suit-copies too."""
        rows = self.worker.streets[depth + 1].forest.roots * self.ways[depth + 1][me].ways
        hands: Any = self.worker.streets[depth].hands[me]
        spare = self.worker.scratch[depth][me].spare
        kernels.symmetrise(board, hands, rows, self.worker.width(depth + 1, me), values, spare)
