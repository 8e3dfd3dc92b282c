"""Strategy-based warm starting on any form with a `spread`: regrets as T iterations of a profile would leave them ([Brown20, §3.2])."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.solvers.cfr.cfr import CFR, steady
from equilibrist.solvers.cfr.schedules import factors_of
from equilibrist.solvers.plan_space._kernels.substitute_own import substitute_own
from equilibrist.solvers.plan_space.field import Field

HALVINGS = 40  # of the interval for lambda
MOST_ITERATIONS = 10**6


@dataclass(frozen=True)
class PlanStart:
    """What a profile of T iterations leaves behind."""

    iterations: int
    weakening: float  # lambda
    regret: Floats  # [S] as the schedule would have left them
    total: Floats  # [S] likewise the sum of plans
    values: tuple[float, float]  # substitute values of the game; they add up to at most zero


def plan_start(field: Field, solver: CFR, behaviour: Floats, iterations: int | None) -> PlanStart:
    """Tables for a member of the family with regret matching; without a count, one is estimated from the profile's exploitability."""
    if solver.minimiser not in ("rm", "signed-rm+") or solver.bindings:
        raise NotApplicableError(
            f"Warm starts give regrets to members of the CFR family with regret matching, not to '{solver.name}'; use cfr, cfr+, lcfr or "
            "dcfr."
        )
    if iterations is not None and not 1 <= iterations <= MOST_ITERATIONS:
        raise ParameterError(
            f"A warm start stands for 1 to {MOST_ITERATIONS:,} iterations, but {iterations} was given."
        )
    work = _Substitution(field, behaviour)
    count = iterations or work.estimate()
    while True:
        try:
            weakening = work.bisect(count)
            break
        except NotApplicableError:
            if iterations is not None or count == 1:
                raise
            count //= 2
    values = work.values(weakening, count)
    factors = factors_of(solver.schedule, np.arange(1.0, count + 1.0))
    positive, negative = (steady(factor, before=False) for factor in (factors.positive, factors.negative))
    regret = np.where(work.gain > 0.0, positive, negative) * work.gain
    return PlanStart(count, weakening, regret, steady(factors.keep, before=True) * work.plan, values)


class _Substitution:
    """What does not depend on lambda, and the gains at the last one tried."""

    def __init__(self, field: Field, behaviour: Floats) -> None:
        self.field, self.plan, self.spread = field, field.plan(behaviour), field.spread()
        self.worth, self.gain = np.zeros_like(self.plan), np.zeros_like(self.plan)
        field.products(self.plan, self.worth)
        self.order = np.zeros(int(field.trees.actions.max(initial=1)), dtype=np.int64)

    def estimate(self) -> int:
        """Regret matching falls from what is at stake at first as 1 / T, roughly ([Brown20, §3.2.3])."""
        field = self.field
        even, now = field.evaluate(field.plan(field.uniform())), field.evaluate(self.plan)
        ratio = even.exploitability / max(now.exploitability, 1e-300)
        return int(min(MOST_ITERATIONS, max(1.0, round(ratio))))

    def values(self, weakening: float, iterations: int) -> tuple[float, float]:
        q, trees = self.worth.copy(), self.field.trees
        first, second = (
            float(substitute_own(p, trees, self.spread, weakening / iterations, q, self.gain, self.order))
            for p in range(2)
        )
        return first, second

    def bisect(self, iterations: int) -> float:
        """The smallest lambda at which both values add up to no more than zero."""
        if sum(self.values(0.0, iterations)) <= 0.0:
            return 0.0
        low, high = 0.0, 1.0
        if sum(self.values(high, iterations)) > 0.0:
            raise NotApplicableError(
                f"This profile is too exploitable to stand for {iterations:,} iterations of regret matching; try fewer, or let them be "
                "estimated."
            )
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if sum(self.values(middle, iterations)) > 0.0:
                low = middle
            else:
                high = middle
        return high
