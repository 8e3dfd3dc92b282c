"""Potential-aware abstraction: siblings are clustered by where they lead, not by their worth ([Gilpin09, §6.5]).

A hand's histogram says how likely each cluster of the *next* deal is. Those clusters are made for one family alone, from the last
deal upwards. Complete hands have no potential left and are clustered by strength.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equilibrist.abstraction.clustering.kmeans import kmeans_of_few
from equilibrist.abstraction.clustering.line_clusters import check_error, line_clusters
from equilibrist.abstraction.information.gameshrink import row_numbers
from equilibrist.abstraction.information.hand_strength import HandStrength
from equilibrist.abstraction.information.siblings import Choices, Family, Sizes, grow
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError, TooLargeError
from equilibrist.forms.hand_classes.classes import HandClasses
from equilibrist.games.size_estimate import memory_limit

STRENGTHS = ("margin", "equity")
EVERY_COUNT = 40  # cluster counts up to here are all tried; beyond, each is a step larger than the one before
STEP = 1.12


@dataclass(frozen=True)
class HistogramPotential:
    """GS3's method with perfect recall: histograms, Euclidean distances, k-means with restarts."""

    temporary: int = 0  # clusters of each deal in the pass upwards; 0: one for everything that can be told apart
    strength: str = "margin"  # of complete hands: w - l + d/2, or "equity": w + d/2
    restarts: int = 10
    error: str = "absolute"  # what the 0-1 program adds up
    seed: int = 0

    name = "pa"

    def __post_init__(self) -> None:
        if self.strength not in STRENGTHS:
            raise ParameterError(f"The strength '{self.strength}' is not one of {', '.join(STRENGTHS)}.")
        if self.temporary < 0 or self.restarts < 1:
            raise ParameterError("Give 1 or more restarts, and 1 or more temporary clusters (or 0 for no limit).")
        if self.seed < 0:
            raise ParameterError(f"A seed is 0 or more, but {self.seed} was given.")
        check_error(self.error)

    def classes(self, strength: HandStrength, sizes: Sizes = None) -> HandClasses:
        """At most `sizes` classes a round."""
        rng = np.random.default_rng(self.seed)
        return grow(strength, sizes, lambda family: self.choices(strength, family, rng))

    def choices(self, strength: HandStrength, family: Family, rng: np.random.Generator) -> Choices:
        """By strength in the last deal, by histograms before."""
        weights = strength.weight[family.deal][family.hands].astype(np.float64)
        if family.deal == len(strength.indexer.dealt) - 1:
            values = self._leaf_values(strength)[family.hands]
            return line_clusters(values, weights, most=family.most, error=self.error)
        histograms = self._histograms(strength, family.deal, family.hands, rng)
        if self.temporary and not family.round and len(np.unique(histograms, axis=0)) < family.most:
            # in the first round all clusters are this family's, so none need be wasted
            finer = replace(self, temporary=0)
            histograms = finer._histograms(strength, family.deal, family.hands, rng)
        return histogram_choices(histograms, weights, family.most, self, rng)

    def _leaf_values(self, strength: HandStrength) -> Floats:
        last = len(strength.indexer.dealt) - 1
        return strength.margin(last) if self.strength == "margin" else strength.equity(last)

    def _histograms(self, strength: HandStrength, deal: int, hands: Longs, rng: np.random.Generator) -> Floats:
        """[hands, clusters of the next deal]: how likely each is."""
        after = strength.following[deal][hands]
        reached, place = np.unique(after, return_inverse=True)
        labels = self._temporary_clusters(strength, deal + 1, reached, rng)[place.reshape(after.shape)]
        width = int(labels.max()) + 1
        if 8 * len(hands) * width > memory_limit():
            raise TooLargeError(
                f"Histograms of {len(hands):,} hands over {width:,} clusters do not fit in memory; give fewer temporary clusters."
            )
        flat = (np.arange(len(hands))[:, None] * width + labels).ravel()
        counts: Floats = np.bincount(flat, minlength=len(hands) * width).reshape(len(hands), width) / after.shape[1]
        return counts

    def _temporary_clusters(self, strength: HandStrength, deal: int, hands: Longs, rng: np.random.Generator) -> Longs:
        """[hands] clusters that only histograms use."""
        weights = strength.weight[deal][hands].astype(np.float64)
        if deal == len(strength.indexer.dealt) - 1:
            line = line_clusters(self._leaf_values(strength)[hands], weights, most=self.temporary or None)
            return line.labels(line.most)
        choices = histogram_choices(
            self._histograms(strength, deal, hands, rng), weights, self.temporary or len(hands), self, rng, every=False
        )
        return choices.labels(len(choices.errors()))


@dataclass(frozen=True, eq=False)
class HistogramChoices:
    """Clusters of histograms, tried for several counts."""

    error: Floats  # [most clusters]
    label: dict[int, Longs]  # by count [siblings]

    def errors(self) -> Floats:
        return self.error

    def labels(self, count: int) -> Longs:
        return self.label[count]


def histogram_choices(
    histograms: Floats,
    weights: Floats,
    most: int,
    method: HistogramPotential,
    rng: np.random.Generator,
    *,
    every: bool = True,
) -> HistogramChoices:
    """Clusters for all counts that are tried, or for the largest alone; different histograms are the most there can be."""
    place = row_numbers(np.round(histograms, 12))
    first = np.unique(place, return_index=True)[1]
    points, mass = histograms[first], np.bincount(place, weights).astype(np.float64)
    most = min(most, len(points))
    error, label = np.full(most, np.inf), {}
    for count in counts_to_try(most) if every else [most]:
        if count == len(points):
            error[count - 1], label[count] = 0.0, place
            continue
        error[count - 1], found = kmeans_of_few(points, mass, count, rng, restarts=method.restarts, error=method.error)
        label[count] = found[place]
    return HistogramChoices(error, label)


def counts_to_try(most: int) -> list[int]:
    """1, 2, 3, … at first, then in growing steps, and `most`."""
    out = list(range(1, min(most, EVERY_COUNT) + 1))
    while out[-1] < most:
        out.append(min(most, max(out[-1] + 1, round(out[-1] * STEP))))
    return out
