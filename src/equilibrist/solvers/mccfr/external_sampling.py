"""External sampling on any form ([Lanctot09]): each player learns against pure plans drawn from the opponent's strategy.

A form does not say what chance does, so only the opponent is drawn, and chance is summed in the form's products. The gradient against a
pure plan is an unbiased estimate of the gradient against the strategy that it was drawn from, and so are the regrets. Several walks
against one profile are one product with the mean of their plans, since gradients are linear. Averages are those of whole plans, not of
what walks met.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms._kernels.plans import follow_own
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.mccfr._kernels.packing import random_state
from equilibrist.solvers.mccfr._kernels.pure_plans import draw_pure
from equilibrist.solvers.mccfr.period_discounts import PeriodDiscounts
from equilibrist.solvers.plan_space._kernels.own_tree import learn_own
from equilibrist.solvers.plan_space.field import Field
from equilibrist.solvers.plan_space.run import PlanRun, State

if TYPE_CHECKING:
    from equilibrist.solvers.mccfr.mccfr import MCCFR

MATCHING = CFR().codes  # regret matching


class ExternalSamplingRun(PlanRun):
    """One iteration draws `traversals` plans of each player for the other to learn against."""

    first_check = 100
    check_growth = 1.3

    def __init__(self, settings: MCCFR, field: Field, seed: int = 0) -> None:
        super().__init__(field)
        if settings.sampling != "external":
            raise NotApplicableError(
                f"Sampling of outcomes and of chance walks histories, which '{field.form.name}' does not have; use es-mccfr, which draws "
                "plans of the opponent."
            )
        self.settings, self.random = settings, random_state(seed)
        self.discounts = PeriodDiscounts(settings.weighting, settings.period)
        self.strategy = field.uniform()
        zeros = np.zeros_like(self.strategy)
        self.regret, self.total, self.q, self.drawn = zeros, zeros.copy(), zeros.copy(), zeros.copy()
        self.plan = field.plan(self.strategy)
        self._memory, self._nobody = zeros.copy(), (np.zeros(field.infosets), zeros.copy())  # no model binds anybody
        self._no_spread = np.zeros(field.infosets)
        self.progress = np.zeros(1, dtype=np.int64)  # sequences touched

    @property
    def nodes_touched(self) -> int:
        return int(self.progress[0])

    def advance(self, iterations: int) -> None:
        with np.errstate(over="ignore"):  # random numbers wrap around; kernels left as Python would warn
            for _ in range(iterations):
                self.iteration += 1
                for p in range(2):
                    self._learn(p)
                factor = self.discounts.factor(self.nodes_touched)
                if factor != 1.0:
                    self.regret *= factor
                    self.total *= factor

    def _learn(self, p: int) -> None:
        field, theirs = self.field, self.field.own(1 - p)
        field.product(p, self._met(1 - p), self.q)
        self.progress[0] += self.settings.traversals * field.sequences
        self.total[theirs] += self.plan[theirs]
        learn_own(
            p, self.iteration, 1.0, 1.0, MATCHING, field.trees, self._no_spread, *self._nobody, self.q,
            self.strategy, self.regret, self._memory,
        )  # fmt: skip
        follow_own(p, field.trees, self.strategy, self.plan)

    def _met(self, opponent: int) -> Floats:
        """[S] the mean of pure plans drawn from what the opponent plays now."""
        walks, theirs = self.settings.traversals, self.field.own(opponent)
        draw_pure(opponent, self.field.trees, self.strategy, self.random, self.drawn)
        if walks == 1:
            return self.drawn
        met = self.drawn.copy()
        for _ in range(walks - 1):
            draw_pure(opponent, self.field.trees, self.strategy, self.random, self.drawn)
            met[theirs] += self.drawn[theirs]
        met[theirs] /= walks
        return met

    @property
    def answer(self) -> Floats:
        return self.field.plan(self.field.behaviour(self.total))

    def last(self) -> Any:
        return self.field.policy(self.strategy)

    @property
    def tables(self) -> Mapping[str, Floats]:
        return {"strategy": self.strategy, "regret": self.regret, "average": self.total}

    def state(self) -> State:
        counts = np.array([*self.progress, self.discounts.number], dtype=np.int64)
        return super().state() | {"random": self.random.copy(), "progress": counts}

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        super().restore(state)
        if state["random"].shape != (4,) or state["progress"].shape != (2,):
            raise ValueError("the random stream or the count of nodes of the saved run has another size")
        self.random[:] = state["random"]
        self.progress[0], self.discounts.number = state["progress"].tolist()
        self.plan = self.field.plan(self.strategy)
