"""Equilibria of two-player zero-sum games by linear programming on the sequence form ([KMvS94], [Lu16] 2.2)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equilibrist.core.errors import NotApplicableError
from equilibrist.core.names import Name
from equilibrist.core.solution import Evaluation, Solution
from equilibrist.games.compiled import Compiled
from equilibrist.games.sequence_form import SequenceForm
from equilibrist.solvers.best_response import evaluate_policy
from equilibrist.solvers.driver import Progress, ProgressCallback, Stop
from equilibrist.solvers.highs import LinearProgram, Sparse, Status, Watch, checked_method, maximise
from equilibrist.solvers.registry import SolverEntry
from equilibrist.version import __version__

Floats = npt.NDArray[np.float64]

EQUILIBRIUM = 1e-9  # exploitability per unit of payoff beyond which duals are not trusted
ACCEPTED = 1e-6  # the same, beyond which a result is called unconverged
DUST = 1e-12  # plan entries below it are zeros with rounding


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


def incidence(form: SequenceForm, player: int) -> Sparse:
    """E of E x = e: row 0 fixes the empty sequence, row i + 1 splits the sequence before infoset i."""
    infosets = slice(form.first_infoset[player], form.first_infoset[player + 1])
    actions, parent = form.actions[infosets], form.parent[infosets] - form.offset[player]
    count, sequences = len(actions), form.sequences[player]
    row = np.concatenate([[0], np.repeat(np.arange(count), actions) + 1, np.arange(count) + 1])
    column = np.concatenate([np.arange(sequences), parent])
    value = np.concatenate([np.ones(sequences), -np.ones(count)])
    return sparse.csc_array((value, (row, column)), shape=(count + 1, sequences))


def payoff_matrix(form: SequenceForm, player: int) -> Sparse:
    """A of x'A y, with the player's sequences as rows: chance probability times the player's payoff."""
    row, column, value = form.payoff.coordinates(player)
    shape = form.sequences[player], form.sequences[1 - player]
    matrix = sparse.csc_array((value, (row, column)), shape=shape)
    matrix.eliminate_zeros()
    return matrix


@dataclass(frozen=True)
class Goal:
    """Maximise payoff·x + weight·p over plans x >= least that guarantee p₀ >= floor."""

    payoff: Floats | None = None  # [sequences]; None: 0
    weight: Floats | None = None  # [opponent infosets + 1]; None: p₀ alone
    floor: float = -np.inf
    least: Floats | None = None  # [sequences]; None: 0


@dataclass(frozen=True)
class PlanSolution:
    """What a plan program found; the multipliers are an equilibrium plan when p₀ alone was the goal."""

    status: Status
    plan: Floats  # [sequences of the player]
    opponent: Floats  # [sequences of the opponent]
    objective: float
    guarantee: float  # p₀: what the plan gets from any opponent
    iterations: int


@dataclass(frozen=True)
class PlanProgram:
    """Plans x of one player, with a bound p on what each opponent infoset concedes.

    E x = e, x >= 0, A'x >= F'p: the first entry of p is then guaranteed by x. Payoffs are scaled to at most 1, so that
    tolerances mean the same in every game.
    """

    form: SequenceForm
    player: int

    @cached_property
    def own(self) -> Sparse:
        return incidence(self.form, self.player)

    @cached_property
    def other(self) -> Sparse:
        return incidence(self.form, 1 - self.player)

    @cached_property
    def payoff(self) -> Sparse:
        return payoff_matrix(self.form, self.player)

    @cached_property
    def unit(self) -> float:
        return float(np.abs(self.payoff.data).max()) if self.payoff.nnz else 1.0

    @cached_property
    def _matrix(self) -> Sparse:
        """Columns x, p; rows E x and A'x - F'p."""
        own, other, payoff = self.own.tocoo(), self.other.tocoo(), self.payoff.tocoo()
        rows, sequences = self.own.shape
        entries, replies = self.other.shape
        row = np.concatenate([own.row, payoff.col + rows, other.col + rows])
        column = np.concatenate([own.col, payoff.row, other.row + sequences])
        value = np.concatenate([own.data, payoff.data / self.unit, -other.data])
        return sparse.csc_array((value, (row, column)), shape=(rows + replies, sequences + entries))

    def maximise(
        self,
        goal: Goal | None = None,
        *,
        method: str = "choose",
        seconds: float | None = None,
        watch: Watch | None = None,
    ) -> PlanSolution:
        """The best plan for a goal; without one, the plan with the greatest guarantee."""
        wanted = goal or Goal()
        rows, sequences = self.own.shape
        entries, replies = self.other.shape
        root = np.eye(1, rows)[0]
        payoff = np.zeros(sequences) if wanted.payoff is None else wanted.payoff / self.unit
        weight = np.eye(1, entries)[0] if wanted.weight is None else wanted.weight
        least = np.zeros(sequences) if wanted.least is None else wanted.least
        program = LinearProgram(
            cost=np.concatenate([payoff, weight]),
            matrix=self._matrix,
            row_lower=np.concatenate([root, np.zeros(replies)]),
            row_upper=np.concatenate([root, np.full(replies, np.inf)]),
            lower=np.concatenate([least, [wanted.floor / self.unit], np.full(entries - 1, -np.inf)]),
            upper=np.full(sequences + entries, np.inf),
        )
        purpose = f"player {self.player + 1} of '{self.form.name}'"
        found = maximise(program, purpose, method=method, seconds=seconds, watch=watch)
        return PlanSolution(
            status=found.status,
            plan=found.point[:sequences],
            opponent=-found.multiplier[rows:],
            objective=found.objective * self.unit,
            guarantee=float(found.point[sequences]) * self.unit,
            iterations=found.iterations,
        )


