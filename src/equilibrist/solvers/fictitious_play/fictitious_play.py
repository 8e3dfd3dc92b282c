"""Fictitious play, linear fictitious play and FLOP ([Brown20] 5.3.8): answer the average, average the answers.

The uniform start counts as the first element of the average; players move in turn, so one iteration is two half steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import Evaluation, Solution, TabularSolution
from equilibrist.forms.compiled import Compiled
from equilibrist.solvers.cfr._kernels.sequence_cfr import best_value, plan_value
from equilibrist.solvers.fictitious_play._kernels.response_plans import run_fictitious_play
from equilibrist.solvers.iteration_loop import ProgressCallback, Stop, drive
from equilibrist.solvers.registry import SolverEntry

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class FictitiousPlay:
    """`linear` weighs iteration t by t; `optimistic` answers an average in which the latest answer counts more."""

    name: str = "fp"
    linear: bool = False
    optimistic: bool = False

    def rate(self, t: Floats) -> Floats:
        """Weight of the answer of iteration t in the average; the start has weight one."""
        return 2.0 / (t + 2.0) if self.linear else 1.0 / (t + 1.0)

    def optimism(self, t: Floats) -> Floats:
        return 2.0 / (t + 2.0) if self.optimistic else np.zeros_like(t)

    def start(self, game: Compiled) -> FictitiousRun:
        return FictitiousRun(self, game)

    def solve(
        self,
        game: Compiled,
        stop: Stop,
        *,
        seed: int = 0,
        progress: ProgressCallback | None = None,
        resume: Solution | None = None,
    ) -> TabularSolution:
        return drive(self.start(game), game, self.name, stop, seed=seed, progress=progress, resume=resume)


class FictitiousRun:
    """Average and latest plans of both players."""

    first_check = 4
    check_growth = 1.1

    def __init__(self, solver: FictitiousPlay, game: Compiled) -> None:
        self.solver, self.iteration, self.form = solver, 0, game.sequence_form
        self.plan = self.form.plan(self.form.strategy(game.infosets.uniform()))
        self.latest = self.plan.copy()
        self.seen, self.q = self.plan.copy(), np.zeros_like(self.plan)

    def advance(self, iterations: int) -> None:
        form, payoff = self.form, self.form.payoff
        t = np.arange(self.iteration + 1, self.iteration + iterations + 1, dtype=np.float64)
        run_fictitious_play(
            self.iteration + 1, self.solver.rate(t), self.solver.optimism(t),
            form.offset, form.first_infoset, form.first_sequence, form.actions, form.parent,
            payoff.start, payoff.column, payoff.value, self.plan, self.latest, self.seen, self.q,
        )  # fmt: skip
        self.iteration += iterations

    def average(self) -> TabularPolicy:
        return self.form.policy(self.form.behaviour(self.plan))

    def last(self) -> TabularPolicy:
        return self.form.policy(self.form.behaviour(self.latest))

    def evaluate(self) -> Evaluation:
        form, payoff = self.form, self.form.payoff
        free, none, q = np.zeros(len(form.infoset)), np.zeros_like(self.plan), np.empty_like(self.plan)
        shape = (form.offset, form.first_infoset, form.first_sequence, form.actions, form.parent)
        matrix = (payoff.start, payoff.column, payoff.value)
        return Evaluation(
            tuple(float(plan_value(p, form.offset, *matrix, self.plan, self.plan, q)) for p in range(2)),
            tuple(float(best_value(p, *shape, *matrix, self.plan, free, none, q)) for p in range(2)),
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


def _named(name: str, linear: bool, optimistic: bool) -> Any:
    return lambda: FictitiousPlay(name, linear, optimistic)


_GUARANTEE = "converges in two-player zero-sum games"

ENTRIES = [
    SolverEntry("fp", "fictitious play", _named("fp", False, False), {}, "Brown51", _GUARANTEE),
    SolverEntry(
        "linear-fp",
        "fictitious play, iteration t weighs t",
        _named("linear-fp", True, False),
        {},
        "Brown20",
        _GUARANTEE,
    ),
    SolverEntry("flop", "fictitious linear optimistic play", _named("flop", True, True), {}, "Brown20", _GUARANTEE),
]
