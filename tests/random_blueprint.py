"""Blueprints with random strategies: nothing about them is symmetric, converged or tidy."""

import numpy as np

from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.strategy import WHOLE, PokerBlueprint

NINE_CARDS = BlueprintPlan(
    "nolimit-holdem(stack=1000,ranks=3,suits=3)",
    {"menu": {"bet": "a", "raise": "", "turn": {"bet": "100%"}, "preflop": {"bet": "100%", "raise": "a"}}},
    "ehs-equal(sizes=4/3/3/3, sample=1000)",
)
LEDUC = BlueprintPlan("leduc", cards="exact")


def random_blueprint(plan, seed=0):
    """On the plan's own buckets."""
    return random_strategy(plan, plan.game(), seed)


def random_strategy(plan, game, seed=0):
    """Every action at every infoset with some probability, a third of them with none."""
    rng = np.random.default_rng(seed)
    packed = np.zeros(game.slots, np.uint8)
    for node in game.tree.decisions.tolist():
        width, rows = int(game.tree.children[node]), game.buckets.sizes[game.tree.round[node]]
        first = int(game.first_slot[node])
        chances = rng.dirichlet(np.full(width, 0.5), rows) * (rng.random((rows, width)) > 1 / 3)
        bytes_ = np.floor(WHOLE * chances).astype(np.int64)
        bytes_[:, rng.integers(width)] += WHOLE - bytes_.sum(axis=1)
        packed[first : first + width * rows] = bytes_.ravel()
    return PokerBlueprint(plan, game, packed)
