"""CFR on the public tree: vectors of infostates per public state, joint entries as payoff operator.

The infostates of all players are laid end to end: player p owns base[p] .. base[p+1]-1, and likewise its choices.
"""

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.regret import mixed_value, update_infoset


@kernel
def private_reach(begin, end, parent, action, row, first_slot, strategy, start, reach):
    """Own reach of the infostates begin .. end-1; `parent` is numbered across players, -1 where `start` says it."""
    for k in range(begin, end):
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
def private_values(begin, end, parent, action, row, first_choice, first_slot, strategy, value, choice_value, q):
    """From the last infostate up: a decision mixes its choices, everything else adds up; rows collect in q."""
    for k in range(end - 1, begin - 1, -1):
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
def run_public_cfr(
    first_t, positive, negative, keep, kind, nonpositive, rule, horizon, simultaneous,
    base, parent, action, row, first_choice, joint, payoff, first_slot, infoset_player, spread, start, leaf,
    strategy, regret, memory, average, reach, value, choice_value, q,
):  # fmt: skip
    """Iterations first_t, first_t + 1, …; rows shared by several infostates are updated once, after all of them."""
    players = base.shape[0] - 1
    for p in range(players):
        private_reach(base[p], base[p + 1], parent, action, row, first_slot, strategy, start, reach)
    for step in range(positive.shape[0]):
        t = first_t + step
        for s in range(average.shape[0]):
            average[s] *= keep[step]
        if simultaneous:
            collect(0, players, base, parent, action, row, first_choice, joint, payoff, first_slot, strategy, reach,
                    leaf, value, choice_value, q)  # fmt: skip
        for i in range(players):
            if not simultaneous:
                collect(i, i + 1, base, parent, action, row, first_choice, joint, payoff, first_slot, strategy, reach,
                        leaf, value, choice_value, q)  # fmt: skip
            learn(i, t, positive[step], negative[step], kind, nonpositive, rule, horizon, base, row, first_slot,
                  infoset_player, spread, reach, q, strategy, regret, memory, average)  # fmt: skip
            if not simultaneous:
                private_reach(base[i], base[i + 1], parent, action, row, first_slot, strategy, start, reach)
        if simultaneous:
            for p in range(players):
                private_reach(base[p], base[p + 1], parent, action, row, first_slot, strategy, start, reach)


@kernel
def learn(
    i, t, positive, negative, kind, nonpositive, rule, horizon, base, row, first_slot, infoset_player, spread, reach,
    q, strategy, regret, memory, average,
):  # fmt: skip
    """Add player i's strategy to its average, then its next strategy from the action values q."""
    for k in range(base[i], base[i + 1]):
        if row[k] >= 0:
            for s in range(first_slot[row[k]], first_slot[row[k] + 1]):
                average[s] += reach[k] * strategy[s]
    for r in range(infoset_player.shape[0]):
        if infoset_player[r] == i:
            first, n = first_slot[r], first_slot[r + 1] - first_slot[r]
            update_infoset(
                kind, nonpositive, rule, horizon, t, positive, negative, spread[r], q,
                mixed_value(q, first, n, strategy), first, n, strategy, regret, memory,
            )  # fmt: skip


@kernel
def collect(
    first, last, base, parent, action, row, first_choice, joint, payoff, first_slot, strategy, reach, leaf, value,
    choice_value, q,
):  # fmt: skip
    """Action values q[slots] of players first .. last-1 at the present strategies; `leaf` is worth where play stops."""
    for k in range(value.shape[0]):
        value[k] = leaf[k]
    for c in range(choice_value.shape[0]):
        choice_value[c] = 0.0
    for s in range(q.shape[0]):
        q[s] = 0.0
    for i in range(first, last):
        terminal_values(i, joint, payoff, reach, value)
        private_values(
            base[i], base[i + 1], parent, action, row, first_choice, first_slot, strategy, value, choice_value, q
        )
