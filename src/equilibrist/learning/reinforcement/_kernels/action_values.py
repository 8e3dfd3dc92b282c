"""Exact values of all actions under one strategy of everybody."""

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.mccfr._kernels.mccfr import CHANCE


@kernel
def expect(nodes, returns, strategy, reach, worth, weight, total):  # nodes: Histories; returns [Z, k]; strategy [S]
    """Sums over the histories of an infoset: reach of the others and chance `weight` [I], and that times each action's worth `total` [S].

    `reach` [N, k] (everybody's but the player's own) and `worth` [N, k] are scratch. Parents come before their children.
    """
    players = returns.shape[1]
    weight[:], total[:] = 0.0, 0.0
    for n in range(nodes.player.shape[0]):
        above = nodes.parent[n]
        for p in range(players):
            worth[n, p] = 0.0
            if above < 0:
                reach[n, p] = 1.0
            elif nodes.player[above] == CHANCE:
                reach[n, p] = reach[above, p] * nodes.chance[n]
            elif nodes.player[above] == p:
                reach[n, p] = reach[above, p]
            else:
                slot = nodes.first_slot[nodes.infoset[above]] + n - nodes.first_child[above]
                reach[n, p] = reach[above, p] * strategy[slot]
    for n in range(nodes.player.shape[0] - 1, -1, -1):
        acting = nodes.player[n]
        if nodes.terminal[n] >= 0:
            for p in range(players):
                worth[n, p] = returns[nodes.terminal[n], p]
        elif acting >= 0:
            weight[nodes.infoset[n]] += reach[n, acting]
        above = nodes.parent[n]
        if above < 0:
            continue
        share, whose = nodes.chance[n], nodes.player[above]
        if whose >= 0:
            slot = nodes.first_slot[nodes.infoset[above]] + n - nodes.first_child[above]
            share = strategy[slot]
            total[slot] += reach[above, whose] * worth[n, whose]
        for p in range(players):
            worth[above, p] += share * worth[n, p]
