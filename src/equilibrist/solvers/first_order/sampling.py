"""The excessive gap technique on samples of the deals ([Gilpin09, chapter 9]): sparser matrices, cheaper products.

A fixed sample is soon overfitted: its own gap falls, the true one rises. *Dynamic* sampling measures the true gap now and then and
doubles the sample when it has risen. The condition does not hold for the old point in a new sample, so the method begins anew with
prox functions centred at the present behaviour, from which distances are short.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.names import Value
from equilibrist.core.solution import Evaluation
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.form import Form
from equilibrist.forms.sequence_form.chance_samples import DealSampler, PayoffSampler
from equilibrist.solvers.first_order.excessive_gap import ExcessiveGap, ExcessiveGapRun, egt
from equilibrist.solvers.first_order.run import FirstOrderSolver, given_name
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.linear_programs.sequence_lp import zero_sum_form
from equilibrist.solvers.plan_space.field import Field
from equilibrist.solvers.plan_space.run import PlanRun, State
from equilibrist.solvers.registry import SolverEntry

DEFAULTS: dict[str, Any] = {"share": 0.01, "dynamic": True, "check": 50, "prox": "entropy", "weights": "one"}


@dataclass(frozen=True)
class SampledExcessiveGap(FirstOrderSolver):
    """`share` of the deals, doubled on overfitting if `dynamic`; the true gap is measured every `check` iterations."""

    share: float = 0.01
    dynamic: bool = True
    check: int = 50
    method: ExcessiveGap = field(default_factory=ExcessiveGap)
    seed: int = 0
    name: str = "sampled-egt"
    purpose: ClassVar[str] = "The excessive gap technique"

    def on(self, form: Form, sampler: PayoffSampler | None = None) -> SampledFirstOrderRun:
        if sampler is None:
            raise NotApplicableError(
                f"Sampling '{form.name}' needs a sampler of its deals; give one, or use 'egt' on the whole game."
            )
        return SampledFirstOrderRun(self, form, sampler)

    def start(self, game: Compiled) -> SampledFirstOrderRun:
        form = zero_sum_form(game, self.purpose)
        return self.on(form, DealSampler(game.tree, form))

    def begin(self, game: Compiled, stop: Stop, seed: int) -> SampledFirstOrderRun:
        return replace(self, seed=seed).start(game)


class SampledFirstOrderRun(PlanRun):
    """Works on a sample, answers for the whole game."""

    def __init__(self, solver: SampledExcessiveGap, form: Form, sampler: PayoffSampler) -> None:
        super().__init__(Field(form))
        self.solver, self.sampler, self.form = solver, sampler, form
        self.progress = np.array([solver.share, 0.0, np.inf])  # share, samples drawn, true gap at the last check
        self.inner = ExcessiveGapRun(solver.method, Field(self._draw()))

    @property
    def share(self) -> float:
        return float(self.progress[0])

    def _draw(self) -> Form:
        """The sample of this stage; it depends on the seed and the stage alone, so that saved runs find it again."""
        if self.share >= 1.0:
            return self.form
        return self.sampler.sample(self.share, np.random.default_rng([self.solver.seed, int(self.progress[1])]))

    @property
    def answer(self) -> Floats:
        return self.inner.answer

    def sampled_evaluation(self) -> Evaluation:
        """The same plans in the sampled game."""
        return self.inner.evaluate()

    def details(self) -> dict[str, float]:
        sampled = self.sampled_evaluation().nash_conv
        return {"share": self.share, "samples": self.progress[1] + 1.0, "sampled_gap": sampled} | self.inner.details()

    def advance(self, iterations: int) -> None:
        last = self.iteration + iterations
        while self.iteration < last:
            due = self.iteration - self.iteration % self.solver.check + self.solver.check
            step = min(due, last) - self.iteration
            self.inner.advance(step)
            self.iteration += step
            if self.solver.dynamic and self.iteration == due and self.share < 1.0:
                self._check()

    def _check(self) -> None:
        """Overfitting shows in a true gap that has risen."""
        gap = self.evaluate().nash_conv
        if gap > self.progress[2]:
            self.progress[0] = min(2.0 * self.share, 1.0)
            self.progress[1] += 1
            behaviour = self.field.behaviour(self.answer)
            self.inner = ExcessiveGapRun(self.solver.method, Field(self._draw()), behaviour, self.inner.mu)
            gap = np.inf  # the jump of a new beginning is no overfitting
        self.progress[2] = gap

    @property
    def tables(self) -> Mapping[str, Floats]:
        return {"progress": self.progress}

    def state(self) -> State:
        return super().state() | {f"inner.{name}": table for name, table in self.inner.state().items()}

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        super().restore(state)
        self.inner = ExcessiveGapRun(self.solver.method, Field(self._draw()))
        self.inner.restore({name[6:]: table for name, table in state.items() if name.startswith("inner.")})


def sampled_egt(
    share: float = 0.01, dynamic: bool = True, check: int = 50, prox: str = "entropy", weights: str = "one"
) -> SampledExcessiveGap:
    """EGT-2 on a share of the deals."""
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0.0 < share <= 1.0:
        raise ParameterError(f"'share' is above 0 and at most 1, but {share!r} was given.")
    if not isinstance(dynamic, bool):
        raise ParameterError(f"'dynamic' is true or false, but {dynamic!r} was given.")
    if isinstance(check, bool) or not isinstance(check, int) or check < 1:
        raise ParameterError(f"'check' is a number of iterations, at least 1, but {check!r} was given.")
    chosen: dict[str, Value] = {"share": share, "dynamic": dynamic, "check": check, "prox": prox, "weights": weights}
    name = given_name("sampled-egt", DEFAULTS, chosen)
    return SampledExcessiveGap(float(share), dynamic, check, egt(prox=prox, weights=weights), 0, name)


ENTRIES = [
    SolverEntry(
        "sampled-egt",
        "EGT-2 on a sample of the deals that grows on overfitting",
        sampled_egt,
        DEFAULTS,
        "Gilpin09",
        "as 'egt' once the sample is everything; none before",
        "lightly tested",
    ),
]
