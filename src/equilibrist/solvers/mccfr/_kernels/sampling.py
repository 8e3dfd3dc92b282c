"""What all sampling kernels share: random numbers from an explicit state, chance outcomes, the ends of walks.

A row of the table holds one infoset: regrets, current strategy and strategy sum, `width` numbers each, one after
the other, so that a visit touches neighbouring cache lines. A walk changes regrets and sums only; the strategies of
the rows it touched are matched again after it, so every walk sees one fixed profile.
"""

from typing import Any, NamedTuple

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.matching import match_pair, match_row

_11, _17, _19, _23, _41, _45 = (np.uint64(bits) for bits in (11, 17, 19, 23, 41, 45))
_TO_UNIT = 1.0 / 9007199254740992.0  # 2^-53


class Tables(NamedTuple):
    """I infosets with A actions in all, and up to T rows noted while one player walks."""

    table: Any  # [3 A] float64
    rows: Any  # [I, 2] int32: first entry and width
    touched: Any  # [T, 2] int32: the same of rows that are to be matched again; a row may come twice


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


@kernel(merge=True)
def regret_actions(table, base, width, values, depth):
    """After all actions of a row were walked, worth values[depth]: regrets change; what the row is worth."""
    if width == 2:  # the commonest row, without loops
        p, gain = table[base + 3], values[depth, 1] - values[depth, 0]  # of the second action
        table[base] -= p * gain
        table[base + 1] += (1.0 - p) * gain
        return values[depth, 0] + p * gain
    value = 0.0
    for a in range(width):
        value += table[base + width + a] * values[depth, a]
    for a in range(width):
        table[base + a] += values[depth, a] - value
    return value


@kernel(inline=True)  # merged, it costs small games a twelfth
def regret_sampled(table, base, width, action, p, value):
    """After one action of a row was walked, played with probability p and worth `value`: regrets change; what the row is worth."""
    mean = value * p
    for s in range(base, base + width):
        table[s] -= mean
    table[base + action] += value
    return mean


@kernel(merge=True)
def match_again(table, base, width):
    """The strategy of one row from its regrets."""
    if width == 2:  # the commonest row, without loops
        p = match_pair(table[base], table[base + 1])
        table[base + 2], table[base + 3] = p, 1.0 - p
    else:
        match_row(table, base, width, table, base + width)


@kernel
def match_all(rows, table):  # rows [I, 2]: base and width
    """Match every row: at the start, and when walks touched more rows than could be written down."""
    for i in range(rows.shape[0]):
        match_again(table, rows[i, 0], rows[i, 1])


@kernel(merge=True)
def finish_walks(rows, touched, changed, table):  # single arrays: to open a struct after each walk costs a tenth of it
    """After the walks of one player, which changed so many rows: new strategies for them."""
    if changed > touched.shape[0]:
        match_all(rows, table)
        return
    for c in range(changed):
        match_again(table, touched[c, 0], touched[c, 1])
