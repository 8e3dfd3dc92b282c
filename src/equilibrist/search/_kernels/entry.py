"""How the opponent's hands enter a subgame, one update after each iteration ([Brown20, §5.1])."""

import math
from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.matching import match_pair

CONSTANT, TWO_WAYS, ONE_HAND, CDF, HEDGE = 0, 1, 2, 3, 4

NARROWEST = 1e-9  # standard deviation of an alternative payoff
RATE = math.sqrt(math.log(2.0)) / 3.0
STEEPEST = 700.0  # exponents beyond it overflow
DENSITY = 1.0 / math.sqrt(2.0 * math.pi)


class Door(NamedTuple):
    """What a gadget is told about the opponent's hands."""

    mass: Any  # [hand] external reach
    alternative: Any  # [hand] expected value of staying out
    deviation: Any  # [hand] its standard deviation
    group: Any  # [hand] number of the subgame
    takes_part: Any  # [hand] whether a hand takes part in decisions by expected value
    dust: float  # chips: values that differ by less are equal
    node: Any  # [node] quadrature of a standard normal variable
    node_weight: Any  # [node]


class Memory(NamedTuple):
    """What a gadget remembers between iterations."""

    weights: Any  # [hand] of entering
    stayed: Any  # [hand] expected value that the others take outside, per unit of external reach
    first: Any  # [hand] means something else for each kind
    second: Any  # [hand] likewise
    total: Any  # [group]
    several: Any  # [group]


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
                below_the_value(h, worth, door, memory)
            else:
                soften(h, worth, iteration, door, memory)


@kernel
def two_ways(values, door, memory):
    """Each hand enters or stays out, by regret matching+; in counterfactual units, since external reach may be tiny.

    Values that differ by rounding alone are equal. A hand without regret either way enters half the time; where no hand of a
    subgame enters, the searcher meets nobody, learns nothing in this iteration and plays on as before.
    """
    for h in range(values.shape[0]):
        outside = door.alternative[h] * door.mass[h]
        gained = values[h] - outside
        if abs(gained) <= door.dust * door.mass[h]:
            gained = 0.0
        memory.first[h] = max(memory.first[h] + (1.0 - memory.weights[h]) * gained, 0.0)
        memory.second[h] = max(memory.second[h] - memory.weights[h] * gained, 0.0)
        memory.weights[h] = match_pair(memory.first[h], memory.second[h])
        memory.stayed[h] = (1.0 - memory.weights[h]) * door.alternative[h]


@kernel
def one_hand(values, door, memory):
    """In each subgame one hand is chosen, by regret matching+ over what hands gain; `first` are regrets, `second` what is gained.

    Gains that differ from the average by rounding alone are equal to it.
    """
    memory.total[:] = 0.0
    for h in range(values.shape[0]):
        if door.takes_part[h]:
            memory.second[h] = values[h] / door.mass[h] - door.alternative[h]
            memory.total[door.group[h]] += memory.weights[h] * door.mass[h] * memory.second[h]
    for h in range(values.shape[0]):
        if door.takes_part[h]:
            gained = memory.second[h] - memory.total[door.group[h]]
            if abs(gained) > door.dust:
                memory.first[h] = max(memory.first[h] + gained, 0.0)
    choose_hand(door, memory)


@kernel
def choose_hand(door, memory):
    """Weights by the regrets in `first`: probabilities that sum to one in each subgame, divided by external reach.

    Where nothing is regretted, all hands are equally likely.
    """
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
def below_the_value(h, worth, door, memory):
    """Enters when the draw of the alternative payoff lies below the value of entering."""
    lead = (worth - door.alternative[h]) / door.deviation[h]
    enters = 0.5 * math.erfc(-lead * math.sqrt(0.5))
    density = DENSITY * math.exp(-0.5 * min(lead * lead, 2.0 * STEEPEST))
    memory.weights[h] = enters
    memory.stayed[h] = (1.0 - enters) * door.alternative[h] + door.deviation[h] * density  # E[X; X > worth]


@kernel
def soften(h, worth, iteration, door, memory):
    """Hedge with the rate of its observed variance, averaged over the draws; `first` sums values, `second` variances."""
    outside, deviation, enters = door.alternative[h], door.deviation[h], memory.weights[h]
    spread = (worth - outside) ** 2 + deviation**2
    memory.second[h] += enters * (1.0 - enters) * spread  # between the two actions, as seen before the draw
    memory.first[h] += worth
    rate = RATE / math.sqrt(max(memory.second[h], NARROWEST**2))  # = / sqrt(VAR t)
    entered, stayed = 0.0, 0.0
    for n in range(door.node.shape[0]):
        draw = outside + deviation * door.node[n]
        lead = rate * (iteration * draw - memory.first[h])
        chance = 1.0 / (1.0 + math.exp(min(max(lead, -STEEPEST), STEEPEST)))
        entered += door.node_weight[n] * chance
        stayed += door.node_weight[n] * (1.0 - chance) * draw
    memory.weights[h] = entered
    memory.stayed[h] = stayed
