"""Buckets of hands for endgames, by equity alone ([Lu16, §4.2.2]): k-means, percentile hand strength, and equal sizes.

Equities are of one player's hands against the opponent's range; -1 marks a hand that cannot be held, and its bucket is -1.
Every function gives [hands] buckets, numbered 0, 1, … with rising equity; fewer than asked for may be used.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equilibrist.abstraction.clustering.kmeans import kmeans_of_few
from equilibrist.abstraction.clustering.line_clusters import line_clusters
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError, suggest

TOP_SHARE = 0.98  # equity from which a hand counts as one of the best, in the thesis' agent
RESTARTS = 10


def bucket_budget(infosets: int, sequences: int, equities: ArrayLike) -> int:
    """Buckets that keep a player's endgame within so many infosets: floor(T / b), at least 1, at most the different equities."""
    if infosets < 1 or sequences < 1:
        raise ParameterError("Give one or more infosets, and one or more action sequences.")
    values = np.asarray(equities, np.float64)
    different = len(np.unique(values[values >= 0.0]))
    return max(1, min(infosets // sequences, different))


def kmeans_buckets(equities: ArrayLike, count: int, rng: np.random.Generator, *, restarts: int = RESTARTS) -> Longs:
    """k-means++ with restarts; the run of least mean distance is kept."""
    values, live = _read(equities, count)
    points, place = np.unique(values[live], return_inverse=True)
    weight = np.bincount(place).astype(np.float64)
    _, label = kmeans_of_few(points[:, None], weight, min(count, len(points)), rng, restarts=restarts)
    return _numbered(live, label[place], values[live])


def exact_kmeans_buckets(equities: ArrayLike, count: int) -> Longs:
    """The best clusters there are, by dynamic programming: deterministic."""
    values, live = _read(equities, count)
    line = line_clusters(values[live], most=count)
    return _numbered(live, line.labels(line.most), values[live])


def percentile_buckets(equities: ArrayLike, count: int, *, top: float = TOP_SHARE) -> Longs:
    """Percentile hand strength: the last bucket holds equities from `top` on, the others equal stretches of equity below it."""
    values, live = _read(equities, count)
    if not 0.0 < top <= 1.0:
        raise ParameterError(f"The equity of the top bucket lies above 0 and up to 1, but {top} was given.")
    below = np.clip(np.floor(values[live] * (count - 1) / top), 0, max(0, count - 2))
    return _numbered(live, np.where(values[live] >= top, count - 1, below), values[live])


def equal_size_buckets(equities: ArrayLike, count: int, *, keep_ties: bool = False) -> Longs:
    """As many hands in each bucket, the first ones larger by one; with `keep_ties` equal equities stay in the lower bucket."""
    values, live = _read(equities, count)
    order = np.argsort(values[live], kind="stable")
    size, larger = divmod(len(order), count)
    label = np.empty(len(order), np.int64)
    label[order] = np.repeat(np.arange(count), [size + (bucket < larger) for bucket in range(count)])
    if keep_ties:
        place = np.unique(values[live], return_inverse=True)[1]
        lowest = np.full(int(place.max()) + 1, count, np.int64)
        np.minimum.at(lowest, place, label)
        label = lowest[place]
    return _numbered(live, label, values[live])


BUCKETINGS = ("phs", "equal", "kmeans_exact", "kmeans")


def endgame_buckets(equities: ArrayLike, count: int, method: str = "phs", *, seed: int = 0) -> Longs:
    """One of the ways above, by name; `phs` is the thesis' choice."""
    if method == "phs":
        return percentile_buckets(equities, count)
    if method == "equal":
        return equal_size_buckets(equities, count)
    if method == "kmeans_exact":
        return exact_kmeans_buckets(equities, count)
    if method == "kmeans":
        return kmeans_buckets(equities, count, np.random.default_rng(seed))
    raise ParameterError(
        f"The bucketing '{method}' is not one of {', '.join(BUCKETINGS)}.{suggest(method, BUCKETINGS)}"
    )


def _read(equities: ArrayLike, count: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Equities, and which hands can be held."""
    values = np.asarray(equities, np.float64)
    live = values >= 0.0
    if values.ndim != 1 or not live.any() or not ((values <= 1.0) & (live | (values == -1.0))).all():
        raise ParameterError(
            "Equities lie between 0 and 1 in one row, or are -1 for hands that cannot be held; one must be held."
        )
    if count < 1:
        raise ParameterError(f"There is at least one bucket, but {count} were asked for.")
    return values, live


def _numbered(live: NDArray[np.bool_], label: NDArray[np.generic], values: Floats) -> Longs:
    """[hands] used buckets numbered by their least equity; -1 where no hand can be held."""
    used, place = np.unique(label, return_inverse=True)
    least = np.full(len(used), np.inf)
    np.minimum.at(least, place, values)
    number = np.empty(len(used), np.int64)
    number[np.lexsort((used, least))] = np.arange(len(used))
    out = np.full(len(live), -1, np.int64)
    out[live] = number[place]
    return out
