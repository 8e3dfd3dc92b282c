"""CFR on a part of a public tree whose opponent enters by a gadget: whole iterations without going back to the caller."""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.search._kernels.entry import enter
from equilibrist.solvers.cfr._kernels.public_cfr import collect, learn, private_reach


class Roots(NamedTuple):
    """Both players at the roots: H hands of the searcher, G of the opponent."""

    searcher: int
    own: Any  # [H] int32 infostates
    other: Any  # [G] int32 infostates
    held: Any  # [H] float64 the searcher's range
    values: Any  # [G] float64 scratch: counterfactual values of entering
    entered: Any  # [G] float64 sum of weights, as far as averages keep it
    stayed: Any  # [G] float64 sum of values taken outside


@kernel
def place(hands, weights, start):
    """Weights of hands at the roots."""
    for h in range(hands.shape[0]):
        start[hands[h]] = weights[h]


@kernel
def decide(kind, t, roots, value, door, memory):
    """How the opponent enters next, from the values [K] of its infostates."""
    for h in range(roots.other.shape[0]):
        roots.values[h] = value[roots.other[h]]
    enter(kind, t, roots.values, door, memory)


@kernel
def count(keep, roots, memory):
    """Add the present weights to the sums."""
    for h in range(roots.other.shape[0]):
        roots.entered[h] = roots.entered[h] * keep + memory.weights[h]
        roots.stayed[h] = roots.stayed[h] * keep + memory.stayed[h]


@kernel
def learn_with_entry(iteration, discounts, codes, infostates, stakes, tables, scratch, roots, kind, door, memory):
    """Iterations after `iteration`, as many as the discounts are long.

    The opponent learns against the searcher's range and decides how to enter; then the searcher learns against those who enter.
    """
    positive, negative, keep = discounts
    strategy, average, start, reach = tables.strategy, tables.average, stakes.start, scratch.reach
    searcher, opponent = roots.searcher, 1 - roots.searcher
    place(roots.own, roots.held, start)
    for p in range(2):
        private_reach(p, infostates, strategy, start, reach)
    for step in range(positive.shape[0]):
        t, up, down = iteration + step + 1, positive[step], negative[step]
        for s in range(average.shape[0]):
            average[s] *= keep[step]
        collect(opponent, opponent + 1, infostates, stakes, strategy, scratch)
        learn(opponent, t, up, down, codes, infostates, stakes.spread, tables, scratch)
        decide(kind, t, roots, scratch.value, door, memory)
        count(keep[step], roots, memory)
        place(roots.other, memory.weights, start)
        private_reach(opponent, infostates, strategy, start, reach)
        collect(searcher, searcher + 1, infostates, stakes, strategy, scratch)
        learn(searcher, t, up, down, codes, infostates, stakes.spread, tables, scratch)
        private_reach(searcher, infostates, strategy, start, reach)
