"""CFR and CFR-BR on any form: any minimiser, schedule, update order and opponent model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.opponent import FormPolicy
from equilibrist.core.solution import Evaluation
from equilibrist.forms._kernels.plans import follow_own
from equilibrist.solvers.cfr.schedules import discount_factors
from equilibrist.solvers.plan_space._kernels.own_tree import learn_own, mix_own, respond_own
from equilibrist.solvers.plan_space.field import Field
from equilibrist.solvers.plan_space.run import PlanRun
from equilibrist.solvers.plan_space.warm_start import PlanStart, plan_start

if TYPE_CHECKING:
    from equilibrist.solvers.cfr.cfr import CFR


DUST = 1e-200  # weighs nothing beside a regret


class PlanCFR(PlanRun):
    """Gradients of the form, then one sweep over the learner's infosets; as `cfr.runs.SequenceRun`, without a matrix."""

    against_best = False  # CFR-BR: each player learns against a best response to its current plan

    def __init__(self, solver: CFR, field: Field) -> None:
        super().__init__(field)
        if solver.pruning.walks or solver.threshold:
            raise NotApplicableError(
                f"Pruning and thresholds work on walks over histories, not on the plans of '{field.form.name}'; leave them out."
            )
        self.solver, self.codes = solver, solver.codes
        self.spread = field.spread() if solver.minimiser == "hedge" else np.zeros(field.infosets)
        self.strategy = field.uniform()
        zeros = np.zeros_like(self.strategy)
        self.regret, self.memory, self.total, self.q = zeros, zeros.copy(), zeros.copy(), zeros.copy()
        self.response, self.behaviour = np.ones_like(zeros), np.ones_like(zeros)
        self._bind()
        self._refresh()

    def _bind(self) -> None:
        """Opponent models: `hand_weight` and `model_plan` per hand, `bound` and `model` per infoset."""
        field = self.field
        self.hand_weight, self.bound = np.zeros(2), np.zeros(field.infosets)
        self.model, self.model_plan = np.zeros_like(self.strategy), np.zeros_like(self.strategy)
        for binding in self.solver.bindings:
            p = binding.player
            if p not in (0, 1):
                raise ParameterError(f"A binding names player 0 or 1, but {p} was given.")
            own, behaviour = field.own(p), self._read(binding.policy)
            if binding.mode == "per_hand":
                self.hand_weight[p] = float(binding.weight)
                self.model_plan[own] = field.plan(behaviour)[own]
            elif np.ndim(binding.weight):
                raise NotApplicableError(
                    "Weights by infoset are for games laid out as sequence forms; give one weight."
                )
            else:
                part = slice(int(field.trees.first_infoset[p]), int(field.trees.first_infoset[p + 1]))
                self.bound[part], self.model[own] = float(binding.weight), behaviour[own]

    def _read(self, policy: Any) -> Floats:
        """[S] what a model plays on this form."""
        form = self.field.form
        if isinstance(policy, FormPolicy):
            return policy.on_form(form)
        read = getattr(form, "strategy", None)
        if read is None:
            raise NotApplicableError(f"'{form.name}' cannot read policies, so nobody can be bound to one in it.")
        behaviour: Floats = read(policy)
        return behaviour

    def _refresh(self) -> None:
        self.plan, self.seen = np.ones_like(self.strategy), np.ones_like(self.strategy)
        for p in range(2):
            self._follow(p)

    def _follow(self, p: int) -> None:
        """The plan that follows from the present strategy, and what the opponent meets of it."""
        trees, own = self.field.trees, self.field.own(p)
        mix_own(p, trees, self.bound, self.model, self.strategy, self.behaviour)
        follow_own(p, trees, self.behaviour, self.plan)
        weight = self.hand_weight[p]
        self.seen[own] = (1.0 - weight) * self.plan[own] + weight * self.model_plan[own]

    def advance(self, iterations: int) -> None:
        factors = discount_factors(self.solver.schedule, self.iteration, iterations)
        for positive, negative, keep in factors.tolist():
            self.iteration += 1
            if self.solver.updates == "simultaneous":
                self._simultaneous(positive, negative, keep)
            else:
                for p in range(2):
                    self._gradient(p)
                    self._learn(p, positive, negative, keep)
                    self._follow(p)

    def _simultaneous(self, positive: float, negative: float, keep: float) -> None:
        for p in range(2):
            self._gradient(p)
        for p in range(2):
            self._learn(p, positive, negative, keep)
        for p in range(2):
            self._follow(p)

    def _gradient(self, p: int) -> None:
        if self.against_best:
            self._respond(1 - p, self.seen, self.response)
            self.field.product(p, self.response, self.q)
        else:
            self.field.product(p, self.seen, self.q)

    def _learn(self, p: int, positive: float, negative: float, keep: float) -> None:
        own = self.field.own(p)
        self.total[own] = self.total[own] * keep + self.plan[own]
        learn_own(
            p, self.iteration, positive, negative, self.codes, self.field.trees, self.spread, self.bound,
            self.model, self.q, self.strategy, self.regret, self.memory,
        )  # fmt: skip

    def _respond(self, p: int, met: Floats, out: Floats) -> float:
        """The plan of a best response of p to what it meets, and its value."""
        self.field.product(p, met, self.q)
        value = respond_own(p, self.field.trees, self.bound, self.model, self.q, self.behaviour)
        follow_own(p, self.field.trees, self.behaviour, out)
        return float(value)

    @property
    def answer(self) -> Floats:
        plan = self.field.plan(self.field.behaviour(self.total))
        for p in range(2):
            own, weight = self.field.own(p), self.hand_weight[p]
            plan[own] = (1.0 - weight) * plan[own] + weight * self.model_plan[own]
        return plan

    def average(self) -> Any:
        """The free part of a bound player."""
        return self.field.policy(self.field.behaviour(self.total))

    def last(self) -> Any:
        return self.field.policy(self.strategy)

    def evaluate(self) -> Evaluation:
        """In the game as bound: the free part of a bound player is what could deviate."""
        plan, worth, best = self.answer, np.zeros_like(self.q), []
        self.field.products(plan, worth)
        value = float(plan[self.field.own(0)] @ worth[self.field.own(0)])
        for p in range(2):
            own, weight = self.field.own(p), self.hand_weight[p]
            forced = float(self.model_plan[own] @ worth[own])
            free = float(respond_own(p, self.field.trees, self.bound, self.model, worth, self.behaviour))
            best.append(float((1.0 - weight) * free + weight * forced))
        return Evaluation((value, -value), tuple(best))

    def start_from(self, behaviour: Floats, iterations: int | None = None) -> PlanStart:
        """Go on as if a behaviour [S] had been played so often; estimated if no count is given."""
        start = plan_start(self.field, self.solver, behaviour, iterations)
        self.regret[:], self.total[:], self.iteration = start.regret, start.total, start.iterations
        # the profile itself where no regret is positive
        self.strategy[:] = self.field.behaviour(np.maximum(start.regret, 0.0) + DUST * behaviour)
        self._refresh()
        return start

    @property
    def tables(self) -> Mapping[str, Floats]:
        return {"strategy": self.strategy, "regret": self.regret, "memory": self.memory, "average": self.total}

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        super().restore(state)
        self._refresh()


class PlanCFRBR(PlanCFR):
    """CFR-BR ([Johanson12]): each player learns against a best response to its current plan."""

    against_best = True
