"""Trunk: a blueprint that plays buckets on the boards of the last street, with all that searches there ask of it ([Brown20, §5.1]).

Arrays before the last street are [node, hand] on the first one and [node, board, hand] on those between, in double precision
(`streamed_buckets/earlier_streets.py`); those between lie where the stream has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from equilibrist.core.arrays import Array, Floats, Longs
from equilibrist.forms.boards.street_betting import FOLD, SHOWDOWN
from equilibrist.search.alternatives import expected
from equilibrist.search.engines.board_subgame import NOBODY
from equilibrist.solvers.postflop.streamed_buckets.board_stream import Stream
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedGame, BucketedProfile
from equilibrist.solvers.postflop.streamed_buckets.bucketed_responses import (
    BucketedValues,
    respond_fully,
    respond_in_buckets,
)
from equilibrist.solvers.postflop.streamed_buckets.earlier_streets import EarlierStreets, on_host


@dataclass(frozen=True)
class Trunk:
    """A blueprint in buckets, with responses to it."""

    abstract: BucketedGame
    earlier: EarlierStreets
    profile: BucketedProfile
    best: tuple[BucketedValues, BucketedValues]  # per player: best response without abstraction
    rows: tuple[Floats, Floats]  # per player: best response inside the abstraction, on the boards
    believed: tuple[BucketedValues, BucketedValues]  # what those responses are worth

    @classmethod
    def of(cls, stream: Stream, profile: BucketedProfile) -> Trunk:
        best = [respond_fully(stream, profile, p) for p in range(2)]
        inside = [respond_in_buckets(stream, profile, p) for p in range(2)]
        return cls(
            stream.abstract,
            stream.earlier,
            profile,
            (best[0], best[1]),
            (inside[0][0], inside[1][0]),
            (inside[0][1], inside[1][1]),
        )

    @cached_property
    def come(self) -> tuple[list[Array], list[Array]]:
        """Per player its reach by street."""
        first, second = (self.profile.reach(self.earlier, p) for p in range(2))
        return first, second

    @property
    def reach(self) -> tuple[Floats, Floats]:
        """Per player [node, hand] on the first street."""
        return self.come[0][0], self.come[1][0]

    @cached_property
    def ranges(self) -> tuple[Array, Array]:
        """Per player [root, (board before,) hand] reach where the boards of the last street come."""
        return self.earlier.leaving(self.come[0]), self.earlier.leaving(self.come[1])

    @cached_property
    def gifts(self) -> tuple[Array, Array]:
        """Per player [root, (board before,) hand]: what it gave away on the way by not ending the hand ([Brown20, §5.1.3])."""
        return self._given(0, split=True), self._given(1, split=True)

    @cached_property
    def unsplit_gifts(self) -> tuple[Array, Array]:
        """The same, counted once for every deal up to suits that was crossed since; not safe."""
        return self._given(0, split=False), self._given(1, split=False)

    def _given(self, player: int, *, split: bool) -> Array:
        boards = [len(each.cards) for each in self.abstract.boards]
        out: Array | None = None
        for depth, street in enumerate(self.earlier.streets):
            here: Array = street.xp.stack([self._given_on(depth, player, node) for node in street.deals.tolist()])
            if out is not None:
                spread = self.earlier.between[depth - 1].spread(out)
                here = here + street.at(spread, roots_above(street.forest, street.deals))
            out = here * (1.0 if split else boards[depth + 1] / boards[depth])
        assert out is not None
        return out

    def _given_on(self, depth: int, player: int, node: int) -> Array:
        """[hand], or [board, hand], on one street on the way to a node."""
        street, values = self.earlier.streets[depth], self.best[player].streets[depth]
        forest = street.forest
        out: Array = street.xp.zeros(street.lanes)
        while forest.parent[node] >= 0:
            above = int(forest.parent[node])
            children = np.arange(forest.first_child[above], forest.first_child[above] + forest.children[above])
            ends = children[np.isin(forest.kind[children], (FOLD, SHOWDOWN))]
            if forest.kind[above] == player and len(ends):
                lost = np.maximum(street.at(values, ends).max(axis=0) - values[node], 0.0)
                out = out + expected(lost, street.met(self.come[1 - player][depth][above]))
            node = above
        return out

    def gifts_at(self, player: int, node: int) -> Floats:
        """[hand] what a player gave away on the way to any node of the first street."""
        out: Floats = self._given_on(0, player, node)
        return out

    def met_at(self, player: int, nodes: Longs) -> Floats:
        """[node, hand] reach of the other player's hands that a player's hands can meet; less than rounding is nothing."""
        held = self.reach[1 - player][nodes]
        met = self.abstract.first.met(held)
        return np.where(met > NOBODY * held.sum(axis=1, keepdims=True), met, 0.0)

    @property
    def exploitability(self) -> float:
        """Of the blueprint in the whole game, chips."""
        return (self.best[0].average + self.best[1].average) / 2.0

    def boards_before(self, boards: range) -> range:
        """Boards of the street before that these ones of the last street come after."""
        parent = self.abstract.last_boards.parent
        return range(int(parent[boards.start]), int(parent[boards.stop - 1]) + 1)

    def summed(self, boards: range) -> tuple[int, ...]:
        """[root, (board before,) hand] shape of values summed over these boards of the last street."""
        before = (len(self.boards_before(boards)),) if self.earlier.between else ()
        return (self.abstract.roots, *before, self.abstract.first.hands)

    def carried(self, me: int, boards: range, below: Array) -> Floats:
        """[root, hand] such sums as the street before the last hands them back, where I respond as well as I can.

        `boards` are all that come after some boards before. With one deal of boards there is nothing between, and sums stay what they are.
        """
        if not self.earlier.between:
            return below
        before, street = self.boards_before(boards), self.earlier.between[-1]
        part, span = street.part(before), slice(before.start, before.stop)
        worth: Any = part.over_suits(street.xp.asarray(below))
        nodes = part.up(me, self.come[1 - me][-1][:, span], worth)
        rows: Floats = on_host(part.leave(nodes))
        return rows.reshape(len(rows), *self.earlier.streets[-2].lanes)

    def whole_value(self, me: int, below: Floats) -> float:
        """My best response where boards are worth `below`, sums of what `carried` gives: chips, over all deals."""
        depth = max(0, len(self.earlier.streets) - 2)
        return self.earlier.whole_value(me, self.come[1 - me], below, depth)


def roots_above(forest: Any, nodes: Longs) -> Longs:
    """The root of the forest that each node comes after."""
    out = nodes.copy()
    while (out >= forest.roots).any():
        out = np.where(out >= forest.roots, forest.parent[out], out)
    return out
