"""Regrets that a policy would have left behind, from best responses to it ([Brown20, §3.2, §5.3.3])."""

from equilibrist.compute.kernel import kernel
from equilibrist.learning.rebel._kernels.subgame import CHANCE, add_plan, end_values, reach_down, values_up


@kernel
def best_regrets(player, weight, shape, reach, leaf, regret, value):
    """Of one search: how much each action is worth less than a best response, `weight` times."""
    hands = value.shape[1]
    end_values(player, shape, reach, leaf, value)
    for m in range(shape.player.shape[0] - 1, -1, -1):
        mover = shape.player[m]
        if mover < CHANCE:
            continue
        child, width = shape.first_child[m], shape.width[m]
        for n in range(hands):
            if mover == player:
                best = value[child, n]
                for a in range(1, width):
                    best = max(best, value[child + a, n])
                for a in range(width):
                    regret[shape.first_slot[m] + a, n] = weight * (value[child + a, n] - best)
                value[m, n] = best
            else:
                total = 0.0
                for a in range(width):
                    total += value[child + a, n]
                value[m, n] = total


@kernel
def start_from(player, weight, shape, tables):
    """All searches as if one player had met `tables.strategy` in iterations of this weight; leaves have been asked."""
    for b in range(tables.start.shape[0]):
        strategy, reach, leaf, value = tables.strategy[b], tables.reach[b], tables.leaf[b], tables.value[b]
        values_up(player, 0.0, shape, strategy, reach, leaf, tables.regret[b], tables.average[b], value)
        for n in range(value.shape[1]):
            tables.root[b, player, n] += weight * value[0, n]
        best_regrets(player, weight, shape, reach, leaf, tables.regret[b], value)
        add_plan(player, weight, shape, tables.start[b], strategy, value, tables.average[b])


@kernel
def play_on_from(player, shape, tables, begun):
    """New strategies of one player in all searches; where no regret is positive, those [B, S, N] that were begun with."""
    for b in range(tables.start.shape[0]):
        regret, strategy = tables.regret[b], tables.strategy[b]
        for m in range(shape.player.shape[0]):
            if shape.player[m] != player:
                continue
            first, width = shape.first_slot[m], shape.width[m]
            for n in range(regret.shape[1]):
                total = 0.0
                for s in range(first, first + width):
                    total += max(regret[s, n], 0.0)
                for s in range(first, first + width):
                    strategy[s, n] = max(regret[s, n], 0.0) / total if total > 0.0 else begun[b, s, n]
        reach_down(player, shape, strategy, tables.start[b], tables.reach[b])
