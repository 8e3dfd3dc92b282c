"""Vector CFR over boards: all betting lines of a board together, sixteen hands or sixteen lanes of terminals at a time.

For one board and one updating player: the opponent's reach goes down, terminals are evaluated together, values come up and the player's
regrets are updated. `layout.py` has the arrays.
"""

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.postflop._kernels.layout import LEARN, RESPOND, ZERO, Weights
from equilibrist.solvers.postflop._kernels.reach import reach_down
from equilibrist.solvers.postflop._kernels.symmetry import symmetrise
from equilibrist.solvers.postflop._kernels.terminals import terminals
from equilibrist.solvers.postflop._kernels.values import values_up


@kernel
def run_last(first, last, mode, me, street, mine, theirs, weights, links, nothing):
    """Boards first .. last-1 of the last street: my values against the opponent's reach are added to those above."""
    reach, reach_width, value, value_width = links
    for b in range(first, last):
        reach_down(mode, b, 1 - me, street, theirs, mine.scratch, weights.keep, reach, reach_width, nothing, 0, nothing)
        terminals(b, me, street, mine.hands, theirs.hands, mine.payoff, mine.scratch)
        values_up(mode, b, me, street, mine, weights, nothing, 0, value, value_width, nothing)


@kernel
def run_last_two(
    first, last, mode, me, turn, turn_mine, turn_theirs, river, river_mine, river_theirs, weights, above, between, nothing
):  # fmt: skip
    """Boards first .. last-1 of the last street but one (a turn), each with all its last boards (rivers)."""
    for b in range(first, last):
        reach_down(
            mode, b, 1 - me, turn, turn_theirs, turn_mine.scratch, weights.keep, above.reach, above.reach_width,
            between.reach, between.reach_width, nothing,
        )  # fmt: skip
        for h in range(between.value.shape[0]):
            between.value[h] = ZERO
        run_last(
            turn.first_below[b], turn.first_below[b + 1], mode, me, river, river_mine, river_theirs, weights, between, nothing
        )  # fmt: skip
        symmetrise(b, turn_mine.hands, river.forest.roots, between.value_width, between.value, turn_mine.scratch.spare)
        terminals(b, me, turn, turn_mine.hands, turn_theirs.hands, turn_mine.payoff, turn_mine.scratch)
        values_up(
            mode, b, me, turn, turn_mine, weights, between.value, between.value_width, above.value, above.value_width, nothing
        )  # fmt: skip


@kernel
def single_pass(mode, me, street, mine, theirs, weights, reach, value, nothing):
    """One pass where there is one board.

    It does by itself what `run_last` does: with that in between, the first solve would wait for one compilation more.
    """
    reach_down(
        mode, 0, 1 - me, street, theirs, mine.scratch, weights.keep, reach, theirs.hands.places + 1, nothing, 0, nothing
    )  # fmt: skip
    terminals(0, me, street, mine.hands, theirs.hands, mine.payoff, mine.scratch)
    values_up(mode, 0, me, street, mine, weights, nothing, 0, value, mine.hands.places + 1, nothing)


@kernel
def run_single(mode, first_player, last_player, factors, street, side0, side1, ends, nothing):
    """Passes over a game of one street, one for each row of `factors` [pass, 3] and player, without going back to the caller.

    `ends` holds both players' weights at the root, and the values there.
    """
    reach0, reach1, value0, value1 = ends
    for t in range(factors.shape[0]):
        weights = Weights(factors[t, 0], factors[t, 1], factors[t, 2])
        if first_player == 0:
            single_pass(mode, 0, street, side0, side1, weights, reach1, value0, nothing)
        if last_player == 1:
            single_pass(mode, 1, street, side1, side0, weights, reach0, value1, nothing)


@kernel
def sum_over_hands(weights, values):
    """Values of the hands at the root, added up by weight."""
    total = 0.0
    for h in range(weights.shape[0]):
        total += float(weights[h]) * float(values[h])
    return total


@kernel
def run_to_goal(first_t, check, goal, rule, factors, ones, normaliser, street, side0, side1, ends, nothing):
    """Iterations of a game of one street, with exploitability checks at fixed iterations, until one meets the goal.

    `factors` [iteration, 3]; `check`, and `rule` (growth, steepest, silence), as in `iteration_loop.Loop`, whose rule this is; `ends` as
    in `run_single`; `ones` are factors of 1. Returns the iterations done, the next check, and the last exploitability found here
    (-1: none) with its iteration.
    """
    growth, steepest, silence = rule
    reach0, reach1, value0, value1 = ends
    found, found_at = -1.0, 0
    for step in range(factors.shape[0]):
        run_single(LEARN, 0, 1, factors[step : step + 1], street, side0, side1, ends, nothing)
        iteration = first_t + step
        if iteration < int(check):
            continue
        value0[:] = ZERO
        value1[:] = ZERO
        run_single(RESPOND, 0, 1, ones, street, side0, side1, ends, nothing)
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
