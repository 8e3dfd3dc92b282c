"""LeafedPreflop: the betting before the flop solved to its end, with several values for each leaf infoset ([Brown20, §5.2.2]).

Where a flop comes, each hand of one player, the *chooser*, chooses how it will play on; what that is worth against every hand of the
searcher is a table. An `Engine`, so that gadgets may stand at its root.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.search.depth_limited.hand_classes import ClassStreet
from equilibrist.solvers.cfr.matching import discounted
from equilibrist.solvers.cfr.schedules import Schedule, discount_factors, factors_of
from equilibrist.solvers.postflop._kernels.layout import LEARN, RESPOND, VALUE, Weights
from equilibrist.solvers.postflop.depth_limited.leaf_choices import LeafChoices

SINGLE = 2e-6  # relative rounding of the tables


class LeafedPreflop:
    """One root; vectors are by class of hands."""

    simultaneous = False
    precision = SINGLE
    xp: Any = np

    def __init__(self, street: ClassStreet, worth: Floats, chooser: int, schedule: Schedule) -> None:
        """`worth` [leaf, way, class of the searcher, class of the chooser]: what the chooser gets per unit of the searcher's reach."""
        self.street, self.chooser, self.schedule, self.iteration = street, chooser, schedule, 0
        self.worth = np.asarray(worth, dtype=np.float32)
        slots = street.forest.slots
        self.regret = [np.zeros((slots[p], street.hands)) for p in range(2)]
        self.average = [np.zeros((slots[p], street.hands)) for p in range(2)]
        self.choices = LeafChoices(len(street.deals), worth.shape[1], street.hands)

    def keep(self, t: int) -> float:
        return float(factors_of(self.schedule, np.array([float(t)])).keep[0])

    def learn(self, player: int, reach: Floats) -> Floats:
        row = discount_factors(self.schedule, self.iteration)[0]
        return self._pass(LEARN, player, reach, Weights(*row.astype(np.float32)))

    def values(self, player: int, *, respond: bool = False, reach: Floats | None = None) -> Floats:
        given = np.ones(self.street.hands) if reach is None else reach
        return self._pass(RESPOND if respond else VALUE, player, given, Weights(*np.ones(3, dtype=np.float32)))

    def advance(self, iterations: int) -> None:
        """From the start of the game, with all hands."""
        everybody = np.ones(self.street.hands)
        for _ in range(iterations):
            for player in range(2):
                self.learn(player, everybody)
            self.iteration += 1

    def strategy(self, player: int) -> Floats:
        """[slot, class] on average."""
        return self.street.matched(player, self.average[player])

    def _pass(self, mode: int, me: int, reach: Floats, weights: Weights) -> Floats:
        street, them = self.street, 1 - me
        down = street.down(them, self._played(mode, them), reach[None])
        below = self._below(mode, me, down[street.deals], weights)
        values = street.up(me, down, below, None if mode == RESPOND else self._played(mode, me))
        if mode == LEARN:
            self.average[them] = float(weights.keep) * self.average[them] + street.by_slot(them, down)
            gains = street.by_slot(me, values) - street.by_node(me, values)
            self.regret[me] = discounted(self.regret[me] + gains, float(weights.positive), float(weights.negative))
        return np.asarray(values[0])

    def _played(self, mode: int, player: int) -> Floats:
        return self.street.matched(
            player, np.maximum(self.regret[player], 0.0) if mode == LEARN else self.average[player]
        )

    def _below(self, mode: int, me: int, reach: Floats, weights: Weights) -> Floats:
        """[leaf, class] my values where a flop comes, against the other player's reach there."""
        given = reach.astype(np.float32)
        if me == self.chooser:
            by_way = np.matmul(given[:, None, None, :], self.worth)[:, :, 0]
            return self.choices.up(mode, by_way, weights).astype(np.float64)
        size = self.street.size
        spread = self.choices.down(mode, given, float(weights.keep)) * size.astype(np.float32)
        taken = np.matmul(self.worth, spread[..., None])[..., 0].sum(axis=1)
        return np.asarray(-taken.astype(np.float64) / size)
