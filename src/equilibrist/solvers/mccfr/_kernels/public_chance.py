"""Public chance sampling: one walk carries vectors of private states through sampled public states.

Chance is public where it leads to several public states: one of them is drawn, and what is seen through it is divided by its share.
"""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.mccfr._kernels.sampling import draw_outcome, finish_walks, uniform


class PublicWalk(NamedTuple):
    """S public states with C children in all, K private states of k players (one player after another), H entries of terminals."""

    states: Any  # [S, 4] int32: acting player, first child, children, 1 if one child is drawn
    child: Any  # [C] int32 public state
    cumulative: Any  # [C] float64 share among its siblings, summed up
    inverse: Any  # [C] float64: 1 / share
    span: Any  # [k, S + 1] int32 first private state of each public state
    private: Any  # [K, 5] int32: state before, own action that led here (-1: none), row, width, first choice
    first_entry: Any  # [S + 1] into the next two
    entry: Any  # [H, k] int32 private states
    stakes: Any  # [H, k] float64 payoff x chance


class PublicScratch(NamedTuple):
    """Memory of one walk; F choices of private states in all."""

    stack: Any  # [S] int32
    visited: Any  # [S] int32
    scale: Any  # [S] float64
    reach: Any  # [K] float64
    value: Any  # [K] float64
    choice_value: Any  # [F] float64


@kernel
def arrive(span, private, table, state, player, averaged, reach, value):
    """Reach of the others at a public state; says whether the averaged player can be here at all."""
    alive = False
    for p in range(span.shape[0]):
        for k in range(span[p, state], span[p, state + 1]):
            if p == player:
                value[k] = 0.0
                continue
            above = private[k, 0]
            r = 1.0
            if above >= 0:
                r = reach[above]
                if private[k, 1] >= 0:
                    r *= table[private[above, 2] + private[above, 3] + private[k, 1]]
            reach[k] = r
            if p == averaged and r > 0.0:
                alive = True
    return alive


@kernel
def settle(first_entry, entry, stakes, state, player, scale, reach, value):
    """Counterfactual values of the walking player's private states at a terminal."""
    for h in range(first_entry[state], first_entry[state + 1]):
        amount = scale * stakes[h, player]
        for p in range(entry.shape[1]):
            if p != player:
                amount *= reach[entry[h, p]]
        value[entry[h, player]] += amount


@kernel
def sample_public_chance(tree, traversals, iterations, limit, tables, random, tally, scratch):
    """Private chance in full, public chance drawn, all actions of all players ([Johanson12b]).

    `tally` [2] counts pairs of public and private states, and public states.
    """
    states, child, cumulative, inverse, span = tree.states, tree.child, tree.cumulative, tree.inverse, tree.span
    private, first_entry, entry, stakes = tree.private, tree.first_entry, tree.entry, tree.stakes
    table, rows, touched, most = tables.table, tables.rows, tables.touched, tables.touched.shape[0]
    stack, visited, scale = scratch.stack, scratch.visited, scratch.scale
    reach, value, choice_value = scratch.reach, scratch.value, scratch.choice_value
    players = span.shape[0]
    for iteration in range(iterations):
        for player in range(players):
            averaged = (player + 1) % players
            changed = 0
            for _ in range(traversals):
                waiting, count = 1, 0
                stack[0], scale[0] = 0, 1.0
                while waiting > 0:  # down, parents first
                    waiting -= 1
                    s = stack[waiting]
                    visited[count] = s
                    count += 1
                    tally[1] += 1
                    for p in range(players):
                        tally[0] += span[p, s + 1] - span[p, s]
                    alive = arrive(span, private, table, s, player, averaged, reach, value)
                    acting, first, width = states[s, 0], states[s, 1], states[s, 2]
                    for k in range(span[player, s], span[player, s + 1]):
                        for c in range(private[k, 4], private[k, 4] + private[k, 3]):
                            choice_value[c] = 0.0
                    if not alive:  # nothing below has any weight
                        continue
                    if acting == averaged:
                        for k in range(span[averaged, s], span[averaged, s + 1]):
                            for t in range(private[k, 2] + private[k, 3], private[k, 2] + 2 * private[k, 3]):
                                table[t + private[k, 3]] += reach[k] * table[t]
                    if width == 0:
                        settle(first_entry, entry, stakes, s, player, scale[s], reach, value)
                    elif states[s, 3]:
                        c = draw_outcome(cumulative, first, width, False, uniform(random))
                        stack[waiting], scale[child[c]] = child[c], scale[s] * inverse[c]
                        waiting += 1
                    else:
                        for c in range(first + width - 1, first - 1, -1):
                            stack[waiting], scale[child[c]] = child[c], scale[s]
                            waiting += 1
                for v in range(count - 1, -1, -1):  # up, children first
                    s = visited[v]
                    for k in range(span[player, s], span[player, s + 1]):
                        row, width, choice = private[k, 2], private[k, 3], private[k, 4]
                        if width > 0:
                            for a in range(width):
                                value[k] += table[row + width + a] * choice_value[choice + a]
                            for a in range(width):
                                table[row + a] += choice_value[choice + a] - value[k]
                            if changed < most:
                                touched[changed, 0], touched[changed, 1] = row, width
                            changed += 1
                        above = private[k, 0]
                        if above < 0:
                            continue
                        if private[k, 1] >= 0:
                            choice_value[private[above, 4] + private[k, 1]] += value[k]
                        else:
                            value[above] += value[k]
            finish_walks(rows, touched, changed, table)
        if tally[0] >= limit:
            return iteration + 1
    return iterations
