"""Blueprints against each other at one table, everybody in both seats on the same deals ([Lu16, §6.2])."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.solvers.blueprint._kernels import coupled
from equilibrist.solvers.blueprint.run import BLOCK
from equilibrist.solvers.blueprint.values.one_sided_cfr import DealBlocks, TranslatedSeat


@dataclass(frozen=True, eq=False)
class BlueprintCrossTable:
    """Chips a hand of row against column, mean over both seats of the same deals."""

    names: tuple[str, ...]
    value: Floats  # [k, k]
    error: Floats  # [k, k] standard


def cross_table(
    table: DealBlocks, players: Mapping[str, tuple[TranslatedSeat, TranslatedSeat]], deals: int, first_block: int = 0
) -> BlueprintCrossTable:
    """Everybody against everybody on the same deals, each played in both seats; players are pairs of readers by seat."""
    names, blocks = tuple(players), -(-deals // BLOCK)
    sums, squares = np.zeros((2, len(names), len(names)))
    here, there = np.empty((2, BLOCK))
    for number in range(first_block, first_block + blocks):
        bucket, strength, random = table.block(number)
        for i, j in combinations(range(len(names)), 2):
            one, other = players[names[i]], players[names[j]]
            coupled.play_readers(one[0].packed, other[1].packed, table.tree, bucket, strength, random, here)
            coupled.play_readers(other[0].packed, one[1].packed, table.tree, bucket, strength, random, there)
            won = 0.5 * (here - there)
            sums[i, j] += won.sum()
            squares[i, j] += won @ won
    count = blocks * BLOCK
    mean = sums / count
    error = np.sqrt(np.maximum(squares / count - mean * mean, 0.0) / count)
    return BlueprintCrossTable(names, mean - mean.T, error + error.T)
