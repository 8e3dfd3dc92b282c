"""Fictitious play on any form: answer the average, average the answers; the uniform start counts as one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.forms._kernels.plans import follow_own
from equilibrist.solvers.plan_space._kernels.own_tree import respond_own
from equilibrist.solvers.plan_space.field import Field
from equilibrist.solvers.plan_space.run import PlanRun

if TYPE_CHECKING:
    from equilibrist.solvers.fictitious_play.fictitious_play import FictitiousPlay


class PlanFictitiousPlay(PlanRun):
    """Fictitious play, linear fictitious play and FLOP, as the solver's rates say."""

    def __init__(self, solver: FictitiousPlay, field: Field) -> None:
        super().__init__(field)
        self.solver, self.plan = solver, field.plan(field.uniform())
        self.latest, self.q, self.behaviour = self.plan.copy(), np.zeros_like(self.plan), np.ones_like(self.plan)
        self._nobody = np.zeros(field.infosets), np.zeros_like(self.plan)  # bound to a model

    def advance(self, iterations: int) -> None:
        for _ in range(iterations):
            self.iteration += 1
            t = np.array([float(self.iteration)])
            rate, extra = float(self.solver.rate(t)[0]), float(self.solver.optimism(t)[0])
            for p in range(2):
                self.field.product(p, (1.0 - extra) * self.plan + extra * self.latest, self.q)
                respond_own(p, self.field.trees, *self._nobody, self.q, self.behaviour)
                follow_own(p, self.field.trees, self.behaviour, self.latest)
                own = self.field.own(p)
                self.plan[own] = (1.0 - rate) * self.plan[own] + rate * self.latest[own]

    @property
    def answer(self) -> Floats:
        return self.plan

    def last(self) -> Any:
        return self.field.policy(self.field.behaviour(self.latest))

    @property
    def tables(self) -> Mapping[str, Floats]:
        return {"plan": self.plan, "latest": self.latest}
