"""PreflopStreet: the betting before any board card as vectors over all private hands, in double precision.

Games whose later streets are streamed board by board keep this street whole: it says with which ranges the boards are reached, and turns
values of the boards into values of the game. Rows are nodes of the forest, columns hands of the deal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.solvers.postflop.streamed_buckets.hand_street import HandStreet


@dataclass(frozen=True)
class PreflopStreet(HandStreet):
    """One forest, usually with one root, and the hands it is played with; all of them are equally likely."""

    images: Longs  # [S, hand] where relabellings of suits other than the identity take each hand

    @cached_property
    def pairs(self) -> float:
        """Deals of two hands."""
        return float(self.met(np.ones(self.hands)).sum())

    def average(self, values: Floats) -> float:
        """Values [node, hand] at the root, over all deals."""
        return float(values[0].sum() / self.pairs)

    @cached_property
    def _images(self) -> Longs:
        """[relabelling of suits, hand] the identity first."""
        return np.concatenate([np.arange(self.hands)[None], self.images])

    @property
    def relabellings(self) -> int:
        """Of suits: how many hands and boards one stands for."""
        return len(self._images)

    @cached_property
    def classes(self) -> Longs:
        """[hand] the same number for hands that a relabelling of suits exchanges."""
        return np.asarray(self._images.min(axis=0))

    def over_suits(self, values: Floats) -> Floats:
        """Sums over relabellings of suits; hands that are alike get the very same number."""
        kept = np.unique(self.classes)
        total = values[..., self._images[:, kept]].sum(axis=-2)
        out: Floats = total[..., np.searchsorted(kept, self.classes)]
        return out
