"""Responses to strategies in buckets: without any abstraction, and staying inside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.streamed_buckets.board_stream import Stream
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedProfile


@dataclass(frozen=True)
class BucketedValues:
    """One player's values against the other's part of a profile."""

    below: Floats  # [root, hand] where the boards come, counterfactual
    nodes: Floats  # [node, hand] on the first street
    average: float  # over all deals, chips


def respond_fully(stream: Stream, profile: BucketedProfile, me: int) -> BucketedValues:
    """A best response without any abstraction."""
    return _values(stream, profile, me, kernels.RESPOND, profile.rows[me])


def respond_in_buckets(stream: Stream, profile: BucketedProfile, me: int) -> tuple[Floats, BucketedValues]:
    """Rows [slot, bucket] of the best response that plays buckets alike, chosen from the last decisions upwards, and its values.

    Where a player forgets, choosing upwards is not always best, so this may fall short of the best such response.
    """
    abstract, forest = stream.abstract, stream.abstract.forests[1]
    rows = profile.rows[me].copy()
    reach = profile.reach(abstract.first, 1 - me)[abstract.first.deals]
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
    """On the first street I respond as well as I can."""
    first = stream.abstract.first
    reach = profile.reach(first, 1 - me)
    below = stream.pass_over(mode, me, reach[first.deals], _seated(me, rows, profile.rows[1 - me]))[0]
    below = first.over_suits(below)
    nodes = first.up(me, reach, below)
    return BucketedValues(below, nodes, first.average(nodes if profile.start is None else profile.start[me] * nodes))
