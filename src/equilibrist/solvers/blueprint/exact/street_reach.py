"""StreetReach: with which hands a blueprint's own play gets to a street, line by line, on one board."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equilibrist.core.arrays import Floats, Floats32, Longs
from equilibrist.solvers.blueprint.exact._kernels.street_reach import street_reach
from equilibrist.solvers.blueprint.exact.bucketed_streets import BucketedStreets
from equilibrist.solvers.blueprint.exact.flop_trunk import FlopTrunk


class StreetReach:
    """Everything before a street (1: the flop)."""

    def __init__(self, streets: BucketedStreets, street: int) -> None:
        self.streets, self.street = streets, street
        self._start = FlopTrunk(streets).reach_at_flop()
        self._rows = [[streets.rows(before, player) for player in range(2)] for before in range(1, street)]

    def on(self, cards: Sequence[int]) -> list[Floats]:
        """By player [line, hand of the deal] probability that the player's own actions lead there; 0 for hands that collide with the cards.

        Cards of earlier streets come first.
        """
        hands, seen = self.streets.deal.hands, np.cumsum(self.streets.deal.streets)
        live = np.flatnonzero(~np.isin(hands, cards).any(axis=1))
        reach = [own[:, live] for own in self._start]
        for before, rows in enumerate(self._rows, start=1):
            board = np.broadcast_to(np.array(cards[: seen[before - 1]], dtype=np.int8), (len(live), seen[before - 1]))
            held = np.hstack([hands[live].astype(np.int8), board])
            bucket = self.streets.blueprint.abstract.buckets.bucket(before, held).astype(np.int64)
            reach = [self._after(before, player, rows[player], bucket, reach[player]) for player in range(2)]
        out = [np.zeros((len(own), len(hands))) for own in reach]
        for whole, own in zip(out, reach, strict=True):
            whole[:, live] = own
        return out

    def _after(self, street: int, player: int, rows: Floats32, bucket: Longs, start: Floats) -> Floats:
        """[root of the next street, live hand]."""
        forest, below = self.streets.forests[street], np.zeros((self.streets.forests[street + 1].roots, len(bucket)))
        reach = np.empty((len(forest), len(bucket)))
        reach[: forest.roots] = start
        shape = (forest.kind, forest.first_child, forest.children, forest.slot, forest.next_root)
        street_reach(player, *shape, rows, bucket, reach, below)
        return below
