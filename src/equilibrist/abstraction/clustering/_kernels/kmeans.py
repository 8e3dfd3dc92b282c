"""Loops of k-means with two distances: 0 is the sum of absolute differences (1-D earth mover's on CDFs), 1 is Euclidean.

`shade` is the shadow of a point on a line that shrinks no distance below it: |shade(x) - shade(c)| <= distance(x, c). Centres
sorted by shade are looked at from the nearest shade outwards, until no further one can matter.
"""

import math

import numpy as np

from equilibrist.compute.atomics import LINE, publish, take, wait_for
from equilibrist.compute.kernel import kernel

SLACK = 1e-4  # shadows and distances are rounded: what is closer than this is looked at
UNKNOWN = -1.0
BEGUN, DONE, DRAWN, WORDS = 0, 1, 2, 3  # what threads that seed together tell each other
MOST_STEPS = 300  # of Lloyd's method on few points


@kernel(fast=True)
def absolute(x, c):
    total = np.float32(0.0)
    for d in range(x.shape[0]):
        total += abs(x[d] - c[d])
    return total


@kernel(fast=True)
def squared(x, c):
    total = np.float32(0.0)
    for d in range(x.shape[0]):
        total += (x[d] - c[d]) * (x[d] - c[d])
    return total


@kernel
def distance_of(x, c, kind):
    if kind == 0:
        return np.float64(absolute(x, c))
    return math.sqrt(np.float64(squared(x, c)))


@kernel
def distances_between(points, centres, kind, out):
    """float32 [n, k]"""
    for i in range(points.shape[0]):
        for j in range(centres.shape[0]):
            out[i, j] = distance_of(points[i], centres[j], kind)


@kernel
def assign_points(points, shade, centres, centre_shade, order, place, kind, start, stop, label, own, lower):
    """Nearest centre of the points from start to stop, its distance, and a lower bound on the distance of all others.

    centres [k, D] sorted by shade; order[k] their names, place[name] where they stand. Points whose own centre is nearer than
    `lower` keep it (a bound in the manner of Hamerly); ties go to the lowest name.
    """
    k = centres.shape[0]
    for i in range(start, stop):
        x = points[i]
        best = -1
        nearest = np.inf
        second = np.inf
        if label[i] >= 0:
            best = label[i]
            nearest = distance_of(x, centres[place[best]], kind)
            if nearest + SLACK < lower[i]:
                own[i] = nearest
                continue
        held = best
        low, high = 0, k
        while low < high:
            middle = (low + high) // 2
            if centre_shade[middle] < shade[i]:
                low = middle + 1
            else:
                high = middle
        left, right = low - 1, low
        while left >= 0 or right < k:
            below = shade[i] - centre_shade[left] if left >= 0 else np.inf
            above = centre_shade[right] - shade[i] if right < k else np.inf
            if min(below, above) > second + SLACK:
                break
            if below <= above:
                at = left
                left -= 1
            else:
                at = right
                right += 1
            name = order[at]
            if name == held:
                continue
            distance = distance_of(x, centres[at], kind)
            if distance < nearest or (distance == nearest and name < best):
                second = nearest
                nearest = distance
                best = name
            elif distance < second:
                second = distance
        label[i] = best
        own[i] = nearest
        lower[i] = second


@kernel
def pick_centre(c, draw, weight, nearest):
    """The next centre, a point drawn in proportion to weight times squared distance to those before it.

    nearest float64 [n]. Where all points are centres already, by weight alone.
    """
    n = weight.shape[0]
    total = 0.0
    for i in range(n):
        total += weight[i] * (nearest[i] * nearest[i] if c > 0 else 1.0)
    by_weight = c == 0 or total <= 0.0
    if by_weight:
        total = 0.0
        for i in range(n):
            total += weight[i]
    wanted = draw * total
    running = 0.0
    for i in range(n):
        running += weight[i] * (1.0 if by_weight else nearest[i] * nearest[i])
        if running > wanted:
            return i
    return n - 1


@kernel
def come_nearer(c, pick, start, stop, points, shade, kind, nearest):
    """Distances of the points from start to stop to the nearest of the centres, of which point `pick` is the last."""
    for i in range(start, stop):
        if c == 0:
            nearest[i] = distance_of(points[i], points[pick], kind)
        elif abs(shade[i] - shade[pick]) < nearest[i]:
            nearest[i] = min(nearest[i], distance_of(points[i], points[pick], kind))


@kernel
def seed_centres(points, shade, weight, kind, draws, chosen, nearest):
    """k-means++: centres drawn one after the other. draws float64 [k]; chosen int64 [k]; nearest float64 [n]."""
    for c in range(chosen.shape[0]):
        chosen[c] = pick_centre(c, draws[c], weight, nearest)
        come_nearer(c, chosen[c], 0, points.shape[0], points, shade, kind, nearest)
        nearest[chosen[c]] = 0.0


