"""What all sampling kernels share: random numbers from an explicit state, chance outcomes, regret matching.

A row of the table holds one infoset: regrets, current strategy and strategy sum, `width` numbers each, one after
the other, so that a visit touches neighbouring cache lines. A walk changes regrets and sums only; the strategies of
the rows it touched are matched again after it, so every walk sees one fixed profile.
"""

import numpy as np

from equilibrist.compute.kernel import kernel

_11, _17, _19, _23, _41, _45 = (np.uint64(bits) for bits in (11, 17, 19, 23, 41, 45))
_TO_UNIT = 1.0 / 9007199254740992.0  # 2^-53


@kernel
def uniform(random):  # random uint64 [4]
    """The next number in [0, 1) of xoshiro256++ ([Blackman21])."""
    s0, s1, s2, s3 = random[0], random[1], random[2], random[3]
    mixed = s0 + s3
    mixed = ((mixed << _23) | (mixed >> _41)) + s0
    shifted = s1 << _17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << _45) | (s3 >> _19)
    random[0], random[1], random[2], random[3] = s0, s1, s2, s3
    return np.float64(mixed >> _11) * _TO_UNIT


@kernel
def draw_outcome(cumulative, first, count, even, u):
    """Index of a chance outcome: the first whose cumulative exceeds u, at once where all are equally likely."""
    if even:
        return first + int(u * count)
    low, high = first, first + count - 1
    while low < high:
        middle = (low + high) >> 1
        if cumulative[middle] > u:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def draw_action(table, first, width, u):
    """Index of an action drawn from the probabilities at `first`; never one of probability zero."""
    chosen = 0
    for a in range(width):
        p = table[first + a]
        if p > 0.0:
            chosen = a
            u -= p
            if u < 0.0:
                break
    return chosen


@kernel
def match_row(table, base, width):
    """The row's strategy from its regrets: positive parts, uniform when none is positive."""
    if width == 2:  # the commonest row, without loops
        first, second = max(table[base], 0.0), max(table[base + 1], 0.0)
        p = first / (first + second) if first + second > 0.0 else 0.5
        table[base + 2], table[base + 3] = p, 1.0 - p
        return
    total = 0.0
    for s in range(base, base + width):
        positive = max(table[s], 0.0)
        table[s + width] = positive
        total += positive
    if total > 0.0:
        scale = 1.0 / total
        for s in range(base + width, base + 2 * width):
            table[s] *= scale
    else:
        for s in range(base + width, base + 2 * width):
            table[s] = 1.0 / width


@kernel
def match_all(rows, table):  # rows [I, 2]: base and width
    """Match every row: at the start, and when a walk touched more rows than could be written down."""
    for i in range(rows.shape[0]):
        match_row(table, rows[i, 0], rows[i, 1])
