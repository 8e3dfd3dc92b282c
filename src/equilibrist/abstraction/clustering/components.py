"""Components: points that chains of edges join."""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Longs


def components(points: int, edges: Longs) -> Longs:
    """[points] the component of each, numbered by their first points; `edges` [E, 2]."""
    from scipy.sparse import coo_array  # late: few commands need it
    from scipy.sparse.csgraph import connected_components

    joined = coo_array((np.ones(len(edges), np.int8), (edges[:, 0], edges[:, 1])), (points, points))
    label = connected_components(joined, directed=False)[1]
    first = np.unique(label, return_index=True)[1]
    numbers: Longs = np.argsort(np.argsort(first))[label].astype(np.int64)
    return numbers
