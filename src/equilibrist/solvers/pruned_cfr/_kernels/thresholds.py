"""Dynamic thresholding: probabilities too small to matter become zero, so that walks can leave them out."""

import math

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.regret import HEDGE
from equilibrist.solvers.pruned_cfr._kernels.pruned_walk import CHANCE, FIRST, TERMINAL


@kernel
def threshold(kind, cut, n, t):
    """Probabilities below this become zero ([Brown20, §3.4.1, Theorems 8 and 9])."""
    if cut <= 0.0 or n < 2:
        return 0.0
    if kind == HEDGE:
        return cut * math.sqrt(math.log(n)) / (math.sqrt(2.0) * n * n * math.sqrt(t))
    c = cut + 1.0
    return (c * c - 1.0) / (2.0 * c * n * n * math.sqrt(t))


@kernel
def cut_small(strategy, first, n, least):
    """Zero what is below `least` and renormalise; the largest probability always stays."""
    top, total = strategy[first], 0.0
    for s in range(first, first + n):
        top = max(top, strategy[s])
    for s in range(first, first + n):
        if strategy[s] < least and strategy[s] < top:
            strategy[s] = 0.0
        total += strategy[s]
    for s in range(first, first + n):
        strategy[s] /= total


@kernel
def branch_gradient(nodes, chance, payoff, end, info, player, behaviour, least, stack, weight, value):
    """Value of the terminals behind each own sequence, over branches that chance and the opponent reach with more than
    `least`; returns the nodes touched."""
    stack[0], weight[0] = 0, 1.0
    top, seen = 1, 1
    while top > 0:
        top -= 1
        n, w = stack[top], weight[top]
        kind, child, width, k = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 3]
        first = info[k, FIRST] if kind >= 0 else 0
        for a in range(width):
            c = child + a
            share = w
            if kind == CHANCE:
                share *= chance[c]
            elif kind != player:
                share *= behaviour[first + a]
            if share <= least:
                continue
            seen += 1
            if nodes[c, 0] == TERMINAL:
                z = nodes[c, 3]
                value[end[player, z]] += share * payoff[player, z]
            else:
                stack[top], weight[top] = c, share
                top += 1
    return seen
