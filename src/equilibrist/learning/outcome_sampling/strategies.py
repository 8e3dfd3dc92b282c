"""Strategies from predicted advantages, and averages of all strategies that were played."""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.forms.compiled import Compiled
from equilibrist.learning.encoders.infosets import Encoding
from equilibrist.learning.regression._kernels.walks import add_reached


def match(encoding: Encoding, advantages: Floats, *, uniform: bool) -> Floats:
    """[R, A] regret matching over legal actions; where nothing is positive, the largest or evenly. Equal ones share, so zeros are even."""
    legal = encoding.legal
    positive = np.where(legal, np.maximum(advantages, 0.0), 0.0)
    total = positive.sum(axis=1, keepdims=True)
    if uniform:
        other = legal.astype(np.float64)
    else:
        masked = np.where(legal, advantages, -np.inf)
        other = (masked == masked.max(axis=1, keepdims=True)).astype(np.float64)
    other /= other.sum(axis=1, keepdims=True)
    strategy: Floats = np.where(total > 0.0, positive / np.where(total > 0.0, total, 1.0), other)
    return strategy


class ExactAverage:
    """Sums of weight x own reach x strategy of everything that was played: no sample of infosets, no importance weights."""

    def __init__(self, game: Compiled) -> None:
        self.game = game
        self.total = np.zeros((2, game.infosets.slots))

    def add(self, player: int, weight: float, strategy: Floats) -> None:
        infosets, forest = self.game.infosets, self.game.forest
        add_reached(forest.parent_slot, infosets.first_slot, infosets.player, player, weight, strategy, self.total)

    @property
    def sums(self) -> Floats:
        """[S]."""
        sums: Floats = self.total[0]
        return sums