@kernel
def draw_from_spans(c, draw, span, weight, nearest, mass):
    """As `pick_centre`, where mass [spans] has the sums of weight times squared distance over spans of points."""
    total = 0.0
    for part in range(mass.shape[0]):
        total += mass[part]
    if c == 0 or total <= 0.0:
        return pick_centre(np.int64(0), draw, weight, nearest)
    wanted, running, last = draw * total, 0.0, -1
    for part in range(mass.shape[0]):
        if running + mass[part] <= wanted:
            running += mass[part]
            continue
        for i in range(part * span, min((part + 1) * span, weight.shape[0])):
            here = weight[i] * nearest[i] * nearest[i]
            running += here
            if here > 0.0:
                last = i
            if running > wanted:
                return i
        return last  # sums in another order are rounded otherwise
    return weight.shape[0] - 1


@kernel
def seed_together(points, shade, weight, kind, draws, chosen, nearest, span, mass, control):
    """One thread's part of the same: spans of points come nearer, and whoever does the last span draws the next centre.

    mass float64 [spans]; control int64 [3 * LINE], zeros: spans begun, spans done for a centre, centres drawn.
    """
    n, k = points.shape[0], chosen.shape[0]
    spans = (n + span - 1) // span
    while True:
        ticket = take(control, BEGUN * LINE, 1)
        c, start = ticket // spans, ticket % spans * span
        if c >= k:
            return
        if ticket == 0:
            chosen[c] = draw_from_spans(c, draws[c], span, weight, nearest, mass)
            publish(control, DRAWN * LINE, 1)
        wait_for(control, DRAWN * LINE, c + 1)
        stop, total = min(start + span, n), 0.0
        come_nearer(c, chosen[c], start, stop, points, shade, kind, nearest)
        for i in range(start, stop):
            total += weight[i] * nearest[i] * nearest[i]
        mass[start // span] = total
        if take(control, DONE * LINE, 1) + 1 == spans:
            publish(control, DONE * LINE, 0)
            if c + 1 < k:
                chosen[c + 1] = draw_from_spans(c + 1, draws[c + 1], span, weight, nearest, mass)
            publish(control, DRAWN * LINE, c + 2)


@kernel
def cast_shadows(points, line, start, stop, shade):
    """shade float64 [n] of the points from start to stop on a line [D]."""
    for i in range(start, stop):
        total = 0.0
        for d in range(points.shape[1]):
            total += points[i, d] * line[d]
        shade[i] = total


@kernel
def sum_members(points, weight, label, start, stop, sums, mass):
    """Weighted sums of the members of each cluster among the points from start to stop; sums float64 [k, D], mass float64 [k]."""
    for i in range(start, stop):
        c = label[i]
        mass[c] += weight[i]
        for d in range(points.shape[1]):
            sums[c, d] += weight[i] * points[i, d]


@kernel
def nearest_of_all(points, centres, label, near):
    """Nearest centres by squared Euclidean distance, each looked at; returns whether any label changed. Ties go to the lowest."""
    changed = False
    for n in range(points.shape[0]):
        best, at = np.inf, 0
        for k in range(centres.shape[0]):
            distance = squared(points[n], centres[k])
            if distance < best:
                best, at = distance, k
        near[n] = best
        if label[n] != at:
            label[n] = at
            changed = True
    return changed


@kernel
def move_centres(points, weight, label, near, mass, centres):
    """Means of the clusters; an empty one takes over the point that fits worst. Returns whether there was an empty one."""
    mass[:] = 0.0
    centres[:] = 0.0
    sum_members(points, weight, label, 0, points.shape[0], centres, mass)
    repaired = False
    for k in range(centres.shape[0]):
        if mass[k] > 0.0:
            centres[k] /= mass[k]
            continue
        worst, at = -1.0, 0
        for n in range(points.shape[0]):
            if weight[n] * near[n] > worst:
                worst, at = weight[n] * near[n], n
        near[at] = 0.0
        centres[k] = points[at]
        repaired = True
    return repaired


@kernel
def best_of_restarts(points, weight, draws, by_squares, centres, near, mass, label, best_label):
    """Lloyd's method once for each row of `draws` [restarts, k]; `best_label` gets the clusters of least error, which is returned.

    For few points: everything is looked at, until nothing changes. points, centres, near, mass are float64.
    """
    least, chosen, shade = np.inf, np.empty(draws.shape[1], np.int64), np.zeros(points.shape[0])
    for restart in range(draws.shape[0]):
        seed_centres(points, shade, weight, 1, draws[restart], chosen, near)
        for k in range(chosen.shape[0]):
            centres[k] = points[chosen[k]]
        label[:] = -1
        nearest_of_all(points, centres, label, near)
        for _ in range(MOST_STEPS):
            repaired = move_centres(points, weight, label, near, mass, centres)
            changed = nearest_of_all(points, centres, label, near)
            if not changed and not repaired:
                break
        error = 0.0
        for n in range(points.shape[0]):
            error += weight[n] * (near[n] if by_squares else math.sqrt(near[n]))
        if error < least:
            least = error
            best_label[:] = label
    return least
