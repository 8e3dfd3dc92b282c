"""Streets that are followed, not learned: every player goes on by one of several continuations, each a blueprint with a bias.

Boards, nodes and terminals are laid out as in the kernels of `postflop/`. A player's continuation (its way) is its own secret, so
there is a walk for each way of one player, and where a hand ends only the sum over the opponent's ways counts: terminals are
evaluated once. From street to street reach and values are passed as links [place, way, root], roots padded to sixteens: one hand's
entries lie together, so that another order of the hands is made by transposing 16 x 16 blocks.
"""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.compute.lanes import choose, gather_transposed, inverse, load, scatter_transposed, spread, store
from equilibrist.solvers.postflop._kernels.layout import FOLD, ZERO
from equilibrist.solvers.postflop._kernels.symmetry import lowest_image
from equilibrist.solvers.postflop._kernels.terminals import spread_terminals, terminals


class Ways(NamedTuple):
    """Continuations of one player on one street: W ways, S slots; roots of this and of the next street are padded to sixteens."""

    bias: Any  # [W * S] float32 by how much an action is preferred
    even: Any  # [W * S] float32 its share where the blueprint says nothing
    deal_row: Any  # [next_roots] reach row of each deal, padded by an empty row
    deal_node: Any  # [next_roots] its node, padded by a row that nobody reads
    numbers: Any  # [next_roots] counting up
    ways: int
    roots: int
    next_roots: int


class Walk(NamedTuple):
    """Rows [node or root, hand] of one walk, H entries in all."""

    reach: Any  # [H] float32
    value: Any  # [H] float32
    sums: Any  # [H] float32 reach of all walks together
    block: Any  # [256] float32: 16 x 16


class Followed(NamedTuple):
    """One player on the last street."""

    hands: Any  # [boards, places] `layout.Hands`
    tables: Any  # [boards, slots, places] `layout.Tables`
    ways: Ways


@kernel
def biased_reach(first, n, size, from_row, to_row, add, table, bias, even, at, reach, sums):
    """One node: reach of its children under one continuation, and its part of the sum over all of them."""
    zero = spread(ZERO)
    for h in range(0, size, 16):
        total = zero
        for a in range(n):
            total = total + load(table, first + a * size + h) * spread(bias[at + a])
        here = load(reach, from_row + h)
        scale = inverse(total) * here
        for a in range(n):
            x = load(table, first + a * size + h) * spread(bias[at + a]) * scale
            x = choose(total, x, here * spread(even[at + a]))
            to = to_row + a * size + h
            store(reach, to, x)
            if add:
                x = x + load(sums, to)
            store(sums, to, x)


@kernel
def biased_value(first, n, size, row, below, table, bias, even, at, value):
    """One node: its value under one continuation."""
    zero = spread(ZERO)
    for h in range(0, size, 16):
        total = zero
        mixed = zero
        plain = zero
        for a in range(n):
            x = load(table, first + a * size + h) * spread(bias[at + a])
            worth = load(value, below + a * size + h)
            total = total + x
            mixed = mixed + x * worth
            plain = plain + spread(even[at + a]) * worth
        store(value, row + h, choose(total, mixed * inverse(total), plain))


@kernel
def follow_down(b, player, forest, hands, tables, its, parent_reach, scratch, walk, next_reach):
    """The player's reach of every terminal of one board, all ways together, and of every deal, each for itself.

    The probability of the board is left out; `follow_up` puts it in.
    """
    size, slots, reach, sums = hands.size, tables.slots, walk.reach, walk.sums
    rows = forest.row0 if player == 0 else forest.row1
    ends = forest.ends0 if player == 0 else forest.ends1
    width, next_width = its.ways * its.roots, its.ways * its.next_roots
    for k in range(hands.blocks):
        base = k * size
        start = (b * hands.blocks + k) * slots
        for w in range(its.ways):
            for h in range(0, size, 16):
                at = b * hands.places + base + h
                for i in range(0, its.roots, 16):
                    gather_transposed(
                        parent_reach, hands.order, at, w * its.roots + i, width, reach, i * size + h, size
                    )
            for i in range(0, forest.roots * size, 16):
                x = load(reach, i)
                if w > 0:
                    x = x + load(sums, i)
                store(sums, i, x)
            for i in range(forest.kind.shape[0]):
                if forest.kind[i] == player:
                    biased_reach(
                        (start + forest.slot[i]) * size, forest.children[i], size, rows[i] * size, forest.first_child[i] * size,
                        w > 0, tables.average, its.bias, its.even, w * slots + forest.slot[i], reach, sums,
                    )  # fmt: skip
            for h in range(0, size, 16):
                for d in range(0, its.next_roots, 16):
                    at = (base + h) * next_width + w * its.next_roots + d
                    gather_transposed(reach, its.deal_row, d, h, size, next_reach, at, next_width)
        for t in range(0, ends.lanes, 16):
            for h in range(0, size, 16):
                gather_transposed(
                    sums, ends.row, t, h, size, scratch.terminal_reach, (base + h) * ends.lanes + t, ends.lanes
                )


