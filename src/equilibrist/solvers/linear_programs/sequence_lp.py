"""Equilibria of two-player zero-sum games by linear programming on the sequence form ([KMvS94]; [Lu16, §3.2.1])."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.core.arrays import Bools, Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.names import Name, readable
from equilibrist.core.solution import EXACT, Evaluation, Solution, SolveRecord, TabularSolution
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.form import Form
from equilibrist.forms.sequence_form.sequence_form import SequenceForm
from equilibrist.solvers.iteration_loop import Progress, ProgressCallback, Stop
from equilibrist.solvers.linear_programs.dominance import dominated_sequences
from equilibrist.solvers.linear_programs.highs import Status, checked_method
from equilibrist.solvers.linear_programs.plan_program import DUST, Goal, PlanProgram, PlanSolution
from equilibrist.solvers.linear_programs.plan_starts import ANYTIME, start_basis
from equilibrist.solvers.linear_programs.program_size import program_size
from equilibrist.solvers.registry import SolverEntry
from equilibrist.solvers.responses.best_response import evaluate_policy
from equilibrist.version import __version__

if TYPE_CHECKING:
    from equilibrist.solvers.linear_programs.program_run import ProgramRun

EQUILIBRIUM = 1e-9  # exploitability per unit of payoff beyond which duals are not trusted
ACCEPTED = 1e-6  # the same, beyond which a result is called unconverged


def zero_sum_form(game: Compiled, purpose: str) -> SequenceForm:
    """The sequence form, if the game has two players, zero-sum payoffs and perfect recall."""
    if game.game.players != 2:
        raise NotApplicableError(
            f"{purpose} is for two players, but '{game.game.name}' has {game.game.players}; try a CFR solver."
        )
    form = game.sequence_form
    if not form.zero_sum:
        raise NotApplicableError(
            f"{purpose} is for zero-sum games, but the payoffs of '{game.game.name}' do not sum to zero; "
            "try a CFR solver, which makes no such promise but runs on it."
        )
    return form


@dataclass(frozen=True)
class SequenceFormLP:
    """The equilibrium in one linear program, its multipliers being the other player's plan.

    The methods `primal` and `dual` can be stopped at any time: the first then holds a plan of player 1, the second one of player
    2, each with what it guarantees.
    """

    method: str = "choose"
    eliminate: bool = False  # dominated sequences first

    def __post_init__(self) -> None:
        checked_method(self.method)
        if not isinstance(self.eliminate, bool):
            raise ParameterError(f"'eliminate' is true or false, but {self.eliminate!r} was given.")

    def __repr__(self) -> str:
        return readable(self)

    @property
    def name(self) -> str:
        method = {} if self.method == "choose" else {"method": self.method}
        return str(Name("lp", method | ({"eliminate": True} if self.eliminate else {})))

    def on(self, form: Form) -> ProgramRun:
        """A run at iteration 0 on any form, whose first iteration solves the program."""
        from equilibrist.solvers.linear_programs.program_run import ProgramRun  # late: games need no run
        from equilibrist.solvers.plan_space.field import Field

        return ProgramRun(self, Field(form))

    def solve(
        self,
        game: Compiled,
        stop: Stop,
        *,
        seed: int = 0,
        progress: ProgressCallback | None = None,
        resume: Solution | None = None,
    ) -> TabularSolution:
        """Solve at once; `stop.seconds` is a limit, `stop.iterations` limits the simplex method."""
        form = zero_sum_form(game, "The sequence-form linear program")
        removed = dominated_sequences(form) if self.eliminate else None
        work = PlanWork(game, form, self.name, stop, seed, progress, resume, self.method, removed)
        first = work.maximise(0)
        plans = [first.plan, first.opponent]
        settings: dict[str, Any] = {"method": self.method}
        if removed is not None:
            settings["eliminated"] = [int(removed[a:b].sum()) for a, b in pairwise(form.offset.tolist())]
        solution = work.finish(plans, settings)
        if first.status == "optimal" and solution.exploitability > EQUILIBRIUM * work.largest_payoff:
            plans[1] = work.maximise(1).plan
            solution = work.finish(plans, settings)
        return solution


class PlanWork:
    """One solve made of plan programs: shares the clock, adds up iterations, keeps the worst status."""

    def __init__(
        self,
        game: Compiled,
        form: SequenceForm,
        solver: str,
        stop: Stop,
        seed: int,
        progress: ProgressCallback | None,
        resume: Solution | None,
        method: str = "choose",
        dominated: Bools | None = None,
    ) -> None:
        if resume is not None:
            raise NotApplicableError(
                f"'{solver}' solves linear programs in one go, so a saved run cannot be resumed; solve the game anew."
            )
        self.game, self.form, self.solver, self.stop, self.seed = game, form, solver, stop, seed
        self.progress, self.method = progress, method
        self.begin, self.cpu = time.perf_counter(), time.process_time()
        self.programs = [PlanProgram(form, player, dominated) for player in range(2)]
        self.size = program_size(form)
        self.iterations, self.solved = 0, 0
        self.status: Status = "optimal"
        self.largest_payoff = float(np.abs(game.tree.returns).max(initial=0.0)) or 1.0

    def maximise(self, player: int, goal: Goal | None = None) -> PlanSolution:
        """One program inside the time that is left."""
        limit = self.stop.seconds
        left = None if limit is None else max(0.0, limit - (time.perf_counter() - self.begin))
        start = start_basis(self.programs[player], keep=self.method) if self.method in ANYTIME else None
        limits: dict[str, Any] = {"seconds": left, "iterations": self.stop.iterations, "watch": self._watch}
        found = self.programs[player].maximise(goal, method=self.method, start=start, unfinished=True, **limits)
        self.iterations += found.iterations
        self.solved += 1
        if self.status == "optimal":
            self.status = found.status
        return found

    def finish(self, plans: list[Floats], settings: Mapping[str, Any], accepted: float = ACCEPTED) -> TabularSolution:
        """Evaluate the policy of two plans exactly and wrap it; `accepted` exploitability counts as converged."""
        plan = np.concatenate(plans)
        plan = np.where(plan > DUST, plan, 0.0)
        policy = self.form.policy(self.form.behaviour(plan))
        evaluation = evaluate_policy(self.game, policy)
        seconds = time.perf_counter() - self.begin
        if self.progress is not None:
            self.progress(Progress(self.iterations, seconds, evaluation.exploitability, 1.0, 0.0))
        extra: dict[str, Any] = {
            "status": self.status,
            "programs": self.solved,
            "unreached": int((plan[self.form.parent] == 0.0).sum()),
            "size": {"rows": self.size.rows, "columns": self.size.columns, "nonzeros": self.size.nonzeros},
        }
        if self.method in ANYTIME:  # the other player's plan is put together from what the search held
            extra["feasible_player"] = 1 + ANYTIME.index(self.method)
        if evaluation.best_response_value is not None:
            extra["bracket"] = [-evaluation.best_response_value[1], evaluation.best_response_value[0]]
        return TabularSolution(
            game=self.game.game.name,
            record=SolveRecord(
                solver=self.solver,
                iterations=self.iterations,
                seconds=seconds,
                converged=self._converged(evaluation, accepted),
                interrupted=self.status == "interrupted",
                cpu_seconds=time.process_time() - self.cpu,
                settings={**self.stop.to_json(), "seed": self.seed, **settings},
                provenance={"version": __version__, "exploitability": EXACT},
                extra=extra,
            ),
            policy=policy,
            evaluation=evaluation,
            unit=self.game.game.unit,
        )

    def _converged(self, evaluation: Evaluation, accepted: float) -> bool:
        if self.stop.exploitability is not None:
            return evaluation.exploitability <= self.stop.exploitability
        return self.status == "optimal" and evaluation.exploitability <= accepted * self.largest_payoff

    def _watch(self, iterations: int, seconds: float) -> None:
        if self.progress is not None:
            elapsed = time.perf_counter() - self.begin
            self.progress(Progress(self.iterations + iterations, elapsed, None, None, None))


ENTRIES = [
    SolverEntry(
        "lp",
        "sequence-form linear program (HiGHS)",
        SequenceFormLP,
        {"method": "choose", "eliminate": False},
        "KMvS94",
        "exact equilibrium, two players, zero-sum, perfect recall",
    ),
]
