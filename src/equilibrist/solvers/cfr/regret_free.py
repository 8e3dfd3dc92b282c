"""Regret-free CFR on matrix games: nothing is stored but the average strategies ([Brown20, §3.2.5]).

Every iteration warm starts regret matching from the averages: a common value is chosen at which both could be the outcome of equally
many iterations, and each player plays in proportion to what its actions earn above it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import Evaluation
from equilibrist.forms.compiled import Compiled
from equilibrist.solvers.cfr._kernels.regret_free import run_regret_free
from equilibrist.solvers.iterative_solver import IterativeSolver
from equilibrist.solvers.linear_programs.matrix_games import payoff_matrices
from equilibrist.solvers.registry import SolverEntry


@dataclass(frozen=True)
class RegretFreeCFR(IterativeSolver):
    """Warm start in every iteration."""

    name: str = field(default="regret-free-cfr", init=False)

    def start(self, game: Compiled) -> RegretFreeRun:
        return RegretFreeRun(game)


class RegretFreeRun:
    """Averages and latest strategies of both players; iteration 1 is uniform."""

    first_check = 4
    check_growth = 1.1

    def __init__(self, game: Compiled) -> None:
        payoffs, others = payoff_matrices(game.game)
        if not np.allclose(others, -payoffs, rtol=0.0, atol=1e-9):
            raise NotApplicableError(
                f"Regret-free CFR is for zero-sum matrix games, and '{game.game.name}' is not zero-sum; try fp or cfr."
            )
        self.infosets, self.payoffs, self.iteration = game.infosets, np.ascontiguousarray(payoffs), 0
        self.row, self.column = (np.full(n, 1.0 / n) for n in payoffs.shape)
        self.latest = self.row.copy(), self.column.copy()
        self._scratch = tuple(np.zeros(n) for n in (*payoffs.shape, *payoffs.shape))

    def advance(self, iterations: int) -> None:
        run_regret_free(
            self.payoffs, self.iteration + 1, iterations, self.row, self.column, *self.latest, *self._scratch
        )
        self.iteration += iterations

    def _policy(self, row: Floats, column: Floats) -> TabularPolicy:
        """Each player has one infoset; the index may list either first."""
        return TabularPolicy(self.infosets, np.concatenate([(row, column)[p] for p in self.infosets.player]))

    def average(self) -> TabularPolicy:
        return self._policy(self.row, self.column)

    def last(self) -> TabularPolicy:
        return self._policy(*self.latest)

    def evaluate(self) -> Evaluation:
        gains, losses = self.payoffs @ self.column, -(self.row @ self.payoffs)
        value = float(self.row @ gains)
        return Evaluation((value, -value), (float(gains.max()), float(losses.max())))

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return {
            "iteration": np.array([self.iteration]),
            "row": self.row.copy(),
            "column": self.column.copy(),
            "latest_row": self.latest[0].copy(),
            "latest_column": self.latest[1].copy(),
        }

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        names = ("row", "column", "latest_row", "latest_column")
        for array, name in zip((self.row, self.column, *self.latest), names, strict=True):
            if state[name].shape != array.shape:
                raise ValueError(f"{name} has {state[name].size} entries instead of {array.size}")
            array[:] = state[name]
        self.iteration = int(state["iteration"][0])


ENTRIES = [
    SolverEntry(
        "regret-free-cfr",
        "matrix games: a warm start from the averages in every iteration, no regrets kept",
        RegretFreeCFR,
        {},
        "Brown20",
        "exploitability O(1/sqrt(T)), two-player zero-sum matrix games",
    ),
]
