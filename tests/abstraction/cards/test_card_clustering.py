"""Earth mover's distances, k-means and clusters of boards: axioms, bounds that change nothing, known examples."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from equilibrist.abstraction.cards.deals import HOLDEM
from equilibrist.abstraction.cards.methods import EhsEqual, EhsPercentile, Help, NextStreet, Scene
from equilibrist.abstraction.cards.potential_aware import PotentialAware
from equilibrist.abstraction.cards.potential_space import potential_space
from equilibrist.abstraction.cards.public_boards import board_distances, cluster_by_distance
from equilibrist.abstraction.clustering.emd import emd_1d, exact_emd, greedy_emd
from equilibrist.abstraction.clustering.kmeans import KMeansCheckpoint, KMeansSettings, assign, kmeans
from equilibrist.compute.threads import Team
from equilibrist.core.errors import ParameterError

seeds = st.integers(0, 2**32 - 1)


def linear_program_emd(p, q, ground):
    """The transportation problem as HiGHS solves it."""
    n, m = ground.shape
    rows = np.zeros((n + m, n * m))
    for i in range(n):
        rows[i, i * m : (i + 1) * m] = 1.0
    for j in range(m):
        rows[n + j, j::m] = 1.0
    return linprog(ground.ravel(), A_eq=rows, b_eq=np.concatenate([p, q]), method="highs").fun


def distribution(rng, size, sparse=0.6):
    shares = rng.random(size) * (rng.random(size) < sparse)
    shares[rng.integers(size)] += 0.1
    return shares / shares.sum()


def metric(rng, size):
    """Distances of CDFs: what lies between buckets of histograms."""
    cdf = np.sort(rng.random((size, 5)), axis=1).astype(np.float32)
    return np.abs(cdf[:, None] - cdf[None]).sum(axis=2).astype(np.float32)


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_exact_distance_equals_the_linear_program(seed):
    rng = np.random.default_rng(seed)
    p, q = distribution(rng, rng.integers(1, 9)), distribution(rng, rng.integers(1, 9))
    ground = rng.random((len(p), len(q)))
    assert exact_emd(p, q, ground) == pytest.approx(linear_program_emd(p, q, ground), abs=1e-7)


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_one_dimension_equals_exact_transport(seed):
    rng = np.random.default_rng(seed)
    p, q = distribution(rng, 12), distribution(rng, 12)
    ground = np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0)))
    assert float(emd_1d(p, q)) == pytest.approx(exact_emd(p, q, ground), abs=1e-9)


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_exact_distance_is_a_metric_over_a_metric(seed):
    rng = np.random.default_rng(seed)
    ground = metric(rng, 8)
    p, q, r = (distribution(rng, 8) for _ in range(3))
    assert exact_emd(p, p, ground) == pytest.approx(0.0, abs=1e-9)
    assert exact_emd(p, q, ground) == pytest.approx(exact_emd(q, p, ground), abs=1e-6)
    assert exact_emd(p, r, ground) <= exact_emd(p, q, ground) + exact_emd(q, r, ground) + 1e-6


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_the_heuristic_is_never_below_exact_and_the_bound_never_above(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 14))
    ground = metric(rng, size)
    row = np.sort(rng.integers(0, size, 9)).astype(np.uint16)
    point, mean = np.bincount(row, minlength=size) / 9, distribution(rng, size)
    exact = exact_emd(point, mean, ground)
    heuristic = float(greedy_emd(row[None], mean[None], ground)[0, 0])
    positions = potential_space(ground).positions
    assert heuristic >= exact - 1e-6
    assert np.abs(point @ positions - mean @ positions).sum() <= exact + 1e-5


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_the_heuristic_is_exact_for_one_atom_and_zero_for_the_point_itself(seed):
    rng = np.random.default_rng(seed)
    ground = metric(rng, 10)
    alone = np.full((1, 6), rng.integers(10), np.uint16)
    mean = distribution(rng, 10)
    point = np.bincount(alone[0], minlength=10) / 6
    assert greedy_emd(alone, mean[None], ground)[0, 0] == pytest.approx(exact_emd(point, mean, ground), abs=1e-6)
    rows = np.sort(rng.integers(0, 10, (1, 6)), axis=1).astype(np.uint16)
    own = np.bincount(rows[0], minlength=10) / 6
    assert greedy_emd(rows, own[None], ground)[0, 0] == pytest.approx(0.0, abs=1e-9)


def naive_greedy(row, mean, ground):
    """[Ganzfried15, Algorithm 2] word by word, with lists of the mean's entries by distance."""
    support = [q for q in range(len(mean)) if mean[q] > 0]
    ordered = {c: sorted(support, key=lambda q: (ground[c, q], q)) for c in set(row.tolist())}
    need = {c: np.mean(row == c) for c in sorted(set(row.tolist()))}
    left, cost = mean.copy(), 0.0
    for k in range(len(support)):
        for c in need:
            t = ordered[c][k]
            moved = min(left[t], need[c])
            cost += moved * ground[c, t]
            need[c] -= moved
            left[t] -= moved
    return cost


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_the_heuristic_equals_its_naive_twin(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 14))
    ground = metric(rng, size)
    rows = np.sort(rng.integers(0, size, (3, 7)), axis=1).astype(np.uint16)
    means = np.array([distribution(rng, size) for _ in range(2)])
    expected = [[naive_greedy(row, mean, ground) for mean in means] for row in rows]
    assert greedy_emd(rows, means, ground) == pytest.approx(np.array(expected), abs=1e-6)


