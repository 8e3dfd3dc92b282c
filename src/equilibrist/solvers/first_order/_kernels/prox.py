"""Dilated prox steps on a treeplex: bottom-up over one player's infosets, then top-down for the plan.

The step from a centre c with gradient g and scale s is the plan x that maximises <g, x> - s sum_u weight_u x(u) D(b_u, c_u), where
x(u) is the plan of the sequence before infoset u, b_u the behaviour there, and D the Kullback-Leibler divergence or half the squared
distance. The divergence of a dilated function is the dilated divergence, so that smoothed best responses (centre: where the prox
function is 0) and steps from any other point are this one pass, without gradients of prox functions.

Behaviours are kept in the *coordinates* in which steps are taken: logarithms for entropy, so that tiny probabilities stay apart, and
plain probabilities for Euclidean distance.
"""

import math

from equilibrist.compute.kernel import kernel

ENTROPY = 0
EUCLIDEAN = 1


@kernel
def entropy_infoset(first, n, b, q, centre, coordinate, behaviour):
    """behaviour ~ exp(centre + q / b); returns b ln of the sum before it is normalised."""
    rate = 1.0 / b
    if n == 2:
        low = centre[first] + q[first] * rate
        high = centre[first + 1] + q[first + 1] * rate
        gap = high - low
        ratio = math.exp(-abs(gap))
        rest, larger = math.log(1.0 + ratio), 1.0 / (1.0 + ratio)
        smaller = ratio * larger
        if gap >= 0.0:
            coordinate[first], coordinate[first + 1] = -gap - rest, -rest
            behaviour[first], behaviour[first + 1] = smaller, larger
            return b * (high + rest)
        coordinate[first], coordinate[first + 1] = -rest, gap - rest
        behaviour[first], behaviour[first + 1] = larger, smaller
        return b * (low + rest)
    top = -math.inf
    for s in range(first, first + n):
        coordinate[s] = centre[s] + q[s] * rate
        top = max(top, coordinate[s])
    total = 0.0
    for s in range(first, first + n):
        behaviour[s] = math.exp(coordinate[s] - top)
        total += behaviour[s]
    rest, share = top + math.log(total), 1.0 / total
    for s in range(first, first + n):
        coordinate[s] -= rest
        behaviour[s] *= share
    return b * rest


@kernel
def simplex_threshold(first, n, point):
    """The number to subtract from each entry so that the positive parts sum to one."""
    total = -1.0
    for s in range(first, first + n):
        total += point[s]
    threshold, kept = total / n, n
    while True:
        total, above = -1.0, 0
        for s in range(first, first + n):
            if point[s] > threshold:
                total += point[s]
                above += 1
        if above >= kept or above == 0:  # counts only fall, but for rounding
            return threshold
        threshold, kept = total / above, above


@kernel
def euclidean_infoset(first, n, b, q, centre, coordinate, behaviour):
    """behaviour = the point of the simplex nearest to centre + q / b; returns <q, behaviour> - b/2 |behaviour - centre|^2."""
    for s in range(first, first + n):
        behaviour[s] = centre[s] + q[s] / b
    if n == 2:
        threshold = 0.5 * (behaviour[first] + behaviour[first + 1] - 1.0)
        threshold = max(threshold, max(behaviour[first], behaviour[first + 1]) - 1.0)
    else:
        threshold = simplex_threshold(first, n, behaviour)
    value = 0.0
    for s in range(first, first + n):
        share = max(behaviour[s] - threshold, 0.0)
        value += share * q[s] - 0.5 * b * (share - centre[s]) ** 2
        behaviour[s] = share
        coordinate[s] = share
    return value


@kernel
def prox_step(kind, first, last, first_sequence, actions, parent, weight, scale, q, centre, coordinate, behaviour):
    """Bottom-up over infosets first .. last-1; `q` begins as the gradient and ends with the value at the empty sequence."""
    for i in range(last - 1, first - 1, -1):
        begin, n = first_sequence[i], actions[i]
        if n == 1:
            coordinate[begin] = 0.0 if kind == ENTROPY else 1.0
            behaviour[begin] = 1.0
            q[parent[i]] += q[begin]
        elif kind == ENTROPY:
            q[parent[i]] += entropy_infoset(begin, n, scale * weight[i], q, centre, coordinate, behaviour)
        else:
            q[parent[i]] += euclidean_infoset(begin, n, scale * weight[i], q, centre, coordinate, behaviour)


@kernel
def prox_own(player, scale, trees, prox, centre, q, coordinate, behaviour):
    """The step of one player whose gradient stands in q; returns its value."""
    offset, first_infoset, first_sequence, actions, parent = trees
    kind, weight, _ = prox
    first, last = first_infoset[player], first_infoset[player + 1]
    prox_step(kind, first, last, first_sequence, actions, parent, weight, scale, q, centre, coordinate, behaviour)
    return q[offset[player]]


@kernel
def growing_weights(trees, weight, below):  # weight [I], below [S] all zero
    """weight = 2 + the most that any action has below it; deeper trees get heavier roots."""
    _, first_infoset, first_sequence, actions, parent = trees
    for i in range(first_infoset[2] - 1, -1, -1):
        begin = first_sequence[i]
        most = 0.0
        for s in range(begin, begin + actions[i]):
            most = max(most, below[s])
        weight[i] = 2.0 + most
        below[parent[i]] += weight[i]


@kernel
def largest_distance(player, trees, prox, q):  # q [S] all zero
    """The largest value of a prox function: divergences are convex, so that pure behaviours suffice."""
    offset, first_infoset, first_sequence, actions, parent = trees
    kind, weight, centre = prox
    for i in range(first_infoset[player + 1] - 1, first_infoset[player] - 1, -1):
        begin, n = first_sequence[i], actions[i]
        squares = 0.0
        for s in range(begin, begin + n):
            squares += centre[s] ** 2
        best = -math.inf
        for s in range(begin, begin + n):
            apart = -centre[s] if kind == ENTROPY else 0.5 * squares + 0.5 - centre[s]
            best = max(best, weight[i] * apart + q[s])
        q[parent[i]] += best
    return q[offset[player]]
