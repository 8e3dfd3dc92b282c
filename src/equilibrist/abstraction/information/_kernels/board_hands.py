"""Loops over all hands on complete boards: wins, ties and losses by order, and pairs of classes with simulated betting.

`strengths` holds per complete board one number per pair of hole cards, larger wins, 0 where they collide with it.
"""

import numpy as np

from equilibrist.cards._kernels.showdown import PLACE, opponents, sweep_hands, sweep_room
from equilibrist.compute.kernel import kernel


@kernel
def add_outcomes(strengths, places, low, high, out):
    """Wins, ties and losses of every pair against all others, added to out int64 [next cards, pairs, 3].

    strengths uint16 [B, P]; places int64 [B, m]: the next cards of which a board is a completion.
    """
    pairs = strengths.shape[1]
    hands = np.arange(pairs)
    order, below, up_to, counts, cards = sweep_room(pairs)
    for board in range(strengths.shape[0]):
        possible = sweep_hands(strengths[board], hands, low, high, order, below, up_to, counts, cards)
        for i in range(possible):
            h = order[i] & PLACE
            met = opponents(possible, cards[low[h]], cards[high[h]])
            for m in range(places.shape[1]):
                out[places[board, m], h, 0] += below[i]
                out[places[board, m], h, 1] += up_to[i] - below[i]
                out[places[board, m], h, 2] += met - up_to[i]


@kernel
def add_pairs(strength, low, high, reach, classes, value, share, bets, out):
    """All pairs of hands on one complete board, added to out float64 [4, classes, classes].

    strength [H] of the hands that the board leaves, low and high [H] their cards; reach [2, H] and classes [2, H] of both players;
    value [H] places in the tables share and bets [values, values, 3]. Written are how often classes meet, wins minus losses, and
    what simulated betting makes of the pot and of bets.
    """
    hands = strength.shape[0]
    for a in range(hands):
        if reach[0, a] == 0.0:
            continue
        i = classes[0, a]
        for b in range(hands):
            if low[a] == low[b] or low[a] == high[b] or high[a] == low[b] or high[a] == high[b]:
                continue
            j = classes[1, b]
            weight = reach[0, a] * reach[1, b]
            outcome = 1
            if strength[a] > strength[b]:
                outcome = 2
            elif strength[a] < strength[b]:
                outcome = 0
            out[0, i, j] += weight
            out[1, i, j] += weight * (outcome - 1)
            out[2, i, j] += weight * share[value[a], value[b], outcome]
            out[3, i, j] += weight * bets[value[a], value[b], outcome]


@kernel
def spanning_tree(points, cost_kind, edge, one, other):
    """Prim's minimal spanning tree over points float64 [n, d]: edge costs [n - 1] and both ends.

    cost_kind 0: squared Euclidean distance; 1: the cost of aligning outcomes, the points being pairs (wins, wins with ties).
    """
    n = points.shape[0]
    near = np.full(n, np.inf)
    link = np.zeros(n, np.int64)
    inside = np.zeros(n, np.bool_)
    current = 0
    inside[0] = True
    for step in range(n - 1):
        best, least = -1, np.inf
        for k in range(n):
            if inside[k]:
                continue
            if cost_kind == 0:
                cost = squared_distance(points[current], points[k])
            else:
                cost = aligned_cost(points[current], points[k])
            if cost < near[k]:
                near[k] = cost
                link[k] = current
            if near[k] < least:
                best, least = k, near[k]
        edge[step] = least
        one[step] = link[best]
        other[step] = best
        inside[best] = True
        current = best


@kernel(inline=True)
def squared_distance(a, b):
    total = 0.0
    for d in range(a.shape[0]):
        total += (a[d] - b[d]) * (a[d] - b[d])
    return total


@kernel(inline=True)
def aligned_cost(a, b):
    """Squared differences of sorted outcomes (a win is 1, a loss -1), summed over rows of (wins, wins with ties) pairs.

    Sorted lists differ by 1 where one of them has stepped down once more than the other, by 2 where it wins and the other loses.
    """
    total = 0.0
    for d in range(0, a.shape[0], 2):
        won_against_lost = max(0.0, max(a[d], b[d]) - min(a[d + 1], b[d + 1]))
        total += abs(a[d] - b[d]) + abs(a[d + 1] - b[d + 1]) + 2.0 * won_against_lost
    return total
