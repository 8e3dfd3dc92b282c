"""The space of potential-aware points: distances between the next street's buckets, and the search for the nearest mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.clustering._kernels import transport as loops
from equilibrist.abstraction.clustering.emd import neighbour_order
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats

CELLS = 64  # of the line that distributions are projected on for the bound
SPAN = 1 << 12  # points of one job

Rows = NDArray[Any]
Labels = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PotentialSpace:
    """Distances between the buckets of the next street, and what is worked out of them once."""

    ground: NDArray[np.float32]  # [C, C]
    order: NDArray[np.int16]  # [C, C]; neighbours by distance
    positions: NDArray[np.float32]  # [C, CELLS]; see `_positions`
    counts: list[int] = field(default_factory=lambda: [0, 0])  # distances asked for, worked out

    def assign(self, rows: Rows, means: Floats, team: Team, label: Labels | None = None) -> tuple[Labels, Floats]:
        """Nearest mean of every row, and its distance; `label` says where to look first."""
        spots = (means @ self.positions).astype(np.float32)
        shade = spots.sum(axis=1, dtype=np.float64)
        by_shade = np.argsort(shade, kind="stable")
        place = np.argsort(by_shade)
        sorted_means = np.ascontiguousarray(means[by_shade])
        found = np.full(len(rows), -1, np.int64) if label is None else place[label]
        own = np.empty(len(rows))
        arrays = sorted_means, np.ascontiguousarray(spots[by_shade]), shade[by_shade], self.order, self.ground
        tallies = []

        def job(start: int) -> Callable[[], None]:
            counts = np.zeros(2, np.int64)
            tallies.append(counts)
            stop = min(start + SPAN, len(rows))
            return lambda: loops.assign_rows(rows, self.positions, *arrays, start, stop, found, own, counts)

        team.run([job(start) for start in range(0, len(rows), SPAN)])
        for kind in range(2):
            self.counts[kind] += sum(int(tally[kind]) for tally in tallies)
        return by_shade[found], own

    def sparse(self, row: Rows) -> tuple[Floats, NDArray[np.float32], NDArray[np.int16], NDArray[np.float32]]:
        """A point as a mean with few entries: masses, embedding, order of its entries from each class, distances to them."""
        support, times = np.unique(row, return_counts=True)
        ground = np.ascontiguousarray(self.ground[:, support])
        mass = times / len(row)
        return mass, (mass @ self.positions[support]).astype(np.float32), neighbour_order(ground), ground


def potential_space(ground: NDArray[np.float32]) -> PotentialSpace:
    ground = np.ascontiguousarray(ground, np.float32)
    return PotentialSpace(ground, neighbour_order(ground), _positions(ground))


def _positions(ground: NDArray[np.float32]) -> NDArray[np.float32]:
    """[C, CELLS]: for each class its step function on a line, cell by cell.

    Where a class stands on the line is its distance from a class at the end of it, so two classes are no farther apart there
    than they are. The distance of two distributions on the line is the area between their CDFs; cell by cell, no more than that.
    """
    end = int(ground[0].argmax())
    place = ground[end].astype(np.float64)
    width = max(float(place.max()), 1e-9) / CELLS
    upper = width * np.arange(1, CELLS + 1)
    return np.asarray(np.clip(upper[None, :] - place[:, None], 0.0, width), np.float32)
