"""Regret matching over rows of hands, sixteen at a time: what a node's table says about play, and what play is worth."""

from equilibrist.compute.kernel import kernel
from equilibrist.compute.lanes import choose, inverse, load, maximum, spread, times_plus
from equilibrist.solvers.postflop._kernels.layout import ZERO


@kernel
def positive_sum(table, first, n, size):
    """Sum of the positive entries of n actions."""
    zero = spread(ZERO)
    total = zero
    for a in range(n):
        total = total + maximum(load(table, first + a * size), zero)
    return total


@kernel
def matched_value(table, first, n, size, value, below):
    """What matching is worth: values of the children by positive entries, evenly where there are none."""
    zero = spread(ZERO)
    total = zero
    mixed = zero
    plain = zero
    for a in range(n):
        x = maximum(load(table, first + a * size), zero)
        worth = load(value, below + a * size)
        total = total + x
        mixed = times_plus(x, worth, mixed)
        plain = plain + worth
    return choose(total, mixed * inverse(total), plain * spread(1.0 / n))
