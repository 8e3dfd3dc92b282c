"""CFR on games played with classes of hands, one row of lane columns per class (`forms/hand_classes/betting_rounds.py`).

Loops run over lanes, that is over infosets alike, and over few arrays each, which the compiler turns into vector instructions.
"""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.forms.hand_classes._kernels.kronecker import multiply_row
from equilibrist.solvers.cfr._kernels.matching import match_lanes

OUTSIDE = -2


class RoundTree(NamedTuple):
    """One player's betting in one round: G groups of infosets alike, L lanes in all, K classes."""

    groups: Any  # [G, 5]: first column, lanes, actions, first parent (or OUTSIDE, or -1 for parents that are no run), first lane
    lane_parent: Any  # [L] column before each lane, in this round or (OUTSIDE) in the round before
    runs: Any  # [V, 3]: leaf, column, length of columns that lead to leaves side by side
    parent: Any  # [K] int64 class of the round before


class MeetingPairs(NamedTuple):
    """E pairs of classes that meet, by class of this player; folds first among the leaves of a packed row."""

    start: Any  # [K + 1] int64
    column: Any  # [E] int32 class of the opponent
    chance: Any  # [E] how likely they meet: weight of folds
    edge: Any  # [E] wins minus losses: weight of showdowns
    folds: int


class Step(NamedTuple):
    """One iteration's minimiser and weights, in the number type of the tables."""

    predictive: bool
    positive: float
    negative: float
    keep: float


@kernel
def follow_row(groups, lane_parent, above, strategy, plan, total):
    """Plan of a row from its behaviour; `above` is the plan of the row before, in the round before."""
    for g in range(groups.shape[0]):
        first, lanes, actions, run, lane = groups[g, 0], groups[g, 1], groups[g, 2], groups[g, 3], groups[g, 4]
        reach = total[:lanes]
        if run == OUTSIDE:
            for i in range(lanes):
                reach[i] = above[lane_parent[lane + i]]
        elif run >= 0:
            source = plan[run : run + lanes]
            for i in range(lanes):
                reach[i] = source[i]
        else:
            for i in range(lanes):
                reach[i] = plan[lane_parent[lane + i]]
        for a in range(actions):
            s = strategy[first + a * lanes : first + (a + 1) * lanes]
            x = plan[first + a * lanes : first + (a + 1) * lanes]
            for i in range(lanes):
                x[i] = reach[i] * s[i]


@kernel
def pass_up(lanes, run, lane, lane_parent, value, q, up):
    """Adds the values of a group's infosets to the sequences before them."""
    if run == OUTSIDE:
        for i in range(lanes):
            up[lane_parent[lane + i]] += value[i]
    elif run >= 0:
        target = q[run : run + lanes]
        for i in range(lanes):
            target[i] += value[i]
    else:
        for i in range(lanes):
            q[lane_parent[lane + i]] += value[i]


@kernel
def discount_regrets(q, value, positive, negative, regret):
    """Regret matching: one action's regrets after this iteration."""
    zero = regret.dtype.type(0)
    for i in range(regret.shape[0]):
        x = regret[i] + (q[i] - value[i])
        regret[i] = max(x, zero) * positive + min(x, zero) * negative


@kernel
def predict_regrets(q, value, positive, regret, basis):
    """Predictive RM+: floored regrets, and with the last regret expected once more in `basis`."""
    zero = regret.dtype.type(0)
    for i in range(regret.shape[0]):
        change = q[i] - value[i]
        x = max(regret[i] + change, zero) * positive
        regret[i] = x
        basis[i] = x + change


@kernel
def learn_row(groups, lane_parent, predictive, positive, negative, strategy, q, up, regret, basis, total):
    """Values of a row's infosets from the last to the first, and their new regrets."""
    for g in range(groups.shape[0] - 1, -1, -1):
        first, lanes, actions, run, lane = groups[g, 0], groups[g, 1], groups[g, 2], groups[g, 3], groups[g, 4]
        value = total[:lanes]
        value[:] = 0
        for a in range(actions):
            s = strategy[first + a * lanes : first + (a + 1) * lanes]
            x = q[first + a * lanes : first + (a + 1) * lanes]
            for i in range(lanes):
                value[i] += s[i] * x[i]
        for a in range(actions):
            begin, end = first + a * lanes, first + (a + 1) * lanes
            if predictive:
                predict_regrets(q[begin:end], value, positive, regret[begin:end], basis[begin:end])
            else:
                discount_regrets(q[begin:end], value, positive, negative, regret[begin:end])
        pass_up(lanes, run, lane, lane_parent, value, q, up)


@kernel
def respond_row(groups, lane_parent, q, up, total):
    """Best values of a row's infosets, from the last to the first."""
    for g in range(groups.shape[0] - 1, -1, -1):
        first, lanes, actions, run, lane = groups[g, 0], groups[g, 1], groups[g, 2], groups[g, 3], groups[g, 4]
        value = total[:lanes]
        value[:] = q[first : first + lanes]
        for a in range(1, actions):
            x = q[first + a * lanes : first + (a + 1) * lanes]
            for i in range(lanes):
                value[i] = max(value[i], x[i])
        pass_up(lanes, run, lane, lane_parent, value, q, up)


