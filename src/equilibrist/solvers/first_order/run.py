"""What all first-order methods share: products, certificates, saving, and the way to the driver."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.names import Name, Value
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import Evaluation, Solution, TabularSolution
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.sequence_form.saddle_point import OperatorForm, SaddlePoint, checked
from equilibrist.forms.sequence_form.sequence_form import SequenceForm, SparsePayoff
from equilibrist.solvers.cfr._kernels.sequence_cfr import gradient
from equilibrist.solvers.first_order._kernels.prox import behave, best_own, follow_own
from equilibrist.solvers.iteration_loop import Loop, ProgressCallback, Stop, drive
from equilibrist.solvers.linear_programs.sequence_lp import zero_sum_form

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
State = dict[str, npt.NDArray[Any]]

ROUNDING = 1e-11  # of the payoff scale: by how much a condition may fail that holds on paper


class Field:
    """Two treeplexes and products between them; [S] arrays hold both players."""

    def __init__(self, form: SaddlePoint) -> None:
        self.form = checked(form)
        self.sequences, self.infosets = int(form.offset[2]), int(form.first_infoset[2])
        self.trees = (form.offset, form.first_infoset, form.first_sequence, form.actions, form.parent)
        self.matrix = _written_out(form)  # without one, products are asked of the form
        self.scale = self._payoff_scale()

    def _payoff_scale(self) -> float:
        """The largest entry of the matrix or, where entries are not known, of the gradients at uniform play."""
        if self.matrix is not None:
            return float(np.abs(self.matrix[2]).max(initial=0.0)) or 1.0
        if isinstance(self.form, OperatorForm) and self.form.largest:
            return self.form.largest
        out = np.zeros(self.sequences)
        self.products(self.plan(self.uniform()), out)
        return float(np.abs(out).max()) or 1.0

    def own(self, player: int) -> slice:
        return slice(int(self.form.offset[player]), int(self.form.offset[player + 1]))

    def product(self, player: int, plan: Floats, out: Floats) -> None:
        """The player's gradient against the opponent's part of a plan."""
        if self.matrix is None:
            self.form.gradient(player, plan[self.own(1 - player)], out[self.own(player)])
        else:
            gradient(self.form.offset[player], self.form.offset[player + 1], *self.matrix, plan, out)

    def products(self, plan: Floats, out: Floats) -> None:
        for player in range(2):
            self.product(player, plan, out)

    def uniform(self) -> Floats:
        """Every action equally likely."""
        out = np.ones(self.sequences)
        behave(self.trees, np.zeros(self.sequences), out)
        return out

    def plan(self, behaviour: Floats) -> Floats:
        out = np.ones(self.sequences)
        for player in range(2):
            follow_own(player, self.trees, behaviour, out)
        return out

    def behaviour(self, plan: Floats) -> Floats:
        out = np.ones(self.sequences)
        behave(self.trees, plan, out)
        return out

    def evaluate(self, plan: Floats) -> Evaluation:
        """Values of both plans and of the best responses to them."""
        worth = np.zeros(self.sequences)
        self.products(plan, worth)
        value = float(plan[self.own(0)] @ worth[self.own(0)])
        return Evaluation((value, -value), tuple(float(best_own(p, self.trees, worth)) for p in range(2)))


def _written_out(form: SaddlePoint) -> tuple[Ints, Ints, Floats] | None:
    """The sparse matrix of a form that has one; whole runs of iterations are then one kernel."""
    payoff: object = None
    if isinstance(form, SequenceForm):
        payoff = form.payoff
    elif isinstance(form, OperatorForm):
        payoff = form.operator
    return (payoff.start, payoff.column, payoff.value) if isinstance(payoff, SparsePayoff) else None


class FirstOrderRun(ABC):
    """A method at work on a saddle point; its answer is a pair of plans, and both best responses certify it."""

    first_check = 4
    check_growth = 1.1

    def __init__(self, field: Field) -> None:
        self.field, self.iteration = field, 0

    @property
    @abstractmethod
    def answer(self) -> Floats:
        """[S] plans of both players."""

    @property
    @abstractmethod
    def tables(self) -> Mapping[str, Floats]:
        """The arrays that make up the state."""

    @abstractmethod
    def advance(self, iterations: int) -> None:
        """Work on."""

    def details(self) -> dict[str, float]:
        """What the method knows of itself, for reports."""
        return {}

    def evaluate(self) -> Evaluation:
        return self.field.evaluate(self.answer)

    def average(self) -> TabularPolicy:
        return self._policy(self.field.behaviour(self.answer))

    def last(self) -> TabularPolicy | None:
        return None

    def _policy(self, behaviour: Floats) -> TabularPolicy:
        form = self.field.form
        if not isinstance(form, SequenceForm):
            raise NotApplicableError(
                f"The infosets of '{form.name}' have no names, so there is no policy to show; read the plans in `answer`."
            )
        return form.policy(behaviour)

    def state(self) -> State:
        return {"iteration": np.array([self.iteration]), **{name: array.copy() for name, array in self.tables.items()}}

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        for name, array in self.tables.items():
            if state[name].shape != array.shape:
                raise ValueError(f"{name} has {state[name].size} entries instead of {array.size}")
            array[:] = state[name]
        self.iteration = int(state["iteration"][0])


class FirstOrderSolver(ABC):
    """Settings of a method; a frozen dataclass in every case."""

    purpose: ClassVar[str]  # a noun phrase for refusals

    @property
    @abstractmethod
    def name(self) -> str:
        """As people type it, parameters included."""

    @abstractmethod
    def on(self, form: SaddlePoint) -> FirstOrderRun:
        """A run at iteration 0 on any saddle point."""

    def start(self, game: Compiled) -> FirstOrderRun:
        """A run at iteration 0 on a game."""
        return self.on(zero_sum_form(game, self.purpose))

    def toward(self, stop: Stop) -> FirstOrderSolver:
        """The same method, for those that must know the goal."""
        return self

    def solve(
        self,
        game: Compiled,
        stop: Stop,
        *,
        seed: int = 0,
        progress: ProgressCallback | None = None,
        resume: Solution | None = None,
    ) -> TabularSolution:
        run = self.toward(stop).start(game)
        return drive(run, game, self.name, stop, seed=seed, progress=progress, resume=resume)


@dataclass(frozen=True)
class PlanPair:
    """Plans for a saddle point, with what both best responses prove about its value."""

    plan: Floats  # [S] of both players
    evaluation: Evaluation
    iterations: int
    seconds: float
    converged: bool
    state: State

    @property
    def gap(self) -> float:
        """Upper less lower bound of the value; twice the exploitability."""
        return self.evaluation.nash_conv


def solve_saddle_point(
    form: SaddlePoint,
    solver: FirstOrderSolver,
    stop: Stop,
    *,
    progress: ProgressCallback | None = None,
    resume: PlanPair | None = None,
) -> PlanPair:
    """As `solve`, for forms that are no game of the catalogue: implicit operators, abstractions."""
    run = solver.toward(stop).on(form)
    if resume is not None:
        run.restore(resume.state)
    loop: Loop[Evaluation] = Loop(run, stop, progress, resume.seconds if resume else 0.0)

    def solution(interrupted: bool) -> PlanPair:
        evaluation = loop.final_evaluation()
        reached = stop.exploitability is not None and evaluation.exploitability <= stop.exploitability
        return PlanPair(
            run.answer.copy(), evaluation, run.iteration, loop.elapsed(), reached and not interrupted, run.state()
        )

    return loop.finish(solution)


def given_name(base: str, defaults: Mapping[str, Value], chosen: Mapping[str, Value]) -> str:
    """A solver's name with the parameters that are not at their defaults."""
    return str(Name(base, {key: value for key, value in chosen.items() if value != defaults[key]}))


def one_of(what: str, given: object, options: Sequence[object]) -> None:
    if given not in options:
        raise ParameterError(f"'{what}' is one of {', '.join(map(str, options))}, but {given!r} was given.")


def positive(what: str, given: object, *, above: float = 0.0) -> float:
    """A finite number above a bound."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not above < given < float("inf"):
        raise ParameterError(f"'{what}' must be a number above {above:g}, but {given!r} was given.")
    return float(given)