@kernel
def follow_up(b, player, forest, hands, tables, its, factor, scratch, walk, next_value, parent_value):
    """Values of the roots of one board for each of the player's ways, added to those of the board before."""
    size, slots, value = hands.size, tables.slots, walk.value
    width, next_width = its.ways * its.roots, its.ways * its.next_roots
    share = spread(hands.share[b] * factor)
    for k in range(hands.blocks):
        base = k * size
        start = (b * hands.blocks + k) * slots
        spread_terminals(base, size, forest.ends1 if player == 0 else forest.ends0, scratch, value)
        for w in range(its.ways):
            for h in range(0, size, 16):
                for d in range(0, its.next_roots, 16):
                    at = (base + h) * next_width + w * its.next_roots + d
                    scatter_transposed(next_value, at, next_width, value, its.deal_node, d, h, size)
            for i in range(forest.kind.shape[0] - 1, -1, -1):
                kind = forest.kind[i]
                if kind == player:
                    biased_value(
                        (start + forest.slot[i]) * size, forest.children[i], size, i * size, forest.first_child[i] * size,
                        tables.average, its.bias, its.even, w * slots + forest.slot[i], value,
                    )  # fmt: skip
                elif kind < FOLD:
                    below = forest.first_child[i] * size
                    for h in range(0, size, 16):
                        total = load(value, below + h)
                        for a in range(1, forest.children[i]):
                            total = total + load(value, below + a * size + h)
                        store(value, i * size + h, total)
            for h in range(0, size, 16):
                at = b * hands.places + base + h
                for i in range(0, its.roots, 16):
                    gather_transposed(value, its.numbers, i, h, size, walk.block, 0, 16)
                    for c in range(16):
                        to = hands.order[at + c] * width + w * its.roots + i
                        store(parent_value, to, load(parent_value, to) + load(walk.block, c * 16) * share)


@kernel
def follow_last(first, last, me, street, mine, theirs, payoff, parent_reach, parent_value, scratch, walk, nothing):
    """Last boards first .. last-1: my values under each of my ways are added to parent_value."""
    forest, group_start, groups, _, factor = street
    for b in range(first, last):
        follow_down(b, 1 - me, forest, theirs.hands, theirs.tables, theirs.ways, parent_reach, scratch, walk, nothing)
        terminals(b, me, forest, group_start, groups, mine.hands, theirs.hands, payoff, scratch)
        follow_up(b, me, forest, mine.hands, mine.tables, mine.ways, factor, scratch, walk, nothing, parent_value)


@kernel
def symmetrise_links(b, hands, width, value, spare):
    """Sum values [place, column] of one board over the relabellings of suits that leave it as it is; see `symmetry.symmetrise`."""
    first, last = hands.first_image[b], hands.first_image[b + 1]
    if first == last:
        return
    for i in range(0, hands.places * width, 16):
        store(spare, i, load(value, i))
    for h in range(hands.places):
        low = lowest_image(b, hands, h)
        for i in range(0, width, 16):
            if low < h:
                store(value, h * width + i, load(value, low * width + i))
                continue
            total = load(value, h * width + i)
            for g in range(first, last):
                total = total + load(spare, hands.images[g * hands.places + h] * width + i)
            store(value, h * width + i, total)


@kernel
def add_signs(mine, theirs, weight, out):
    """Add up over boards the weight with which each of my hands beats each of theirs, less that with which it loses.

    mine, theirs float32 [board, hand] strengths, 0 where a hand shares a card with the board; theirs are padded to sixteens by 0.
    """
    width = theirs.shape[1]
    zero, flat_theirs, flat_out = spread(ZERO), theirs.ravel(), out.ravel()
    for b in range(mine.shape[0]):
        won, lost = spread(weight[b]), zero - spread(weight[b])
        for i in range(mine.shape[1]):
            if mine[b, i] == ZERO:
                continue
            own = spread(mine[b, i])
            for j in range(0, width, 16):
                other = load(flat_theirs, b * width + j)
                sign = choose(own - other, won, choose(other - own, lost, zero))
                store(flat_out, i * width + j, load(flat_out, i * width + j) + choose(other, sign, zero))
