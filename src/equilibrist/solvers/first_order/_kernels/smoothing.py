"""Nesterov's optimal gradient method on the smoothed gap of two treeplexes ([Gilpin09, §8.4 and §8.5]).

trees and matrix are as in `excessive_gap`; `shape` is (nodes, join, part, events) of `treeplex_projection`. [S] arrays hold both
players; each maximises its own payoff, so that the descent direction of the gap is the gradient at the inner maximisers.

points  (point, lead, mid, inner, origin, best)
sums    (worth, pressed, target, q): products of mid or point, sum of weighted gradients, two work arrays
control (k, accuracy, gap of the point, gap of the best, gradient steps, smoothing, curvature)
"""

from equilibrist.compute.kernel import kernel
from equilibrist.forms._kernels.plans import best_own
from equilibrist.solvers.first_order._kernels.mirror import both_products
from equilibrist.solvers.first_order._kernels.treeplex_projection import project


@kernel
def project_both(trees, shape, target, out):
    """The nearest plans of both players."""
    nodes, join, part, events = shape
    for p in range(2):
        project(p, trees, nodes, join, part, events, target, out)


@kernel
def sharpen(accuracy, spread, norm, control):
    """Smoothing and curvature for a target accuracy; `spread` is half the largest squared distance from the centre."""
    control[1] = accuracy
    control[5] = accuracy / (2.0 * spread)
    control[6] = norm * norm / control[5]


@kernel
def look(points, control):
    """The point between where the gradient is taken."""
    point, lead, mid, _, _, _ = points
    share = 2.0 / (control[0] + 2.0)
    for s in range(point.shape[0]):
        mid[s] = share * lead[s] + (1.0 - share) * point[s]


@kernel
def answer(trees, shape, centre, points, sums, control):
    """The maximisers inside the smoothed gap, from the products of mid."""
    inner = points[3]
    worth, _, target, _ = sums
    for s in range(worth.shape[0]):
        target[s] = centre[s] + worth[s] / control[5]
    project_both(trees, shape, target, inner)


@kernel
def descend(proximal, trees, shape, points, sums, control):
    """The next point, and the next lead: from the origin along all gradients so far or, `proximal`, from itself along this one."""
    point, lead, mid, _, origin, _ = points
    worth, pressed, target, _ = sums
    weight = (control[0] + 1.0) / 2.0
    for s in range(worth.shape[0]):
        target[s] = mid[s] + worth[s] / control[6]
    project_both(trees, shape, target, point)
    for s in range(worth.shape[0]):
        pressed[s] += weight * worth[s]
        target[s] = lead[s] + weight * worth[s] / control[6] if proximal else origin[s] + pressed[s] / control[6]
    project_both(trees, shape, target, lead)


@kernel
def weigh(trees, points, sums, control):
    """The gap of the point, from its products, which are kept; the best point so far is remembered."""
    point, _, _, _, _, best = points
    worth, _, _, q = sums
    for s in range(q.shape[0]):
        q[s] = worth[s]
    control[2] = best_own(0, trees, q) + best_own(1, trees, q)
    if control[2] < control[3]:
        control[3] = control[2]
        for s in range(q.shape[0]):
            best[s] = point[s]


@kernel
def begin_anew(points, sums, control):
    """The point is where the method starts again."""
    point, lead, _, _, origin, _ = points
    pressed = sums[1]
    control[0] = 0.0
    for s in range(point.shape[0]):
        lead[s] = point[s]
        origin[s] = point[s]
        pressed[s] = 0.0


@kernel
def finish_step(ratio, finest, spread, norm, points, sums, control):
    """Count the step; iterated smoothing asks for more accuracy once its target is met, as long as rounding allows."""
    control[0] += 1.0
    control[4] += 1.0
    if ratio > 0.0 and control[2] < control[1] and control[1] > finest:
        sharpen(control[1] / ratio, spread, norm, control)
        begin_anew(points, sums, control)


@kernel
def run_smoothing(
    steps, goal, proximal, ratio, finest, spread, norm, control, trees, matrix, shape, centre, points, sums
):
    """At most `steps` gradient steps, until the best gap is below goal; returns how many were done."""
    point, _, mid, inner, _, _ = points
    worth = sums[0]
    for step in range(steps):
        if control[3] < goal:
            return step
        look(points, control)
        both_products(trees, matrix, mid, worth)
        answer(trees, shape, centre, points, sums, control)
        both_products(trees, matrix, inner, worth)
        descend(proximal, trees, shape, points, sums, control)
        both_products(trees, matrix, point, worth)
        weigh(trees, points, sums, control)
        finish_step(ratio, finest, spread, norm, points, sums, control)
    return steps
