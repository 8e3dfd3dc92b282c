"""Boards of the last street whose hands share rows: strategies are spread from buckets to hands, regrets collected back.

The tables given are those of one board; rows [slot * buckets + bucket] belong to all boards.
"""

from typing import Any, NamedTuple

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.postflop._kernels.layout import LEARN, ONE, Hands
from equilibrist.solvers.postflop._kernels.reach import reach_down
from equilibrist.solvers.postflop._kernels.terminals import terminals
from equilibrist.solvers.postflop._kernels.values import values_up

SMALL = np.float32(1e-20)  # strategies as regrets: what is learned on one board is added to next to nothing


class BucketedSide(NamedTuple):
    """One player: B boards with P places each, S slots."""

    hands: Any  # [B, P] `layout.Hands` of all boards
    tables: Any  # [S, P] `layout.Tables` of one board
    rows: Any  # [S * buckets] float32 strategies
    buckets: int
    bucket: Any  # [B * P] int32


class Sums(NamedTuple):
    """Sums over boards, by row."""

    gained: Any  # [S * buckets] float64 my regrets
    entered: Any  # [S * buckets] float64 the opponent's reach
    nothing: Any  # [1] float32 in place of a street below


@kernel
def spread_rows(rows, buckets, bucket, at, hands, slots, scale, table):
    """Fill the table of one board [block, slot, hand] with the rows of its hands' buckets."""
    size = hands.size
    for k in range(hands.blocks):
        for s in range(slots):
            to, row = (k * slots + s) * size, s * buckets
            for h in range(size):
                table[to + h] = rows[row + bucket[at + k * size + h]] * scale


@kernel
def collect_rows(table, share, buckets, bucket, at, hands, slots, out):
    """Add the table of one board to the rows of its hands' buckets."""
    size, count = hands.size, hands.count[0]
    for k in range((count + size - 1) // size):
        here = min(size, count - k * size)
        for s in range(slots):
            begin, row = (k * slots + s) * size, s * buckets
            for h in range(here):
                out[row + bucket[at + k * size + h]] += share * table[begin + h]


@kernel
def one_board(hands, b):
    """The hands of one board, as if there were no other."""
    first, last = b * hands.places, (b + 1) * hands.places
    return Hands(
        hands.order[first:last], hands.card1[first:last], hands.card2[first:last], hands.twin[first:last], hands.images,
        hands.first_image[b : b + 2], hands.share[b : b + 1], hands.count[b : b + 1], hands.places, hands.blocks, hands.size,
    )  # fmt: skip


@kernel
def run_bucketed(first, last, mode, me, street, mine, theirs, payoff, weights, before, links, scratch, sums):
    """Boards first .. last-1 like `run_last`. In learning my regrets are added to `gained`, the opponent's reach to `entered`.

    `before` [board]: where the board before begins in the links, whose rows are roots with all boards before.
    """
    my_hands, my_tables, my_rows, my_buckets, my_bucket = mine
    their_hands, their_tables, their_rows, their_buckets, their_bucket = theirs
    parent_reach, reach_width, parent_value, value_width = links
    gained, entered, nothing = sums
    forest, group_start, groups, _, factor = street
    only = np.int64(0)  # a variable, so that nothing is compiled once more for a constant
    for b in range(first, last):
        own, other = one_board(my_hands, b), one_board(their_hands, b)
        my_at, their_at = b * my_hands.places, b * their_hands.places
        reach, value = parent_reach[before[b] :], parent_value[before[b] :]
        scale = SMALL if mode == LEARN else ONE
        my_table = my_tables.regret if mode == LEARN else my_tables.average
        their_table = their_tables.regret if mode == LEARN else their_tables.average
        spread_rows(my_rows, my_buckets, my_bucket, my_at, own, my_tables.slots, scale, my_table)
        spread_rows(their_rows, their_buckets, their_bucket, their_at, other, their_tables.slots, scale, their_table)
        reach_down(
            mode, only, 1 - me, forest, other, their_tables, scratch, factor, weights.keep, reach, reach_width, nothing,
            reach_width, nothing,
        )  # fmt: skip
        terminals(only, me, forest, group_start[b : b + 2], groups, own, other, payoff, scratch)
        values_up(
            mode, only, me, forest, own, my_tables, scratch, weights, nothing, value_width, value, value_width, nothing
        )  # fmt: skip
        if mode == LEARN:
            share = np.float64(my_hands.share[b])
            collect_rows(my_table, share, my_buckets, my_bucket, my_at, own, my_tables.slots, gained)
            average = their_tables.average
            collect_rows(average, share, their_buckets, their_bucket, their_at, other, their_tables.slots, entered)
