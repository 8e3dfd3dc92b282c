"""Classes of states that are listed one by one: clustered by a value, or merged below a threshold.

A state is a hand in some situation; `before` says which class it was in one round earlier, and classes never cross those. `by_value`
is expectation-based abstraction ([Gilpin09, §6.4]). `by_threshold` is lossy GameShrink ([Gilpin09, Algorithm 3]): two siblings become
one class if a chain of siblings joins them whose steps cost no more than the threshold. Such classes are cut from a minimal spanning
tree, so a threshold is found by bisection without comparing hands again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equilibrist.abstraction.clustering.components import components
from equilibrist.abstraction.clustering.line_clusters import LineClusters, line_clusters
from equilibrist.abstraction.information._kernels.board_hands import spanning_tree
from equilibrist.abstraction.information.siblings import Family, grow_round
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError, suggest

COSTS = {"squared": 0, "aligned": 1}
BISECTIONS = 60


def by_value(before: Longs, values: Floats, weights: Floats, total: int, *, error: str = "absolute") -> Longs:
    """[states] classes: optimal clusters of values, `total` of them shared out among the classes before by the 0-1 program."""

    def cluster(family: Family) -> LineClusters:
        return line_clusters(values[family.hands], weights[family.hands], most=family.most, error=error)

    return grow_round(0, 0, before, total, cluster)


@dataclass(frozen=True, eq=False)
class MergedStates:
    """All merges of siblings, cheapest first: N states of which equal ones are one point, and a spanning tree of each family."""

    place: Longs  # [N] point of every state
    family: Longs  # [points] class before
    edge: Floats  # [edges] cost of each step of the spanning trees
    ends: Longs  # [edges, 2] points that it joins

    @cached_property
    def families(self) -> int:
        return int(self.family.max()) + 1

    def count(self, threshold: float) -> int:
        """Classes that a threshold leaves."""
        return self.families + int((self.edge > threshold).sum())

    def classes(self, threshold: float) -> Longs:
        """[N] classes, numbered by the class before and then by their first point."""
        return components(len(self.family), self.ends[self.edge <= threshold])[self.place]  # points stand by family

    def bisect(self, wanted: int) -> float:
        """The least threshold that leaves no more than `wanted` classes, by bisection."""
        if wanted < self.families:
            raise ParameterError(
                f"{wanted} classes were asked for in a round that has {self.families} classes before it; ask for at least as many."
            )
        low, high = -1.0, float(self.edge.max(initial=0.0))
        for _ in range(BISECTIONS):
            middle = (low + high) / 2.0
            low, high = (middle, high) if self.count(middle) > wanted else (low, middle)
        return high


def merged_states(before: Longs, points: Floats, *, cost: str = "squared") -> MergedStates:
    """Spanning trees of all families of states, points [N, d]; `aligned` compares (wins, wins with ties) pairs."""
    if cost not in COSTS:
        raise ParameterError(f"The cost '{cost}' is not one of {', '.join(COSTS)}.{suggest(cost, COSTS)}")
    rows, place = np.unique(np.column_stack([before, points]), axis=0, return_inverse=True)
    family, spots = rows[:, 0].astype(np.int64), np.ascontiguousarray(rows[:, 1:])
    bounds = np.searchsorted(family, np.arange(int(family.max()) + 2))
    edges, ends = [np.zeros(0)], [np.zeros((0, 2), np.int64)]
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        size = max(stop - start - 1, 0)
        edge, one, other = np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64)
        if spots.shape[1] == 1:  # on a line neighbours are the tree
            edge, one, other = np.diff(spots[start:stop, 0]) ** 2, np.arange(size), np.arange(1, size + 1)
        elif size:
            spanning_tree(spots[start:stop], COSTS[cost], edge, one, other)
        edges.append(edge)
        ends.append(start + np.stack([one, other], axis=1))
    return MergedStates(place.ravel().astype(np.int64), family, np.concatenate(edges), np.concatenate(ends))


def by_threshold(before: Longs, points: Floats, total: int, *, cost: str = "squared") -> Longs:
    """[states] classes of the threshold that leaves `total` of them, or as near below as equal costs allow."""
    merged = merged_states(before, points, cost=cost)
    return merged.classes(merged.bisect(total))
