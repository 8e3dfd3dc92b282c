"""Hands whose showdowns are easily worked out: each draws a number, the larger one wins."""

from __future__ import annotations

from itertools import product

import numpy as np

from equilibrist.cards.allins.joint import JointShowdowns
from equilibrist.cards.allins.triples import OUTCOMES
from equilibrist.core.arrays import Floats

PRIOR = np.array([0.2, 0.5, 0.3])
DRAWS = np.array([[0.1, 0.3, 0.6], [0.3, 0.4, 0.3], [0.7, 0.2, 0.1]])  # [hand, number] probabilities


def toy_showdowns(players: int) -> tuple[list[tuple[int, ...]], Floats]:
    """Orders of the seats, and [order, hand, …] probabilities of hands and order."""
    orders = [tuple(map(int, ranks)) for ranks in OUTCOMES] if players == 3 else [(0, 1), (0, 0), (1, 0)]
    out = np.zeros((len(orders), *(3,) * players))
    for hands, numbers in product(product(range(3), repeat=players), repeat=2):
        ranks = tuple(sorted(set(numbers), reverse=True).index(number) for number in numbers)
        chance = np.prod([PRIOR[hand] * DRAWS[hand, number] for hand, number in zip(hands, numbers, strict=True)])
        out[(orders.index(ranks), *hands)] += chance
    return orders, out


def toy_joint() -> JointShowdowns:
    return JointShowdowns(toy_showdowns(3)[1].astype(np.float32), 0.0, np.arange(169) % 3)
