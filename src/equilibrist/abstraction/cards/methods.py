"""Methods of card abstraction, one word each: values that say which feature to look at and how to group hands by it.

A method answers four questions: which `feature`, how to `fit` clusters to rows of it, how to `assign` rows to clusters, and how
far clusters are apart. Everything else (streets, streaming, recall, files) is the same for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.cards.deals import Streets
from equilibrist.abstraction.cards.features import BINS, Feature, Histogram, NextBuckets, Strength
from equilibrist.abstraction.cards.potential_space import PotentialSpace, potential_space
from equilibrist.abstraction.clustering.kmeans import (
    UNOBSERVED,
    KMeansCheckpoint,
    KMeansSettings,
    assign,
    centre_distances,
    kmeans,
)
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError

Rows = NDArray[Any]
Labels = NDArray[np.int64]
Distances = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Clusters:
    """What a fit has found: one row per bucket, in the terms of the feature, and cuts where buckets are intervals."""

    centres: Rows  # [k, width]
    cuts: Floats = field(default_factory=lambda: np.zeros(0))  # [k - 1] rising

    @property
    def size(self) -> int:
        return len(self.centres)


@dataclass(frozen=True, eq=False)
class NextStreet:
    """What an earlier street may ask of the one after it."""

    dealt: tuple[int, ...]
    table: NDArray[np.integer]
    distances: Distances  # [k, k] between its buckets

    @cached_property
    def space(self) -> PotentialSpace:
        """What potential-aware methods work out of the distances, once."""
        return potential_space(self.distances)


@dataclass(frozen=True, eq=False)
class Scene:
    """Where a method works: the street, how much is looked at, and what is known of the next street."""

    streets: Streets
    street: int
    runouts: int = 0  # completions looked at per board; 0: all
    seed: int = 0
    next: NextStreet | None = None
    opponents: Callable[[int], NDArray[np.int8]] | None = None  # groups of opponents' hole cards, by number of groups


@dataclass(frozen=True, eq=False)
class Help:
    """What a fit may use."""

    seed: int = 0
    team: Team = field(default_factory=Team)
    progress: KMeansCheckpoint = UNOBSERVED


class Method(Protocol):
    """One way of grouping the hands of a street."""

    word: ClassVar[str]
    lossless: ClassVar[bool]
    uses_next: ClassVar[bool]
    by_score: ClassVar[bool]  # on complete boards a hand's class depends on its score alone: how many hands it beats
    textures: ClassVar[int]  # and on which of so many textures the board has; 1: all boards are alike

    def feature(self, scene: Scene) -> Feature: ...

    def fit(self, rows: Rows, weight: Floats, size: int, scene: Scene, help: Help) -> Clusters: ...

    def assign(self, rows: Rows, clusters: Clusters, scene: Scene) -> Labels: ...

    def distances(self, clusters: Clusters, scene: Scene) -> Distances: ...


@dataclass(frozen=True)
class Isomorphism:
    """No loss: hands share a bucket only if they differ by suits alone."""

    word: ClassVar[str] = "isomorphism"
    lossless: ClassVar[bool] = True
    uses_next: ClassVar[bool] = False
    by_score: ClassVar[bool] = False
    textures: ClassVar[int] = 1

    def feature(self, scene: Scene) -> Feature:
        return Histogram(BINS, scene.runouts, scene.seed)

    def fit(self, rows: Rows, weight: Floats, size: int, scene: Scene, help: Help) -> Clusters:
        raise NotApplicableError("Hands up to suits are numbered, not fitted.")

    def assign(self, rows: Rows, clusters: Clusters, scene: Scene) -> Labels:
        raise NotApplicableError("Hands up to suits are numbered, not assigned.")

    def distances(self, clusters: Clusters, scene: Scene) -> Distances:
        return centre_distances(_cumulative(clusters.centres), "emd")


@dataclass(frozen=True)
class _Intervals:
    """Buckets that are intervals of E[HS] or E[HS²]."""

    lossless: ClassVar[bool] = False
    uses_next: ClassVar[bool] = False
    by_score: ClassVar[bool] = True
    textures: ClassVar[int] = 1
    of: str = "ehs"  # or ehs2

    def __post_init__(self) -> None:
        if self.of not in ("ehs", "ehs2"):
            raise ParameterError(f"Buckets by strength are made of 'ehs' or 'ehs2', but of={self.of} was given.")

    @property
    def column(self) -> int:
        return 0 if self.of == "ehs" else 1

    def feature(self, scene: Scene) -> Feature:
        return Strength(scene.runouts, scene.seed)

    def fit(self, rows: Rows, weight: Floats, size: int, scene: Scene, help: Help) -> Clusters:
        values, where = np.unique(rows[:, self.column].astype(np.float64), return_inverse=True)
        mass = np.asarray(np.bincount(where, weight), np.float64)
        _, bucket = np.unique(self.buckets(values, mass, size), return_inverse=True)  # empty ones are left out
        cuts = ((values[1:] + values[:-1]) / 2.0)[np.diff(bucket) > 0]
        label = bucket[where]
        total = np.maximum(np.bincount(label, weight), 1e-300)
        centres = np.stack(
            [np.bincount(label, weight * column) / total for column in rows.T.astype(np.float64)], axis=1
        )
        return Clusters(centres.astype(np.float32), cuts)

    def assign(self, rows: Rows, clusters: Clusters, scene: Scene) -> Labels:
        values = rows[:, self.column].astype(np.float64)
        return np.asarray(np.searchsorted(clusters.cuts, values, side="right"), np.int64)

    def distances(self, clusters: Clusters, scene: Scene) -> Distances:
        centre = clusters.centres[:, self.column].astype(np.float32)
        return np.asarray(np.abs(centre[:, None] - centre[None, :]), np.float32)

    def buckets(self, values: Floats, mass: Floats, size: int) -> Labels:
        raise NotImplementedError


@dataclass(frozen=True)
class EhsPercentile(_Intervals):
    """Intervals of equal width, the strongest hands apart from alpha on; empty ones are left out ([Lu16, §4.2.2], PHS)."""

    word: ClassVar[str] = "ehs-percentile"
    alpha: float = 0.98

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < self.alpha <= 1.0:
            raise ParameterError(f"'alpha' is a share above 0 and at most 1, but {self.alpha} was given.")

    def buckets(self, values: Floats, mass: Floats, size: int) -> Labels:
        if size == 1:
            return np.zeros(len(values), np.int64)
        below = np.minimum(np.floor(values * (size - 1) / self.alpha), size - 2)
        return np.where(values >= self.alpha, size - 1, below).astype(np.int64)


@dataclass(frozen=True)
class EhsEqual(_Intervals):
    """Intervals that hold equally many deals, equal strengths together ([Lu16, §4.2.2], equal size)."""

    word: ClassVar[str] = "ehs-equal"

    def buckets(self, values: Floats, mass: Floats, size: int) -> Labels:
        middle = np.cumsum(mass) - 0.5 * mass
        return np.asarray(np.minimum(np.floor(size * middle / mass.sum()), size - 1), np.int64)


@dataclass(frozen=True)
class Lloyd:
    """k-means; subclasses say of what."""

    lossless: ClassVar[bool] = False
    uses_next: ClassVar[bool] = False
    by_score: ClassVar[bool] = True
    textures: ClassVar[int] = 1
    kind: ClassVar[str] = "l2"
    restarts: int = 1
    iterations: int = 100

    def fit(self, rows: Rows, weight: Floats, size: int, scene: Scene, help: Help) -> Clusters:
        settings = KMeansSettings(self.restarts, self.iterations)
        points = self.points(rows)
        found = kmeans(
            points, weight, size, self.kind, seed=help.seed, settings=settings, team=help.team, progress=help.progress
        )
        return Clusters(self.rows(found.centres))

    def assign(self, rows: Rows, clusters: Clusters, scene: Scene) -> Labels:
        label: Labels = assign(self.points(rows), self.points(clusters.centres), self.kind)[0]
        return label

    def distances(self, clusters: Clusters, scene: Scene) -> Distances:
        return centre_distances(self.points(clusters.centres), self.kind)

    def points(self, rows: Rows) -> NDArray[np.float32]:
        """Rows in the coordinates in which they are compared."""
        return np.ascontiguousarray(rows, dtype=np.float32)

    def rows(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        return points


@dataclass(frozen=True)
class KMeansEmd(Lloyd):
    """k-means of equity histograms by the 1-D earth mover's distance, in bins ([Ganzfried15, chapter 5])."""

    word: ClassVar[str] = "kmeans-emd"
    kind: ClassVar[str] = "emd"
    bins: int = BINS

    def feature(self, scene: Scene) -> Feature:
        return Histogram(self.bins, scene.runouts, scene.seed)

    def points(self, rows: Rows) -> NDArray[np.float32]:
        return _cumulative(rows)

    def rows(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.diff(points, axis=1, prepend=np.float32(0.0), append=np.float32(1.0)).astype(np.float32)


@dataclass(frozen=True)
class KMeansL2(Lloyd):
    """k-means of equity histograms by Euclidean distance: the cheap baseline."""

    word: ClassVar[str] = "kmeans-l2"
    bins: int = BINS

    def feature(self, scene: Scene) -> Feature:
        return Histogram(self.bins, scene.runouts, scene.seed)


def _cumulative(rows: Rows) -> NDArray[np.float32]:
    """CDFs without their last entry, which is always one."""
    return np.ascontiguousarray(np.cumsum(rows, axis=1, dtype=np.float64)[:, :-1], dtype=np.float32)


def next_buckets(scene: Scene) -> NextBuckets:
    """The feature of methods that look at the next street."""
    if scene.next is None:
        raise NotApplicableError("The last street has no next one to look at; use ochs or kmeans-emd there.")
    return NextBuckets(scene.street, scene.next.dealt, scene.next.table)
