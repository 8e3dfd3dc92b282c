"""Equivalent runs: the same method on the same game, written down in ways that differ only in rounding.

Counting payoffs in another unit, or walking another representation, changes no number on paper. On a computer a regret
that is zero on paper comes out as ±1e-18, regret matching asks only for its sign, and two such runs part company. How
far apart they end is the precision with which anybody can publish, or reproduce, the number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar, cast

import numpy as np

from equilibrist.compute.machine import cores
from equilibrist.core.names import Name, parse_name
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.solvers.iteration_loop import Run
from equilibrist.solvers.iterative_solver import IterativeSolver
from equilibrist.solvers.registry import make_solver

R = TypeVar("R")

UNITS = (1.0, 3.0, 7.0, 0.1, 0.7, 11.0, 1.3, 0.3)  # none but the first is a power of two, which would round alike
DEVIATIONS = 4.0  # standard deviations between equivalent runs that a published run may lie from their centre


@dataclass(frozen=True)
class Replica:
    """One way to write a game down."""

    label: str
    game: Compiled
    unit: float = 1.0  # payoffs are multiplied by it
    on: str | None = None  # representation, for solvers that take one

    def start(self, solver: str) -> Run:
        name = parse_name(solver)
        given = name.parameters if self.on is None else {**name.parameters, "on": self.on}
        return cast(IterativeSolver, make_solver(str(Name(name.base, given)))).start(self.game)


def writings(
    game: str | Compiled, units: Sequence[float] = UNITS, representations: Sequence[str] = ()
) -> list[Replica]:
    """The game in each unit, then in other representations; all built before any run starts."""
    target = compiled(game)
    name = target.game.name
    found = [Replica(f"{name} in units of 1/{unit:g}", in_unit(target, unit), unit) for unit in units]
    found += [Replica(f"{name} on={on}", target, on=on) for on in representations]
    for writing in found:
        if writing.on is None:
            assert writing.game.sequence_form is not None
        elif writing.on == "public":
            assert writing.game.public_tree is not None
    return found


def in_unit(game: Compiled, unit: float) -> Compiled:
    """The same game with every payoff multiplied."""
    return game if unit == 1.0 else Compiled(game.game, replace(game.tree, payoff=game.tree.payoff * unit))


def exploitability_at(writing: Replica, solver: str, marks: Iterable[int]) -> list[float]:
    """Exploitability of the average after each number of iterations, in the game's own unit."""
    run, found = writing.start(solver), []
    for mark in marks:
        run.advance(mark - run.iteration)
        found.append(run.evaluate().exploitability / writing.unit)
    return found


def run_all(jobs: Sequence[Callable[[], R]]) -> list[R]:
    """Results in order, on all cores; kernels let go of the interpreter, so threads suffice."""
    pool = ThreadPoolExecutor(max_workers=cores())
    try:
        return [future.result() for future in [pool.submit(job) for job in jobs]]
    finally:
        pool.shutdown(cancel_futures=True)  # after an interrupt nothing new is begun


@dataclass(frozen=True)
class Spread:
    """Centre and scatter of equivalent runs, on a logarithmic scale."""

    values: tuple[float, ...]

    @property
    def centre(self) -> float:
        """Geometric mean."""
        return float(np.exp(np.mean(np.log(self.values))))

    @property
    def deviation(self) -> float:
        """Standard deviation of the logarithms; about the relative scatter."""
        return float(np.std(np.log(self.values), ddof=1)) if len(self.values) > 1 else 0.0

    def interval(self, tolerance: float) -> tuple[float, float]:
        """Where one more equivalent run, reported within a relative tolerance, is to be expected."""
        reach = float(np.exp(DEVIATIONS * self.deviation)) * (1.0 + tolerance)
        return self.centre / reach, self.centre * reach
