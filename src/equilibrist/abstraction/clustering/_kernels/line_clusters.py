"""Optimal clusters of sorted numbers: the dynamic program over all cluster counts, each row by divide and conquer."""

import numpy as np

from equilibrist.compute.kernel import kernel


@kernel(inline=True)
def spread(mass, first, second, i, j):
    """Weighted squared distance of numbers i .. j-1 from their mean, from prefix sums."""
    weight = mass[j] - mass[i]
    if weight <= 0.0:
        return 0.0
    moment = first[j] - first[i]
    return max(0.0, second[j] - second[i] - moment * moment / weight)


@kernel
def fill_row(mass, first, second, k, before, after, cut, stack):
    """after[j]: least error of the first j numbers in k + 1 clusters, none empty; cut[j]: where the last of them begins.

    The best cut never moves left as j grows, so the middle j bounds the search of both halves.
    """
    count = after.shape[0] - 1
    after[: k + 1] = np.inf
    cut[: k + 1] = 0
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = k + 1, count, k, count - 1
    depth = 1
    while depth > 0:
        depth -= 1
        low, high, left, right = stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3]
        if low > high:
            continue
        middle = (low + high) // 2
        best, at = np.inf, left
        for i in range(left, min(right, middle - 1) + 1):
            error = before[i] + spread(mass, first, second, i, middle)
            if error < best:
                best, at = error, i
        after[middle], cut[middle] = best, at
        stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3] = low, middle - 1, left, at
        depth += 1
        stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3] = middle + 1, high, at, right
        depth += 1


@kernel
def fill_table(mass, first, second, error, cut, stack):
    """error[k, j] and cut[k, j] for k + 1 clusters of the first j numbers."""
    count = error.shape[1] - 1
    for j in range(count + 1):
        error[0, j] = spread(mass, first, second, 0, j)
        cut[0, j] = 0
    for k in range(1, error.shape[0]):
        fill_row(mass, first, second, k, error[k - 1], error[k], cut[k], stack)
