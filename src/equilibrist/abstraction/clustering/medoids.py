"""Medoids: clusters by any table of distances, each around one of its points (partitioning around medoids)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError


def medoids(distance: ArrayLike, weights: ArrayLike, count: int) -> Longs:
    """[N] cluster of every point, by distances [N, N] alone: greedy building, then swaps while any lowers the total (PAM).

    Deterministic; points go to the nearest medoid, the first one where several are.
    """
    table, weight = np.asarray(distance, np.float64), np.asarray(weights, np.float64)
    if not 1 <= count <= len(table):
        raise ParameterError(f"{count} clusters were asked for, but there are {len(table)} points.")
    chosen: list[int] = []
    for _ in range(count):
        costs = [np.inf if n in chosen else _cost(table, weight, [*chosen, n]) for n in range(len(table))]
        chosen.append(int(np.argmin(costs)))
    improved = True
    while improved:
        improved = False
        for place in range(count):
            others = chosen[:place] + chosen[place + 1 :]
            costs = [np.inf if n in others else _cost(table, weight, [*others, n]) for n in range(len(table))]
            better = int(np.argmin(costs))
            if costs[better] < _cost(table, weight, chosen) - 1e-12:
                chosen[place], improved = better, True
    nearest: Longs = table[:, sorted(chosen)].argmin(axis=1).astype(np.int64)
    return nearest


def _cost(table: Floats, weight: Floats, chosen: list[int]) -> float:
    return float(weight @ table[:, chosen].min(axis=1))
