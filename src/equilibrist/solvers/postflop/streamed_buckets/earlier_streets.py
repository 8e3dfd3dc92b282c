"""EarlierStreets: all streets before the last one, hand by hand; what the boards of the last street are reached with and worth.

The street before any board is on the host, those between it and the last where their arrays are. Lists are street by street.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from equilibrist.core.arrays import Array, Floats
from equilibrist.solvers.postflop.streamed_buckets.boards_street import BoardsStreet
from equilibrist.solvers.postflop.streamed_buckets.hand_street import HandStreet
from equilibrist.solvers.postflop.streamed_buckets.preflop import PreflopStreet


def on_host(array: Any) -> Array:
    """An array of any module as NumPy's."""
    return np.asarray(array.get() if hasattr(array, "get") else array)


@dataclass(frozen=True)
class EarlierStreets:
    """The first street and those between it and the last."""

    first: PreflopStreet
    between: tuple[BoardsStreet, ...] = ()

    @property
    def streets(self) -> tuple[HandStreet, ...]:
        return (self.first, *self.between)

    @property
    def last(self) -> HandStreet:
        """The one after which the boards of the last street come."""
        return self.streets[-1]

    def down(self, player: int, strategies: Sequence[Array], start: Floats | None = None) -> list[Array]:
        """Reach [node, ...] by own actions, and by chance after the first street; `start` [hand] is that at the beginning."""
        out = [self.first.down(player, strategies[0], None if start is None else start[None])]
        for street, before, strategy in zip(self.between, self.streets, strategies[1:], strict=False):
            out.append(street.down(player, strategy, street.enter(before.at(out[-1], before.deals))))
        return out

    def leaving(self, reach: Sequence[Array]) -> Array:
        """[root of the last street, ...] of such reach."""
        return self.last.at(reach[-1], self.last.deals)

    def up(
        self, me: int, reach: Sequence[Array], below: Array, strategies: Sequence[Array] | None = None
    ) -> list[Array]:
        """My counterfactual values [node, ...] against the opponent's reach, from those of the boards [root of the last street, ...].

        Boards are summed up in `below`, suits not yet. I follow strategies [slot, ...], or respond as well as I can.
        """
        out: list[Array] = []
        for depth in range(len(self.streets) - 1, -1, -1):
            street = self.streets[depth]
            own = None if strategies is None else strategies[depth]
            out.insert(0, street.up(me, reach[depth], self._over_suits(depth, below), own))
            if depth:
                below = self.handed_back(depth, out[0])
        return out

    def _over_suits(self, depth: int, below: Array) -> Array:
        return self.between[depth - 1].over_suits(below) if depth else self.first.over_suits(below)

    def handed_back(self, depth: int, values: Array) -> Array:
        """Values [node, board, hand] of a street where its boards come, as the street before has them."""
        before, values = self.streets[depth - 1], self.between[depth - 1].leave(values)
        rows = values.reshape(len(values), *before.lanes)
        return on_host(rows) if before.xp is np else rows

    def whole_value(self, me: int, reach: Sequence[Array], below: Array, depth: int) -> float:
        """My best response where the boards after a street are worth `below`: chips, over all deals."""
        values = below
        for d in range(depth, -1, -1):
            nodes = self.streets[d].up(me, reach[d], self._over_suits(d, values))
            values = self.handed_back(d, nodes) if d else nodes
        return self.first.average(values)

    def part(self, boards: range) -> EarlierStreets:
        """With some boards of the last of these streets alone."""
        return replace(self, between=(*self.between[:-1], self.between[-1].part(boards))) if self.between else self
