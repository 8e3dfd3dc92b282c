"""The updates of gadgets as array expressions: elementwise over hands, sums by group, for engines whose vectors live on a device.

Each function is the twin of a kernel in `_kernels/entry.py`. `xp` is any array module with NumPy's names.
"""

from __future__ import annotations

from typing import Any

from equilibrist.search._kernels import entry as kernels


def moved(xp: Any, bundle: Any) -> Any:
    """A kernel's bundle with its arrays in another module."""
    return bundle._make(each if isinstance(each, float) else xp.asarray(each) for each in bundle)


def enter(xp: Any, kind: int, iteration: int, values: Any, door: Any, memory: Any, even: bool = False) -> Any:
    """What is remembered after an iteration, from the counterfactual values of entering.

    `even`: subgames follow one another, all with equally many hands.
    """
    if kind == kernels.TWO_WAYS:
        return _two_ways(xp, values, door, memory)
    if kind == kernels.ONE_HAND:
        return _one_hand(xp, values, door, memory, even)
    if kind in (kernels.CDF, kernels.HEDGE):
        positive = door.mass > 0.0
        worth = xp.where(positive, values / xp.where(positive, door.mass, 1.0), door.alternative)
        if kind == kernels.CDF:
            return _below_the_value(xp, worth, door, memory)
        return _soften(xp, worth, iteration, door, memory)
    return memory


def _two_ways(xp: Any, values: Any, door: Any, memory: Any) -> Any:
    gained = values - door.alternative * door.mass
    gained = xp.where(xp.abs(gained) <= door.dust * door.mass, 0.0, gained)
    first = xp.maximum(memory.first + (1.0 - memory.weights) * gained, 0.0)
    second = xp.maximum(memory.second - memory.weights * gained, 0.0)
    total = first + second
    weights = xp.where(total > 0.0, first / xp.where(total > 0.0, total, 1.0), 0.5)
    return memory._replace(weights=weights, stayed=(1.0 - weights) * door.alternative, first=first, second=second)


def _one_hand(xp: Any, values: Any, door: Any, memory: Any, even: bool) -> Any:
    mass = xp.where(door.takes_part, door.mass, 1.0)
    gain = xp.where(door.takes_part, values / mass - door.alternative, 0.0)
    over = gain - _by_group(xp, door, memory.weights * mass * gain, len(memory.total), even)
    counts = door.takes_part & (xp.abs(over) > door.dust)
    first = xp.where(counts, xp.maximum(memory.first + over, 0.0), memory.first)
    return choose_hand(xp, door, memory._replace(first=first, second=gain), even)


def choose_hand(xp: Any, door: Any, memory: Any, even: bool = False) -> Any:
    """Weights by the regrets in `first`, in each subgame."""
    groups, first = len(memory.total), memory.first
    total = _by_group(xp, door, first, groups, even)
    several = _by_group(xp, door, xp.ones_like(first), groups, even)
    chance = xp.where(total > 0.0, first / xp.where(total > 0.0, total, 1.0), 1.0 / xp.maximum(several, 1.0))
    weights = xp.where(door.takes_part, chance / xp.where(door.takes_part, door.mass, 1.0), 0.0)
    return memory._replace(weights=weights)


def _by_group(xp: Any, door: Any, amounts: Any, groups: int, even: bool) -> Any:
    """Sums over the hands of each subgame that take part, for every hand."""
    kept = xp.where(door.takes_part, amounts, 0.0)
    if even:
        by_group = kept.reshape(groups, -1)
        return xp.repeat(by_group.sum(axis=1), by_group.shape[1])
    return xp.bincount(door.group, kept, minlength=groups)[door.group]


def _below_the_value(xp: Any, worth: Any, door: Any, memory: Any) -> Any:
    lead = (worth - door.alternative) / door.deviation
    enters = normal_cdf(xp, lead)
    density = kernels.DENSITY * xp.exp(-0.5 * xp.minimum(lead * lead, 2.0 * kernels.STEEPEST))
    return memory._replace(weights=enters, stayed=(1.0 - enters) * door.alternative + door.deviation * density)


def _soften(xp: Any, worth: Any, iteration: int, door: Any, memory: Any) -> Any:
    outside, deviation, enters = door.alternative, door.deviation, memory.weights
    second = memory.second + enters * (1.0 - enters) * ((worth - outside) ** 2 + deviation**2)
    first = memory.first + worth
    rate = kernels.RATE / xp.sqrt(xp.maximum(second, kernels.NARROWEST**2))
    draws = outside[:, None] + deviation[:, None] * door.node
    lead = rate[:, None] * (iteration * draws - first[:, None])
    chance = 1.0 / (1.0 + xp.exp(xp.clip(lead, -kernels.STEEPEST, kernels.STEEPEST)))
    stayed = ((1.0 - chance) * draws) @ door.node_weight
    return memory._replace(weights=chance @ door.node_weight, stayed=stayed, first=first, second=second)


def normal_cdf(xp: Any, lead: Any) -> Any:
    """Probability that a standard normal variable lies below `lead`; `erfc` of the module's `special`, SciPy's for NumPy."""
    if hasattr(xp, "special"):
        return 0.5 * xp.special.erfc(-lead * 0.5**0.5)
    from scipy.special import erfc

    return 0.5 * erfc(-lead * 0.5**0.5)
