"""Components equal those that relabelling edge by edge finds, numbered by first points."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from equilibrist.abstraction.clustering.components import components


@given(st.integers(1, 12), st.data())
def test_components_are_what_edges_join(points: int, data: st.DataObject) -> None:
    place = st.integers(0, points - 1)
    edges = data.draw(st.lists(st.tuples(place, place), max_size=15))
    label = np.arange(points)
    for one, other in edges:
        label[label == label[other]] = label[one]
    found = components(points, np.array(edges, np.int64).reshape(-1, 2))
    np.testing.assert_array_equal(found[:, None] == found, label[:, None] == label)
    firsts = np.unique(found, return_index=True)[1]
    assert (np.diff(firsts) > 0).all()
