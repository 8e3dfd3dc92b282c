"""Fictitious play, linear fictitious play and FLOP ([Brown20, §5.3.8]): answer the average, average the answers.

The uniform start counts as the first element of the average; players move in turn, so one iteration is two half steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.names import readable
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import Evaluation
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.form import Form
from equilibrist.forms.sequence_form.sequence_form import SequenceForm
from equilibrist.solvers.cfr._kernels.sequence_cfr import best_value, plan_value
from equilibrist.solvers.fictitious_play._kernels.response_plans import run_fictitious_play
from equilibrist.solvers.iterative_solver import IterativeSolver
from equilibrist.solvers.on_form import start_on
from equilibrist.solvers.registry import SolverEntry


@dataclass(frozen=True)
class FictitiousPlay(IterativeSolver):
    """`linear` weighs iteration t by t; `optimistic` answers an average in which the latest answer counts more."""

    linear: bool = False
    optimistic: bool = False

    @property
    def name(self) -> str:
        """As people type it; optimistic play without linear weights has no name of its own."""
        return ("flop" if self.linear else "optimistic-fp") if self.optimistic else "linear-fp" if self.linear else "fp"

    def __repr__(self) -> str:
        return readable(self)

    def rate(self, t: Floats) -> Floats:
        """Weight of the answer of iteration t in the average; the start has weight one."""
        return 2.0 / (t + 2.0) if self.linear else 1.0 / (t + 1.0)

    def optimism(self, t: Floats) -> Floats:
        return 2.0 / (t + 2.0) if self.optimistic else np.zeros_like(t)

    def start(self, game: Compiled) -> Any:
        return self.on(game.sequence_form)

    def on(self, form: Form) -> Any:
        """A run at iteration 0 on any form."""
        return start_on(self, form)


class FictitiousRun:
    """Average and latest plans of both players."""

    first_check = 4
    check_growth = 1.1

    @staticmethod
    def fits(solver: FictitiousPlay) -> bool:
        """Whether the solver's settings are those of this run."""
        return True

    def __init__(self, solver: FictitiousPlay, form: SequenceForm) -> None:
        self.solver, self.iteration, self.form = solver, 0, form
        self.plan = form.plan(form.strategy(form.infosets.uniform()))
        self.latest = self.plan.copy()
        self.seen, self.q = self.plan.copy(), np.zeros_like(self.plan)

    def advance(self, iterations: int) -> None:
        t = np.arange(self.iteration + 1, self.iteration + iterations + 1, dtype=np.float64)
        run_fictitious_play(
            self.solver.rate(t),
            self.solver.optimism(t),
            self.form.treeplex,
            self.form.payoff.rows,
            self.plan,
            self.latest,
            self.seen,
            self.q,
        )
        self.iteration += iterations

    def average(self) -> TabularPolicy:
        return self.form.policy(self.form.behaviour(self.plan))

    def last(self) -> TabularPolicy:
        return self.form.policy(self.form.behaviour(self.latest))

    def evaluate(self) -> Evaluation:
        free, none, q = np.zeros(len(self.form.infoset)), np.zeros_like(self.plan), np.empty_like(self.plan)
        game = (self.form.treeplex, self.form.payoff.rows)
        return Evaluation(
            tuple(float(plan_value(p, *game, self.plan, self.plan, q)) for p in range(2)),
            tuple(float(best_value(p, *game, self.plan, free, none, q)) for p in range(2)),
        )

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return {
            "iteration": np.array([self.iteration]),
            "plan": self.plan.copy(),
            "latest": self.latest.copy(),
        }

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        for array, name in ((self.plan, "plan"), (self.latest, "latest")):
            if state[name].shape != array.shape:
                raise ValueError(f"{name} has {state[name].size} entries instead of {array.size}")
            array[:] = state[name]
        self.iteration = int(state["iteration"][0])


GUARANTEE = "converges in two-player zero-sum games"

ENTRIES = [SolverEntry("fp", "fictitious play", FictitiousPlay, {}, "Brown51", GUARANTEE)]
