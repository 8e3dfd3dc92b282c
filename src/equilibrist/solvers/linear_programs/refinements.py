"""Choosing among equilibria: linear programs over the plans that guarantee enough.

SAFE(ε) holds the plans that get at least the value of the game minus ε from every opponent; in sequence form it is
a polytope, so the best of them for any linear goal is one program ([Ganzfried15, §10.7 and §13.7.3]).
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError
from equilibrist.core.names import Name, Value
from equilibrist.core.solution import Solution, TabularSolution
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.sequence_form.sequence_form import SequenceForm
from equilibrist.solvers.iteration_loop import ProgressCallback, Stop
from equilibrist.solvers.linear_programs.highs import InfeasibleError, checked_method
from equilibrist.solvers.linear_programs.plan_program import Goal, PlanProgram, PlanSolution
from equilibrist.solvers.linear_programs.sequence_lp import PlanWork, zero_sum_form
from equilibrist.solvers.registry import SolverEntry

SLACK = 1e-9  # given up of a guarantee, but only where rounding would else leave no plan at all
SMALLEST_BOUND = 1e-9  # least plan entry that double precision can tell from zero here


@dataclass(frozen=True)
class Undominated:
    """Undominated Nash equilibrium: the value, then one program per player ([Ganzfried15, Algorithm 18])."""

    method: str = "choose"

    def __post_init__(self) -> None:
        checked_method(self.method)

    @property
    def name(self) -> str:
        return str(Name("undominated", {} if self.method == "choose" else {"method": self.method}))

    def solve(
        self,
        game: Compiled,
        stop: Stop,
        *,
        seed: int = 0,
        progress: ProgressCallback | None = None,
        resume: Solution | None = None,
    ) -> TabularSolution:
        """Three programs; stopped early, it returns the last equilibrium it has."""
        form = zero_sum_form(game, "The undominated equilibrium")
        work = PlanWork(game, form, self.name, stop, seed, progress, resume, self.method)
        first = work.maximise(0)
        plans = [first.plan, first.opponent]
        uniform = form.plan(form.strategy(form.infosets.uniform()))
        for player, value in enumerate((first.guarantee, -first.guarantee)):
            if work.status == "optimal":
                found = _safest(work.programs[player], uniform, value, functools.partial(work.maximise, player))
                if found.status == "optimal":
                    plans[player] = found.plan
        return work.finish(plans, {"method": self.method})


@dataclass(frozen=True)
class QuasiPerfect:
    """ε-quasi-perfect equilibrium by lower bounds on both plans ([MS10]; [Ganzfried15, §10.7.2])."""

    epsilon: float = 1e-3
    method: str = "choose"

    def __post_init__(self) -> None:
        checked_method(self.method)
        if not isinstance(self.epsilon, int | float) or not 0.0 < self.epsilon < 1.0:
            raise ParameterError(f"'quasi-perfect' takes an epsilon between 0 and 1, but {self.epsilon} was given.")

    @property
    def name(self) -> str:
        given: dict[str, Value] = {} if self.epsilon == 1e-3 else {"epsilon": self.epsilon}
        return str(Name("quasi-perfect", given if self.method == "choose" else given | {"method": self.method}))

    def solve(
        self,
        game: Compiled,
        stop: Stop,
        *,
        seed: int = 0,
        progress: ProgressCallback | None = None,
        resume: Solution | None = None,
    ) -> TabularSolution:
        """One program per player, each against an opponent that trembles as well."""
        form = zero_sum_form(game, "The quasi-perfect equilibrium")
        work = PlanWork(game, form, self.name, stop, seed, progress, resume, self.method)
        least = self._least(form)
        plans = []
        for player, program in enumerate(work.programs):
            other = least[1 - player]
            # The opponent's plan is `other` plus a free part z >= 0 with F z = spare; p are the multipliers of that.
            spare = np.eye(1, program.other.shape[0])[0] - np.asarray(program.other @ other)
            goal = Goal(form.payoff.gradient(player, other), spare, least=least[player])
            found = work.maximise(player, goal)
            plans.append(np.maximum(found.plan, least[player]))
        return work.finish(plans, {"epsilon": self.epsilon, "method": self.method}, accepted=np.inf)

    def _least(self, form: SequenceForm) -> list[Floats]:
        """Lower bounds of both plans."""
        widest = int(form.actions.max(initial=1))
        if self.epsilon * widest > 1.0:
            raise ParameterError(
                f"With {widest} actions at one infoset of '{form.name}', epsilon can be {1 / widest:.3g} at most, "
                f"but {self.epsilon} was given."
            )
        length = np.zeros(int(form.offset[2]), dtype=np.int32)
        for i in range(len(form.infoset)):
            first = form.first_sequence[i]
            length[first : first + form.actions[i]] = length[form.parent[i]] + 1
        longest = int(length.max())
        if self.epsilon**longest < SMALLEST_BOUND:
            smallest = SMALLEST_BOUND ** (1 / longest)
            raise ParameterError(
                f"A player of '{form.name}' acts up to {longest} times, and {self.epsilon}^{longest} is too small for "
                f"double precision; give an epsilon of {np.ceil(smallest * 1000) / 1000:g} or more."
            )
        bounds: Floats = np.power(self.epsilon, length, dtype=np.float64)
        return [bounds[: form.offset[1]], bounds[form.offset[1] :]]


def _safest(program: PlanProgram, plan: Floats, floor: float, maximise: Callable[[Goal], PlanSolution]) -> PlanSolution:
    """The best plan against an opponent's plan [S] among those that guarantee `floor`."""
    form, other = program.form, 1 - program.player
    opponent = plan[form.offset[other] : form.offset[other + 1]]
    payoff, weight = form.payoff.gradient(program.player, opponent), np.zeros(program.other.shape[0])
    for slack in (0.0, SLACK * max(1.0, program.unit)):
        with contextlib.suppress(InfeasibleError):
            return maximise(Goal(payoff, weight, floor - slack))
    raise ParameterError(
        f"No strategy of player {program.player + 1} in '{form.name}' guarantees {floor:g}; "
        "the value of the game was found too imprecisely."
    )


ENTRIES = [
    SolverEntry(
        "undominated",
        "undominated equilibrium: best among equilibria against a uniform opponent",
        Undominated,
        {"method": "choose"},
        "Ganzfried15",
        "exact equilibrium whose strategies are not weakly dominated",
    ),
    SolverEntry(
        "quasi-perfect",
        "ε-quasi-perfect equilibrium: every sequence is played a little",
        QuasiPerfect,
        {"epsilon": 1e-3, "method": "choose"},
        "MS10",
        "equilibrium of the perturbed game; exploitability shrinks with epsilon",
    ),
]
