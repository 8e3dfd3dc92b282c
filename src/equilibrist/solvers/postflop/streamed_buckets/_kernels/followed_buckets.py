"""Boards of the last street whose hands share rows, followed by continuations of these rows; see `depth_limited/_kernels/followed.py`."""

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.postflop._kernels.layout import ONE
from equilibrist.solvers.postflop._kernels.terminals import terminals
from equilibrist.solvers.postflop.depth_limited._kernels.followed import follow_down, follow_up
from equilibrist.solvers.postflop.streamed_buckets._kernels.bucketed import one_board, spread_rows


@kernel
def follow_bucketed(
    first, last, me, street, mine, theirs, my_ways, their_ways, payoff, parent_reach, parent_value, scratch, walk, nothing
):  # fmt: skip
    """Boards first .. last-1: my values under each of my ways are added to parent_value [place, way, root]."""
    my_hands, my_tables, my_rows, my_buckets, my_bucket = mine
    their_hands, their_tables, their_rows, their_buckets, their_bucket = theirs
    forest, group_start, groups, _, factor = street
    only = np.int64(0)  # a variable, so that nothing is compiled once more for a constant
    for b in range(first, last):
        own, other = one_board(my_hands, b), one_board(their_hands, b)
        my_at, their_at = b * my_hands.places, b * their_hands.places
        spread_rows(my_rows, my_buckets, my_bucket, my_at, own, my_tables.slots, ONE, my_tables.average)
        spread_rows(
            their_rows, their_buckets, their_bucket, their_at, other, their_tables.slots, ONE, their_tables.average
        )
        follow_down(only, 1 - me, forest, other, their_tables, their_ways, parent_reach, scratch, walk, nothing)
        terminals(only, me, forest, group_start[b : b + 2], groups, own, other, payoff, scratch)
        follow_up(only, me, forest, own, my_tables, my_ways, factor, scratch, walk, nothing, parent_value)
