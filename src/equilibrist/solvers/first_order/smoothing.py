"""Smoothing and iterated smoothing ([Gilpin09, §8.4 and §8.5]): an optimal gradient method on the smoothed gap of both players at once.

`smoothing` fixes the smoothing by the accuracy that is wanted and needs O(1/accuracy) steps; `iterated-smoothing` lowers its target by a
factor `gamma` whenever it is met and starts again from there, which takes O(condition * log(1/accuracy)) steps. Distances are
Euclidean, so that every step is a projection onto the treeplexes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.form import Form
from equilibrist.solvers.first_order._kernels import smoothing as kernels
from equilibrist.solvers.first_order.projection import Projection, spectral_norm, squared_radius
from equilibrist.solvers.first_order.run import ROUNDING, FirstOrderSolver, given_name, one_of, positive
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.plan_space.field import Field
from equilibrist.solvers.plan_space.run import PlanRun
from equilibrist.solvers.registry import SolverEntry

STEPS = ("nesterov", "lan-lu-monteiro")
COARSE = 1e-3  # accuracy in units of the payoff scale, where nothing says what is wanted
DEFAULTS: dict[str, Any] = {"accuracy": "until", "step": "nesterov"}
ITERATED: dict[str, Any] = {"gamma": math.e, "step": "nesterov"}


@dataclass(frozen=True)
class Smoothing(FirstOrderSolver):
    """`accuracy` is the gap to aim at, None to take it from the goal; a `gamma` above 1 iterates."""

    accuracy: float | None = None
    gamma: float = 0.0
    step: str = "nesterov"
    name: str = "smoothing"
    purpose: ClassVar[str] = "Smoothing"

    def on(self, form: Form) -> SmoothingRun:
        return SmoothingRun(self, Field(form))

    def begin(self, game: Compiled, stop: Stop, seed: int) -> PlanRun:
        if self.accuracy is None and not self.gamma and stop.exploitability:
            aimed = replace(self, accuracy=2.0 * stop.exploitability)  # gap = NashConv = players * exploitability
            return aimed.start(game)
        return self.start(game)


class SmoothingRun(PlanRun):
    """One iteration is one gradient step; the answer is the best point so far."""

    def __init__(self, solver: Smoothing, field: Field) -> None:
        super().__init__(field)
        self.solver, self.projection = solver, Projection(field)
        self.centre = field.plan(field.uniform())
        self.spread, self.norm = squared_radius(field, self.centre), spectral_norm(field)
        self.points = tuple(self.centre.copy() for _ in range(6))  # point, lead, mid, inner, origin, best
        self.sums = tuple(np.zeros(field.sequences) for _ in range(4))
        gap = field.evaluate(self.centre).nash_conv
        self.control = np.array([0.0, 0.0, gap, gap, 0.0, 0.0, 0.0])
        wanted = gap / solver.gamma if solver.gamma else solver.accuracy or COARSE * field.scale
        kernels.sharpen(max(wanted, self.finest), self.spread, self.norm, self.control)

    @property
    def finest(self) -> float:
        """The smallest accuracy that rounding lets us aim at."""
        return ROUNDING * self.field.scale

    @property
    def answer(self) -> Floats:
        return self.points[5]

    @property
    def gap(self) -> float:
        """Of the answer."""
        return float(self.control[3])

    def details(self) -> dict[str, float]:
        return {
            "norm": self.norm,
            "squared_radius": self.spread,
            "target": float(self.control[1]),
            "smoothing": float(self.control[5]),
        }

    def advance(self, iterations: int) -> None:
        self.reach(-math.inf, iterations)

    def reach(self, goal: float, most: int) -> int:
        """Work until the gap is below goal, at most so many steps; returns the steps taken."""
        fixed = (self.solver.step != "nesterov", self.solver.gamma, self.finest, self.spread, self.norm)
        if self.field.matrix is None:
            done = self._reach_by_operator(goal, most, *fixed)
        else:
            arrays = (self.field.trees, self.field.matrix, self.projection.shape, self.centre, self.points, self.sums)
            done = int(kernels.run_smoothing(most, goal, *fixed, self.control, *arrays))
        self.iteration += done
        return done

    def _reach_by_operator(
        self, goal: float, most: int, proximal: bool, gamma: float, finest: float, spread: float, norm: float
    ) -> int:
        """The same as the kernel `run_smoothing`, with products from the operator."""
        point, _, mid, inner, _, _ = self.points
        worth, trees, shape = self.sums[0], self.field.trees, self.projection.shape
        for step in range(most):
            if self.gap < goal:
                return step
            kernels.look(self.points, self.control)
            self.field.products(mid, worth)
            kernels.answer(trees, shape, self.centre, self.points, self.sums, self.control)
            self.field.products(inner, worth)
            kernels.descend(proximal, trees, shape, self.points, self.sums, self.control)
            self.field.products(point, worth)
            kernels.weigh(trees, self.points, self.sums, self.control)
            kernels.finish_step(gamma, finest, spread, norm, self.points, self.sums, self.control)
        return most

    @property
    def tables(self) -> Mapping[str, Floats]:
        point, lead, _, _, origin, best = self.points
        return {
            "control": self.control,
            "point": point,
            "lead": lead,
            "origin": origin,
            "best": best,
            "pressed": self.sums[1],
        }


def smoothing(accuracy: float | str = "until", step: str = "nesterov") -> Smoothing:
    """`accuracy` is a gap; by default twice the exploitability that is asked for."""
    one_of("step", step, STEPS)
    wanted = None if accuracy == "until" else positive("accuracy", accuracy)
    name = given_name("smoothing", DEFAULTS, {"accuracy": accuracy, "step": step})
    return Smoothing(wanted, 0.0, step, name)


def iterated_smoothing(gamma: float = math.e, step: str = "nesterov") -> Smoothing:
    """`gamma` divides the target whenever it is met; e is best for the bound."""
    one_of("step", step, STEPS)
    name = given_name("iterated-smoothing", ITERATED, {"gamma": gamma, "step": step})
    return Smoothing(None, positive("gamma", gamma, above=1.0), step, name)


ENTRIES = [
    SolverEntry(
        "smoothing",
        "optimal gradient method on the smoothed gap",
        smoothing,
        DEFAULTS,
        "Gilpin09",
        "gap O(1/T), two-player zero-sum",
        also={"accuracy": (int, float)},
    ),
    SolverEntry(
        "iterated-smoothing",
        "smoothing with a target that falls by gamma",
        iterated_smoothing,
        ITERATED,
        "Gilpin09",
        "O(condition * log(1/gap)) iterations, two-player zero-sum",
    ),
]
