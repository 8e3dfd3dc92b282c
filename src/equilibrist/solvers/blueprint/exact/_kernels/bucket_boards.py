"""Boards on which both players follow rows of buckets: reach down, terminals, values up for a best response.

Values of the rows themselves come up beside it for the first player; those of the other sum to minus as much.

Strategies are read where they lie, [slot, bucket]; no table of a board is written. The rest is as in `solvers/postflop/_kernels/`.
"""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.compute.lanes import gather_transposed, load, pick, spread, store, times_plus
from equilibrist.solvers.postflop._kernels.layout import DEAL, FOLD, RESPOND, VALUE, ZERO, Hands, Payoff
from equilibrist.solvers.postflop._kernels.terminals import spread_terminals, terminals
from equilibrist.solvers.postflop._kernels.values import best_of, sum_values

MODES = (RESPOND, VALUE)


class Rows(NamedTuple):
    """A player's strategy: S slots, K buckets, B boards with P places."""

    play: Any  # [S * K] float32 probabilities
    buckets: int  # K
    bucket: Any  # [B * P] int32 of each hand; 0 in the padding


class BucketSide(NamedTuple):
    """One player on one street."""

    hands: Hands
    rows: Rows
    payoff: Payoff


class Link(NamedTuple):
    """What passes between two streets, R roots of the later one; after the last street arrays of one entry."""

    reach: Any  # [R * reach_width] the opponent's
    reach_width: int
    best: Any  # [R * value_width] values of my best response
    value: Any  # [R * value_width] values of my rows, for the first player
    value_width: int


@kernel
def board_down(b, player, forest, hands, rows, factor, above, width, scratch, next_reach, next_width):
    """The player's reach at every node of one board; `scratch` is that of the other player's pass."""
    play, buckets, bucket = rows
    size, nodes, reach = hands.size, forest.kind.shape[0], scratch.reach
    own = forest.row0 if player == 0 else forest.row1
    ends = forest.ends0 if player == 0 else forest.ends1
    for k in range(hands.blocks):
        base = k * size
        at = b * hands.places + base
        for i in range(forest.roots):
            for h in range(size):
                reach[i * size + h] = above[i * width + hands.order[at + h]] * factor
        for i in range(nodes):
            kind, row = forest.kind[i], own[i] * size
            if kind == player:
                to, slot = forest.first_child[i] * size, forest.slot[i]
                for a in range(forest.children[i]):
                    first = (slot + a) * buckets
                    for h in range(0, size, 16):
                        store(reach, to + a * size + h, load(reach, row + h) * pick(play, first, bucket, at + h))
            elif kind == DEAL:
                below = forest.next_root[i] * next_width + base
                for h in range(0, size, 16):
                    store(next_reach, below + h, load(reach, row + h))
        for t in range(0, ends.lanes, 16):
            for h in range(0, size, 16):
                gather_transposed(
                    reach, ends.row, t, h, size, scratch.terminal_reach, (base + h) * ends.lanes + t, ends.lanes
                )


@kernel
def follow_rows(slot, n, size, row, below, at, play, buckets, bucket, value):
    """A node of mine where I play my rows."""
    for h in range(0, size, 16):
        total = spread(ZERO)
        for a in range(n):
            total = times_plus(
                load(value, below + a * size + h), pick(play, (slot + a) * buckets, bucket, at + h), total
            )
        store(value, row + h, total)


@kernel
def block_up(mode, b, k, player, forest, hands, rows, value, next_value, next_width, above, width):
    """My values at every node of one board for one block of hands, after its terminals were paid; added to those `above`."""
    play, buckets, bucket = rows
    size, base = hands.size, k * hands.size
    at = b * hands.places + base
    for i in range(forest.kind.shape[0] - 1, -1, -1):
        kind, row = forest.kind[i], i * size
        n, below = forest.children[i], forest.first_child[i] * size
        if kind == DEAL:
            first = forest.next_root[i] * next_width + base
            for h in range(0, size, 16):
                store(value, row + h, load(next_value, first + h))
        elif kind < FOLD and kind != player:
            sum_values(n, size, row, below, value)
        elif kind == player and mode == RESPOND:
            for h in range(0, size, 16):
                store(value, row + h, best_of(n, size, below + h, value))
        elif kind == player:
            follow_rows(forest.slot[i], n, size, row, below, at, play, buckets, bucket, value)
    share = hands.share[b]
    for i in range(forest.roots):
        for h in range(size):
            above[i * width + hands.order[at + h]] += value[i * size + h] * share


@kernel
def board_up(b, me, modes, forest, group_start, groups, mine, theirs, scratch, above, below):
    """What one board is worth to me against the opponent's reach, which has come down: by a best response, or also by my rows.

    `modes` are RESPOND and VALUE, as variables.
    """
    hands, rows, payoff = mine
    terminals(b, me, forest, group_start, groups, hands, theirs.hands, payoff, scratch)
    ends = forest.ends1 if me == 0 else forest.ends0
    value = scratch.value
    for k in range(hands.blocks):
        spread_terminals(k * hands.size, hands.size, ends, scratch, value)
        block_up(
            modes[0], b, k, me, forest, hands, rows, value, below.best, below.value_width, above.best, above.value_width
        )
        if me == 0:
            block_up(
                modes[1], b, k, me, forest, hands, rows, value, below.value, below.value_width, above.value, above.value_width
            )  # fmt: skip


@kernel
def last_boards(first, last, me, modes, street, mine, theirs, scratch, above, nothing):
    """Boards first .. last-1 of the last street, down and up; `nothing` is what lies below."""
    forest, group_start, groups, _, factor = street
    for b in range(first, last):
        board_down(
            b, 1 - me, forest, theirs.hands, theirs.rows, factor, above.reach, above.reach_width, scratch, nothing.reach,
            nothing.reach_width,
        )  # fmt: skip
        board_up(b, me, modes, forest, group_start, groups, mine, theirs, scratch, above, nothing)
