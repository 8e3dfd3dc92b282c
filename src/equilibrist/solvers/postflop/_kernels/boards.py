"""Vector CFR over boards: all betting lines of a board together, sixteen hands or sixteen lanes of terminals at a time.

For one board and one updating player: the opponent's reach goes down, terminals are evaluated together, values come up and the player's
regrets are updated. `layout.py` has the arrays. Numbers that kernels hand to one another are variables: for every constant Numba would
compile the whole tree of kernels below once more.
"""

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.compute.lanes import spread, store
from equilibrist.solvers.postflop._kernels.layout import ZERO, Weights
from equilibrist.solvers.postflop._kernels.reach import reach_down
from equilibrist.solvers.postflop._kernels.terminals import terminals
from equilibrist.solvers.postflop._kernels.values import values_up

ONE = np.float32(1.0)


@kernel
def run_last(first, last, mode, me, street, mine, theirs, weights, links, nothing):
    """Boards first .. last-1 of the last street: my values against the opponent's reach are added to those above."""
    forest, hands, their_hands, scratch = street.forest, mine.hands, theirs.hands, mine.scratch
    reach, reach_width, value, value_width = links
    for b in range(first, last):
        reach_down(
            mode, b, 1 - me, forest, their_hands, theirs.tables, scratch, street.factor, weights.keep, reach, reach_width, nothing,
            reach_width, nothing,
        )  # fmt: skip
        terminals(b, me, forest, street.group_start, street.groups, hands, their_hands, mine.payoff, scratch)
        values_up(
            mode, b, me, forest, hands, mine.tables, scratch, weights, nothing, value_width, value, value_width, nothing
        )


@kernel
def sum_over_hands(weights, values):
    """Values of the hands at the root, added up by weight."""
    total = 0.0
    for h in range(weights.shape[0]):
        total += float(weights[h]) * float(values[h])
    return total


@kernel
def clear_rows(scratch):
    """Node rows without anything of another game."""
    for h in range(0, scratch.reach.shape[0], 16):
        store(scratch.reach, h, spread(ZERO))
    for h in range(0, scratch.value.shape[0], 16):
        store(scratch.value, h, spread(ZERO))


@kernel
def run_single(games, before, rule, modes, players, factors, street, sides, ends, nothing):
    """Passes over games of one street for the first and last of `players`, with checks at fixed iterations, without going back.

    Each game in turn makes the iterations that `factors` [pass, 3] are for, which come after the iteration `before`, or those of them
    that it has not made yet. `rule` (growth, steepest, silence) is that of `iteration_loop.Loop`; `modes` are those of the passes and
    of the checks (RESPOND); `sides` holds both players' sides of each game, `ends` both players' weights at the roots, and the values
    there. A check that meets the goal ends a game. What `run_last` does for one board is done here, and once for passes and checks:
    every kernel in between is compiled again, and the first solve would wait for it.
    """
    forest, group_start, groups = street.forest, street.group_start, street.groups
    growth, steepest, silence = rule
    number = games.open.shape[0]
    rows = ends[0].shape[0] // number, ends[1].shape[0] // number  # hands that follow a model have rows besides
    b = np.int64(0)
    for g in range(games.open.shape[0]):
        if not games.open[g]:
            continue
        side0, side1 = sides[0][g], sides[1][g]
        clear_rows(side0.scratch)
        clear_rows(side1.scratch)
        starts, strengths = group_start[2 * g :], groups[2 * games.first_group[g] :]
        from0, to0, from1, to1 = g * rows[0], (g + 1) * rows[0], g * rows[1], (g + 1) * rows[1]
        reach0, reach1, value0, value1 = ends[0][from0:to0], ends[1][from1:to1], ends[2][from0:to0], ends[3][from1:to1]
        check, goal, checking = games.check[g], games.goal[g], False
        step, steps = games.iteration[g] - before, min(np.int64(factors.shape[0]), games.last[g] - before)
        while step < steps:
            weights, mode = Weights(factors[step, 0], factors[step, 1], factors[step, 2]), modes[0]
            if checking:
                weights, mode = Weights(ONE, ONE, ONE), modes[1]
                value0[:] = ZERO
                value1[:] = ZERO
            for me in range(players[0], players[1] + 1):
                mine, theirs = (side0, side1) if me == 0 else (side1, side0)
                hands, their_hands, scratch = mine.hands, theirs.hands, mine.scratch
                reach, value = (reach1, value0) if me == 0 else (reach0, value1)
                width, their_width = hands.places + 1, their_hands.places + 1
                reach_down(
                    mode, b, 1 - me, forest, their_hands, theirs.tables, scratch, street.factor, weights.keep, reach, their_width,
                    nothing, their_width, nothing,
                )  # fmt: skip
                terminals(b, me, forest, starts, strengths, hands, their_hands, mine.payoff, scratch)
                values_up(
                    mode, b, me, forest, hands, mine.tables, scratch, weights, nothing, width, value, width, nothing
                )
            iteration = before + step + 1
            if not checking and iteration >= np.floor(check):
                checking = True
                continue
            step += 1
            if checking:
                checking = False
                found = (sum_over_hands(reach0, value0) + sum_over_hands(reach1, value1)) / (2.0 * games.normaliser[g])
                games.found[g], games.found_at[g] = found, iteration
                soonest = 0.0
                if goal > 0.0:
                    soonest = iteration * min(max(found / goal, 1.0) ** (1.0 / steepest), silence)
                while np.floor(check) <= iteration or check < soonest:
                    check = max(check + 1.0, check * growth)
                if found <= goal:
                    break
        games.iteration[g], games.check[g] = before + step, check
