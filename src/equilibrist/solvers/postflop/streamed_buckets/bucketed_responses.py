"""Responses to strategies in buckets: without any abstraction, and staying inside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Array, Floats
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.streamed_buckets.board_stream import Stream
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedProfile


@dataclass(frozen=True)
class BucketedValues:
    """One player's values against the other's part of a profile."""

    streets: tuple[Array, ...]  # of all streets but the last [node, ...], counterfactual
    average: float  # over all deals, chips

    @property
    def nodes(self) -> Floats:
        """[node, hand] on the first street."""
        return self.streets[0]


def respond_fully(stream: Stream, profile: BucketedProfile, me: int) -> BucketedValues:
    """A best response without any abstraction."""
    return _values(stream, profile, me, kernels.RESPOND, profile.rows[me])


def respond_in_buckets(stream: Stream, profile: BucketedProfile, me: int) -> tuple[Floats, BucketedValues]:
    """Rows [slot, bucket] of the best response that plays buckets alike, chosen from the last decisions upwards, and its values.

    Where a player forgets, choosing upwards is not always best, so this may fall short of the best such response.
    """
    forest, rows = stream.abstract.last, profile.rows[me].copy()
    reach = stream.earlier.leaving(profile.reach(stream.earlier, 1 - me))
    for level in reversed(range(len(forest.levels) - 1)):
        nodes = np.arange(forest.levels[level], forest.levels[level + 1])
        nodes = nodes[forest.kind[nodes] == me]
        if not len(nodes):
            continue
        _, gained, _ = stream.pass_over(kernels.LEARN, me, reach, _seated(me, rows, profile.rows[1 - me]))
        for node in nodes:
            span = slice(int(forest.slot[node]), int(forest.slot[node] + forest.children[node]))
            rows[span] = gained[span].argmax(axis=0) == np.arange(forest.children[node])[:, None]
    return rows, _values(stream, profile, me, kernels.VALUE, rows)


def _seated(me: int, mine: Floats, theirs: Floats) -> tuple[Floats, Floats]:
    return (mine, theirs) if me == 0 else (theirs, mine)


def _values(stream: Stream, profile: BucketedProfile, me: int, mode: int, rows: Floats) -> BucketedValues:
    """On all streets but the last I respond as well as I can."""
    earlier = stream.earlier
    reach = profile.reach(earlier, 1 - me)
    below = stream.pass_over(mode, me, earlier.leaving(reach), _seated(me, rows, profile.rows[1 - me]))[0]
    nodes = earlier.up(me, reach, below)
    return BucketedValues(
        tuple(nodes), earlier.first.average(nodes[0] if profile.start is None else profile.start[me] * nodes[0])
    )
