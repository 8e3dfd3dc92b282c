"""What all first-order methods share: the form of a game that they work on, and the refusals of their settings."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from equilibrist.core.errors import ParameterError
from equilibrist.core.names import Name, Value
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.form import Form
from equilibrist.solvers.iterative_solver import IterativeSolver
from equilibrist.solvers.linear_programs.sequence_lp import zero_sum_form
from equilibrist.solvers.plan_space.run import PlanRun

ROUNDING = 1e-11  # of the payoff scale: by how much a condition may fail that holds on paper


class FirstOrderSolver(IterativeSolver):
    """Settings of a method; a frozen dataclass in every case."""

    purpose: ClassVar[str]  # a noun phrase for refusals

    @abstractmethod
    def on(self, form: Form) -> PlanRun:
        """A run at iteration 0 on any saddle point."""

    def start(self, game: Compiled) -> PlanRun:
        """A run at iteration 0 on a game."""
        return self.on(zero_sum_form(game, self.purpose))


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
