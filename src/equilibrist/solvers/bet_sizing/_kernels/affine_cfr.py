"""CFR whose regrets are functions of the payoffs' parameters: every value is a row of coefficients ([Brown20, §4.2.1]).

`point` is (1, theta_1, ..., theta_d); a row of coefficients is worth its inner product with it.
"""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.matching import match_row
from equilibrist.solvers.mccfr._kernels.sampling import uniform


class WalkScratch(NamedTuple):
    """Memory of one walk over at most N histories of k players, with d parameters."""

    walk: Any  # [N] int32 histories met, parents first
    below: Any  # [N] int32 place of the first child in the walk
    reach: Any  # [N, k] float64
    values: Any  # [N, k, 1 + d] float64


@kernel(merge=True)
def match_at(point, regret, first, n, strategy):
    """Regret matching on regrets [S, 1 + d] read at a point; uniform when none is positive."""
    for s in range(first, first + n):
        x = 0.0
        for c in range(point.shape[0]):
            x += regret[s, c] * point[c]
        strategy[s] = x
    match_row(strategy, first, n, strategy, first)


@kernel
def affine_gradient(begin, end, start, column, coefficient, plan, q):
    """q[s] = sum over the row of s of coefficients times the opponent's plan."""
    width = q.shape[1]
    for s in range(begin, end):
        for c in range(width):
            q[s, c] = 0.0
        for k in range(start[s], start[s + 1]):
            reach = plan[column[k]]
            if reach != 0.0:
                for c in range(width):
                    q[s, c] += coefficient[k, c] * reach


@kernel
def run_affine_cfr(
    iterations, point, treeplex, payoff, strategy, plan, regret, average, value, q
):  # point, value [1 + d]; strategy, plan, average [S]; regret, q [S, 1 + d]
    """Iterations without discounts, players in turn; `value` is scratch."""
    offset, first_infoset, first_sequence, actions, parent = treeplex
    start, column, coefficient = payoff
    width = point.shape[0]
    for _ in range(iterations):
        for p in range(2):
            affine_gradient(offset[p], offset[p + 1], start, column, coefficient, plan, q)
            for s in range(offset[p], offset[p + 1]):
                average[s] += plan[s]
            for i in range(first_infoset[p + 1] - 1, first_infoset[p] - 1, -1):
                first, n = first_sequence[i], actions[i]
                for c in range(width):
                    value[c] = 0.0
                    for s in range(first, first + n):
                        value[c] += strategy[s] * q[s, c]
                    q[parent[i], c] += value[c]
                if n == 1:
                    continue
                for s in range(first, first + n):
                    for c in range(width):
                        regret[s, c] += q[s, c] - value[c]
                match_at(point, regret, first, n, strategy)
            for i in range(first_infoset[p], first_infoset[p + 1]):
                reach = plan[parent[i]]
                for s in range(first_sequence[i], first_sequence[i] + actions[i]):
                    plan[s] = reach * strategy[s]


@kernel
def draw_child(first, count, chance_probability, u):
    """A chance outcome by its probability."""
    for n in range(first, first + count - 1):
        u -= chance_probability[n]
        if u < 0.0:
            return n
    return first + count - 1


@kernel
def lay_out_walk(
    random, player, first_child, children, infoset, chance_probability, first_slot, strategy, walk, below, reach
):  # fmt: skip
    """Histories of one walk in `walk`, parents first, one outcome per chance node; their number is returned.

    `below[j]` is the place of j's first child in the walk; `reach` [N, k] are the reaches of the players.
    """
    players = reach.shape[1]
    walk[0] = 0
    reach[0] = 1.0
    met, j = 1, 0
    while j < met:
        n = walk[j]
        first, count = first_child[n], children[n]
        if player[n] == -1:
            first = draw_child(first, count, chance_probability, uniform(random))
            count = 1
        below[j] = met
        for a in range(count):  # none at the ends
            walk[met] = first + a
            for p in range(players):
                reach[met, p] = reach[j, p]
            if player[n] >= 0:
                reach[met, player[n]] *= strategy[first_slot[infoset[n]] + a]
            met += 1
        j += 1
    return met


@kernel
def learn_from_walk(
    met, player, children, infoset, terminal, payoff, first_slot, strategy, regret, average, walk, below, reach, values
):  # fmt: skip
    """Values of a walk from its ends upwards; whoever acts learns, one k-th of an iteration. values [N, k, 1 + d]."""
    players, width = values.shape[1], values.shape[2]
    for j in range(met - 1, -1, -1):
        n = walk[j]
        if player[n] == -2:
            z = terminal[n]
            for p in range(players):
                for c in range(width):
                    values[j, p, c] = payoff[z, p, c]
            continue
        if player[n] == -1:
            for p in range(players):
                for c in range(width):
                    values[j, p, c] = values[below[j], p, c]
            continue
        first, count, me = first_slot[infoset[n]], children[n], player[n]
        for p in range(players):
            for c in range(width):
                total = 0.0
                for a in range(count):
                    total += strategy[first + a] * values[below[j] + a, p, c]
                values[j, p, c] = total
        others = 1.0 / players
        for p in range(players):
            if p != me:
                others *= reach[j, p]
        for a in range(count):
            average[first + a] += reach[j, me] * strategy[first + a] / players
            for c in range(width):
                regret[first + a, c] += others * (values[below[j] + a, me, c] - values[j, me, c])


@kernel
def run_sampled_affine_cfr(
    iterations, point, random, tree, payoff, strategy, regret, average, scratch
):  # payoff [Z, k, 1 + d]; strategy, average [slots]; regret [slots, 1 + d]
    """Chance sampling: as many deals per iteration as players, and everybody learns from each."""
    player, _, first_child, children, infoset, chance_probability, terminal, first_slot = tree
    walk, below, reach, values = scratch
    for _ in range(iterations * payoff.shape[1]):
        met = lay_out_walk(
            random, player, first_child, children, infoset, chance_probability, first_slot, strategy, walk, below, reach
        )  # fmt: skip
        learn_from_walk(
            met, player, children, infoset, terminal, payoff, first_slot, strategy, regret, average, walk, below, reach, values
        )  # fmt: skip
        for j in range(met):  # after the walk, so that it saw one fixed profile
            n = walk[j]
            if player[n] >= 0:
                match_at(point, regret, first_slot[infoset[n]], children[n], strategy)


@kernel
def match_all_at(point, regret, first, actions, strategy):
    """Every infoset's strategy from its regrets read at a point."""
    for i in range(first.shape[0]):
        match_at(point, regret, first[i], actions[i], strategy)
