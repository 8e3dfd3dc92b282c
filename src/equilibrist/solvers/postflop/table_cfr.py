"""CFR on boards by any minimiser and update order: passes write down the regrets of an iteration, a sweep over the tables learns from them.

Regrets are local, so suits may be merged, hands locked and boards shared out over threads, as in `vector_cfr.py`, whose passes these
are. Where that class has learning in the pass itself (regret matching with discounts, predictive RM+, alternating updates), it is faster.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from equilibrist.compute.threads import share_out
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.schedules import discount_factors, factors_of
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop._kernels.minimise import minimise_boards
from equilibrist.solvers.postflop.vector_cfr import BoardCFR


class TableCFR(BoardCFR):
    """Tables of regrets, averages, strategies and whatever the minimiser remembers; 32 bits."""

    apart = True

    def __init__(self, solver: CFR, **how: Any) -> None:
        """`how` as `BoardCFR` names what it is made of."""
        if how.get("bits", 32) != 32:
            raise NotApplicableError(
                f"'{solver.name}' keeps what does not fit into 16 bits; leave 'bits' out, or use dcfr, cfr+, lcfr or pcfr+."
            )
        if solver.pruning.walks or solver.threshold:
            raise NotApplicableError(
                "Pruning and thresholds work on walks over histories, not on boards; leave them out."
            )
        if solver.bindings:
            raise NotApplicableError("On boards opponents are bound by locks and by `exploit`; leave the bindings out.")
        super().__init__(schedule=solver.schedule, **how)
        self.solver = solver

    def advance(self, iterations: int) -> None:
        factors = discount_factors(self.schedule, self.iteration, iterations)
        together = self.solver.updates == "simultaneous"
        for positive, negative, keep in factors.tolist():
            self.iteration += 1
            for me in range(2):
                self._pass(kernels.GAIN, me, _averaging(keep))
                if not together:
                    self._minimise(me, self.iteration, positive, negative)
            for me in range(2):
                if together:
                    self._minimise(me, self.iteration, positive, negative)

    def learn(self, me: int, reach: Floats) -> Floats:
        t = np.array([self.iteration + 1.0])
        positive, negative, keep = (float(f[0]) for f in factors_of(self.schedule, t))
        values = self._at_root(me, self._pass(kernels.GAIN, me, _averaging(keep), self._padded(1 - me, reach)))
        self._minimise(me, self.iteration + 1, positive, negative)
        return values

    def _minimise(self, me: int, t: int, positive: float, negative: float) -> None:
        """New strategies from the regrets that stand in the tables."""
        for depth, street in enumerate(self.streets):
            count = len(street.boards.cards)
            most = int(street.forest.children.max(initial=1))
            codes, stake = self.solver.codes, self._stake(depth, me)
            work = partial(self._sweep, me, t, positive, negative, codes, stake, street, most)
            if self._pool is None or count == 1:
                work((0, count))
            else:
                list(self._pool.map(work, share_out(np.arange(count + 1), len(self._workers))))

    @staticmethod
    def _sweep(
        me: int, t: int, positive: float, negative: float, codes: Any, stake: float, street: Any, most: int, span: Any
    ) -> None:
        minimise_boards(
            me, span[0], span[1], t, positive, negative, codes, stake, street.forest, street.hands[me], street.tables[me],
            np.zeros((4, most)),
        )  # fmt: skip

    def _stake(self, depth: int, me: int) -> float:
        """The range of a hand's counterfactual values: twice the largest payoff, times what it can meet on a board."""
        payoff = max(street.largest_payoff(me) for street in self.streets)
        chance = float(np.prod([float(street.factor) for street in self.streets[: depth + 1]]))
        return 2.0 * payoff * chance * float(self.weights[1 - me].sum())


def _averaging(keep: float) -> Any:
    """Weights of a pass that learns nothing but counts the opponent's average."""
    return kernels.Weights(np.float32(1.0), np.float32(1.0), np.float32(keep))
