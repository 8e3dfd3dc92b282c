"""How a blueprint is trained: sampling, weighting, pruning, storage."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.core.errors import ParameterError
from equilibrist.solvers.blueprint._kernels import blueprint as kernels

MOST_WHOLE = 2.0e9  # regrets in 32 bits
STEPS = 10_000  # whole regrets are counted in so many parts of a stack
KINDS = ("none", "threshold", "fading")
SAMPLING = "mccfr"


@dataclass(frozen=True)
class PruneRule:
    """Actions with very negative regrets are skipped on most walks; never on the last round or where the hand ends.

    `threshold` skips regrets below `below` on a share `often` of the walks ([Brown20, §6.6], Pluribus); `fading` explores them with the
    chance K / (K + below - R) ([Brown20, §6.4], Libratus). Amounts are stacks: chips divided by the stack at the start.
    """

    kind: str = "none"
    below: float = -300.0
    often: float = 0.95
    fade: float = 15.0
    floor: float = -310.0
    begin: float = 0.0  # share of the iterations asked for before anything is skipped

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ParameterError(f"Pruning is one of {', '.join(KINDS)}, but '{self.kind}' was given.")
        if not (self.floor <= self.below < 0.0 and 0.0 <= self.often <= 1.0 and self.fade > 0.0):
            raise ParameterError(
                "Pruning needs floor <= below < 0, a share 'often' between 0 and 1 and 'fade' above 0, but "
                f"floor {self.floor:g}, below {self.below:g}, often {self.often:g}, fade {self.fade:g} were given."
            )

    def packed(self, stack: float, active: bool, whole: bool) -> Any:
        """For the kernels; `stack` in the unit of the tables."""
        kind = {"none": kernels.NOTHING, "threshold": kernels.THRESHOLD, "fading": kernels.FADING}[self.kind]
        most = MOST_WHOLE if whole else math.inf
        floor = -most if self.kind == "none" else max(self.floor * stack, -most)
        often = self.often if self.kind == "threshold" else 1.0
        return kernels.Pruning(
            kind if active else kernels.NOTHING, self.below * stack, often, self.fade * stack, floor, most, whole
        )


@dataclass(frozen=True)
class Training:
    """Everything that decides what a run computes, but for the game and the number of threads."""

    seed: int = 0
    weighting: str = "linear"
    period: int = 0  # iterations between discounts; 0: a hundredth of the iterations asked for
    discounts: int = 100  # how many; later iterations count alike
    prune: PruneRule = PruneRule()
    storage: str = "float32"
    method: str = SAMPLING  # or a name of the CFR family: passes over all boards instead of sampled deals

    def __post_init__(self) -> None:
        if self.weighting not in ("none", "linear"):
            raise ParameterError(f"Weighting is none or linear, but '{self.weighting}' was given.")
        if self.storage not in ("float32", "int32"):
            raise ParameterError(f"Regrets are stored as float32 or int32, but '{self.storage}' was given.")
        if self.method != SAMPLING and (self.prune.kind, self.storage) != ("none", "float32"):
            raise ParameterError(
                f"Pruning and whole regrets are for {SAMPLING}, but '{self.method}' was given; leave them out."
            )
        if self.seed < 0 or self.period < 0 or self.discounts < 0:
            raise ParameterError("Seed, period and discounts are whole numbers of zero or more.")

    def unit(self, stack: float) -> float:
        """Chips that a stored regret of 1 stands for."""
        return stack / STEPS if self.storage == "int32" else 1.0

    def dtype(self) -> Any:
        return np.dtype(np.int32 if self.storage == "int32" else np.float32)

    def bytes_for(self, slots: int) -> int:
        """Regrets and averages."""
        return slots * 8
