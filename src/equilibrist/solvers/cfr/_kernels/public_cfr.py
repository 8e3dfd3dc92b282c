"""CFR on the public tree: vectors of infostates per public state, joint entries as payoff operator.

`infostates` is `forms.public_tree._kernels.infostates.Infostates`: K infostates of all players laid end to end, C choices, R rows with
S slots, Z joint entries at the ends.
"""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.regret import mixed_value, update_infoset


class Stakes(NamedTuple):
    """Where play begins, and what it is worth where it ends."""

    payoff: Any  # [Z, players] float64 times chance
    start: Any  # [K] float64 own reach at the roots
    leaf: Any  # [K] float64 counterfactual values where play stops early
    spread: Any  # [R] float64 range of counterfactual values


class PublicScratch(NamedTuple):
    """`reach` is that of the present strategies; the others are written anew in every pass."""

    reach: Any  # [K] float64 own
    value: Any  # [K] float64 counterfactual
    choice_value: Any  # [C] float64
    q: Any  # [S] float64 action values, summed over the infostates of a row


@kernel
def private_reach(player, infostates, strategy, start, reach):
    """Own reach of a player's infostates; `start` [K] says it at the roots."""
    parent, action, row, first_slot = infostates.parent, infostates.action, infostates.row, infostates.first_slot
    for k in range(infostates.base[player], infostates.base[player + 1]):
        above = parent[k]
        if above < 0:
            reach[k] = start[k]
        elif action[k] >= 0:
            reach[k] = reach[above] * strategy[first_slot[row[above]] + action[k]]
        else:
            reach[k] = reach[above]


@kernel
def terminal_values(i, joint, payoff, reach, value):
    """value[k] of player i's infostates at the ends: sum over entries of payoff * reach of the others."""
    players = joint.shape[1]
    for h in range(joint.shape[0]):
        weight = payoff[h, i]
        for p in range(players):
            if p != i:
                weight *= reach[joint[h, p]]
        value[joint[h, i]] += weight


@kernel
def private_values(player, infostates, strategy, value, choice_value, q):
    """From a player's last infostate up: a decision mixes its choices, everything else adds up; rows collect in q."""
    parent, action, row = infostates.parent, infostates.action, infostates.row
    first_choice, first_slot = infostates.first_choice, infostates.first_slot
    for k in range(infostates.base[player + 1] - 1, infostates.base[player] - 1, -1):
        if row[k] >= 0:
            first = first_slot[row[k]]
            total = 0.0
            for a in range(first_choice[k + 1] - first_choice[k]):
                worth = choice_value[first_choice[k] + a]
                total += strategy[first + a] * worth
                q[first + a] += worth
            value[k] += total
        above = parent[k]
        if above >= 0:
            if action[k] >= 0:
                choice_value[first_choice[above] + action[k]] += value[k]
            else:
                value[above] += value[k]


@kernel
def collect(first, last, infostates, stakes, strategy, scratch):
    """Action values q[slots] of players first .. last-1 at the present strategies; `leaf` is worth where play stops."""
    reach, value, choice_value, q = scratch
    leaf = stakes.leaf
    for k in range(value.shape[0]):
        value[k] = leaf[k]
    for c in range(choice_value.shape[0]):
        choice_value[c] = 0.0
    for s in range(q.shape[0]):
        q[s] = 0.0
    for i in range(first, last):
        terminal_values(i, infostates.joint, stakes.payoff, reach, value)
        private_values(i, infostates, strategy, value, choice_value, q)


@kernel
def count(i, infostates, strategy, reach, average):
    """Add player i's strategy to its average."""
    base, row, first_slot = infostates.base, infostates.row, infostates.first_slot
    for k in range(base[i], base[i + 1]):
        if row[k] >= 0:
            for s in range(first_slot[row[k]], first_slot[row[k] + 1]):
                average[s] += reach[k] * strategy[s]


@kernel
def learn(i, t, positive, negative, codes, infostates, spread, tables, scratch):
    """Add player i's strategy to its average, then its next strategy from the action values q."""
    count(i, infostates, tables.strategy, scratch.reach, tables.average)
    minimise(i, t, positive, negative, codes, infostates, spread, tables, scratch.q)


@kernel
def minimise(i, t, positive, negative, codes, infostates, spread, tables, q):
    """Player i's next strategy from the action values q."""
    first_slot, row_player = infostates.first_slot, infostates.row_player
    strategy, regret, memory, _ = tables
    for r in range(row_player.shape[0]):
        if row_player[r] == i:
            first, n = first_slot[r], first_slot[r + 1] - first_slot[r]
            v = mixed_value(q, first, n, strategy)
            update_infoset(codes, t, positive, negative, spread[r], q, v, first, n, strategy, regret, memory)


@kernel
def run_public_cfr(first_t, discounts, codes, simultaneous, infostates, stakes, tables, scratch):
    """Iterations first_t, first_t + 1, …; rows shared by several infostates are updated once, after all of them."""
    positive, negative, keep = discounts
    strategy, average = tables.strategy, tables.average
    start, reach = stakes.start, scratch.reach
    players = infostates.base.shape[0] - 1
    for p in range(players):
        private_reach(p, infostates, strategy, start, reach)
    for step in range(positive.shape[0]):
        t = first_t + step
        for s in range(average.shape[0]):
            average[s] *= keep[step]
        if simultaneous:
            collect(0, players, infostates, stakes, strategy, scratch)
        for i in range(players):
            if not simultaneous:
                collect(i, i + 1, infostates, stakes, strategy, scratch)
            learn(i, t, positive[step], negative[step], codes, infostates, stakes.spread, tables, scratch)
            if not simultaneous:
                private_reach(i, infostates, strategy, start, reach)
        if simultaneous:
            for p in range(players):
                private_reach(p, infostates, strategy, start, reach)
