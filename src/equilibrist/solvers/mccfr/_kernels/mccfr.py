"""Walks of Monte Carlo CFR over a packed game tree, with explicit stacks and no allocation.

Chains of chance nodes are drawn in one step. `tally[0]` counts nodes touched. Every function returns the iterations done,
fewer than asked for when `limit` nodes have been touched. `frames` int32 [depth, 2] and `values` [depth, widest] are scratch.
"""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.matching import draw_whole
from equilibrist.solvers.mccfr._kernels.sampling import (
    draw_action,
    draw_outcome,
    finish_walks,
    regret_actions,
    regret_sampled,
    uniform,
)

CHANCE = -1
EVENLY = 0.5  # share of even play with which the others' actions are drawn for an average


class PackedTree(NamedTuple):
    """N histories, M chance outcomes, Z distinct payoffs to k players.

    A packed node is
      decision: acting player, first child, actions, first entry of its row in the table
      chance:   CHANCE, first outcome, outcomes, 1 if all are equally likely
      terminal: TERMINAL, row of `payoffs`, 0, 0
    """

    nodes: Any  # [N, 4] int32: kind, first, width, row
    outcomes: Any  # [M, 2] int32: node behind an outcome, further chance nodes passed on the way there
    cumulative: Any  # [M] float64 probabilities of the outcomes of one chance node, summed up
    payoffs: Any  # [Z, k] float64, or int64 in Pure CFR: few, so they stay in the nearest cache


@kernel
def average_own(nodes, outcomes, cumulative, player, table, random):
    """One history for the strategy sum of a player among three or more: own actions are drawn by its strategy, the others' from a
    mixture with even play, whose probability is divided out. So the mean addition is own reach x chance x strategy, whatever the
    others do; met on the way of another player's walk, a strategy would also carry the reach of all who do not walk. Returns nodes.
    """
    n, weight, seen = 0, 1.0, 0
    while True:
        seen += 1
        kind, first, width, row = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 3]
        if kind == player:
            for s in range(row + width, row + 2 * width):
                table[s + width] += weight * table[s]
            n = first + draw_action(table, row + width, width, uniform(random))
        elif kind >= 0:
            u = uniform(random)
            if u < EVENLY:
                action = min(int(u / EVENLY * width), width - 1)
            else:
                action = draw_action(table, row + width, width, (u - EVENLY) / (1.0 - EVENLY))
            weight /= EVENLY / width + (1.0 - EVENLY) * table[row + width + action]
            n = first + action
        elif kind == CHANCE:
            o = draw_outcome(cumulative, first, width, row, uniform(random))
            n = outcomes[o, 0]
            seen += outcomes[o, 1]
        else:
            return seen


@kernel
def sample_external(tree, traversals, iterations, limit, tables, random, tally, frames, values):
    """External sampling: all actions of the walking player, one of everybody else's ([Lanctot09], 4)."""
    nodes, outcomes, cumulative, payoffs = tree.nodes, tree.outcomes, tree.cumulative, tree.payoffs
    table, rows, touched, most = tables.table, tables.rows, tables.touched, tables.touched.shape[0]
    players = payoffs.shape[1]
    seen = tally[0]
    for iteration in range(iterations):
        for player in range(players):
            averaged = (
                1 - player if players == 2 else player
            )  # whose strategy sum this walk adds to; or one of its own before it
            changed = 0
            for _ in range(traversals):
                if players > 2:
                    seen += average_own(nodes, outcomes, cumulative, player, table, random)
                depth, n, value = -1, 0, 0.0
                while True:
                    while True:  # down to a terminal; own nodes are remembered, the rest is passed through
                        seen += 1
                        kind, first, width = nodes[n, 0], nodes[n, 1], nodes[n, 2]
                        if kind == player:
                            depth += 1
                            frames[depth, 0], frames[depth, 1] = 0, n
                            n = first
                        elif kind >= 0:
                            row = nodes[n, 3] + width
                            u = uniform(random)
                            if width == 2:  # the commonest row, without loops
                                if kind == averaged:
                                    table[row + 2] += table[row]
                                    table[row + 3] += table[row + 1]
                                n = first + int(u >= table[row])
                                continue
                            action = 0  # counts the cumulative probabilities that u has passed, without a branch
                            if kind == averaged:
                                for s in range(row, row + width):
                                    p = table[s]
                                    table[s + width] += p
                                    u -= p
                                    action += u >= 0.0
                            else:
                                for s in range(row, row + width):
                                    u -= table[s]
                                    action += u >= 0.0
                            n = first + min(action, width - 1)
                        elif kind == CHANCE:
                            o = draw_outcome(cumulative, first, width, nodes[n, 3], uniform(random))
                            n = outcomes[o, 0]
                            seen += outcomes[o, 1]
                        else:
                            value = payoffs[first, player]
                            break
                    while depth >= 0:  # up to an own node with actions left
                        action, n = frames[depth, 0], frames[depth, 1]
                        values[depth, action] = value
                        action += 1
                        width = nodes[n, 2]
                        if action < width:
                            frames[depth, 0] = action
                            n = nodes[n, 1] + action
                            break
                        base = nodes[n, 3]
                        value = regret_actions(table, base, width, values, depth)
                        if changed < most:
                            touched[changed, 0], touched[changed, 1] = base, width
                        changed += 1
                        depth -= 1
                    if depth < 0:
                        break
            finish_walks(rows, touched, changed, table)
        tally[0] = seen
        if seen >= limit:
            return iteration + 1
    return iterations


