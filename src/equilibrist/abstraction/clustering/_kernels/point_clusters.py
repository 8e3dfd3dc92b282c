"""K-means on weighted points: seeding by distance, Lloyd's steps, empty clusters given the point that fits worst."""

import numpy as np

from equilibrist.compute.kernel import kernel

MOST_STEPS = 300


@kernel
def squared_distance(points, a, centres, b):
    total = 0.0
    for i in range(points.shape[1]):
        difference = points[a, i] - centres[b, i]
        total += difference * difference
    return total


@kernel
def seed_centres(points, weight, draws, near, centres):
    """k-means++: each centre is a point drawn in proportion to weight times squared distance to the centres before it."""
    count = points.shape[0]
    for n in range(count):
        near[n] = 1.0
    for k in range(centres.shape[0]):
        total = 0.0
        for n in range(count):
            total += weight[n] * near[n]
        left = draws[k] * total
        chosen = count - 1
        for n in range(count):
            left -= weight[n] * near[n]
            if left < 0.0:
                chosen = n
                break
        centres[k] = points[chosen]
        for n in range(count):
            distance = squared_distance(points, n, centres, k)
            if k == 0 or distance < near[n]:
                near[n] = distance


@kernel
def assign(points, centres, label, near):
    """Nearest centres; returns whether any label changed. The lower number wins a tie."""
    changed = False
    for n in range(points.shape[0]):
        best, at = np.inf, 0
        for k in range(centres.shape[0]):
            distance = squared_distance(points, n, centres, k)
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
    for n in range(points.shape[0]):
        mass[label[n]] += weight[n]
        for i in range(points.shape[1]):
            centres[label[n], i] += weight[n] * points[n, i]
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
def best_of_restarts(points, weight, draws, squared, centres, near, mass, label, best_label):
    """Lloyd's method once for each row of `draws` [restarts, k]; `best_label` gets the clusters of least error, which is returned."""
    least = np.inf
    for restart in range(draws.shape[0]):
        seed_centres(points, weight, draws[restart], near, centres)
        label[:] = -1
        changed = assign(points, centres, label, near)
        for _ in range(MOST_STEPS):
            repaired = move_centres(points, weight, label, near, mass, centres)
            changed = assign(points, centres, label, near)
            if not changed and not repaired:
                break
        error = 0.0
        for n in range(points.shape[0]):
            error += weight[n] * (near[n] if squared else np.sqrt(near[n]))
        if error < least:
            least = error
            best_label[:] = label
    return least
