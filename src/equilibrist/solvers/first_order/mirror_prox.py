"""Mirror prox and optimistic mirror descent on two treeplexes.

*Mirror prox* ([Nemirovski04]) looks one step ahead and steps along the gradient found there; *optimistic* mirror descent
([Rakhlin13]) looks ahead with the gradient of its last look, which halves the products. Steps are as long as can be verified: the
values of both players' steps together may not be positive; then the gap of the average is at most (D_1 + D_2) / sum of steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError
from equilibrist.forms.form import Form
from equilibrist.solvers.cfr.family import AVERAGES
from equilibrist.solvers.first_order._kernels import mirror as kernels
from equilibrist.solvers.first_order.prox import Prox, check_prox
from equilibrist.solvers.first_order.run import ROUNDING, FirstOrderSolver, given_name
from equilibrist.solvers.plan_space.field import Field
from equilibrist.solvers.plan_space.run import PlanRun
from equilibrist.solvers.registry import SolverEntry

SEARCH = 2.0  # growth of the step until one is too long
DEFAULTS: dict[str, Any] = {"prox": "euclidean", "weights": "growing", "average": "quadratic"}


class MirrorRun(PlanRun):
    """Behaviours in mirror coordinates, and a weighted average of plans."""

    def __init__(self, field: Field, prox: Prox, power: float) -> None:
        super().__init__(field)
        self.prox, self.power = prox, power
        behaviour = field.uniform()
        plan, worth = field.plan(behaviour), np.zeros(field.sequences)
        field.products(plan, worth)
        self.arrays = (prox.coordinate(behaviour), behaviour, plan, worth, plan.copy())
        self.work = tuple(np.zeros(field.sequences) for _ in range(4))
        self.control = np.array(
            [1.0 / field.scale, SEARCH, 0.0, 0.0]
        )  # step, its growth, weight of the average, products

    @property
    def answer(self) -> Floats:
        return self.arrays[4]

    def last(self) -> Any:
        return self.field.policy(self.arrays[1])

    def details(self) -> dict[str, float]:
        return {"step": float(self.control[0]), "products": float(self.control[3])}

    @property
    def tables(self) -> Mapping[str, Floats]:
        names = ("coordinate", "behaviour", "plan", "worth", "average")
        return {"control": self.control, **dict(zip(names, self.arrays, strict=True))}


@dataclass(frozen=True)
class Extragradient(FirstOrderSolver):
    """Mirror prox or, `optimistic`, optimistic mirror descent; iteration t weighs step * t^power in the average."""

    optimistic: bool = False
    prox: str = "euclidean"
    weights: str = "growing"
    power: float = 2.0
    name: str = "mirror-prox"
    purpose: ClassVar[str] = "A mirror method"

    def on(self, form: Form) -> ExtragradientRun:
        return ExtragradientRun(self, Field(form))


class ExtragradientRun(MirrorRun):
    """The longest steps that are verified."""

    def __init__(self, solver: Extragradient, field: Field) -> None:
        super().__init__(field, Prox(field, solver.prox, solver.weights), solver.power)
        self.optimistic = solver.optimistic
        self.limits = (
            ROUNDING * field.scale,
            kernels.SMALLEST_STEP / field.scale,
        )  # how far a check may fail, shortest step

    def details(self) -> dict[str, float]:
        bound = (
            {"bound": sum(self.prox.largest()) / float(self.control[2])} if not self.power and self.iteration else {}
        )
        return super().details() | bound

    def advance(self, iterations: int) -> None:
        if self.field.matrix is not None:
            arrays = (self.field.trees, self.prox.arrays, self.field.matrix, self.arrays, self.work)
            settings = (self.optimistic, self.power, *self.limits)
            kernels.run_extragradient(self.iteration, iterations, *settings, self.control, *arrays)
            self.iteration += iterations
            return
        for _ in range(iterations):
            self._step()
            self.iteration += 1

    def _step(self) -> None:
        """The same as one round of the kernel `run_extragradient`, with products from the operator."""
        _, _, plan, worth, _ = self.arrays
        field, shape, guessed = self.field, (self.field.trees, self.prox.arrays), self.optimistic
        if guessed:
            self.work[1][:] = worth
        else:
            self._look_around()
        tolerance, smallest = self.limits
        while True:
            kernels.reach_out(self.control[0], *shape, self.arrays, self.work)
            field.products(plan, worth)
            self.control[3] += 1
            if kernels.move(self.control[0], *shape, self.arrays, self.work) <= tolerance or self.control[0] < smallest:
                break
            kernels.shorten(self.control)
            if guessed:
                self._look_around()
                guessed = False
        weight = self.control[0] * (self.iteration + 1.0) ** self.power
        longest = smallest / kernels.SMALLEST_STEP * kernels.LONGEST_STEP
        kernels.arrive(weight, longest, self.arrays, self.work, self.control)

    def _look_around(self) -> None:
        """The gradients from here."""
        kernels.stand(self.field.trees, self.arrays)
        self.field.products(self.arrays[2], self.work[1])
        self.control[3] += 1


def averaging(average: float | str) -> float:
    """The exponent of t: `uniform`, `linear`, `quadratic` or the number itself."""
    if isinstance(average, str):
        if average not in AVERAGES:
            raise ParameterError(
                f"'average' is one of {', '.join(AVERAGES)} or an exponent, but '{average}' was given."
            )
        return AVERAGES[average]
    if isinstance(average, bool) or not 0.0 <= average <= 100.0:
        raise ParameterError(f"The exponent 'average' lies between 0 and 100, but {average!r} was given.")
    return float(average)


def _extragradient(base: str, optimistic: bool) -> Callable[..., Extragradient]:
    def make(prox: str = "euclidean", weights: str = "growing", average: float | str = "quadratic") -> Extragradient:
        check_prox(prox, weights)
        name = given_name(base, DEFAULTS, {"prox": prox, "weights": weights, "average": average})
        return Extragradient(optimistic, prox, weights, averaging(average), name)

    return make


ENTRIES = [
    SolverEntry(
        "mirror-prox",
        "extragradient steps, as long as verified",
        _extragradient("mirror-prox", False),
        DEFAULTS,
        "Nemirovski04",
        "gap O(1/T) with average=uniform, two-player zero-sum",
        also={"average": (int, float)},
    ),
    SolverEntry(
        "optimistic-md",
        "mirror descent that expects its last gradient again",
        _extragradient("optimistic-md", True),
        DEFAULTS,
        "Rakhlin13",
        "gap O(1/T) with average=uniform, two-player zero-sum",
        also={"average": (int, float)},
    ),
]
