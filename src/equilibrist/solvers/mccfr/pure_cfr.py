"""Pure CFR ([Gibson14], 5.5): sampled pure profiles, whole-number tables, averages by counting.

The loop is `sample_pure` of `_kernels/mccfr.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import TabularPolicy, normalise
from equilibrist.forms.compiled import Compiled
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.iterative_solver import IterativeSolver
from equilibrist.solvers.mccfr._kernels.mccfr import sample_pure
from equilibrist.solvers.mccfr.mccfr import GUARANTEE
from equilibrist.solvers.mccfr.period_discounts import NO_LIMIT
from equilibrist.solvers.mccfr.run import SampledRun, State, fitting, pack_tree, path_scratch
from equilibrist.solvers.registry import SolverEntry


@dataclass(frozen=True)
class PureCFR(IterativeSolver):
    """Pure CFR ([Gibson14], 5.5): sampled pure profiles, whole-number tables, averages by counting."""

    name: str = field(default="pure-cfr", init=False)

    def start(self, game: Compiled, seed: int = 0) -> PureRun:
        return PureRun(game, seed)

    def begin(self, game: Compiled, stop: Stop, seed: int) -> PureRun:
        return self.start(game, seed)


class PureRun(SampledRun):
    """Pure CFR at work; payoffs are multiplied to become whole numbers."""

    def __init__(self, game: Compiled, seed: int) -> None:
        super().__init__(game, seed)
        self.infosets = game.infosets
        tree = pack_tree(game.tree, entries_per_slot=2)
        payoffs, self.payoff_scale = whole_numbers(tree.payoffs, game.game.name)
        self.tree = tree._replace(payoffs=payoffs)
        first, width = self.infosets.first_slot[:-1], np.diff(self.infosets.first_slot)
        self.regret = np.arange(self.infosets.slots, dtype=np.int64) + np.repeat(first, width)
        self.count = self.regret + np.repeat(width, width)
        self.table = np.zeros(2 * self.infosets.slots, dtype=np.int64)
        self.drawn = np.zeros_like(self.table)
        self.frames, self.values = path_scratch(game.tree, np.int64)

    def counts(self) -> dict[str, Any]:
        return {**super().counts(), "payoff_scale": self.payoff_scale}

    def advance(self, iterations: int, nodes: int = NO_LIMIT) -> None:
        with np.errstate(over="ignore"):
            self.iteration += sample_pure(
                self.tree, iterations, nodes, self.table, self.drawn, self.random, self.tally, self.frames, self.values
            )

    def average(self) -> TabularPolicy:
        return normalise(self.infosets, self.table[self.count].astype(np.float64))

    def last(self) -> TabularPolicy:
        return normalise(self.infosets, np.maximum(self.table[self.regret], 0).astype(np.float64))

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return {
            "regret": self.table[self.regret],
            "count": self.table[self.count],
            "random": self.random.copy(),
            "progress": np.array([self.iteration, *self.tally], dtype=np.int64),
        }

    def restore(self, state: State) -> None:
        for name, place in (("regret", self.regret), ("count", self.count)):
            self.table[place] = fitting(state[name], place.size, name)
        self.random[:] = fitting(state["random"], 4, "random")
        self.iteration, *counted = fitting(state["progress"], 3, "progress").tolist()
        self.tally[:] = counted


def whole_numbers(amounts: Floats, game: str) -> tuple[Longs, int]:
    """Payoffs times the smallest factor that makes them whole, and that factor."""
    scale = 1
    for amount in np.unique(amounts).tolist():
        scale = lcm(scale, Fraction(amount).limit_denominator(1_000_000).denominator)
        if scale > 1_000_000_000 or abs(amount * scale - round(amount * scale)) > 1e-6:
            raise NotApplicableError(
                f"Pure CFR counts in whole numbers, but the payoffs of '{game}' have no small common "
                "denominator; use es-mccfr instead."
            )
    return np.rint(amounts * scale).astype(np.int64), scale


ENTRIES = [SolverEntry("pure-cfr", "sampled pure profiles in whole numbers", PureCFR, {}, "Gibson14", GUARANTEE)]
