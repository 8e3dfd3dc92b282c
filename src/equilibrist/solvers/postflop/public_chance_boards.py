"""Public chance sampling on boards: every pass of vector CFR sees one sampled runout, with all hands on it ([Johanson12b]).

Boards are drawn by how many deals they stand for, so suits may be merged, and hands locked, as in `vector_cfr.py`, whose passes these are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats, Floats32
from equilibrist.core.errors import NotApplicableError
from equilibrist.solvers.cfr.schedules import VANILLA
from equilibrist.solvers.mccfr._kernels.packing import random_state
from equilibrist.solvers.mccfr._kernels.sampling import uniform
from equilibrist.solvers.mccfr.mccfr import MCCFR
from equilibrist.solvers.mccfr.period_discounts import PeriodDiscounts
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

ONES = kernels.Weights(*np.ones(3, dtype=np.float32))


class PublicChanceBoards(BoardCFR):
    """Vector CFR on one runout per pass; `weighting` discounts all sums by periods of nodes touched, as in all Monte Carlo CFR."""

    first_check = 100
    check_growth = 1.3

    def __init__(self, solver: MCCFR, parts: Mapping[str, Any], *, seed: int = 0) -> None:
        """`parts` as `BoardCFR` names what it is made of."""
        if solver.traversals != 1:
            raise NotApplicableError(
                "On boards one runout is sampled per player and iteration; leave out 'traversals'."
            )
        super().__init__(schedule=VANILLA, **parts)
        self.solver, self.discounts = solver, PeriodDiscounts(solver.weighting, solver.period)
        self.random = random_state(seed)
        self.tally = np.array([0, 1], dtype=np.int64)  # nodes touched, each by all hands; the discounts' period

    @property
    def nodes_touched(self) -> int:
        return int(self.tally[0])

    def advance(self, iterations: int) -> None:
        for _ in range(iterations):
            for me in range(2):
                unused = np.zeros_like(self.root_weights[me])
                with np.errstate(over="ignore"):  # random numbers wrap around; kernels left as Python would warn
                    self._runout(0, 0, me, self.root_weights[1 - me], unused)
            self.iteration += 1
            self._discount()

    def _runout(self, depth: int, board: int, me: int, reach: Floats32, value: Floats32) -> None:
        """One board, and one of those below it in place of all of them."""
        worker, street = self.worker, self.streets[depth]
        self.tally[0] += len(street.forest.kind)
        worker.street_down(depth, board, kernels.LEARN, me, ONES.keep, reach, worker.nothing)
        if depth + 1 < len(self.streets):
            below = worker.next_value[depth][me]
            below[:] = 0.0
            child, chance = self._draw(depth, board)
            self._runout(depth + 1, child, me, worker.next_reach[depth][1 - me], below)
            below /= np.float32(chance)
            worker.symmetrise(depth, board, me)
        worker.street_up(depth, board, kernels.LEARN, me, ONES, value, worker.nothing)

    def _draw(self, depth: int, board: int) -> tuple[int, float]:
        """A board one street further, and its probability."""
        first, last = (int(each) for each in self.streets[depth].boards.first_child[board : board + 2])
        share = np.cumsum(self.streets[depth + 1].boards.copies[first:last], dtype=np.float64)
        chosen = int(np.searchsorted(share, uniform(self.random) * share[-1], side="right"))
        chosen = min(chosen, last - first - 1)
        return first + chosen, float(self.streets[depth + 1].boards.copies[first + chosen] / share[-1])

    def _discount(self) -> None:
        """Multiply regrets and averages for each period that has ended."""
        self.discounts.number = int(self.tally[1])
        factor = self.discounts.factor(self.nodes_touched)
        self.tally[1] = self.discounts.number
        if factor != 1.0:
            for street in self.streets:
                for tables in street.tables:
                    tables.regret[:] *= np.float32(factor)
                    tables.average[:] *= np.float32(factor)

    def learn(self, me: int, reach: Floats) -> Floats:
        raise NotApplicableError(
            f"'{self.solver.name}' samples runouts, but weights at a root are learnt against all boards; search with the CFR family."
        )

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return super().state() | {"random": self.random, "tally": self.tally}
