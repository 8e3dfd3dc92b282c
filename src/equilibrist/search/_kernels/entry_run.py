"""CFR on one board whose opponent enters by a gadget: whole iterations without going back to the caller."""

from equilibrist.compute.kernel import kernel
from equilibrist.search._kernels.entry import enter
from equilibrist.solvers.postflop._kernels.boards import LEARN, ZERO, Weights, run_last


@kernel
def pad(rows, count, width, out):
    """Numbers [root * count] of hands, with the places behind them empty."""
    for i in range(rows.shape[0] // count):
        for h in range(width):
            out[i * width + h] = rows[i * count + h] if h < count else ZERO


@kernel
def learn_with_entry(
    iteration, factors, searcher, forest, own, other, group_start, groups, own_payoff, other_payoff, own_tables, other_tables,
    factor, own_scratch, other_scratch, nothing, kind, door, memory, entered, own_range, own_reach, other_reach, own_value,
    other_value, values,
):  # fmt: skip
    """One iteration for each row of `factors` [pass, 3]; `own` is the searcher's, `other` the opponent's.

    The opponent learns against the searcher's range, decides how to enter, then the searcher learns against those who enter.
    """
    opponent, own_width, other_width = 1 - searcher, own.places + 1, other.places + 1
    count = other.count[0]
    pad(own_range, own.count[0], own_width, own_reach)
    for t in range(factors.shape[0]):
        weights = Weights(factors[t, 0], factors[t, 1], factors[t, 2])
        other_value[:] = ZERO
        run_last(
            0, 1, LEARN, opponent, forest, other, own, group_start, groups, other_payoff, other_tables, own_tables, weights,
            factor, own_reach, own_width, other_value, other_width, other_scratch, nothing,
        )  # fmt: skip
        for i in range(forest.roots):
            for h in range(count):
                values[i * count + h] = other_value[i * other_width + h]
        enter(kind, iteration + t + 1, values, door, memory)
        for h in range(entered.shape[0]):
            entered[h] = entered[h] * factors[t, 2] + memory.weights[h]
        pad(memory.weights, count, other_width, other_reach)
        own_value[:] = ZERO
        run_last(
            0, 1, LEARN, searcher, forest, own, other, group_start, groups, own_payoff, own_tables, other_tables, weights,
            factor, other_reach, other_width, own_value, own_width, own_scratch, nothing,
        )  # fmt: skip