@kernel
def choose_row(groups, lane_parent, passive, q, up, choice, total):
    """Best actions of a row's infosets, from the last to the first; among equals a passive one, else the first."""
    zero = choice.dtype.type(0)
    one = choice.dtype.type(1)
    for g in range(groups.shape[0] - 1, -1, -1):
        first, lanes, actions, run, lane = groups[g, 0], groups[g, 1], groups[g, 2], groups[g, 3], groups[g, 4]
        value = total[:lanes]
        for i in range(lanes):
            pick = first + i
            for column in range(first + i + lanes, first + actions * lanes, lanes):
                if q[column] > q[pick] or (q[column] == q[pick] and passive[column]):
                    pick = column
            for column in range(first + i, first + actions * lanes, lanes):
                choice[column] = one if column == pick else zero
            value[i] = q[pick]
        pass_up(lanes, run, lane, lane_parent, value, q, up)


@kernel
def values_of_row(row, start, column, chance, edge, packed, folds, runs, below, product, q):
    """What each column of a row is worth: leaves of this round, and what `below` brings from the next."""
    multiply_row(row, start, column, chance, edge, packed, folds, product)
    q[:] = below
    for r in range(runs.shape[0]):
        leaves = product[runs[r, 0] : runs[r, 0] + runs[r, 2]]
        target = q[runs[r, 1] : runs[r, 1] + runs[r, 2]]
        for i in range(leaves.shape[0]):
            target[i] += leaves[i]


@kernel
def learn_rows(begin, end, step, tree, pairs, packed, above, below, up, regret, basis, average, room):
    """One iteration for classes begin .. end-1 of a round; `up` collects what their infosets are worth to the round before.

    All numbers share one type; `room` [5, longest row] is the caller's own, `below` has one row where nothing comes from below.
    """
    predictive, positive, negative, keep = step
    groups, lane_parent, runs, parent = tree
    start, column, chance, edge, folds = pairs
    width = regret.shape[1]
    strategy, plan, q, total = room[0, :width], room[1, :width], room[2, :width], room[3]
    product = room[4, : packed.shape[1]]
    for row in range(begin, end):
        match_lanes(groups, basis[row] if predictive else regret[row], strategy, total)
        follow_row(groups, lane_parent, above[parent[row]], strategy, plan, total)
        mean = average[row]
        for i in range(width):
            mean[i] = mean[i] * keep + plan[i]
        values_of_row(row, start, column, chance, edge, packed, folds, runs, below[row % below.shape[0]], product, q)
        learn_row(
            groups, lane_parent, predictive, positive, negative, strategy, q, up[parent[row]], regret[row],
            basis[row % basis.shape[0]], total,
        )  # fmt: skip


@kernel
def follow_rows(begin, end, tree, source, above, payoff, plan, packed, room):
    """Plans of classes begin .. end-1 and their packed rows, from regrets or from averages."""
    groups, lane_parent, runs, parent = tree
    width = source.shape[1]
    strategy, total, reached = room[0, :width], room[3], room[1, :width]
    for row in range(begin, end):
        match_lanes(groups, source[row], strategy, total)
        follow_row(groups, lane_parent, above[parent[row]], strategy, reached, total)
        if plan.shape[0] > row:
            plan[row] = reached
        target = packed[row]
        for r in range(runs.shape[0]):
            leaf, place, length = runs[r, 0], runs[r, 1], runs[r, 2]
            x, pays, out = reached[place : place + length], payoff[leaf : leaf + length], target[leaf : leaf + length]
            for i in range(length):
                out[i] = x[i] * pays[i]


@kernel
def respond_rows(begin, end, tree, pairs, packed, below, up, own, unpaid, room):
    """Best responses of classes begin .. end-1 to the opponent's packed plan; returns what their own packed plan earns.

    `own` is packed with what leaves pay to the opponent; `unpaid` takes that off again.
    """
    groups, lane_parent, runs, parent = tree
    start, column, chance, edge, folds = pairs
    width = below.shape[1]
    q, total, product = room[2, :width], room[3], room[4, : packed.shape[1]]
    earned = 0.0
    for row in range(begin, end):
        values_of_row(row, start, column, chance, edge, packed, folds, runs, below[row % below.shape[0]], product, q)
        mine = own[row]
        for leaf in range(product.shape[0]):
            earned += product[leaf] * mine[leaf] * unpaid[leaf]
        respond_row(groups, lane_parent, q, up[parent[row]], total)
    return earned


@kernel
def choose_rows(begin, end, tree, pairs, packed, passive, below, up, choice, room):
    """Best responses of classes begin .. end-1 to the opponent's packed plan, written to `choice` as ones and zeros.

    `passive` [lane columns] says which actions win ties: where the opponent never comes, everything ties.
    """
    groups, lane_parent, runs, parent = tree
    start, column, chance, edge, folds = pairs
    width = below.shape[1]
    q, total, product = room[2, :width], room[3], room[4, : packed.shape[1]]
    for row in range(begin, end):
        values_of_row(row, start, column, chance, edge, packed, folds, runs, below[row % below.shape[0]], product, q)
        choose_row(groups, lane_parent, passive, q, up[parent[row]], choice[row], total)
