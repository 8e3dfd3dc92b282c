"""ExactDepthLimited: values of a depth-limited run in double precision.

Below the frontier both players follow continuations, each of which is a strategy of its own: the blueprint with a bias. For each pair of
them the plain passes give the values, and what a hand meets is the sum over the opponent's.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.solvers.cfr.matching import in_proportion
from equilibrist.solvers.postflop._kernels.layout import RESPOND, VALUE
from equilibrist.solvers.postflop.double_precision._kernels.exact import LEAST
from equilibrist.solvers.postflop.double_precision.exact_passes import Boards, ExactPasses, Memory

if TYPE_CHECKING:
    from equilibrist.solvers.postflop.depth_limited.depth_limited_cfr import DepthLimitedCFR


class ExactDepthLimited(ExactPasses):
    """Passes over the first street of a run, with its choices and continuations below."""

    def __init__(self, run: DepthLimitedCFR) -> None:
        super().__init__(run.streets, run.deal.chances, {})
        self.run = run
        self._plain = self.tables
        self._followed = [[self._biased(p, way) for way in range(run.choices[p].shape[1])] for p in range(2)]

    def values(self, mode: int, me: int, reach: Floats, pool: Executor | None = None) -> Floats:
        memory, value = self.memory(), np.zeros(self.streets[0].forest.roots * self._width(0, me))
        self._down(memory, 0, 0, 1 - me, reach)
        memory.next_value[0][me][:] = self._frontier(memory, mode, me, pool).ravel()
        self._up(memory, 0, 0, mode, me, value)
        return value

    def value_at(self, path: Boards, mode: int, me: int, reach: Floats) -> Floats:
        assert not path, "there are values on the searched street only"
        memory = self.memory()
        self._down(memory, 0, 0, 1 - me, reach)
        memory.next_value[0][me][:] = self._frontier(memory, mode, me, None).ravel()
        self._up(memory, 0, 0, mode, me, np.zeros(self.streets[0].forest.roots * self._width(0, me)))
        return memory.value[0][me]

    def _frontier(self, memory: Memory, mode: int, me: int, pool: Executor | None) -> Floats:
        """My values [leaf, place] where the search ends, after the opponent's reach came down to it."""
        run, them = self.run, 1 - me
        met = memory.next_reach[0][them].reshape(-1, self._width(1, them))
        if run.following:
            found = self._of_ways(memory, me, met, pool)
            values = found.max(axis=1) if mode == RESPOND else (_shares(run.choices[me].average) * found).sum(axis=1)
        else:
            values = self._boards(memory, mode, me, memory.next_reach[0][them], pool).reshape(len(met), -1)
        return np.asarray(values + run.correction(me, met))

    def _of_ways(self, memory: Memory, me: int, met: Floats, pool: Executor | None) -> Floats:
        """My values [leaf, way, place] of each of my continuations, against all of the opponent's together."""
        them = 1 - me
        spread = met[:, None] * _shares(self.run.choices[them].average)
        out = np.zeros((len(met), len(self._followed[me]), self._width(1, me)))
        for mine, own in enumerate(self._followed[me]):
            for theirs, other in enumerate(self._followed[them]):
                pair = (own, other) if me == 0 else (other, own)
                self.tables = [self._plain[0], *(list(both) for both in zip(*pair, strict=True))]
                got = self._boards(memory, VALUE, me, np.ascontiguousarray(spread[:, theirs]).ravel(), pool)
                out[:, mine] += got.reshape(len(met), -1)
        self.tables = self._plain
        return out

    def _boards(self, memory: Memory, mode: int, me: int, reach: Floats, pool: Executor | None) -> Floats:
        """My values at the frontier, flat, over all boards below it."""
        total = self._over_boards(memory, mode, me, reach, pool)
        memory.next_value[0][me][:] = total
        self._symmetrise(memory, 0, 0, me)
        return memory.next_value[0][me].copy()

    def _biased(self, player: int, way: int) -> list[Any]:
        """Tables of the streets below under one continuation; where the blueprint says nothing, as the bias alone says."""
        out = []
        for depth in range(1, len(self.streets)):
            street, own = self.streets[depth], self.run.ways[depth][player]
            slots = street.tables[player].slots
            bias, even = (part.reshape(own.ways, -1)[way].astype(np.float64) for part in (own.bias, own.even))
            rows = street.tables[player].average.reshape(-1, slots, street.hands[player].size)
            table = rows * bias[None, :slots, None]
            nodes = np.flatnonzero(street.forest.kind == player)
            first, counts = street.forest.slot[nodes], street.forest.children[nodes]
            for begin, count in zip(first.tolist(), counts.tolist(), strict=True):
                part = table[:, begin : begin + count]
                silent = part.sum(axis=1, keepdims=True) <= LEAST
                np.copyto(part, even[None, begin : begin + count, None], where=silent)
            out.append(street.tables[player]._replace(average=table.ravel()))
        return out


def _shares(average: Any) -> Floats:
    """How often each continuation is chosen, [leaf, way, place]."""
    weights = average.astype(np.float64)
    return np.asarray(in_proportion(weights, weights.sum(axis=1, keepdims=True), 1.0 / weights.shape[1], LEAST))
