"""Hands of both players on many rivers, sorted by strength."""

import numpy as np

from equilibrist.cards._kernels.showdown import PLACE, sort_hands
from equilibrist.compute.kernel import kernel


@kernel
def count_hands(strengths, live0, live1, counts, groups):
    """Hands of each player on each board [2, B], and strengths that either holds, the closing row included [B]."""
    seen = np.zeros(1 << 16, dtype=np.int32)
    for b in range(strengths.shape[0]):
        levels = 1
        for h in range(strengths.shape[1]):
            strength = strengths[b, h]
            if strength > 0 and (live0[b, h] or live1[b, h]):
                counts[0, b] += live0[b, h]
                counts[1, b] += live1[b, h]
                if seen[strength] != b + 1:
                    seen[strength] = b + 1
                    levels += 1
        groups[b] = levels


@kernel
def lay_out_rivers(strengths, live0, live1, start, groups, pair0, pair1, twin0, twin1):
    """Each board's hands by strength, equal ones by number; where strengths begin; where the other player holds the same hand."""
    hands = np.arange(strengths.shape[1])
    order, spare = np.empty(len(hands), dtype=np.int64), np.empty(len(hands), dtype=np.int64)
    counts = np.empty((2, 256), dtype=np.int64)
    for b in range(strengths.shape[0]):
        possible = sort_hands(strengths[b], hands, order, spare, counts)
        first, second, group, last = 0, 0, start[b], -1
        for k in range(possible):
            strength, h = order[k] >> 16, order[k] & PLACE
            here, there = live0[b, h], live1[b, h]
            if not (here or there):
                continue
            if strength != last:
                groups[group, 0], groups[group, 1] = first, second
                group, last = group + 1, strength
            if here and there:
                twin0[b, first], twin1[b, second] = second, first
            if here:
                pair0[b, first] = h
                first += 1
            if there:
                pair1[b, second] = h
                second += 1
        groups[group, 0], groups[group, 1] = first, second
