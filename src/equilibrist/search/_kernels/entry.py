"""How the opponent's hands enter a subgame, one update after each iteration ([Brown20] 5.1; brown-search 2.5.3, 2.5.6)."""

import math
from collections import namedtuple

from equilibrist.compute.kernel import kernel

CONSTANT, TWO_WAYS, ONE_HAND, CDF, HEDGE = 0, 1, 2, 3, 4

NARROWEST = 1e-9  # standard deviation of an alternative payoff
RATE = math.sqrt(math.log(2.0)) / 3.0
STEEPEST = 700.0  # exponents beyond it overflow

# All [hand]: external reach, expected value of staying out, its standard deviation, number of the subgame, whether a hand takes part
# in decisions by expected value. [node]: quadrature of a standard normal variable.
Door = namedtuple("Door", "mass alternative deviation group takes_part node node_weight")
# [hand]: weight of entering, and two numbers that mean something else for each kind. [group]: sums.
Memory = namedtuple("Memory", "weights first second total several")


@kernel
def enter(kind, iteration, values, door, memory):
    """New weights, from the counterfactual values [hand] of entering."""
    if kind == TWO_WAYS:
        two_ways(values, door, memory)
    elif kind == ONE_HAND:
        one_hand(values, door, memory)
    elif kind == CDF or kind == HEDGE:
        for h in range(values.shape[0]):
            worth = values[h] / door.mass[h] if door.mass[h] > 0.0 else door.alternative[h]
            if kind == CDF:
                lead = (worth - door.alternative[h]) / door.deviation[h]
                memory.weights[h] = 0.5 * math.erfc(-lead * math.sqrt(0.5))
            else:
                memory.weights[h] = soften(h, worth, iteration, door, memory)


@kernel
def two_ways(values, door, memory):
    """Each hand enters or stays out, by regret matching+; in counterfactual units, since external reach may be tiny."""
    for h in range(values.shape[0]):
        outside = door.alternative[h] * door.mass[h]
        mixed = memory.weights[h] * values[h] + (1.0 - memory.weights[h]) * outside
        memory.first[h] = max(memory.first[h] + values[h] - mixed, 0.0)
        memory.second[h] = max(memory.second[h] + outside - mixed, 0.0)
        total = memory.first[h] + memory.second[h]
        memory.weights[h] = memory.first[h] / total if total > 0.0 else 0.5


@kernel
def one_hand(values, door, memory):
    """In each subgame one hand is chosen, by regret matching+ over what hands gain; `first` are regrets, `second` what is gained."""
    memory.total[:] = 0.0
    for h in range(values.shape[0]):
        if door.takes_part[h]:
            memory.second[h] = values[h] / door.mass[h] - door.alternative[h]
            memory.total[door.group[h]] += memory.weights[h] * door.mass[h] * memory.second[h]
    for h in range(values.shape[0]):
        if door.takes_part[h]:
            memory.first[h] = max(memory.first[h] + memory.second[h] - memory.total[door.group[h]], 0.0)
    choose_hand(door, memory)


@kernel
def choose_hand(door, memory):
    """Weights by the regrets in `first`: probabilities that sum to one in each subgame, divided by external reach."""
    memory.total[:] = 0.0
    memory.several[:] = 0.0
    for h in range(door.mass.shape[0]):
        if door.takes_part[h]:
            memory.total[door.group[h]] += memory.first[h]
            memory.several[door.group[h]] += 1.0
    for h in range(door.mass.shape[0]):
        memory.weights[h] = 0.0
        if door.takes_part[h]:
            total = memory.total[door.group[h]]
            chance = memory.first[h] / total if total > 0.0 else 1.0 / memory.several[door.group[h]]
            memory.weights[h] = chance / door.mass[h]


@kernel
def soften(h, worth, iteration, door, memory):
    """Hedge with the rate of its observed variance, averaged over the draws; `first` sums values, `second` variances."""
    outside, deviation, enters = door.alternative[h], door.deviation[h], memory.weights[h]
    spread = (worth - outside) ** 2 + deviation**2
    memory.second[h] += enters * (1.0 - enters) * spread  # between the two actions, as seen before the draw
    memory.first[h] += worth
    rate = RATE / math.sqrt(max(memory.second[h], NARROWEST**2))  # = / sqrt(VAR t)
    entered = 0.0
    for n in range(door.node.shape[0]):
        lead = rate * (iteration * (outside + deviation * door.node[n]) - memory.first[h])
        entered += door.node_weight[n] / (1.0 + math.exp(min(max(lead, -STEEPEST), STEEPEST)))
    return entered
