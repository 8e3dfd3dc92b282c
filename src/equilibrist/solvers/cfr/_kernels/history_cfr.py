"""CFR on the game tree: any number of players, any payoffs, imperfect recall allowed.

Forward over histories for reach, backward for values; an infoset is updated once, after all its histories. `histories` is
`forms.history_tree._kernels.histories.Histories`: N histories, I infosets with S actions in all; k players.
"""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.regret import mixed_value, update_infoset


class HistoryScratch(NamedTuple):
    """Written anew in every pass."""

    reach: Any  # [N, k + 1] float64 of each player, and of chance
    value: Any  # [N] float64
    q: Any  # [S] float64 counterfactual action values


@kernel
def reach_down(histories, strategy, reach):
    """reach[n, p]: product of p's own probabilities; column k (last) is chance."""
    player, parent, first_child = histories.player, histories.parent, histories.first_child
    infoset, chance, first_slot = histories.infoset, histories.chance, histories.first_slot
    players = reach.shape[1] - 1
    for p in range(players + 1):
        reach[0, p] = 1.0
    for n in range(1, player.shape[0]):
        above = parent[n]
        for p in range(players + 1):
            reach[n, p] = reach[above, p]
        if player[above] >= 0:
            reach[n, player[above]] *= strategy[first_slot[infoset[above]] + n - first_child[above]]
        else:
            reach[n, players] *= chance[n]


@kernel
def values_up(i, histories, returns, strategy, reach, value, q):
    """Expected payoff of player i below each history; adds counterfactual action values of i to q[slots]."""
    player, parent, first_child, terminal = (
        histories.player,
        histories.parent,
        histories.first_child,
        histories.terminal,
    )
    infoset, chance, first_slot = histories.infoset, histories.chance, histories.first_slot
    players = reach.shape[1] - 1
    for n in range(player.shape[0]):
        value[n] = returns[terminal[n], i] if terminal[n] >= 0 else 0.0
    for n in range(player.shape[0] - 1, 0, -1):
        above = parent[n]
        if player[above] >= 0:
            slot = first_slot[infoset[above]] + n - first_child[above]
            value[above] += strategy[slot] * value[n]
            if player[above] == i:
                others = 1.0
                for p in range(players + 1):
                    if p != i:
                        others *= reach[above, p]
                q[slot] += others * value[n]
        else:
            value[above] += chance[n] * value[n]
    return value[0]


@kernel
def add_average(i, histories, strategy, reach, average):
    """average[slots] += own reach * strategy, summed over the histories of each infoset."""
    player, infoset, first_slot = histories.player, histories.infoset, histories.first_slot
    for n in range(player.shape[0]):
        if player[n] == i:
            for s in range(first_slot[infoset[n]], first_slot[infoset[n] + 1]):
                average[s] += reach[n, i] * strategy[s]


@kernel
def run_history_cfr(
    first_t, discounts, codes, simultaneous, histories, returns, infoset_player, spread, tables, scratch
):  # returns [ends, k]; infoset_player, spread [I]
    """Iterations first_t, first_t + 1, …; alternating updates let each player meet the others' newest strategies."""
    positive, negative, keep = discounts
    strategy, regret, memory, average = tables
    reach, value, q = scratch
    first_slot, players = histories.first_slot, returns.shape[1]
    for step in range(positive.shape[0]):
        t = first_t + step
        for s in range(average.shape[0]):
            average[s] *= keep[step]
        if simultaneous:
            for s in range(q.shape[0]):
                q[s] = 0.0
            reach_down(histories, strategy, reach)
            for i in range(players):
                values_up(i, histories, returns, strategy, reach, value, q)
        for i in range(players):
            if not simultaneous:
                for s in range(q.shape[0]):
                    q[s] = 0.0
                reach_down(histories, strategy, reach)
                values_up(i, histories, returns, strategy, reach, value, q)
            add_average(i, histories, strategy, reach, average)
            for k in range(infoset_player.shape[0]):
                if infoset_player[k] == i:
                    first, n = first_slot[k], first_slot[k + 1] - first_slot[k]
                    v = mixed_value(q, first, n, strategy)
                    update_infoset(
                        codes, t, positive[step], negative[step], spread[k], q, v, first, n, strategy, regret, memory
                    )
