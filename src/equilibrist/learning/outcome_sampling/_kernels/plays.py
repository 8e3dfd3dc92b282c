"""Plays of the game under fixed strategies, and what they say of regrets, given values of histories.

Rows of the packed tree are first slots. `q` [N] is what player 0 expects from the step into each history, learned or exact; any numbers
leave the sampled regrets unbiased ([Schmid19], [Steinberger20]).
"""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.mccfr._kernels.mccfr import CHANCE
from equilibrist.solvers.mccfr._kernels.sampling import draw_action, draw_outcome, uniform


class SampledSums(NamedTuple):
    """What the plays of one player add to: S slots, I infosets, N histories, the newest L steps, up to M meetings with the others."""

    total: Any  # [S] float64, weight x sampled advantage
    weight: Any  # [I] float64
    visits: Any  # [N] int64 of the exploring player's histories
    landed: Any  # [L] int32 histories that a step of a player led to, chance included; a ring
    met: Any  # [M] int32 infosets of the others
    met_weight: Any  # [M] float64
    count: Any  # [2] int64: steps so far, meetings in these plays


@kernel
def play_outcomes(
    tree, infoset_of, q, player, plays, exploration, weight, importance, strategy, found, random, tally, path, chances
):
    """Single plays in which one player explores ([Lanctot09], outcome sampling) and sampled advantages are corrected by `q`.

    With `importance` a sample weighs 1 / (probability that the exploring player's own draws lead there). `tally` counts nodes and plays;
    `path` [depth, 2] and `chances` [depth, 2] are scratch.
    """
    nodes, outcomes, cumulative, payoffs = tree.nodes, tree.outcomes, tree.cumulative, tree.payoffs
    ring, room = found.landed.shape[0], found.met.shape[0]
    sign = 1.0 - 2.0 * player
    seen, steps, meetings = tally[0], found.count[0], found.count[1]
    for _ in range(plays):
        depth, n, reach = 0, 0, 1.0
        while True:
            seen += 1
            kind, first, width, row = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 3]
            if kind == CHANCE:
                o = draw_outcome(cumulative, first, width, row, uniform(random))
                n = outcomes[o, 0]
                seen += outcomes[o, 1]
                continue
            if depth > 0 and ring > 0:
                found.landed[steps % ring] = n
                steps += 1
            if kind < 0:
                value = payoffs[first, player]
                break
            path[depth, 0], chances[depth, 1] = n, reach
            if kind == player:
                found.visits[n] += 1
                u = uniform(random)
                if u < exploration:
                    action = min(int(u / exploration * width), width - 1)
                else:
                    action = draw_action(strategy, row, width, (u - exploration) / (1.0 - exploration))
                drawn = exploration / width + (1.0 - exploration) * strategy[row + action]
                reach *= drawn
            else:
                if meetings < room:
                    found.met[meetings] = infoset_of[row]
                    found.met_weight[meetings] = weight / reach if importance else weight
                    meetings += 1
                action = draw_action(strategy, row, width, uniform(random))
                drawn = strategy[row + action]
            path[depth, 1], chances[depth, 0] = action, drawn
            depth += 1
            n = first + action
        for d in range(depth - 1, -1, -1):
            n, action = path[d, 0], path[d, 1]
            kind, first, width, row = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 3]
            taken = sign * q[first + action]
            taken += (value - taken) / chances[d, 0]
            value = 0.0
            for a in range(width):
                value += strategy[row + a] * (taken if a == action else sign * q[first + a])
            if kind == player:
                w = weight / chances[d, 1] if importance else weight
                found.weight[infoset_of[row]] += w
                for a in range(width):
                    found.total[row + a] += w * ((taken if a == action else sign * q[first + a]) - value)
    tally[0], tally[1] = seen, tally[1] + plays
    found.count[0], found.count[1] = steps, meetings


@kernel
def exact_values(tree, chance, parent, strategy, value):
    """What player 0 expects from each history [N]; children come after their parents."""
    nodes = tree.nodes
    for n in range(value.shape[0]):
        value[n] = 0.0
    for n in range(value.shape[0] - 1, -1, -1):
        if nodes[n, 0] < CHANCE:
            value[n] = tree.payoffs[nodes[n, 1], 0]
        above = parent[n]
        if above >= 0:
            kind = nodes[above, 0]
            p = strategy[nodes[above, 3] + n - nodes[above, 1]] if kind >= 0 else chance[n]
            value[above] += p * value[n]
