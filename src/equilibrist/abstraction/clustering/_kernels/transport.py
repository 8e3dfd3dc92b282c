"""Loops of the earth mover's distance over any ground distance: exact, by shortest augmenting paths, and by the greedy heuristic.

A point is a row of class numbers, ascending, each of mass 1 / N. A mean has Q entries; `order[c, k]` is its k-th nearest entry
to class c and `ground[c, q]` the distance of class c to entry q.
"""

import numpy as np

from equilibrist.abstraction.clustering._kernels.kmeans import absolute
from equilibrist.compute.kernel import kernel

NOTHING = 1e-12  # mass that rounding leaves
SLACK = 1e-4
NEVER = 1 << 40
MISSING = -1.0


@kernel
def transport_cost(supply, demand, cost):
    """The least cost of moving `supply` [n] to `demand` [m] of equal total; cost float64 [n, m]."""
    n, m = cost.shape
    u, v = np.zeros(n), np.zeros(m)
    for i in range(n):
        u[i] = cost[i].min()
    flow = np.zeros((n, m))
    left, wanted = supply.copy(), demand.copy()
    far, source = np.empty(m), np.empty(m, np.int64)
    done = np.empty(m, np.bool_)
    at, into = np.empty(n), np.empty(n, np.int64)
    for s in range(n):
        while left[s] > NOTHING:
            into[:] = -2  # sources not reached
            into[s] = -1
            at[s] = 0.0
            done[:] = False
            for j in range(m):
                far[j] = cost[s, j] - u[s] - v[j]
                source[j] = s
            target = -1
            while True:
                j, least = -1, np.inf
                for k in range(m):
                    if not done[k] and far[k] < least:
                        j, least = k, far[k]
                if j < 0:
                    break
                if wanted[j] > NOTHING:
                    target = j
                    break
                done[j] = True
                for i in range(n):
                    if flow[i, j] > NOTHING and into[i] == -2:
                        into[i] = j
                        at[i] = least
                        for k in range(m):
                            reach = least + cost[i, k] - u[i] - v[k]
                            if not done[k] and reach < far[k]:
                                far[k] = reach
                                source[k] = i
            if target < 0:
                left[s] = 0.0  # only rounding is left to move
                break
            least = far[target]
            for i in range(n):
                if into[i] > -2:
                    u[i] += least - at[i]
            for k in range(m):
                if done[k]:
                    v[k] -= least - far[k]
            amount = min(left[s], wanted[target])
            j = target
            while source[j] != s:
                i = source[j]
                j = into[i]
                amount = min(amount, flow[i, j])
            j = target
            while True:
                i = source[j]
                flow[i, j] += amount
                if i == s:
                    break
                j = into[i]
                flow[i, j] -= amount
            left[s] -= amount
            wanted[target] -= amount
    total = 0.0
    for i in range(n):
        for j in range(m):
            total += flow[i, j] * cost[i, j]
    return total


@kernel
def greedy_cost(row, mean, order, ground, bound, rest, name, need, place, turn):
    """The heuristic distance of a point and a mean ([Ganzfried15, Algorithm 2]), or something above `bound` if it is above.

    In round k every class of the point sends what it has to its k-th nearest entry of the mean. Entries that are used up are
    passed over at once, but their rounds count: `turn` is the round of a class's next entry, which lies at `place` in its order.
    `rest` [Q] is as `refill` leaves it, before and afterwards; name, need, place, turn [N] are scratch.
    """
    share = 1.0 / row.shape[0]
    active = 0
    for j in range(row.shape[0]):
        if active > 0 and name[active - 1] == row[j]:
            need[active - 1] += share
        else:
            name[active], need[active], place[active], turn[active] = row[j], share, -1, -1
            active += 1
    classes = active
    for a in range(active):
        pass_over(a, order, rest, name, place, turn)
    cost, now, bounded = 0.0, 0, bound < np.inf
    while active > 0 and cost < bound:
        pending, kept, soonest = 0.0, 0, NEVER
        for a in range(active):
            if turn[a] == now:
                c = name[a]
                t = order[c, place[a]]
                amount = min(rest[t], need[a])
                if amount > 0.0:
                    cost += amount * ground[c, t]
                    rest[t] -= amount
                    need[a] -= amount
                if need[a] <= NOTHING:
                    continue  # done
                pass_over(a, order, rest, name, place, turn)
            if turn[a] == NEVER:
                continue  # only rounding is left to move
            if bounded:
                pending += need[a] * ground[name[a], order[name[a], place[a]]]
            soonest = min(soonest, turn[a])
            if kept < a:  # those that are done stay behind, for the clearing up
                name[kept], name[a] = name[a], name[kept]
                need[kept], need[a] = need[a], need[kept]
                place[kept], place[a] = place[a], place[kept]
                turn[kept], turn[a] = turn[a], turn[kept]
            kept += 1
        active, now = kept, soonest
        if cost + pending > bound:
            cost += pending
            break
    passed = 0
    for a in range(classes):
        passed += place[a]
    if passed > mean.shape[0]:
        refill(mean, rest)
        return cost
    for a in range(classes):
        for k in range(min(place[a] + 1, mean.shape[0])):
            q = order[name[a], k]
            rest[q] = mean[q] if mean[q] > 0.0 else MISSING
    return cost


