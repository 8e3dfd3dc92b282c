"""Magnetic mirror descent on two treeplexes ([Sokota23]): plain steps that are drawn towards uniform play, ever less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from equilibrist.core.errors import ParameterError
from equilibrist.core.names import Value
from equilibrist.forms.form import Form
from equilibrist.solvers.first_order._kernels import mirror as kernels
from equilibrist.solvers.first_order.mirror_prox import (
    SEARCH,
    Extragradient,
    ExtragradientRun,
    MirrorRun,
    averaging,
)
from equilibrist.solvers.first_order.prox import Prox, check_prox
from equilibrist.solvers.first_order.run import FirstOrderSolver, given_name, positive
from equilibrist.solvers.plan_space.field import Field
from equilibrist.solvers.registry import SolverEntry

CAUTION = 0.5  # share of the longest verified step that plain steps take
MAGNETIC: dict[str, Any] = {"temperature": 0.03, "decay": 0.5, "weights": "growing", "average": "linear"}


@dataclass(frozen=True)
class Magnetic(FirstOrderSolver):
    """Players in turn; in units of 1 / step the pull towards uniform play is temperature / t^decay."""

    temperature: float = 0.03
    decay: float = 0.5
    weights: str = "growing"
    power: float = 1.0
    name: str = "magnetic-md"
    purpose: ClassVar[str] = "Magnetic mirror descent"

    def on(self, form: Form) -> MagneticRun:
        return MagneticRun(self, Field(form))


class MagneticRun(MirrorRun):
    """Entropy only: the pull and the step are then one mixture of logarithms."""

    def __init__(self, solver: Magnetic, field: Field) -> None:
        super().__init__(field, Prox(field, "entropy", solver.weights), solver.power)
        self.control[0] = CAUTION * longest_step(field, solver.weights)
        self.heat, self.decay = solver.temperature / float(self.control[0]), solver.decay

    def advance(self, iterations: int) -> None:
        shape = (self.field.trees, self.prox.arrays)
        if self.field.matrix is not None:
            settings = (self.heat, self.decay, self.power, self.control)
            kernels.run_magnetic(
                self.iteration, iterations, *settings, *shape, self.field.matrix, self.arrays, self.work
            )
            self.iteration += iterations
            return
        _, _, plan, worth, _ = self.arrays
        for _ in range(iterations):
            heat = self.heat / (self.iteration + 1.0) ** self.decay
            for player in range(2):
                self.field.product(player, plan, worth)
                kernels.pull(player, self.control[0], heat, *shape, self.arrays, self.work)
            self.control[3] += 1
            kernels.remember((self.iteration + 1.0) ** self.power, self.arrays, self.control)
            self.iteration += 1


def longest_step(field: Field, weights: str, most: int = 60) -> float:
    """The longest verified entropy step of mirror prox near uniform play."""
    run = ExtragradientRun(Extragradient(prox="entropy", weights=weights, power=0.0), field)
    while run.control[1] == SEARCH and run.iteration < most:
        run.advance(1)
    return float(run.control[0])


def magnetic_md(
    temperature: float = 0.03, decay: float = 0.5, weights: str = "growing", average: float | str = "linear"
) -> Magnetic:
    check_prox("entropy", weights)
    if isinstance(decay, bool) or not isinstance(decay, int | float) or not 0.0 <= decay <= 10.0:
        raise ParameterError(f"'decay' lies between 0 (a constant pull) and 10, but {decay!r} was given.")
    chosen: dict[str, Value] = {"temperature": temperature, "decay": decay, "weights": weights, "average": average}
    name = given_name("magnetic-md", MAGNETIC, chosen)
    return Magnetic(positive("temperature", temperature), float(decay), weights, averaging(average), name)


ENTRIES = [
    SolverEntry(
        "magnetic-md",
        "mirror descent drawn towards uniform play, ever less",
        magnetic_md,
        MAGNETIC,
        "Sokota23",
        "none proven for these steps; the regularised game is solved linearly with short ones",
        "lightly tested",
        also={"average": (int, float)},
    ),
]