def test_the_example_where_potential_matters():
    # [Ganzfried15, §5.1.1]: B is at equity bin 0 or 4 with one half each; D is bin 0, E is bin 4; distributions alone see no difference
    histograms = np.array([[0.5, 0, 0, 0, 0.5], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1.0]])
    ground = np.array([[float(emd_1d(a, b)) for b in histograms] for a in histograms])
    assert ground[0, 1] == ground[0, 2] == 2.0
    first, second = np.array([1.0, 0, 0]), np.array([0, 0.5, 0.5])
    assert float(emd_1d(first @ histograms, second @ histograms)) == 0.0
    assert exact_emd(first, second, ground) == pytest.approx(2.0)


@pytest.mark.parametrize("kind", ["emd", "l2"])
def test_assignment_equals_brute_force(kind):
    rng = np.random.default_rng(5)
    points = np.cumsum(rng.random((800, 9)), axis=1).astype(np.float32)
    centres = points[:60]
    gaps = np.abs(points[:, None] - centres[None])
    distance = gaps.sum(axis=2) if kind == "emd" else np.sqrt((gaps**2).sum(axis=2))
    label, own = assign(points, centres, kind)
    assert np.array_equal(label, distance.argmin(axis=1))
    assert own == pytest.approx(distance.min(axis=1), abs=1e-4)


def naive_lloyd(points, weight, centres, rounds, kind):
    for _ in range(rounds):
        gaps = np.abs(points[:, None].astype(float) - centres[None])
        distance = gaps.sum(axis=2) if kind == "emd" else np.sqrt((gaps**2).sum(axis=2))
        label = distance.argmin(axis=1)
        centres = np.array(
            [np.average(points[label == c], axis=0, weights=weight[label == c]) for c in range(len(centres))]
        )
    return label


@pytest.mark.parametrize("kind", ["emd", "l2"])
def test_bounds_do_not_change_the_clusters(kind):
    rng = np.random.default_rng(2)
    points = np.sort(rng.random((600, 6)), axis=1).astype(np.float32)
    weight = rng.integers(1, 20, 600).astype(float)
    states = []
    found = kmeans(
        points,
        weight,
        12,
        kind,
        seed=4,
        settings=KMeansSettings(1, 9, -1.0),
        progress=KMeansCheckpoint(save=states.append),
    )
    first = kmeans(points, weight, 12, kind, seed=4, settings=KMeansSettings(1, 1, -1.0)).centres.astype(float)
    assert np.array_equal(states[-1]["label"], naive_lloyd(points, weight, first, 9, kind))
    assert found.objective == min(found.history[0])


def test_the_objective_falls_and_the_best_restart_is_kept():
    rng = np.random.default_rng(3)
    points = rng.random((500, 4)).astype(np.float32)
    found = kmeans(points, np.ones(500), 15, "l2", seed=0, settings=KMeansSettings(25, 40, 0.0))
    for history in found.history:
        assert all(b <= a * (1 + 1e-6) for a, b in pairwise(history))
    assert found.objective == min(min(history) for history in found.history)
    assert len(found.history) == 25
    label, own = assign(points, found.centres, "l2")
    assert np.array_equal(label, found.label)
    assert (own**2).sum() == pytest.approx(found.objective, rel=1e-5)


def test_threads_change_nothing_and_clusters_are_never_empty():
    rng = np.random.default_rng(8)
    points = rng.integers(0, 4, (70_000, 3)).astype(np.float32)  # many points alike: seeds fall together
    one = kmeans(points, np.ones(70_000), 50, "emd", seed=1, settings=KMeansSettings(1, 10))
    two = kmeans(points, np.ones(70_000), 50, "emd", seed=1, settings=KMeansSettings(1, 10), team=Team(2))
    assert np.array_equal(one.label, two.label)
    assert np.array_equal(one.centres, two.centres)
    assert len(np.unique(one.label)) == 50


