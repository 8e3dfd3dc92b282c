"""CFR on one board whose opponent enters by a gadget: whole iterations without going back to the caller."""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.search._kernels.entry import enter
from equilibrist.solvers.postflop._kernels.boards import LEARN, ZERO, Weights, run_last


class OneBoard(NamedTuple):
    """What both players share."""

    forest: Any  # [N nodes] arrays of `boards.Forest`
    group_start: Any  # [boards + 1] first group of equal strength
    groups: Any  # [2 G] first place of each group, for each player
    factor: Any  # [] chance of the board
    nothing: Any  # [1] in place of arrays that are not asked for


class Side(NamedTuple):
    """One player at its root."""

    hands: Any  # [places] arrays of `boards.Hands`
    payoff: Any  # [terminals] arrays of `boards.Payoff`
    tables: Any  # [board, block, slot, hand] arrays of `boards.Tables`
    scratch: Any  # [rows] arrays of `boards.Scratch`
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
def learn_on(board, player, me, them, weights):
    """One learning pass of `me` against the other player's reach."""
    me.value[:] = ZERO
    run_last(
        0, 1, LEARN, player, board.forest, me.hands, them.hands, board.group_start, board.groups, me.payoff, me.tables,
        them.tables, weights, board.factor, them.reach, them.hands.places + 1, me.value, me.hands.places + 1, me.scratch,
        board.nothing,
    )  # fmt: skip


@kernel
def learn_with_entry(iteration, factors, searcher, board, own, other, kind, door, memory, held, sums, values):
    """One iteration for each row of `factors` [pass, 3]; `own` is the searcher's side, `other` the opponent's.

    The opponent learns against the searcher's range `held`, decides how to enter, then the searcher learns against those who enter.
    """
    count, width = other.hands.count[0], other.hands.places + 1
    pad(held, own.hands.count[0], own.hands.places + 1, own.reach)
    for t in range(factors.shape[0]):
        weights = Weights(factors[t, 0], factors[t, 1], factors[t, 2])
        learn_on(board, 1 - searcher, other, own, weights)
        for i in range(board.forest.roots):
            for h in range(count):
                values[i * count + h] = other.value[i * width + h]
        enter(kind, iteration + t + 1, values, door, memory)
        for h in range(values.shape[0]):
            sums.entered[h] = sums.entered[h] * factors[t, 2] + memory.weights[h]
            sums.stayed[h] = sums.stayed[h] * factors[t, 2] + memory.stayed[h]
        pad(memory.weights, count, width, other.reach)
        learn_on(board, searcher, own, other, weights)
