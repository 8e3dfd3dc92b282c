"""Clusters of public flops: boards are near if holdings fall into the same buckets on them ([Ganzfried15, Algorithms 4 and 5])."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.cards._kernels.public_boards import shared_holdings
from equilibrist.abstraction.cards.deals import HOLE, Streets, board_count, hands_on, indexer_of
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError

ROUNDS = 100  # of reassignment, at most ([Ganzfried15] gives no number)
OBJECTIVES = ("sum", "average", "medoids")

Labels = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PublicClusters:
    """Clusters of points that only distances are known of."""

    label: Labels  # [points]
    objective: float  # sum over points of the sum (or mean) of distances to their cluster
    history: tuple[float, ...]  # objective by round


def transition_table(streets: Streets, table: NDArray[np.integer], buckets: int) -> NDArray[np.int32]:
    """[flops, buckets]: how many holdings fall into each bucket with each canonical flop ([Ganzfried15, Algorithm 4])."""
    dealt = streets.merged(1)
    flops = board_count(dealt, streets.deck)
    hands = hands_on(dealt, streets.deck, np.arange(flops))
    times = indexer_of(dealt[1:], streets.deck).multiplicity(np.arange(flops))
    where = hands.board * buckets + table[hands.index].astype(np.int64)
    counts = np.bincount(where, hands.weight // times[hands.board], flops * buckets)
    return counts.reshape(flops, buckets).astype(np.int32)


def board_distances(transitions: NDArray[np.int32]) -> Floats:
    """[flops, flops] in [0, 1]: the share of holdings that fall into different buckets; boards may be at distance 0."""
    shared = np.zeros((len(transitions), len(transitions)), np.int64)
    shared_holdings(np.ascontiguousarray(transitions), shared)
    holdings = int(transitions[0].sum())
    return np.asarray((holdings - shared) / holdings)


def cluster_by_distance(
    distance: Floats, count: int, *, seed: int = 0, objective: str = "sum", rounds: int = ROUNDS
) -> PublicClusters:
    """Points [n, n] into `count` clusters, none empty ([Ganzfried15, Algorithm 5]).

    The *sum* of distances to a cluster's members decides, which keeps clusters of like size. Points move all at once, as in the
    source, and may swing; so the best round is kept and, beyond the source, points then move one at a time until none gains.
    """
    if not 1 <= count <= len(distance):
        raise ParameterError(
            f"{len(distance):,} boards make 1 to {len(distance):,} clusters, but {count:,} were asked for."
        )
    if objective not in OBJECTIVES:
        raise ParameterError(f"The objective is one of {', '.join(OBJECTIVES)}, but '{objective}' was given.")
    label = _seeds(distance, count, seed)
    best, least, history = label, np.inf, []
    for _ in range(rounds):
        label = _filled(distance, label, count)
        cost = _costs(distance, label, count, objective)
        total = float(cost[np.arange(len(label)), label].sum())
        history.append(total)
        if total < least:
            best, least = label, total
        moved = cost.argmin(axis=1)
        stay = cost[np.arange(len(label)), label] <= cost.min(axis=1)
        moved = np.where(stay, label, moved)
        if np.array_equal(moved, label):
            break
        label = moved
    if objective == "sum":
        best = _settled(distance, best, count, rounds)
        least = float(_costs(distance, best, count, "sum")[np.arange(len(best)), best].sum())
        history.append(least)
    return PublicClusters(best, least, tuple(history))


def _settled(distance: Floats, label: Labels, count: int, rounds: int) -> Labels:
    """Move one point at a time to the cluster of the least sum: each move lowers the objective, so this comes to rest."""
    label, cost = label.copy(), _costs(distance, label, count, "sum")
    for _ in range(rounds):
        moved = False
        for point in range(len(label)):
            here, there = int(label[point]), int(cost[point].argmin())
            if cost[point, there] < cost[point, here] - 1e-12:
                cost[:, here] -= distance[point]
                cost[:, there] += distance[point]
                label[point] = there
                moved = True
        if not moved:
            break
    return label


def cluster_flops(
    streets: Streets, table: NDArray[np.integer], buckets: int, count: int, *, seed: int = 0
) -> PublicClusters:
    """Canonical flops into clusters, by the buckets of a flop table."""
    return cluster_by_distance(board_distances(transition_table(streets, table, buckets)), count, seed=seed)


def holdings(streets: Streets) -> int:
    """How many private hands a flop leaves: 1,176 in hold'em."""
    free = streets.deck.size - streets.dealt[1]
    return free * (free - 1) // HOLE


def _seeds(distance: Floats, count: int, seed: int) -> Labels:
    """k-means++ from distances alone; every point to its nearest seed."""
    rng = np.random.default_rng(seed)
    chosen = [int(rng.integers(len(distance)))]
    nearest = distance[chosen[0]].copy()
    while len(chosen) < count:
        weight = nearest**2
        weight[chosen] = 0.0
        if not weight.any():
            weight = np.ones(len(distance))
            weight[chosen] = 0.0
        chosen.append(int(rng.choice(len(distance), p=weight / weight.sum())))
        nearest = np.minimum(nearest, distance[chosen[-1]])
    label: Labels = distance[:, chosen].argmin(axis=1)
    label[chosen] = np.arange(count)
    return label


def _costs(distance: Floats, label: Labels, count: int, objective: str) -> Floats:
    """[points, clusters]: what it costs a point to belong to a cluster."""
    member = np.zeros((len(label), count))
    member[np.arange(len(label)), label] = 1.0
    sums: Floats = distance @ member  # d_ii is 0, so a point does not count itself
    if objective == "sum":
        return sums
    sizes = member.sum(axis=0)
    if objective == "average":
        return np.asarray(sums / np.maximum(sizes - member, 1.0))
    own = np.where(member > 0.0, sums, np.inf)
    return distance[:, own.argmin(axis=0)]


def _filled(distance: Floats, label: Labels, count: int) -> Labels:
    """No cluster empty: each takes the point that lies farthest from its own cluster's members."""
    empty = np.flatnonzero(np.bincount(label, minlength=count) == 0)
    if not len(empty):
        return label
    label, sizes = label.copy(), np.bincount(label, minlength=count)
    cost = _costs(distance, label, count, "average")[np.arange(len(label)), label]
    farthest = iter(np.argsort(-cost, kind="stable").tolist())
    for cluster in empty:
        point = next(point for point in farthest if sizes[label[point]] > 1)
        sizes[label[point]] -= 1
        label[point] = cluster
        sizes[cluster] = 1
    return label
