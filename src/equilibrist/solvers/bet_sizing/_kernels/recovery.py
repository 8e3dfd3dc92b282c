"""CFR in a recovery game, on the sequence form of the larger game ([Brown20, §4.3.1]).

The game consists of *heads* (infosets of the player who gains an action) and of the infosets inside the added part. What the others did
before they came there is fixed in `plan`; a head chooses between its constant value and the added sequence.
"""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.matching import match_pair, match_row


class Added(NamedTuple):
    """H heads, J infosets inside the added part."""

    entrance: Any  # [H] int32 the added sequence of each head
    constant: Any  # [H] float64 value of a head that does not take it
    inside: Any  # [J] int32 infosets, parents first
    owned: Any  # [J] bool: whether they belong to the player who gains the action


class RecoveryTables(NamedTuple):
    """S sequences of the larger game; regrets and, for the others, averages add up in place."""

    strategy: Any  # [S] float64
    plan: Any  # [S] float64
    regret: Any  # [S] float64
    average: Any  # [S] float64
    entered: Any  # [H] float64 sum of the values of the entrances
    enter_regret: Any  # [H] float64
    stay_regret: Any  # [H] float64
    q: Any  # [S] float64 scratch


@kernel
def row_product(s, start, column, value, plan):
    total = 0.0
    for k in range(start[s], start[s + 1]):
        total += value[k] * plan[column[k]]
    return total


@kernel
def recover(iterations, part, treeplex, payoff, tables):
    """CFR in which every head takes its constant value or the added sequence."""
    entrance, constant, inside, owned = part
    _, _, first_sequence, actions, parent = treeplex
    start, column, value = payoff
    strategy, plan, regret, average, entered, enter_regret, stay_regret, q = tables
    for _ in range(iterations):
        for h in range(entrance.shape[0]):
            q[entrance[h]] = row_product(entrance[h], start, column, value, plan)
        for i in inside:
            for s in range(first_sequence[i], first_sequence[i] + actions[i]):
                q[s] = row_product(s, start, column, value, plan)
        for k in range(inside.shape[0]):
            if not owned[k]:
                i = inside[k]
                for s in range(first_sequence[i], first_sequence[i] + actions[i]):
                    average[s] += plan[s]
        for k in range(inside.shape[0] - 1, -1, -1):
            i = inside[k]
            first, n = first_sequence[i], actions[i]
            v = 0.0
            for s in range(first, first + n):
                v += strategy[s] * q[s]
            q[parent[i]] += v
            for s in range(first, first + n):
                regret[s] += q[s] - v
            match_row(regret, first, n, strategy, first)
        for h in range(entrance.shape[0]):
            e = entrance[h]
            v = strategy[e] * q[e] + (1.0 - strategy[e]) * constant[h]
            entered[h] += q[e]
            enter_regret[h] += q[e] - v
            stay_regret[h] += constant[h] - v
            strategy[e] = match_pair(enter_regret[h], stay_regret[h])
            plan[e] = strategy[e]
        for i in inside:
            for s in range(first_sequence[i], first_sequence[i] + actions[i]):
                plan[s] = plan[parent[i]] * strategy[s]


@kernel
def earned_sums(p, offset, first_infoset, first_sequence, parent, start, column, value, average, regret, q, earned):
    """Sums over iterations of counterfactual values, from sums of plans and regrets alone: cfv(I) = cfv(I, a) - R(I, a).

    `q` becomes the sums of action values; exact where regrets were never discounted apart from the averages.
    """
    for s in range(offset[p], offset[p + 1]):
        q[s] = row_product(s, start, column, value, average)
    for i in range(first_infoset[p + 1] - 1, first_infoset[p] - 1, -1):
        earned[i] = q[first_sequence[i]] - regret[first_sequence[i]]
        q[parent[i]] += earned[i]


@kernel
def count_reached(player, parent, first_child, infoset, first_slot, slot_plan, own):
    """Histories that somebody reaches; a walk leaves out what nobody reaches. own [N, 2] is scratch."""
    own[0, 0], own[0, 1] = 1.0, 1.0
    met = 1
    for n in range(1, player.shape[0]):
        above = parent[n]
        own[n, 0], own[n, 1] = own[above, 0], own[above, 1]
        if player[above] >= 0:
            own[n, player[above]] = slot_plan[first_slot[infoset[above]] + (n - first_child[above])]
        if own[n, 0] > 0.0 or own[n, 1] > 0.0:
            met += 1
    return met


@kernel
def head_reach(
    p, weight, player, parent, first_child, infoset, chance_probability, first_slot, sums, heads, reach, chance
):
    """Sum over histories of the heads of chance times the sum of the other player's plans; sums [slots], weight of the empty plan."""
    reach[0], chance[0] = weight, 1.0
    total = 0.0
    for n in range(player.shape[0]):
        above = parent[n]
        if above >= 0:
            reach[n], chance[n] = reach[above], chance[above] * chance_probability[n]
            if player[above] >= 0 and player[above] != p:
                reach[n] = sums[first_slot[infoset[above]] + (n - first_child[above])]
        if player[n] == p and heads[infoset[n]]:
            total += reach[n] * chance[n]
    return total


@kernel
def slot_sizes(parent, first_child, infoset, player, first_slot, size, out):
    """Histories below every slot, itself included; size [N] is scratch."""
    for n in range(parent.shape[0]):
        size[n] = 1
    for n in range(parent.shape[0] - 1, 0, -1):
        above = parent[n]
        size[above] += size[n]
        if player[above] >= 0:
            out[first_slot[infoset[above]] + (n - first_child[above])] += size[n]