@pytest.mark.parametrize("restarts", [1, 3])
def test_an_interrupted_run_goes_on_to_the_same_result(restarts):
    rng = np.random.default_rng(9)
    points, weight = rng.random((300, 3)).astype(np.float32), rng.random(300)
    setting = KMeansSettings(restarts, 8, 0.0)
    states = []
    whole = kmeans(points, weight, 7, "l2", seed=2, settings=setting, progress=KMeansCheckpoint(save=states.append))
    for state in states[:: max(1, len(states) // 6)]:
        again = kmeans(
            points, weight, 7, "l2", seed=2, settings=setting, progress=KMeansCheckpoint(load=lambda s=state: s)
        )
        assert np.array_equal(whole.label, again.label)
        assert np.array_equal(whole.centres, again.centres)
        assert whole.history == again.history


def scene(rng, buckets):
    return Scene(HOLDEM, 1, next=NextStreet((2, 4), np.zeros(1, np.uint16), metric(rng, buckets)))


def test_potential_aware_assignment_equals_all_distances():
    rng = np.random.default_rng(1)
    place = scene(rng, 30)
    rows = np.sort(rng.integers(0, 30, (400, 11)), axis=1).astype(np.uint16)
    method = PotentialAware(iterations=5)
    clusters = method.fit(rows, np.ones(400), 12, place, Help(3))
    costs = greedy_emd(rows, clusters.centres, place.next.distances)
    label = method.assign(rows, clusters, place)
    assert costs[np.arange(400), label] == pytest.approx(costs.min(axis=1), abs=1e-6)
    assert clusters.centres.sum(axis=1) == pytest.approx(1.0, abs=1e-4)


def test_potential_aware_runs_go_on_to_the_same_result():
    rng = np.random.default_rng(4)
    place = scene(rng, 20)
    rows = np.sort(rng.integers(0, 20, (200, 7)), axis=1).astype(np.uint16)
    method, states = PotentialAware(restarts=2, iterations=6), []
    whole = method.fit(rows, np.ones(200), 8, place, Help(1, Team(2), KMeansCheckpoint(save=states.append)))
    for state in states[::3]:
        again = method.fit(rows, np.ones(200), 8, place, Help(1, Team(), KMeansCheckpoint(load=lambda s=state: s)))
        assert np.array_equal(whole.centres, again.centres)


def test_distances_between_potential_aware_buckets_are_a_metric():
    rng = np.random.default_rng(6)
    place = scene(rng, 12)
    rows = np.sort(rng.integers(0, 12, (60, 5)), axis=1).astype(np.uint16)
    method = PotentialAware(iterations=3)
    found = method.distances(method.fit(rows, np.ones(60), 6, place, Help()), place)
    assert np.array_equal(found, found.T)
    assert (found[:, :, None] <= found[:, None, :] + found.T[None, :, :] + 1e-5).all()


def test_intervals_of_strength():
    rows = np.array([[0.05, 0], [0.5, 0], [0.55, 0], [0.99, 0]], np.float32)
    percentile = EhsPercentile(alpha=0.98)  # [Lu16, §4.2.2]: width 0.98 / 4, the top apart, empty ones squeezed out
    clusters = percentile.fit(rows, np.ones(4), 5, scene=None, help=None)
    assert percentile.assign(rows, clusters, None).tolist() == [0, 1, 1, 2]
    equal = EhsEqual()
    clusters = equal.fit(rows, np.array([1.0, 1.0, 1.0, 3.0]), 2, scene=None, help=None)
    assert equal.assign(rows, clusters, None).tolist() == [0, 0, 0, 1]
    ties = np.repeat([[0.3, 0.0]], 6, axis=0).astype(np.float32)
    assert EhsEqual().fit(ties, np.ones(6), 3, None, None).size == 1


@given(seeds, st.sampled_from(["sum", "average", "medoids"]))
@settings(max_examples=20, deadline=None)
def test_clusters_by_distance_are_never_empty_and_keep_the_best_round(seed, objective):
    rng = np.random.default_rng(seed)
    transitions = rng.multinomial(40, np.full(9, 1 / 9), size=30).astype(np.int32)
    distance = board_distances(transitions)
    assert distance.min() >= 0.0
    assert distance.max() <= 1.0
    assert (np.diag(distance) == 0.0).all()
    expected = (40 - np.minimum(transitions[3], transitions[7]).sum()) / 40
    assert distance[3, 7] == pytest.approx(expected)
    found = cluster_by_distance(distance, 6, seed=1, objective=objective)
    assert (np.bincount(found.label, minlength=6) > 0).all()
    assert found.objective == min(found.history)


def test_more_clusters_than_boards_are_refused():
    with pytest.raises(ParameterError, match="3 boards"):
        cluster_by_distance(np.zeros((3, 3)), 4)
