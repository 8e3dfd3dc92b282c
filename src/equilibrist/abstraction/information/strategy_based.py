"""Strategy-based abstraction: first-round hands clustered by how a solved game plays them, later ones by potential ([Gilpin09, §6.6])."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.clustering.medoids import medoids
from equilibrist.abstraction.information.hand_strength import HandStrength
from equilibrist.abstraction.information.potential_aware import HistogramChoices, HistogramPotential
from equilibrist.abstraction.information.siblings import Choices, Family, Sizes, grow
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError
from equilibrist.forms.hand_classes.classes import HandClasses


@dataclass(frozen=True, eq=False)
class StrategyBased:
    """Vectors are what each first-round hand does at all first-round infosets, both seats; their distance is the sum of differences."""

    vectors: Floats  # [first-round hands up to suits, action probabilities]
    later: HistogramPotential = field(default_factory=HistogramPotential)

    name = "strategy"

    def classes(self, strength: HandStrength, sizes: Sizes = None) -> HandClasses:
        """At most `sizes` classes a round."""
        rng = np.random.default_rng(self.later.seed)
        hands = strength.indexer.sizes[strength.seen[0]]
        if len(self.vectors) != hands:
            raise ParameterError(
                f"There are {hands} first-round hands up to suits, but {len(self.vectors)} vectors were given."
            )

        def cluster(family: Family) -> Choices:
            if family.round:
                return self.later.choices(strength, family, rng)
            return self._first_round(strength.weight[family.deal][family.hands], family)

        return grow(strength, sizes, cluster)

    def _first_round(self, weights: NDArray[np.int64], family: Family) -> HistogramChoices:
        vectors = self.vectors[family.hands]
        different = len(np.unique(np.round(vectors, 12), axis=0))
        count = min(family.most, different)
        distance = np.abs(vectors[:, None, :] - vectors[None, :, :]).sum(axis=2)
        errors = np.full(count, np.inf)
        errors[-1] = 0.0  # no other count is wanted in a round with one family
        return HistogramChoices(errors, {count: medoids(distance, weights, count)})
