"""FollowedStream: passes over all boards where both players follow continuations of rows in buckets ([Brown20, §5.2.2])."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equilibrist.core.arrays import Floats, Floats32
from equilibrist.solvers.postflop.depth_limited.continuation_values import Preference, make_walk, street_ways
from equilibrist.solvers.postflop.streamed_buckets._kernels.followed_buckets import follow_bucketed
from equilibrist.solvers.postflop.streamed_buckets.board_stream import BoardStream, Lane


class FollowedStream:
    """Rows that are not learned; a continuation prefers some of their actions."""

    def __init__(
        self, stream: BoardStream, rows: Sequence[Floats], preferences: Sequence[Sequence[Preference]]
    ) -> None:
        """`rows` of each player [slot, bucket]; `preferences` of each player: its continuations, as factors on its actions."""
        self.stream = stream
        self.rows = [np.ascontiguousarray(each, dtype=np.float32).ravel() for each in rows]
        forest, street = stream.abstract.forests[1], stream.lanes[0].street
        self.ways = [street_ways(forest, street, p, preferences[p]) for p in range(2)]
        self._walks = [[make_walk(lane.street, me, self.ways[0].roots) for me in range(2)] for lane in stream.lanes]

    def values(self, me: int, reach: Floats32) -> Floats:
        """My values [root, way, hand] against the opponent's reach [root, way, hand]."""
        stream, theirs = self.stream, self.ways[1 - me]
        link = np.zeros((stream.width(1 - me), theirs.ways, theirs.roots), dtype=np.float32)
        link[: reach.shape[2], :, : reach.shape[0]] = reach.transpose(2, 1, 0)
        jobs = [
            lambda number=number, lane=lane, span=span: self._span(number, lane, span, me, link.ravel())
            for number, (lane, span) in enumerate(zip(stream.lanes, stream.parts, strict=False))
        ]
        total = np.sum(stream.team.run(jobs), axis=0).reshape(-1, self.ways[me].ways, self.ways[me].roots)
        first = stream.abstract.first
        by_root = total[: first.hands, :, : stream.abstract.roots].transpose(2, 1, 0).astype(np.float64)
        return first.over_suits(by_root)

    def _span(self, number: int, lane: Lane, span: tuple[int, int], me: int, reach: Floats32) -> Floats32:
        stream, mine, theirs = self.stream, self.ways[me], self.ways[1 - me]
        value = np.zeros(stream.width(me) * mine.ways * mine.roots, dtype=np.float32)
        follow_bucketed(
            *span, me, stream.packed(lane), stream.side(lane, me, self.rows[me]),
            stream.side(lane, 1 - me, self.rows[1 - me]), mine, theirs, lane.street.payoff[me], reach, value,
            lane.scratch[me], self._walks[number][me], lane.nothing,
        )  # fmt: skip
        return value
