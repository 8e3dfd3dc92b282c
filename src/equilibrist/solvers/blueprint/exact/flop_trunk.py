"""FlopTrunk: the betting before the flop, where values of flops are added up and a best response decides for all flops at once.

Hands that differ by suits only play alike there, and a flop stands for its suit-copies; so all that a flop leaves behind is a sum over
the hands of each kind (169 in hold'em), line by line.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.solvers.blueprint.exact.bucketed_streets import BucketedStreets
from equilibrist.solvers.blueprint.exact.street_passes import BoardWorth
from equilibrist.solvers.postflop.streamed_buckets.preflop import PreflopStreet


@dataclass(frozen=True)
class FlopSums:
    """What one flop is worth: chips times the probability of both players' actions, summed over pairs of hands."""

    best: Floats  # [player, root, kind] best responses; the player's own actions before the flop are not counted
    value: float  # of the first player where both follow the blueprint, all lines together


class FlopTrunk:
    """The blueprint before the flop, and responses to it."""

    def __init__(self, streets: BucketedStreets) -> None:
        self.streets: BucketedStreets = streets
        self.first: PreflopStreet = streets.first
        self.strategies = [streets.first_strategy(p) for p in range(2)]
        self.reach = [self.first.down(p, self.strategies[p]) for p in range(2)]
        self._some = np.unique(self.first.classes)  # a hand of each kind

    @cached_property
    def kind(self) -> Longs:
        """[hand] kinds are numbered 0 .. K-1."""
        return np.searchsorted(self._some, self.first.classes)

    @cached_property
    def kinds(self) -> Longs:
        """[K] how many hands are of a kind."""
        return np.bincount(self.kind)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of `FlopSums.best`."""
        return 2, len(self.first.deals), len(self.kinds)

    def reach_at_flop(self) -> list[Floats]:
        """By player [root, hand]."""
        return [reach[self.first.deals] for reach in self.reach]

    def sums(self, worth: BoardWorth) -> FlopSums:
        """What is kept of a flop."""
        best = np.zeros(self.shape)
        for player, values in enumerate(worth.best):
            for root, row in enumerate(values):
                best[player, root] = np.bincount(self.kind, row, len(self.kinds))
        return FlopSums(best, float((self.reach_at_flop()[0] * worth.value).sum()))

    def respond(self, me: int, below: Floats) -> Floats:
        """[slot, hand] my best response before the flop, where flops are worth `below` [root, kind], summed over hands of a kind."""
        forest, hand = self.first.forest, (below / self.kinds)[:, self.kind]
        values = self.first.up(me, self.reach[1 - me], hand)
        out = np.zeros((forest.slots[me], self.first.hands))
        for node in np.flatnonzero(forest.kind == me).tolist():
            slot, child, n = int(forest.slot[node]), int(forest.first_child[node]), int(forest.children[node])
            best = values[child : child + n].argmax(axis=0)
            out[slot : slot + n] = best == np.arange(n)[:, None]
        return out

    def taken(self, me: int, strategy: Floats) -> Floats:
        """[root, kind] probability that my strategy [slot, hand] leads to each flop."""
        reach: Floats = self.first.down(me, strategy)[self.first.deals][:, self._some]
        return reach

    def folded(self, me: int, strategy: Floats) -> float:
        """Chips a hand that I win or lose by folds before the flop."""
        nowhere = np.zeros((len(self.first.deals), self.first.hands))
        return self.first.average(self.first.up(me, self.reach[1 - me], nowhere, strategy))
