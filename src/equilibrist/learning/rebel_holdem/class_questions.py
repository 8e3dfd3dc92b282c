"""What a network is told of the start of the flop before its cards are known: questions of `hand_values` about 169 classes of hands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import torch

from equilibrist.cards.allins.classes import CLASSES
from equilibrist.cards.evaluator import boards_strengths
from equilibrist.cards.range_text import STANDARD
from equilibrist.core.arrays import Floats, Floats32
from equilibrist.learning.hand_values.belief_states import HANDS
from equilibrist.learning.hand_values.meetings import BANDS, EquityOrder
from equilibrist.learning.hand_values.value_net import OUTCOMES, HandQuestion
from equilibrist.learning.rebel_holdem.preflop_game import PreflopGame

BOARDS = 2000  # complete boards, drawn once, that say how a class's equity will be spread
BELOW = 1e-30


@dataclass(frozen=True)
class ClassQuestions:
    """Questions about beliefs by class."""

    game: PreflopGame

    @cached_property
    def spread(self) -> tuple[Floats, Floats]:
        """[class] standard deviation of the equity on the river, and [class, knot] how often it is near each knot."""
        deviation, outcomes = river_spread()
        return deviation[self.game.cell], outcomes[self.game.cell]

    @cached_property
    def order(self) -> EquityOrder:
        return EquityOrder.of(self.game.equity)

    def edge(self, weights: Floats) -> tuple[Floats, Floats]:
        """[B, 2, class] chance to win less chance to lose if nobody bets any more, and the weight that each class meets."""
        game, theirs = self.game, weights[:, ::-1]
        met = theirs @ game.meets.T
        won = theirs @ (game.edges * game.meets).T
        return won / np.maximum(met, BELOW), met

    def ask(self, weights: Floats, depths: Floats) -> HandQuestion:
        """About B states: weights [B, 2, class] of single hands, and stacks as shares of the pot."""
        game = self.game
        mass = weights * game.street.size
        whole = np.maximum(mass.sum(axis=2, keepdims=True), BELOW)
        edge, met = self.edge(weights)
        belief, share = mass / whole, met / whole[:, ::-1]
        rank = self.order.ranks(belief.astype(np.float32))
        faced = self._faced(weights, rank, met)
        shape = (len(weights), 2, CLASSES)
        deviation, outcomes = self.spread
        told = (
            np.broadcast_to(game.equity, shape), np.broadcast_to(deviation, shape),
            np.broadcast_to(outcomes, (*shape, OUTCOMES)), rank, edge, share, faced, belief, np.log(depths),
        )  # fmt: skip
        return HandQuestion._make([torch.from_numpy(np.ascontiguousarray(each, dtype=np.float32)) for each in told])

    def _faced(self, weights: Floats, rank: Floats32, met: Floats) -> Floats:
        """[B, 2, class, band] how much of what a class meets is in each band of the other's ranks."""
        band = np.digitize(rank[:, ::-1], BANDS)
        parts = np.stack([weights[:, ::-1] * (band == b) for b in range(len(BANDS) + 1)], axis=-2)
        share: Floats = (parts @ self.game.meets.T) / np.maximum(met, BELOW)[:, :, None]
        return share.swapaxes(2, 3)


@cache
def river_spread() -> tuple[Floats, Floats]:
    """The same in the order of `cards/allins/classes.py`, over boards that are drawn once for all."""
    from equilibrist.learning.hand_values._kernels.meetings import equities

    random = np.random.default_rng(0)
    boards = np.stack([random.choice(STANDARD.size, 5, replace=False) for _ in range(BOARDS)]).astype(np.uint8)
    total, square = np.zeros(CLASSES), np.zeros(CLASSES)
    count, spread = np.zeros(CLASSES), np.zeros((CLASSES, OUTCOMES))
    mean, second, outcomes = np.empty(HANDS.count), np.empty(HANDS.count), np.empty((HANDS.count, OUTCOMES))
    for strengths in boards_strengths(boards):
        equities(strengths[None], np.arange(HANDS.count), HANDS.low, HANDS.high, mean, second, outcomes)
        live = strengths > 0
        cell = HANDS.cell[live]
        count += np.bincount(cell, minlength=CLASSES)
        total += np.bincount(cell, mean[live], minlength=CLASSES)
        square += np.bincount(cell, mean[live] ** 2, minlength=CLASSES)
        for knot in range(OUTCOMES):
            spread[:, knot] += np.bincount(cell, outcomes[live, knot], minlength=CLASSES)
    average = total / count
    return np.sqrt(np.maximum(square / count - average**2, 0.0)), spread / count[:, None]