@kernel
def sample_outcomes(tree, traversals, iterations, limit, exploration, tables, random, tally, path, chances):
    """Outcome sampling: one terminal per walk; the walking player explores ([Lanctot09], 4)."""
    nodes, outcomes, cumulative, payoffs = tree.nodes, tree.outcomes, tree.cumulative, tree.payoffs
    table, rows, touched, most = tables.table, tables.rows, tables.touched, tables.touched.shape[0]
    players = payoffs.shape[1]
    seen = tally[0]
    for iteration in range(iterations):
        for player in range(players):
            averaged = 1 - player if players == 2 else player
            changed = 0
            for _ in range(traversals):
                if players > 2:
                    seen += average_own(nodes, outcomes, cumulative, player, table, random)
                depth, n = 0, 0
                drawn = 1.0  # probability of the walking player's sampled actions
                while True:
                    seen += 1
                    kind, first, width, row = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 3]
                    if kind == player:
                        u = uniform(random)
                        if u < exploration:
                            action = min(int(u / exploration * width), width - 1)
                        else:
                            action = draw_action(table, row + width, width, (u - exploration) / (1.0 - exploration))
                        p = table[row + width + action]
                        drawn *= exploration / width + (1.0 - exploration) * p
                        path[depth, 0], path[depth, 1], path[depth, 2] = row, width, action
                        chances[depth] = p
                        depth += 1
                        n = first + action
                    elif kind >= 0:
                        if kind == averaged:
                            for s in range(row + width, row + 2 * width):
                                table[s + width] += table[s] / drawn  # leaves own reach and chance
                        n = first + draw_action(table, row + width, width, uniform(random))
                    elif kind == CHANCE:
                        o = draw_outcome(cumulative, first, width, row, uniform(random))
                        n = outcomes[o, 0]
                        seen += outcomes[o, 1]
                    else:
                        break
                value = payoffs[first, player] / drawn  # becomes the sampled value of the own action just taken
                for d in range(depth - 1, -1, -1):
                    row, width = path[d, 0], path[d, 1]
                    value = regret_sampled(table, row, width, path[d, 2], chances[d], value)
                    if changed < most:
                        touched[changed, 0], touched[changed, 1] = row, width
                    changed += 1
            finish_walks(rows, touched, changed, table)
        tally[0] = seen
        if seen >= limit:
            return iteration + 1
    return iterations


@kernel
def finish_long_walks(rows, touched, changed, table):
    """As `finish_walks`, by a call: its code among that of a long walk makes the walk slower."""
    finish_walks(rows, touched, changed, table)


