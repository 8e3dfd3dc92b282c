"""Every solver on games of classes: what has no run of its own there works on plans, and answers as `ClassCFR` does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from equilibrist.core.arrays import Array
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.solution import Evaluation
from equilibrist.forms.hand_classes.kronecker import KroneckerForm
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.hand_classes.passes import RoundStrategy, in_lanes
from equilibrist.solvers.mccfr.mccfr import MCCFR
from equilibrist.solvers.on_form import start_on
from equilibrist.solvers.plan_space.run import PlanRun

PREFIX = "plan."  # of tables in files


class ClassRun(Protocol):
    """A run on a game of classes, fused or on plans."""

    solver: Any
    form: KroneckerForm
    iteration: int
    first_check: int
    check_growth: float

    @property
    def bits(self) -> int:
        """Of the numbers in its tables."""

    @property
    def memory_bytes(self) -> int: ...

    def advance(self, iterations: int) -> None: ...

    def evaluate(self) -> Evaluation: ...

    def strategy(self) -> RoundStrategy:
        """The average found so far."""

    def start_from(self, strategy: RoundStrategy, iterations: int | None = None) -> Any:
        """Go on as if a strategy had been played so often."""

    def state(self) -> dict[str, Array]: ...

    def restore(self, state: Mapping[str, Array]) -> None: ...


class PlanClasses:
    """A method on plans, in 64-bit floats."""

    bits = 64

    def __init__(self, solver: Any, form: KroneckerForm, seed: int = 0) -> None:
        self.solver, self.form, self.iteration = solver, form, 0
        self.plans: PlanRun = _plan_run(solver, form, seed)
        self.first_check, self.check_growth = self.plans.first_check, self.plans.check_growth

    @property
    def memory_bytes(self) -> int:
        return sum(array.nbytes for array in self.plans.state().values())

    def advance(self, iterations: int) -> None:
        self.plans.advance(iterations)
        self.iteration = self.plans.iteration

    def evaluate(self) -> Evaluation:
        return self.plans.evaluate()

    def strategy(self) -> RoundStrategy:
        """The plans found so far."""
        answer, offset = self.plans.answer, self.form.offset
        first, second = (in_lanes(self.form, p, answer[offset[p] : offset[p + 1]]) for p in range(2))
        return RoundStrategy(self.form, (first, second))

    def start_from(self, strategy: RoundStrategy, iterations: int | None = None) -> Any:
        raise NotApplicableError(
            f"Warm starts give regrets to members of the CFR family with regret matching, not to '{self.solver.name}'."
        )

    def state(self) -> dict[str, Array]:
        return {PREFIX + name: table for name, table in self.plans.state().items()}

    def restore(self, state: Mapping[str, Array]) -> None:
        self.plans.restore({name.removeprefix(PREFIX): table for name, table in state.items()})
        self.iteration = self.plans.iteration


def _plan_run(solver: Any, form: KroneckerForm, seed: int) -> Any:
    """The run in the space of plans; `seed` is for methods that sample."""
    if isinstance(solver, CFR):
        return start_on(solver, form, generic=True)
    return solver.on(form, seed) if isinstance(solver, MCCFR) else solver.on(form)