@dataclass(frozen=True)
class SequenceFormLP:
    """The equilibrium in one linear program, its multipliers being the other player's plan."""

    method: str = "choose"

    def __post_init__(self) -> None:
        checked_method(self.method)

    @property
    def name(self) -> str:
        return str(Name("lp", {} if self.method == "choose" else {"method": self.method}))

    def solve(
        self,
        game: Compiled,
        stop: Stop,
        *,
        seed: int = 0,
        progress: ProgressCallback | None = None,
        resume: Solution | None = None,
    ) -> Solution:
        """Solve at once; `stop.seconds` is a limit, `stop.iterations` has no meaning here."""
        form = zero_sum_form(game, "The sequence-form linear program")
        work = PlanWork(game, form, self.name, stop, seed, progress, resume, self.method)
        first = work.maximise(0)
        plans = [first.plan, first.opponent]
        solution = work.finish(plans, {"method": self.method})
        if first.status == "optimal" and solution.exploitability > EQUILIBRIUM * work.largest_payoff:
            plans[1] = work.maximise(1).plan
            solution = work.finish(plans, {"method": self.method})
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
    ) -> None:
        if resume is not None:
            raise NotApplicableError(
                f"'{solver}' solves linear programs in one go, so a saved run cannot be resumed; solve the game anew."
            )
        self.game, self.form, self.solver, self.stop, self.seed = game, form, solver, stop, seed
        self.progress, self.method = progress, method
        self.begin = time.perf_counter()
        self.programs = [PlanProgram(form, player) for player in range(2)]
        self.iterations, self.solved = 0, 0
        self.status: Status = "optimal"
        self.largest_payoff = float(np.abs(game.tree.returns).max(initial=0.0)) or 1.0

    def maximise(self, player: int, goal: Goal | None = None) -> PlanSolution:
        """One program inside the time that is left."""
        limit = self.stop.seconds
        left = None if limit is None else max(0.0, limit - (time.perf_counter() - self.begin))
        found = self.programs[player].maximise(goal, method=self.method, seconds=left, watch=self._watch)
        self.iterations += found.iterations
        self.solved += 1
        if self.status == "optimal":
            self.status = found.status
        return found

    def finish(self, plans: list[Floats], settings: Mapping[str, Any], accepted: float = ACCEPTED) -> Solution:
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
        }
        if self.status == "interrupted":
            extra["interrupted"] = True
        stop = self.stop
        return Solution(
            game=self.game.game.name,
            solver=self.solver,
            policy=policy,
            evaluation=evaluation,
            iterations=self.iterations,
            seconds=seconds,
            converged=self._converged(evaluation, accepted),
            settings={
                "until": stop.exploitability,
                "iterations": stop.iterations,
                "seconds": stop.seconds,
                "seed": self.seed,
                **settings,
            },
            provenance={"version": __version__, "exploitability": "exact best response, NashConv / players"},
            extra=extra,
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
        {"method": "choose"},
        "KMvS94",
        "exact equilibrium, two players, zero-sum, perfect recall",
    ),
]
