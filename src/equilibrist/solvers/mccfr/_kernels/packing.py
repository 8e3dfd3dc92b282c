"""Arrays of trees laid out for the sampling kernels; plain NumPy, run once per solve.

The layouts are those of `mccfr.PackedTree` (game trees) and `public_chance.PublicWalk` (public trees).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
CHANCE, TERMINAL = -1, -2
_WORD = (1 << 64) - 1


def random_state(seed: int) -> Array:
    """Four words of xoshiro256++ from one number, by splitmix64."""
    words, counter = [], seed & _WORD
    for _ in range(4):
        counter = (counter + 0x9E3779B97F4A7C15) & _WORD
        word = ((counter ^ (counter >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _WORD
        words.append(word ^ (word >> 31))
    return np.array(words, dtype=np.uint64)


def pack_nodes(player: Array, first_child: Array, children: Array, row: Array, payoff_row: Array) -> Array:
    """[N, 4]: all that a walk needs to know of a node in 16 bytes; `row` is read at decisions, `payoff_row` at ends."""
    end = player == TERMINAL
    first = np.where(end, payoff_row, first_child)
    return np.stack([player, first, children, np.where(player >= 0, row, 0)], axis=1).astype(np.int32)


def pack_chance(player: Array, parent: Array, probability: Array, nodes: Array) -> tuple[Array, Array]:
    """Outcomes [M, 2] and cumulative probabilities [M] of chance nodes, entered in `nodes`; chains become one draw."""
    chance = player == CHANCE
    behind = np.flatnonzero(~chance & (parent >= 0) & chance[parent])
    head, share = parent[behind], probability[behind]
    passed = np.zeros_like(head)
    while (higher := (parent[head] >= 0) & chance[parent[head]]).any():
        share[higher] *= probability[head[higher]]
        head[higher] = parent[head[higher]]
        passed[higher] += 1
    order = np.argsort(head, kind="stable")
    heads, first, count = np.unique(head[order], return_index=True, return_counts=True)
    cumulative, even = cumulate(share[order], first, count)
    nodes[heads, 1], nodes[heads, 2], nodes[heads, 3] = first, count, even
    return np.stack([behind[order], passed[order]], axis=1).astype(np.int32), cumulative


def cumulate(weight: Array, first: Array, count: Array) -> tuple[Array, Array]:
    """Cumulative shares within groups that follow one another, and which groups are even."""
    if not len(first):
        return np.zeros(0), np.zeros(0, dtype=np.int32)
    total = np.add.reduceat(weight, first)
    cumulative = np.cumsum(weight)
    cumulative -= np.repeat(cumulative[first] - weight[first], count)
    spread = np.maximum.reduceat(weight, first) - np.minimum.reduceat(weight, first)
    return cumulative / np.repeat(total, count), (spread <= 1e-12 * total).astype(np.int32)


def depth(parent: Array, ends: Array) -> int:
    """Steps of the longest history."""
    steps, alive = 0, parent[ends]
    while (alive := np.unique(alive[alive >= 0])).size:
        steps += 1
        alive = parent[alive]
    return steps


def pack_states(player: Array, parent: Array, chance_weight: Array) -> tuple[Array, Array, Array, Array]:
    """Public states [S, 4] and their children: number, cumulative share, 1 / share.

    Chance is public where it leads to several public states. One of them is drawn by its share of the chance weight,
    and what is seen through it is divided by that share; private chance stays in the terminals' weights.
    """
    states = np.zeros((len(player), 4), dtype=np.int32)
    child = (np.argsort(parent[1:], kind="stable") + 1).astype(np.int32)
    parents, first, count = np.unique(parent[child], return_index=True, return_counts=True)
    states[:, 0] = player
    states[parents, 1], states[parents, 2] = first, count
    states[:, 3] = (player == CHANCE) & (states[:, 2] > 1)
    weight = chance_weight[child]
    cumulative, _ = cumulate(weight, first, count)
    total = np.repeat(np.add.reduceat(weight, first), count) if len(first) else weight
    return states, child, cumulative, total / weight


def pack_private(
    parents: Sequence[Array], actions: Sequence[Array], rows: Sequence[Array], first_choices: Sequence[Array]
) -> tuple[Array, Array]:
    """[K, 5] over the private states of all players, one player after another, and where each player begins."""
    offset = np.cumsum([0, *(len(parent) for parent in parents)])
    choice = np.cumsum([0, *(int(first[-1]) for first in first_choices)])
    blocks = [
        np.stack(
            [
                np.where(parent >= 0, parent + offset[p], -1),
                actions[p],
                rows[p],
                np.diff(first_choices[p]),
                first_choices[p][:-1] + choice[p],
            ],
            axis=1,
        )
        for p, parent in enumerate(parents)
    ]
    return np.concatenate(blocks).astype(np.int32), offset[:-1]
