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
def run_single(mode, first_player, last_player, factors, street, side0, side1, ends, nothing):
    """Passes over a game of one street, one for each row of `factors` [pass, 3] and player, without going back to the caller.

    `ends` holds both players' weights at the root, and the values there. What `run_last` does for one board is done here: with that in
    between, the first solve would wait for one compilation more.
    """
    forest, group_start, groups, _, factor = street
    reach0, reach1, value0, value1 = ends
    b = np.int64(0)
    for t in range(factors.shape[0]):
        weights = Weights(factors[t, 0], factors[t, 1], factors[t, 2])
        for me in range(first_player, last_player + 1):
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


@kernel
def sum_over_hands(weights, values):
    """Values of the hands at the root, added up by weight."""
    total = 0.0
    for h in range(weights.shape[0]):
        total += float(weights[h]) * float(values[h])
    return total


@kernel
def run_to_goal(first_t, check, goal, rule, modes, factors, ones, normaliser, street, side0, side1, ends, nothing):
    """Iterations of a game of one street, with exploitability checks at fixed iterations, until one meets the goal.

    `factors` [iteration, 3]; `check`, and `rule` (growth, steepest, silence), as in `iteration_loop.Loop`, whose rule this is; `modes` are
    LEARN and RESPOND; `ends` as in `run_single`; `ones` are factors of 1. Returns the iterations done, the next check, and the last
    exploitability found here (-1: none) with its iteration.
    """
    growth, steepest, silence = rule
    learn, respond = modes
    first_player, last_player = np.int64(0), np.int64(1)
    reach0, reach1, value0, value1 = ends
    found, found_at = -1.0, 0
    for step in range(factors.shape[0]):
        run_single(learn, first_player, last_player, factors[step : step + 1], street, side0, side1, ends, nothing)
        iteration = first_t + step
        if iteration < int(check):
            continue
        value0[:] = ZERO
        value1[:] = ZERO
        run_single(respond, first_player, last_player, ones, street, side0, side1, ends, nothing)
        found = (sum_over_hands(reach0, value0) + sum_over_hands(reach1, value1)) / (2.0 * normaliser)
        found_at = iteration
        soonest = 0.0
        if goal > 0.0:
            soonest = iteration * min(max(found / goal, 1.0) ** (1.0 / steepest), silence)
        while int(check) <= iteration or check < soonest:
            check = max(check + 1.0, check * growth)
        if found <= goal:
            return step + 1, check, found, found_at
    return factors.shape[0], check, found, found_at
