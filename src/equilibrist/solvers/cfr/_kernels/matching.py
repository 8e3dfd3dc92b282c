"""Regret matching: play in proportion to positive regret, evenly where none is positive ([Zinkevich07]).

Once for two actions, once for a row of actions and once for lanes, that is for many infosets alike side by side.
"""

import math

from equilibrist.compute.kernel import kernel

LEAST = 2.0**-100  # sums of lanes below this count as nothing: their inverse would overflow in single precision


@kernel(merge=True)
def match_pair(first, second):
    """Probability of the first of two actions with these regrets."""
    first, second = max(first, 0.0), max(second, 0.0)
    return first / (first + second) if first + second > 0.0 else 0.5


@kernel(merge=True)
def share_out(strategy, first, n, total):
    """Weights at strategy[first : first + n], whose sum is `total`, become probabilities; even ones where there is no weight."""
    real = strategy.dtype.type
    scale = real(1.0) / total if total > 0.0 else real(0.0)
    if 0.0 < scale < math.inf:  # the inverse of the smallest numbers there are would be infinite
        for s in range(first, first + n):
            strategy[s] *= scale
    else:
        for s in range(first, first + n):
            strategy[s] = real(1.0) / real(n)


@kernel(merge=True)
def match_row(regret, first, n, strategy, to):
    """strategy[to : to + n] from regret[first : first + n], counted in the numbers of `strategy`."""
    real = strategy.dtype.type
    total = real(0.0)
    for a in range(n):
        positive = max(real(regret[first + a]), real(0.0))
        strategy[to + a] = positive
        total += positive
    share_out(strategy, to, n, total)


@kernel
def match_lanes(groups, regret, strategy, total):
    """Rows of lanes: `groups` [G, >= 3] of first column, lanes, actions; `total` [>= lanes] is scratch."""
    zero = strategy.dtype.type(0)
    least = strategy.dtype.type(LEAST)
    one = strategy.dtype.type(1)
    for g in range(groups.shape[0]):
        first, lanes, actions = groups[g, 0], groups[g, 1], groups[g, 2]
        t = total[:lanes]
        t[:] = zero
        for a in range(actions):
            r = regret[first + a * lanes : first + (a + 1) * lanes]
            for i in range(lanes):
                t[i] += max(r[i], zero)
        for i in range(lanes):
            t[i] = one / t[i] if t[i] > least else -one
        share = one / strategy.dtype.type(actions)
        for a in range(actions):
            r = regret[first + a * lanes : first + (a + 1) * lanes]
            s = strategy[first + a * lanes : first + (a + 1) * lanes]
            for i in range(lanes):
                s[i] = max(r[i], zero) * t[i] if t[i] > zero else share


@kernel(merge=True)
def draw_whole(regret, first, n, u):
    """An action drawn with u in [0, 1) in proportion to positive whole-number regrets."""
    total = 0
    for s in range(first, first + n):
        total += max(regret[s], 0)
    if total == 0:
        return int(u * n)
    left = int(u * total)
    for a in range(n):
        left -= max(regret[first + a], 0)
        if left < 0:
            return a
    return 0