@kernel
def sample_chance(tree, traversals, iterations, limit, tables, random, tally, frames, values, reach):
    """Chance sampling: one outcome per chance node, all actions of all players ([Zinkevich07], 3.4)."""
    nodes, outcomes, cumulative, payoffs = tree.nodes, tree.outcomes, tree.cumulative, tree.payoffs
    table, rows, touched, most = tables.table, tables.rows, tables.touched, tables.touched.shape[0]
    players = payoffs.shape[1]
    seen = tally[0]
    for iteration in range(iterations):
        for player in range(players):
            averaged = (player + 1) % players
            changed = 0
            for _ in range(traversals):
                depth, n, value = -1, 0, 0.0
                others, theirs = (
                    1.0,
                    1.0,
                )  # reach of all but the walking player, and of the averaged one alone
                while True:
                    seen += 1
                    kind, first, width, row = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 3]
                    if kind == CHANCE:
                        o = draw_outcome(cumulative, first, width, row, uniform(random))
                        n = outcomes[o, 0]
                        seen += outcomes[o, 1]
                        continue
                    if kind < 0:
                        value = payoffs[first, player]
                    else:
                        depth += 1
                        frames[depth, 0], frames[depth, 1] = -1, n  # no action taken yet
                        reach[depth, 0], reach[depth, 1], reach[depth, 2] = others, theirs, 0.0
                        if kind == averaged:
                            for s in range(row + width, row + 2 * width):
                                table[s + width] += theirs * table[s]
                    while depth >= 0:  # hand the value to the frame above, up to one with an action left
                        action, n = frames[depth, 0], frames[depth, 1]
                        kind, width, row = nodes[n, 0], nodes[n, 2], nodes[n, 3]
                        if action >= 0:
                            values[depth, action] = value
                            reach[depth, 2] += table[row + width + action] * value
                        action += 1
                        others, theirs = reach[depth, 0], reach[depth, 1]
                        if kind != player:  # skip what neither regrets nor averages would notice
                            while action < width and table[row + width + action] == 0.0:
                                if kind != averaged and theirs > 0.0:
                                    break
                                action += 1
                        if action < width:
                            frames[depth, 0] = action
                            if kind != player:
                                others *= table[row + width + action]
                            if kind == averaged:
                                theirs *= table[row + width + action]
                            n = nodes[n, 1] + action
                            break
                        value = reach[depth, 2]
                        if kind == player and others > 0.0:
                            for a in range(width):
                                table[row + a] += others * (values[depth, a] - value)
                            if changed < most:
                                touched[changed, 0], touched[changed, 1] = row, width
                            changed += 1
                        depth -= 1
                    if depth < 0:
                        break
            finish_long_walks(rows, touched, changed, table)
        tally[0] = seen
        if seen >= limit:
            return iteration + 1
    return iterations


@kernel
def draw_pure(table, drawn, row, width, walk, random):
    """The pure action of an infoset in this walk: drawn in proportion to positive regrets when first met."""
    if drawn[row + 1] == walk:
        return drawn[row]
    chosen = draw_whole(table, row, width, uniform(random))
    drawn[row], drawn[row + 1] = chosen, walk
    return chosen


@kernel
def count_own(nodes, outcomes, cumulative, player, table, drawn, walk, random):
    """As `average_own` in whole numbers: the others' actions are drawn evenly, so that nothing has to be divided out."""
    n, seen = 0, 0
    while True:
        seen += 1
        kind, first, width, row = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 3]
        if kind == player:
            action = draw_pure(table, drawn, row, width, walk, random)
            table[row + width + action] += 1
            n = first + action
        elif kind >= 0:
            n = first + min(int(uniform(random) * width), width - 1)
        elif kind == CHANCE:
            o = draw_outcome(cumulative, first, width, row, uniform(random))
            n = outcomes[o, 0]
            seen += outcomes[o, 1]
        else:
            return seen


@kernel
def sample_pure(tree, iterations, limit, table, drawn, random, tally, frames, values):
    """Pure CFR ([Gibson14], 5.5): every infoset plays one drawn action, so all numbers are whole.

    Rows of `table` (int64) hold regrets, then counts; a row of `drawn` begins with the drawn action and its walk.
    """
    nodes, outcomes, cumulative, payoffs = tree.nodes, tree.outcomes, tree.cumulative, tree.payoffs
    players = payoffs.shape[1]
    seen, walk = tally[0], tally[1]
    for iteration in range(iterations):
        for player in range(players):
            averaged = 1 - player if players == 2 else player
            walk += 1
            if players > 2:
                seen += count_own(nodes, outcomes, cumulative, player, table, drawn, walk, random)
            depth, n, value = -1, 0, 0
            while True:
                while True:
                    seen += 1
                    kind, first, width, row = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 3]
                    if kind == player:
                        depth += 1
                        frames[depth, 0], frames[depth, 1] = 0, n
                        n = first
                    elif kind >= 0:
                        action = draw_pure(table, drawn, row, width, walk, random)
                        if kind == averaged:
                            table[row + width + action] += 1
                        n = first + action
                    elif kind == CHANCE:
                        o = draw_outcome(cumulative, first, width, row, uniform(random))
                        n = outcomes[o, 0]
                        seen += outcomes[o, 1]
                    else:
                        value = payoffs[first, player]
                        break
                while depth >= 0:
                    action, n = frames[depth, 0], frames[depth, 1]
                    values[depth, action] = value
                    action += 1
                    width, row = nodes[n, 2], nodes[n, 3]
                    if action < width:
                        frames[depth, 0] = action
                        n = nodes[n, 1] + action
                        break
                    value = values[depth, draw_pure(table, drawn, row, width, walk, random)]
                    for a in range(width):
                        table[row + a] += values[depth, a] - value
                    depth -= 1
                if depth < 0:
                    break
        tally[0], tally[1] = seen, walk
        if seen >= limit:
            return iteration + 1
    return iterations
