"""Optimal clusters of numbers, for every cluster count at once ([Gilpin09, Algorithm 4], solved exactly instead of by restarts)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equilibrist.abstraction.clustering._kernels.line_clusters import fill_table
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError, suggest

ERRORS = ("absolute", "squared")  # what one number's distance from the mean of its cluster costs


@dataclass(frozen=True, eq=False)
class LineClusters:
    """Clusters of N numbers that take D different values; squared distances from the means are least for every count."""

    values: Floats  # [D] rising
    weight: Floats  # [D]
    place: Longs  # [N] which value each number has
    cut: NDArray[np.int32]  # [most clusters, D + 1] where the last cluster of the first j values begins
    error: str = "absolute"

    @property
    def most(self) -> int:
        """Clusters beyond which nothing is gained."""
        return len(self.cut)

    def labels(self, count: int) -> Longs:
        """[N] cluster of every number, rising with its value."""
        return self._of_values(count)[self.place]

    def errors(self) -> Floats:
        """[most clusters] weighted error with 1, 2, … clusters."""
        return np.array([self._error(count) for count in range(1, self.most + 1)])

    def _of_values(self, count: int) -> Longs:
        if not 1 <= count <= self.most:
            raise ParameterError(
                f"{count} clusters were asked for, but there can be 1 to {self.most} of these numbers."
            )
        out, end = np.zeros(len(self.values), np.int64), len(self.values)
        for k in range(count - 1, -1, -1):
            begin = int(self.cut[k, end])
            out[begin:end] = k
            end = begin
        return out

    def _error(self, count: int) -> float:
        label = self._of_values(count)
        mass = np.bincount(label, self.weight, count)
        means = np.bincount(label, self.weight * self.values, count) / mass
        distance = np.abs(self.values - means[label])
        return float((self.weight * (distance if self.error == "absolute" else distance**2)).sum())


def check_error(error: str) -> None:
    """Refuse what is not a way to add up distances."""
    if error not in ERRORS:
        raise ParameterError(f"The error '{error}' is not one of {', '.join(ERRORS)}.{suggest(str(error), ERRORS)}")


def line_clusters(
    numbers: ArrayLike, weights: ArrayLike | None = None, *, most: int | None = None, error: str = "absolute"
) -> LineClusters:
    """All optimal clusterings of numbers into at most `most` clusters; O(clusters × values × log values)."""
    check_error(error)
    given = np.asarray(numbers, np.float64)
    weight = np.ones(len(given)) if weights is None else np.asarray(weights, np.float64)
    if given.ndim != 1 or not len(given) or weight.shape != given.shape or not (weight > 0).all():
        raise ParameterError("Clusters are made of one or more numbers in a row, each with a weight above 0.")
    values, place = np.unique(given, return_inverse=True)
    mass = np.bincount(place, weight).astype(np.float64)
    count = len(values) if most is None else max(1, min(most, len(values)))
    middle = values - np.average(values, weights=mass)  # prefix sums of squares lose fewer digits around the mean
    sums = [np.concatenate([[0.0], np.cumsum(x)]) for x in (mass, mass * middle, mass * middle**2)]
    error_table, cut = np.empty((count, len(values) + 1)), np.empty((count, len(values) + 1), np.int32)
    fill_table(*sums, error_table, cut, np.empty((128, 4), np.int64))
    return LineClusters(values, mass, place.ravel().astype(np.int64), cut, error)
