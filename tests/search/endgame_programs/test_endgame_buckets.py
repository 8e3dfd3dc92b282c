"""Buckets for endgames: definitions, and the known failures that the thesis names ([Lu16, §4.2.2])."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.core.errors import ParameterError
from equilibrist.search.endgame_programs.endgame_buckets import (
    BUCKETINGS,
    bucket_budget,
    endgame_buckets,
    equal_size_buckets,
    exact_kmeans_buckets,
    percentile_buckets,
)


def test_percentiles() -> None:
    """k = 5, top 0.98: the bounds are 0.245, 0.49, 0.735 and 0.98."""
    found = percentile_buckets([0.0, 0.24, 0.25, 0.5, 0.74, 0.979, 0.98, 1.0, -1.0], 5)
    assert found.tolist() == [0, 0, 1, 2, 3, 3, 4, 4, -1]


def test_percentiles_collapse_where_equities_lie_close() -> None:
    """[Lu16, §4.2.2]: equities in [.6, .73] with k = 5 are one bucket; used buckets are numbered from 0."""
    assert percentile_buckets([0.6, 0.65, 0.73], 5).tolist() == [0, 0, 0]
    assert percentile_buckets([0.6, 0.65, 0.99], 5).tolist() == [0, 0, 1]
    assert percentile_buckets([0.1, 0.99], 1).tolist() == [0, 0]


def test_kmeans_follows_dense_clumps() -> None:
    """[Lu16, §4.2.2]: clumps at .855 and .859 get a cluster each while .1 and .2 are merged."""
    equities = [0.855] * 4000 + [0.859] * 4000 + [0.1, 0.2]
    found = exact_kmeans_buckets(equities, 3)
    assert found[-1] == found[-2] == 0
    assert found[0] == 1
    assert found[4000] == 2


def test_equal_sizes() -> None:
    found = equal_size_buckets([0.5, 0.1, 0.9, -1.0, 0.3, 0.7], 2)
    assert found.tolist() == [0, 0, 1, -1, 0, 1]
    ties = [0.2, 0.5, 0.5, 0.5, 0.9]
    assert equal_size_buckets(ties, 2).tolist() == [0, 0, 0, 1, 1]
    assert equal_size_buckets(ties, 2, keep_ties=True).tolist() == [0, 0, 0, 0, 1]


@given(
    st.lists(st.one_of(st.just(-1.0), st.floats(0, 1)), min_size=1, max_size=40).filter(lambda e: max(e) >= 0),
    st.integers(1, 8),
    st.sampled_from(BUCKETINGS),
)
@settings(max_examples=60, deadline=None)
def test_buckets_rise_with_equity(equities: list[float], count: int, method: str) -> None:
    found = endgame_buckets(equities, count, method)
    live = np.array(equities) >= 0
    assert (found[~live] == -1).all()
    used = found[live]
    assert sorted(set(used.tolist())) == list(range(len(set(used.tolist()))))
    assert used.max() < count
    assert (np.diff(used[np.argsort(np.array(equities)[live], kind="stable")]) >= 0).all()
    assert np.array_equal(found, endgame_buckets(equities, count, method))


def test_budget() -> None:
    assert bucket_budget(1000, 90, [0.1] * 5 + [0.2, 0.3, -1.0]) == 3
    assert bucket_budget(1000, 400, np.linspace(0, 1, 50)) == 2
    assert bucket_budget(10, 400, [0.5]) == 1


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="between 0 and 1"):
        percentile_buckets([0.5, 1.5], 3)
    with pytest.raises(ParameterError, match="at least one bucket"):
        percentile_buckets([0.5], 0)
    with pytest.raises(ParameterError, match="Did you mean 'equal'"):
        endgame_buckets([0.5], 3, "equals")
