"""Earth mover's distances: in one dimension, exact over any ground distance, and by the greedy heuristic ([Ganzfried15, §5.2])."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equilibrist.abstraction.clustering._kernels.transport import greedy_costs, transport_cost
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError


def emd_1d(p: ArrayLike, q: ArrayLike) -> Floats:
    """Sum of absolute differences of CDFs, in bins; rows are compared pairwise, with broadcasting."""
    gap = np.cumsum(np.asarray(p, np.float64), axis=-1) - np.cumsum(np.asarray(q, np.float64), axis=-1)
    return np.asarray(np.abs(gap).sum(axis=-1))


def exact_emd(p: ArrayLike, q: ArrayLike, ground: ArrayLike) -> float:
    """The least cost of turning distribution p [C] into q [D] at ground distances [C, D]."""
    supply, demand, cost = (np.asarray(x, np.float64) for x in (p, q, ground))
    if cost.shape != (len(supply), len(demand)) or min(supply.min(), demand.min()) < 0.0:
        raise ParameterError(
            f"Distributions of {len(supply)} and {len(demand)} entries, none negative, need ground distances of that shape, "
            f"but {list(cost.shape)} was given."
        )
    if not np.isclose(supply.sum(), demand.sum(), rtol=1e-6):
        raise ParameterError(f"Equal masses are moved, but {supply.sum():.6g} and {demand.sum():.6g} were given.")
    rows, columns = supply > 0.0, demand > 0.0
    held = np.ascontiguousarray(supply[rows]) / supply.sum()
    wanted = np.ascontiguousarray(demand[columns]) / demand.sum()
    return float(supply.sum() * transport_cost(held, wanted, np.ascontiguousarray(cost[np.ix_(rows, columns)])))


def neighbour_order(ground: NDArray[np.float32]) -> NDArray[np.int16]:
    """[C, Q]: entries by distance from each class; equal ones by number."""
    return np.argsort(ground, axis=1, kind="stable").astype(np.int16 if ground.shape[1] < 1 << 15 else np.int32)


def greedy_emd(rows: ArrayLike, means: ArrayLike, ground: NDArray[np.float32]) -> Floats:
    """[n, k]: the heuristic between points (rows of N class numbers, each of mass 1/N) and means [k, C].

    Never below the exact distance, since it moves everything somewhere; neither symmetric nor a metric.
    """
    points = np.sort(np.asarray(rows, np.uint16), axis=1)
    targets = np.ascontiguousarray(means, dtype=np.float64)
    out = np.empty((len(points), len(targets)))
    greedy_costs(points, targets, neighbour_order(ground), np.ascontiguousarray(ground, np.float32), out)
    return out
