"""Abstraction by the book: all ways to cluster a few numbers, all ways to share out clusters, the 0-1 program as printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp


def set_partitions(items: Sequence[int], count: int) -> Iterator[list[list[int]]]:
    """All ways to put items into `count` non-empty sets."""
    if not items:
        if count == 0:
            yield []
        return
    head, rest = items[0], items[1:]
    for smaller in set_partitions(rest, count - 1):
        yield [[head], *smaller]
    for same in set_partitions(rest, count):
        for n in range(len(same)):
            yield [*same[:n], [head, *same[n]], *same[n + 1 :]]


def least_squared_error(numbers: Sequence[float], weights: Sequence[float], count: int) -> float:
    """Over all partitions, contiguous or not: weighted squared distances from the means."""
    x, w = np.asarray(numbers, float), np.asarray(weights, float)

    def error(group: list[int]) -> float:
        mean = np.average(x[group], weights=w[group])
        return float(w[group] @ (x[group] - mean) ** 2)

    return min(sum(map(error, groups)) for groups in set_partitions(range(len(x)), count))


def least_allocation(errors: Sequence[Sequence[float]], total: int) -> float:
    """Over all choices of clusters for every family."""
    sums = [
        sum(family[k - 1] for family, k in zip(errors, ks, strict=True))
        for ks in product(*(range(1, len(family) + 1) for family in errors))
        if sum(ks) <= total
    ]
    return min(sums)


def allocation_by_milp(errors: Sequence[Sequence[float]], total: int) -> float:
    """min sum of c[i,k] x[i,k] with one k for each i and no more than `total` clusters, by HiGHS."""
    costs = np.concatenate([np.asarray(family, float) for family in errors])
    counts = np.concatenate([np.arange(1, len(family) + 1) for family in errors])
    rows = np.repeat(np.arange(len(errors)), [len(family) for family in errors])
    one_each = sparse.csr_array((np.ones(len(rows)), (rows, np.arange(len(rows)))))
    found = milp(
        costs,
        integrality=np.ones(len(costs)),
        bounds=Bounds(0, 1),
        constraints=[LinearConstraint(one_each, 1, 1), LinearConstraint(counts[None, :], 0, total)],
        options={"mip_rel_gap": 0.0},
    )
    assert found.success
    return float(found.fun)
