"""Blueprints with random strategies: nothing about them is symmetric, converged or tidy."""

import numpy as np

from equilibrist.cards.evaluator import evaluate
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker
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


class TextureBuckets:
    """Buckets that look at ranks and suits of all cards, and at no suit's name."""

    sizes = (5, 7, 11, 6)
    hash = "texture"

    def __init__(self, suits=4, strength=None):
        self.suits = suits
        if strength is not None:
            self.strength = strength

    def bucket(self, round, cards):
        ranks, suits = cards.astype(np.int64) // self.suits, cards.astype(np.int64) % self.suits
        suited = (suits[:, :2, None] == suits[:, None, :]).sum(axis=(1, 2))
        weights = np.array([1, 1, 3, 3, 3, 7, 13])[: cards.shape[1]]  # hole cards and flops have no order
        return ((ranks * weights).sum(axis=1) + 5 * suited) % self.sizes[round]

    def strength(self, cards):
        return evaluate(cards.astype(np.uint8))


def suit_aware(plan, suits, seed=0):
    """A random blueprint whose buckets tell hands apart by suits, on a small deck."""
    buckets = TextureBuckets(suits, plan.game().buckets.strength)
    return random_strategy(plan, AbstractPoker(betting_tree(plan.rules), buckets), seed)


def whole_deck(menu):
    """A random blueprint of hold'em with 52 cards."""
    plan = BlueprintPlan("nolimit-holdem(stack=1000)", menu)
    return random_strategy(plan, AbstractPoker(betting_tree(plan.rules), TextureBuckets()))
