"""LeafChoices: which continuation each hand of one player chooses at each leaf of a search, by regret matching."""

from __future__ import annotations

from typing import Any

import numpy as np

from equilibrist.compute.lanes import LEAST
from equilibrist.core.arrays import Floats32
from equilibrist.solvers.cfr.matching import in_proportion
from equilibrist.solvers.postflop._kernels.layout import LEARN, RESPOND


class LeafChoices:
    """Regrets and averages [leaf, way, hand] of one player; with a single way there is nothing to learn."""

    def __init__(self, leaves: int, ways: int, width: int) -> None:
        self.shape = (leaves, ways, width)
        self.regret = np.zeros(self.shape, dtype=np.float32)
        self.average = np.zeros(self.shape, dtype=np.float32)

    def strategy(self, mode: int) -> Floats32:
        """What is played in this iteration, or on average."""
        weights = np.maximum(self.regret, 0.0) if mode == LEARN else self.average
        total = weights.sum(axis=1, keepdims=True)
        mixed: Floats32 = in_proportion(weights, total, np.float32(1.0 / self.shape[1]), LEAST)
        return mixed

    def down(self, mode: int, reach: Floats32, keep: float) -> Floats32:
        """Reach [leaf, hand] spread over the ways; in learning the average is added on the way."""
        leaves, ways, width = self.shape
        before = reach.reshape(leaves, 1, width)
        if ways == 1:
            return before
        spread = before * self.strategy(mode)
        if mode == LEARN:
            self.average *= np.float32(keep)
            self.average += spread
        return spread

    def up(self, mode: int, values: Floats32, weights: Any) -> Floats32:
        """Values [leaf, hand] from those of each way; in learning the regrets are updated."""
        if self.shape[1] == 1:
            return values[:, 0]
        if mode == RESPOND:
            best: Floats32 = values.max(axis=1)
            return best
        mixed: Floats32 = (self.strategy(mode) * values).sum(axis=1)
        if mode == LEARN:
            self.regret += values - mixed[:, None]
            self.regret *= np.where(self.regret > 0.0, weights.positive, weights.negative)
        return mixed
