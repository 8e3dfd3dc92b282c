"""Vector CFR over boards: all betting lines of a board together, sixteen hands or sixteen lanes of terminals at a time.

For one board and one updating player: the opponent's reach goes down, terminals are evaluated together, values come up and the player's
regrets are updated. `layout.py` has the arrays. Numbers that kernels hand to one another are variables: for every constant Numba would
compile the whole tree of kernels below once more.
"""

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.postflop._kernels.layout import ZERO, Weights
from equilibrist.solvers.postflop._kernels.reach import reach_down
from equilibrist.solvers.postflop._kernels.symmetry import symmetrise
from equilibrist.solvers.postflop._kernels.terminals import terminals
from equilibrist.solvers.postflop._kernels.values import values_up

ONE = np.float32(1.0)


@kernel
def run_last(first, last, mode, me, street, mine, theirs, weights, links, nothing):
    """Boards first .. last-1 of the last street: my values against the opponent's reach are added to those above."""
    forest, group_start, groups, _, factor = street
    hands, tables, payoff, scratch = mine
    their_hands, their_tables, _, _ = theirs
    reach, reach_width, value, value_width = links
    for b in range(first, last):
        reach_down(
            mode, b, 1 - me, forest, their_hands, their_tables, scratch, factor, weights.keep, reach, reach_width, nothing,
            reach_width, nothing,
        )  # fmt: skip
        terminals(b, me, forest, group_start, groups, hands, their_hands, payoff, scratch)
        values_up(
            mode, b, me, forest, hands, tables, scratch, weights, nothing, value_width, value, value_width, nothing
        )


@kernel
def run_last_two(
    first, last, mode, me, turn, turn_mine, turn_theirs, river, river_mine, river_theirs, weights, above, between, nothing
):  # fmt: skip
    """Boards first .. last-1 of the last street but one (a turn), each with all its last boards (rivers)."""
    forest, group_start, groups, first_below, factor = turn
    hands, tables, payoff, scratch = turn_mine
    their_hands, their_tables, _, _ = turn_theirs
    reach, reach_width, value, value_width = above
    next_reach, next_reach_width, next_value, next_value_width = between
    roots = river.forest.roots
    for b in range(first, last):
        reach_down(
            mode, b, 1 - me, forest, their_hands, their_tables, scratch, factor, weights.keep, reach, reach_width, next_reach,
            next_reach_width, nothing,
        )  # fmt: skip
        for h in range(next_value.shape[0]):
            next_value[h] = ZERO
        run_last(
            first_below[b], first_below[b + 1], mode, me, river, river_mine, river_theirs, weights, between, nothing
        )
        symmetrise(b, hands, roots, next_value_width, next_value, scratch.spare)
        terminals(b, me, forest, group_start, groups, hands, their_hands, payoff, scratch)
        values_up(
            mode, b, me, forest, hands, tables, scratch, weights, next_value, next_value_width, value, value_width, nothing
        )  # fmt: skip


@kernel
def sum_over_hands(weights, values):
    """Values of the hands at the root, added up by weight."""
    total = 0.0
    for h in range(weights.shape[0]):
        total += float(weights[h]) * float(values[h])
    return total


@kernel
def run_single(first_t, check, goal, rule, modes, players, factors, normaliser, street, side0, side1, ends, nothing):
    """Passes over a game of one street for the first and last of `players`, with checks at fixed iterations, without going back.

    `factors` [pass, 3]; `check` (inf: none), and `rule` (growth, steepest, silence), as in `iteration_loop.Loop`, whose rule this is;
    `modes` are those of the passes and of the checks (RESPOND); `ends` holds both players' weights at the root, and the values there.
    Returns the passes done, the next check, and the last exploitability found here (-1: none) with its iteration; a check that meets
    the goal ends it. What `run_last` does for one board is done here, and once for passes and checks: every kernel in between is
    compiled again, and the first solve would wait for it.
    """
    forest, group_start, groups, _, factor = street
    growth, steepest, silence = rule
    reach0, reach1, value0, value1 = ends
    b = np.int64(0)
    found, found_at, step, checking = -1.0, 0, 0, False
    while step < factors.shape[0]:
        weights, mode = Weights(factors[step, 0], factors[step, 1], factors[step, 2]), modes[0]
        if checking:
            weights, mode = Weights(ONE, ONE, ONE), modes[1]
            value0[:] = ZERO
            value1[:] = ZERO
        for me in range(players[0], players[1] + 1):
            hands, tables, payoff, scratch = side0 if me == 0 else side1
            their_hands, their_tables, _, _ = side1 if me == 0 else side0
            reach, value = (reach1, value0) if me == 0 else (reach0, value1)
            width, their_width = hands.places + 1, their_hands.places + 1
            reach_down(
                mode, b, 1 - me, forest, their_hands, their_tables, scratch, factor, weights.keep, reach, their_width, nothing,
                their_width, nothing,
            )  # fmt: skip
            terminals(b, me, forest, group_start, groups, hands, their_hands, payoff, scratch)
            values_up(mode, b, me, forest, hands, tables, scratch, weights, nothing, width, value, width, nothing)
        iteration = first_t + step
        if not checking and iteration >= np.floor(check):
            checking = True
            continue
        step += 1
        if checking:
            checking = False
            found = (sum_over_hands(reach0, value0) + sum_over_hands(reach1, value1)) / (2.0 * normaliser)
            found_at = iteration
            soonest = 0.0
            if goal > 0.0:
                soonest = iteration * min(max(found / goal, 1.0) ** (1.0 / steepest), silence)
            while np.floor(check) <= iteration or check < soonest:
                check = max(check + 1.0, check * growth)
            if found <= goal:
                break
    return step, check, found, found_at
