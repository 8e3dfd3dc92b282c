"""Magnetic mirror descent at every infoset, exactly ([Sokota23]): what the network method `mmd` follows by samples.

Its fixed points are quantal response equilibria: each action is played in proportion to exp(its value / temperature).
"""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.compiled import Compiled
from equilibrist.learning.reinforcement._kernels.action_values import expect


def action_values(game: Compiled, policy: TabularPolicy) -> Floats:
    """[S] what each action is worth to its player, given that its infoset was reached; 0 where it is out of reach."""
    tree, infosets = game.tree, game.infosets
    weight, total = np.zeros(len(infosets)), np.zeros(infosets.slots)
    returns = np.ascontiguousarray(tree.returns)
    shape = (tree.histories, tree.players)
    expect(tree.nodes, returns, policy.probabilities, np.zeros(shape), np.zeros(shape), weight, total)
    spread = np.repeat(weight, np.diff(infosets.first_slot))
    return np.divide(total, spread, out=np.zeros_like(total), where=spread > 0.0)


def magnetic_step(policy: TabularPolicy, values: Floats, temperature: float, step: float) -> TabularPolicy:
    """One step with even play as the magnet ([Sokota23], behavioural form): it maximises

    <values, new> + temperature x entropy(new) - KL(new, old) / step at every infoset.
    """
    infosets = policy.infosets
    first, widths = infosets.first_slot[:-1], np.diff(infosets.first_slot)
    heights = (np.log(policy.probabilities) + step * values) / (1.0 + step * temperature)
    heights -= np.repeat(np.maximum.reduceat(heights, first), widths)
    shares = np.exp(heights)
    return TabularPolicy(infosets, shares / np.repeat(np.add.reduceat(shares, first), widths))


def magnetic_descent(game: Compiled, *, temperature: float, step: float, iterations: int) -> TabularPolicy:
    """Steps of all players at once, from even play."""
    policy = game.infosets.uniform()
    for _ in range(iterations):
        policy = magnetic_step(policy, action_values(game, policy), temperature, step)
    return policy