@kernel
def refill(mean, rest):
    """What entries of a mean can take; MISSING where the mean has none."""
    for q in range(mean.shape[0]):
        rest[q] = mean[q] if mean[q] > 0.0 else MISSING


@kernel
def pass_over(a, order, rest, name, place, turn):
    """Go on to the next entry of the mean that has something left; entries that never had any take no round."""
    nearest, end = order[name[a]], rest.shape[0]
    k, round = place[a] + 1, turn[a] + 1
    while k < end and rest[nearest[k]] <= 0.0:
        round += rest[nearest[k]] > MISSING
        k += 1
    place[a] = k
    turn[a] = round if k < end else NEVER


@kernel
def embed(row, positions, out):
    """Mean over the classes of a point of their rows of `positions` [C, D]."""
    out[:] = 0.0
    for j in range(row.shape[0]):
        place = positions[row[j]]
        for d in range(out.shape[0]):
            out[d] += place[d]
    share = np.float32(1.0 / row.shape[0])
    for d in range(out.shape[0]):
        out[d] *= share


@kernel
def assign_rows(rows, positions, means, spots, shade, order, ground, start, stop, label, own, counts):
    """The mean nearest to each point by the heuristic; ties go to the lowest mean that was found.

    means float64 [k, Q] sorted by shade with embeddings spots [k, D]. A mean whose embedding is farther than the best distance
    cannot be nearer, since the sum of absolute differences of embeddings is no more than the exact distance, nor the
    heuristic. counts[0] distances asked for, counts[1] worked out.
    """
    size = rows.shape[1]
    name, need = np.empty(size, np.int64), np.empty(size)
    place, turn = np.empty(size, np.int64), np.empty(size, np.int64)
    spot = np.empty(positions.shape[1], np.float32)
    rest = np.empty_like(means)
    for m in range(means.shape[0]):
        refill(means[m], rest[m])
    k = means.shape[0]
    for i in range(start, stop):
        embed(rows[i], positions, spot)
        own_shade = np.float64(spot.sum())
        best, nearest = -1, np.inf
        if label[i] >= 0:
            best = label[i]
            nearest = greedy_cost(rows[i], means[best], order, ground, np.inf, rest[best], name, need, place, turn)
            counts[1] += 1
        held = best
        right = np.searchsorted(shade, own_shade)
        left = right - 1
        counts[0] += k
        while left >= 0 or right < k:
            below = own_shade - shade[left] if left >= 0 else np.inf
            above = shade[right] - own_shade if right < k else np.inf
            if min(below, above) > nearest + SLACK:
                break
            if below <= above:
                at = left
                left -= 1
            else:
                at = right
                right += 1
            if at == held or absolute(spot, spots[at]) > nearest + SLACK:
                continue
            counts[1] += 1
            cost = greedy_cost(rows[i], means[at], order, ground, nearest, rest[at], name, need, place, turn)
            if cost < nearest or (cost == nearest and at < best):
                best, nearest = at, cost
        label[i] = best
        own[i] = nearest


@kernel
def update_nearest(rows, positions, seed, mean, spot, order, ground, start, stop, nearest):
    """Lower `nearest` to the distances to one more seed: a sparse mean [Q] with embedding spot [D]."""
    size = rows.shape[1]
    name, need = np.empty(size, np.int64), np.empty(size)
    place, turn = np.empty(size, np.int64), np.empty(size, np.int64)
    own = np.empty(positions.shape[1], np.float32)
    rest = np.empty_like(mean)
    refill(mean, rest)
    for i in range(start, stop):
        embed(rows[i], positions, own)
        if absolute(own, spot) > nearest[i] + SLACK:
            continue
        cost = greedy_cost(rows[i], mean, order, ground, nearest[i], rest, name, need, place, turn)
        nearest[i] = min(nearest[i], cost)
    if start <= seed < stop:
        nearest[seed] = 0.0


@kernel
def sum_rows(rows, weight, label, sums, mass):
    """Weighted shares of classes in each cluster; sums float64 [k, C], mass float64 [k]."""
    share = 1.0 / rows.shape[1]
    for i in range(rows.shape[0]):
        mass[label[i]] += weight[i]
        for j in range(rows.shape[1]):
            sums[label[i], rows[i, j]] += weight[i] * share


@kernel
def greedy_costs(rows, means, order, ground, out):
    """The heuristic distance of every point and every mean, without any bound; out float64 [n, k]."""
    size = rows.shape[1]
    name, need = np.empty(size, np.int64), np.empty(size)
    place, turn = np.empty(size, np.int64), np.empty(size, np.int64)
    rest = np.empty_like(means)
    for m in range(means.shape[0]):
        refill(means[m], rest[m])
    for i in range(rows.shape[0]):
        for m in range(means.shape[0]):
            out[i, m] = greedy_cost(rows[i], means[m], order, ground, np.inf, rest[m], name, need, place, turn)
