"""`solve_rounds`: from a game of classes to a `RoundSolution` with a certified bracket of its value."""

from __future__ import annotations

from dataclasses import dataclass

from equilibrist.core.errors import NotApplicableError
from equilibrist.core.solution import Evaluation, SolveRecord
from equilibrist.forms.hand_classes.kronecker import KroneckerForm
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.hand_classes.class_cfr import ClassCFR
from equilibrist.solvers.hand_classes.passes import RoundStrategy
from equilibrist.solvers.iteration_loop import Finished, ProgressCallback, Stop, finish
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
    """A run at iteration 0."""
    made = make_solver(solver)
    if not isinstance(made, CFR):
        raise NotApplicableError(f"Games of classes are solved by the CFR family, not by '{solver}'; try dcfr.")
    return ClassCFR(made, form, bits=bits)


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
