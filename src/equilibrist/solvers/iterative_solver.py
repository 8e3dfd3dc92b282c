"""Methods that work in iterations: what they share is the way from a game to a solution."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from equilibrist.core.errors import NotApplicableError

if TYPE_CHECKING:
    from equilibrist.core.solution import Evaluation, Solution, TabularSolution
    from equilibrist.forms.compiled import Compiled
    from equilibrist.solvers.iteration_loop import Best, Finished, ProgressCallback, Run, Stop


class IterativeSolver(ABC):
    """Settings of a method, a frozen dataclass in every case; `start` makes the run that works."""

    @property
    @abstractmethod
    def name(self) -> str:
        """As people type it, parameters included."""

    @abstractmethod
    def start(self, game: Compiled) -> Run:
        """A run at iteration 0."""

    def begin(self, game: Compiled, stop: Stop, seed: int) -> Run:
        """The run of one solve, for methods that draw at random or must know the goal."""
        return self.start(game)

    def settings(self, game: Compiled) -> Mapping[str, Any]:
        """What a solution records beside the name."""
        return {}

    def solve(
        self,
        game: Compiled,
        stop: Stop,
        *,
        seed: int = 0,
        progress: ProgressCallback | None = None,
        resume: Solution | None = None,
    ) -> TabularSolution:
        """Solve a game until told to stop; an interrupted solve returns what it has, unconverged."""
        run, settings = self.begin(game, stop, seed), self.settings(game)
        return drive(run, game, self.name, stop, seed=seed, progress=progress, resume=resume, settings=settings)


def drive(
    run: Run,
    game: Compiled,
    solver: str,
    stop: Stop,
    *,
    seed: int = 0,
    progress: ProgressCallback | None = None,
    resume: Solution | None = None,
    settings: Mapping[str, Any] | None = None,
) -> TabularSolution:
    """Run to the stop. Checks fall on fixed iterations, so results do not depend on the machine's speed."""
    from equilibrist.core.solution import TabularSolution
    from equilibrist.solvers.iteration_loop import (  # late: whoever drives a run itself needs none of it
        Best,
        finish,
        go_on,
    )
    from equilibrist.solvers.run_contract import checked_average, checked_evaluation, checked_run, checked_state

    name = game.game.name
    if stop.exploitability is not None and not game.game.perfect_recall:
        raise NotApplicableError(
            f"The exploitability of a policy cannot be computed exactly in '{name}', which has imperfect recall; "
            "stop by iterations or seconds instead."
        )
    checked_run(run, solver)
    before = go_on(run, resume, kind=TabularSolution.kind, game=name, solver=solver)
    best: Best[Evaluation] | None = None
    if stop.keep_best and resume is not None and resume.evaluation is not None:
        best = Best(resume.evaluation, resume.extra.get("best_iteration", resume.iterations), resume.policy)
    told = {"nodes": stop.nodes, "keep_best": stop.keep_best, "seed": seed, **(settings or {})}

    def solution(found: Finished[Evaluation]) -> TabularSolution:
        return TabularSolution(
            game=game.game.name,  # some methods grow their game
            record=found.record,
            policy=checked_average(run.average() if found.best is None else found.best.profile, solver),
            evaluation=checked_evaluation(found.evaluation, solver),
            last=run.last(),
            state=checked_state(run.state(), solver),
            unit=game.game.unit,
        )

    return finish(
        run,
        stop,
        solution,
        solver=solver,
        progress=progress,
        before=before,
        settings=told,
        measured=_how_measured(game, told),
        profile=run.average,
        best=best,
    )


def _how_measured(game: Compiled, settings: Mapping[str, Any]) -> str:
    from equilibrist.core.solution import EXACT

    if settings.get("bindings"):
        return "exact best response in the game as bound by opponent models"
    if settings.get("bets"):
        return "exact best response with bets of any size, translations seen"
    return EXACT if game.game.perfect_recall else "not measured: imperfect recall"
