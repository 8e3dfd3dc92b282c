"""CFR on one board whose opponent enters by a gadget: whole iterations without going back to the caller."""

from typing import Any, NamedTuple

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.search._kernels.entry import enter
from equilibrist.solvers.postflop._kernels.boards import run_last
from equilibrist.solvers.postflop._kernels.layout import LEARN, ZERO, Links, Side, Weights


class Entrant(NamedTuple):
    """One player at its root."""

    side: Side
    reach: Any  # [root * width] weights that the other player meets
    value: Any  # [root * width]


class Sums(NamedTuple):
    """Over iterations, each as far as averages keep it."""

    entered: Any  # [root * hand] weights of entering
    stayed: Any  # [root * hand] values taken outside


@kernel
def pad(rows, count, width, out):
    """Numbers [root * count] of hands, with the places behind them empty."""
    for i in range(rows.shape[0] // count):
        for h in range(width):
            out[i * width + h] = rows[i * count + h] if h < count else ZERO


@kernel
def learn_on(street, player, me, them, weights, nothing):
    """One learning pass of `me` against the other player's reach."""
    me.value[:] = ZERO
    links = Links(them.reach, them.side.hands.places + 1, me.value, me.side.hands.places + 1)
    # variables, so that nothing is compiled once more for a constant
    first, last, mode = np.int64(0), np.int64(1), np.int64(LEARN)
    run_last(first, last, mode, player, street, me.side, them.side, weights, links, nothing)


@kernel
def learn_with_entry(iteration, factors, searcher, street, own, other, kind, door, memory, held, sums, values, nothing):
    """One iteration for each row of `factors` [pass, 3]; `own` is the searcher's side, `other` the opponent's.

    The opponent learns against the searcher's range `held`, decides how to enter, then the searcher learns against those who enter.
    """
    count, width = other.side.hands.count[0], other.side.hands.places + 1
    pad(held, own.side.hands.count[0], own.side.hands.places + 1, own.reach)
    for t in range(factors.shape[0]):
        weights = Weights(factors[t, 0], factors[t, 1], factors[t, 2])
        learn_on(street, 1 - searcher, other, own, weights, nothing)
        for i in range(street.forest.roots):
            for h in range(count):
                values[i * count + h] = other.value[i * width + h]
        enter(kind, iteration + t + 1, values, door, memory)
        for h in range(values.shape[0]):
            sums.entered[h] = sums.entered[h] * factors[t, 2] + memory.weights[h]
            sums.stayed[h] = sums.stayed[h] * factors[t, 2] + memory.stayed[h]
        pad(memory.weights, count, width, other.reach)
        learn_on(street, searcher, own, other, weights, nothing)
