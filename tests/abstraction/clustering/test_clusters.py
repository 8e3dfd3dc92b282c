"""Clusters of numbers and points, and how a total is shared out among families, against all possibilities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.abstraction.clustering._kernels import kmeans as loops
from equilibrist.abstraction.clustering.kmeans import kmeans_of_few
from equilibrist.abstraction.clustering.line_clusters import line_clusters
from equilibrist.abstraction.clustering.medoids import medoids
from equilibrist.abstraction.information.allocation import allocate
from equilibrist.abstraction.information.potential_aware import counts_to_try
from equilibrist.core.errors import ParameterError
from reference.naive_abstraction import allocation_by_milp, least_allocation, least_squared_error

NUMBERS = st.lists(st.tuples(st.integers(0, 40).map(lambda n: n / 40), st.integers(1, 5)), min_size=1, max_size=7)


@given(NUMBERS)
@settings(max_examples=40, deadline=None)
def test_line_clusters_are_optimal(data: list[tuple[float, int]]) -> None:
    values, weights = zip(*data, strict=True)
    found = line_clusters(values, weights, error="squared")
    assert found.most == len(set(values))
    for count in range(1, found.most + 1):
        label = found.labels(count)
        assert sorted(set(label.tolist())) == list(range(count))
        assert all(
            a <= b for a, b in zip(label[np.argsort(values)], np.sort(label), strict=True)
        )  # rising with the value
        assert found.errors()[count - 1] == pytest.approx(least_squared_error(values, weights, count), abs=1e-12)


def test_divide_and_conquer_is_the_plain_program() -> None:
    """The table by definition, on enough numbers for many divisions."""
    rng = np.random.default_rng(3)
    values, weights = np.sort(rng.random(120)), rng.integers(1, 9, 120).astype(float)
    found = line_clusters(values, weights, most=15, error="squared")

    def spread(i: int, j: int) -> float:
        mean = np.average(values[i:j], weights=weights[i:j])
        return float(weights[i:j] @ (values[i:j] - mean) ** 2)

    table = [[spread(0, j) if j else np.inf for j in range(121)]]
    for _ in range(14):
        table.append([min((table[-1][i] + spread(i, j) for i in range(1, j)), default=np.inf) for j in range(121)])
    assert found.errors() == pytest.approx([row[120] for row in table], abs=1e-9)


def test_values_hardly_apart_are_kept_apart() -> None:
    values = [0.5, 0.5 + 1e-15, 0.5 + 2e-15, 0.9]
    assert line_clusters(values).labels(4).tolist() == [0, 1, 2, 3]


def test_absolute_error_measures_distances_from_means() -> None:
    found = line_clusters([0.0, 1.0, 5.0], [3, 1, 1])
    assert found.errors() == pytest.approx([3 * 1.2 + 0.2 + 3.8, 3 * 0.25 + 0.75, 0.0])  # means 1.2; 0.25 and 5


@given(st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=5), min_size=1, max_size=4), st.integers(0, 12))
@settings(max_examples=40, deadline=None)
def test_allocation_is_optimal(errors: list[list[int]], extra: int) -> None:
    total = len(errors) + extra
    counts = allocate([np.array(family, float) for family in errors], total)
    assert sum(counts) <= total
    cost = sum(family[k - 1] for family, k in zip(errors, counts, strict=True))
    assert cost == least_allocation(errors, total) == pytest.approx(allocation_by_milp(errors, total))


def test_allocation_equals_the_integer_program_on_many_families() -> None:
    rng = np.random.default_rng(0)
    errors = [np.sort(rng.random(rng.integers(1, 20)))[::-1].copy() for _ in range(40)]
    counts = allocate(errors, 200)
    cost = sum(family[k - 1] for family, k in zip(errors, counts, strict=True))
    assert cost == pytest.approx(allocation_by_milp(errors, 200), abs=1e-9)


def test_too_few_classes_are_refused() -> None:
    with pytest.raises(ParameterError, match="ask for at least as many"):
        allocate([np.zeros(2)] * 3, 2)


def test_kmeans_finds_separate_groups() -> None:
    rng = np.random.default_rng(1)
    points = np.concatenate([centre + 0.01 * rng.random((20, 2)) for centre in ([0, 0], [1, 0], [0, 1])])
    _, label = kmeans_of_few(points, np.ones(60), 3, rng)
    assert {len(set(label[n : n + 20].tolist())) for n in (0, 20, 40)} == {1}
    assert len(set(label[[0, 20, 40]].tolist())) == 3


@given(NUMBERS, st.integers(1, 4))
@settings(max_examples=25, deadline=None)
def test_kmeans_on_a_line_is_never_better_than_the_optimum(data: list[tuple[float, int]], count: int) -> None:
    values, weights = (np.array(column, float) for column in zip(*data, strict=True))
    line = line_clusters(values, weights, error="squared")
    count = min(count, line.most)
    error, label = kmeans_of_few(
        values[:, None], weights, count, np.random.default_rng(0), restarts=20, error="squared"
    )
    means = [np.average(values[label == k], weights=weights[label == k]) for k in range(count)]
    assert error == pytest.approx(weights @ (values - np.array(means)[label]) ** 2, abs=1e-9)
    assert error >= line.errors()[count - 1] - 1e-9


def test_kmeans_is_the_same_again() -> None:
    points = np.random.default_rng(5).random((50, 3))
    first, second = (kmeans_of_few(points, np.ones(50), 7, np.random.default_rng(9))[1] for _ in range(2))
    assert np.array_equal(first, second)


def test_medoids() -> None:
    points = np.array([0.0, 0.1, 0.2, 5.0, 5.1, 9.0])
    label = medoids(np.abs(points[:, None] - points), np.ones(6), 3)
    assert label.tolist() == [0, 0, 0, 1, 1, 2]


def test_counts_to_try() -> None:
    assert counts_to_try(3) == [1, 2, 3]
    tried = counts_to_try(1000)
    assert tried[:40] == list(range(1, 41))
    assert tried[-1] == 1000
    assert len(tried) < 80


@pytest.mark.parametrize("drawn", [0.0, 0.2, 0.5, 0.999, 1.0 - 1e-16])
def test_centres_are_drawn_from_spans_as_from_all_points(drawn: float) -> None:
    rng = np.random.default_rng(3)
    weight, nearest, span = rng.random(2500), rng.random(2500) * (rng.random(2500) < 0.4), 1024
    nearest[1024:2048] = 0.0  # a span without a point to draw
    nearest[-1] = 0.0
    mass = np.array([np.sum((weight * nearest**2)[first : first + span]) for first in range(0, 2500, span)])
    found = loops.draw_from_spans(1, drawn, span, weight, nearest, mass)
    assert nearest[found] > 0.0
    if drawn < 0.9999:  # sums in another order are rounded otherwise
        assert found == loops.pick_centre(1, drawn, weight, nearest)
    assert loops.draw_from_spans(0, drawn, span, weight, nearest, mass) == loops.pick_centre(0, drawn, weight, nearest)
    assert loops.draw_from_spans(1, drawn, span, weight, 0.0 * nearest, 0.0 * mass) == loops.pick_centre(
        0, drawn, weight, nearest
    )
