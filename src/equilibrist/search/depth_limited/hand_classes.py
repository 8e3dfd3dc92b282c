"""ClassStreet: the betting before any board card by classes of hands that suits alone tell apart (169 of them with 52 cards).

Whatever is symmetric in suits before the board needs no more. Columns are classes; a number in one is that of each of its hands.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.solvers.postflop.streamed_buckets.preflop import PreflopStreet


@dataclass(frozen=True)
class ClassStreet(PreflopStreet):
    """A forest played with classes of hands."""

    @property
    def hands(self) -> int:
        return len(self.size)

    @cached_property
    def by_hand(self) -> PreflopStreet:
        """The same street hand by hand."""
        return PreflopStreet(self.forest, self.deal, self.images)

    @cached_property
    def first(self) -> Longs:
        """[class] one of its hands."""
        return np.unique(self.by_hand.classes)

    @cached_property
    def class_of(self) -> Longs:
        """[hand]"""
        return np.searchsorted(self.first, self.by_hand.classes)

    @cached_property
    def size(self) -> Floats:
        """[class] hands in it."""
        return np.bincount(self.class_of).astype(np.float64)

    @cached_property
    def _meets(self) -> Floats:
        """[class, class] hands of the first that share no card with one of the second."""
        alike = (self.class_of[None, :] == np.arange(self.hands)[:, None]).astype(np.float64)
        return np.asarray(self.by_hand.met(alike)[:, self.first])

    def met(self, reach: Floats) -> Floats:
        """Reach [..., class] of the other player's hands that share no card with a hand of each class."""
        return np.asarray(reach @ self._meets)

    @cached_property
    def pairs(self) -> float:
        return self.by_hand.pairs

    def average(self, values: Floats) -> float:
        return float(values[0] @ self.size / self.pairs)

    @property
    def relabellings(self) -> int:
        return self.by_hand.relabellings
