"""External-sampling walks under fixed strategies that collect regrets of the walking player and strategies of the others.

Rows of the packed tree are first slots. What a walk finds at an infoset goes to a `Store`: added up by infoset, or kept sample by sample.
"""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.mccfr._kernels.mccfr import CHANCE
from equilibrist.solvers.mccfr._kernels.sampling import draw_action, draw_outcome, uniform


class Store(NamedTuple):
    """Samples (infoset, weight, one number per action): sums of all, or C of them; one of both has a size."""

    total: Any  # [S] float64, weighted sums
    weight: Any  # [I] float64, sums of weights
    infoset: Any  # [C] int32
    sample_weight: Any  # [C] float32
    sample: Any  # [C, A] float32, by action of the infoset
    offered: Any  # [1] int64, samples so far
    ring: bool  # the newest C are kept; else each sample so far is kept with the same chance (reservoir)


@kernel
def keep(store, infoset, first, width, weight, values, at, random):
    """Put row `at` of `values` into a store."""
    capacity = store.infoset.shape[0]
    place = store.offered[0]
    store.offered[0] += 1
    if capacity == 0:
        store.weight[infoset] += weight
        for a in range(width):
            store.total[first + a] += weight * values[at, a]
        return
    if place >= capacity:
        place = place % capacity if store.ring else int(uniform(random) * (place + 1))
        if place >= capacity:
            return
    store.infoset[place], store.sample_weight[place] = infoset, weight
    for a in range(width):
        store.sample[place, a] = values[at, a]


@kernel
def walk_external(
    tree, infoset_of, player, walks, weight, strategy, regrets, strategies, random, tally, frames, values
):
    """Walks of one player ([Brown20, §4.1.1]): all own actions, one of everybody else's.

    `tally` counts nodes. `frames` [depth, 2] and `values` [depth + 1, A] are scratch; the last row of `values` is for strategies.
    """
    nodes, outcomes, cumulative, payoffs = tree.nodes, tree.outcomes, tree.cumulative, tree.payoffs
    spare = values.shape[0] - 1
    seen = tally[0]
    for _ in range(walks):
        depth, n, value = -1, 0, 0.0
        while True:
            while True:
                seen += 1
                kind, first, width, row = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 3]
                if kind == player:
                    depth += 1
                    frames[depth, 0], frames[depth, 1] = 0, n
                    n = first
                elif kind >= 0:
                    for a in range(width):
                        values[spare, a] = strategy[row + a]
                    keep(strategies, infoset_of[row], row, width, weight, values, spare, random)
                    n = first + draw_action(strategy, row, width, uniform(random))
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
                value = 0.0
                for a in range(width):
                    value += strategy[row + a] * values[depth, a]
                for a in range(width):
                    values[depth, a] -= value
                keep(regrets, infoset_of[row], row, width, weight, values, depth, random)
                depth -= 1
            if depth < 0:
                break
    tally[0] = seen


@kernel
def add_reached(parent_slot, first_slot, owner, player, weight, strategy, total):
    """Add `weight` x own reach x strategy of a player to its sums: the average over all strategies ever played is exact.

    Infosets come after their parents, whose slot leads to them.
    """
    for i in range(parent_slot.shape[0]):
        if owner[i] != player:
            continue
        above = parent_slot[i]
        reach = weight if above < 0 else total[1, above]
        for s in range(first_slot[i], first_slot[i + 1]):
            total[1, s] = reach * strategy[s]
            total[0, s] += total[1, s]
