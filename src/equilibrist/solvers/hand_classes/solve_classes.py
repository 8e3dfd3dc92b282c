"""`solve_rounds`: from a game of classes to a `RoundSolution` with a certified bracket of its value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from equilibrist.core.errors import NotApplicableError
from equilibrist.core.solution import Evaluation, SolveRecord
from equilibrist.forms.hand_classes.kronecker import KroneckerForm
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.hand_classes.class_cfr import ClassCFR
from equilibrist.solvers.hand_classes.passes import RoundStrategy
from equilibrist.solvers.hand_classes.plan_classes import ClassRun, PlanClasses
from equilibrist.solvers.iteration_loop import Finished, ProgressCallback, Solver, Stop, finish
from equilibrist.solvers.registry import make_solver

DEFAULT_ROUND_SOLVER = "dcfr(gamma=3)"  # chosen by measurement: docs/gameshrink.md


@dataclass(frozen=True, eq=False)
class RoundSolution:
    """How both players play, and what that guarantees."""

    game: str
    record: SolveRecord
    strategy: RoundStrategy
    evaluation: Evaluation

    @property
    def iterations(self) -> int:
        return self.record.iterations

    @property
    def seconds(self) -> float:
        return self.record.seconds

    @property
    def converged(self) -> bool:
        """An exploitability was asked for and reached."""
        return self.record.converged

    @property
    def bracket(self) -> tuple[float, float]:
        """The value of the game to the first player lies in it: what either player's strategy guarantees."""
        assert self.evaluation.best_response_value is not None
        best, second = self.evaluation.best_response_value
        return -second, best

    @property
    def gap(self) -> float:
        """Length of the bracket: NashConv, twice the exploitability."""
        return self.evaluation.nash_conv

    @property
    def exploitability(self) -> float:
        return self.evaluation.exploitability


def start_rounds(form: KroneckerForm, solver: str = DEFAULT_ROUND_SOLVER, *, bits: int = 32) -> ClassCFR:
    """The fused run of the CFR family at iteration 0."""
    made = make_solver(solver)
    if not isinstance(made, CFR):
        raise NotApplicableError(f"This takes the CFR family (dcfr, cfr+ …), not '{solver}'.")
    return ClassCFR(made, form, bits=bits)


def start_classes(
    form: KroneckerForm, solver: str | Solver, *, bits: int = 32, seed: int = 0, generic: bool = False
) -> ClassRun:
    """Any solver at iteration 0: the fused run where there is one for its settings, else (or if `generic`) the one on plans.

    `seed` is for methods that sample.
    """
    made: Any = make_solver(solver) if isinstance(solver, str) else solver
    if isinstance(made, CFR) and ClassCFR.fits(made) and not generic:
        return ClassCFR(made, form, bits=bits)
    if not hasattr(made, "on"):
        raise NotApplicableError(
            "Games of classes are solved by the CFR family, es-mccfr, cfr-br, fictitious play, first-order methods and lp, not by "
            f"'{made.name}'."
        )
    return PlanClasses(made, form, seed)


def solve_rounds(
    form: KroneckerForm,
    solver: str = DEFAULT_ROUND_SOLVER,
    *,
    until: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    bits: int = 32,
    progress: ProgressCallback | None = None,
) -> RoundSolution:
    """Solve until an exploitability (chips; half the gap), for some iterations or seconds; Ctrl-C gives what there is."""
    stop = Stop(exploitability=until, iterations=iterations, seconds=seconds)
    run = start_rounds(form, solver, bits=bits)

    def solution(found: Finished[Evaluation]) -> RoundSolution:
        return RoundSolution(form.name, found.record, run.strategy(), found.evaluation)

    return finish(run, stop, solution, solver=solver, progress=progress, threads=form.team.threads, bits=bits)
