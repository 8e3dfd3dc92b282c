"""Streets that are followed, not learned: every player goes on by one of several continuations, each a blueprint with a bias.

The layout is that of `boards.py`. A player's continuation is its own secret, so reach and values from the board before have one row for
each (root, continuation of that player); where a hand ends only the sum over the opponent's continuations counts, so terminals are
evaluated once.
"""

from equilibrist.compute.kernel import kernel
from equilibrist.compute.lanes import choose, gather_transposed, inverse, load, scatter_transposed, spread, store
from equilibrist.solvers._kernels.boards import DEAL, FOLD, ONE, ZERO, terminals


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
def follow_down(
    b,
    player,
    ways,
    forest,
    hands,
    tables,
    bias,
    even,
    parent_reach,
    width,
    factor,
    scratch,
    sums,
    next_reach,
    next_width,
):
    """The player's reach of every terminal of one board, all continuations together, and of every deal, each for itself.

    bias, even [way * slots]: by how much an action is preferred, and its share where the blueprint says nothing; one way for each
    continuation.
    """
    size, slots, reach = hands.size, tables.slots, scratch.reach
    rows = forest.row0 if player == 0 else forest.row1
    ends = forest.terminal_row0 if player == 0 else forest.terminal_row1
    for k in range(hands.blocks):
        base = k * size
        start = (b * hands.blocks + k) * slots
        for w in range(ways):
            add = w > 0
            for i in range(forest.roots):
                for h in range(size):
                    x = parent_reach[(i * ways + w) * width + hands.order[b * hands.places + base + h]] * factor
                    reach[i * size + h] = x
                    sums[i * size + h] = sums[i * size + h] + x if add else x
            for i in range(forest.kind.shape[0]):
                kind = forest.kind[i]
                if kind == player:
                    biased_reach(
                        (start + forest.slot[i]) * size, forest.children[i], size, rows[i] * size, forest.first_child[i] * size,
                        add, tables.average, bias, even, w * slots + forest.slot[i], reach, sums,
                    )  # fmt: skip
                elif kind == DEAL:
                    at, row = (forest.next_root[i] * ways + w) * next_width + base, rows[i] * size
                    for h in range(0, size, 16):
                        store(next_reach, at + h, load(reach, row + h))
        for t in range(0, forest.terminals, 16):
            for h in range(0, size, 16):
                gather_transposed(
                    sums, ends, t, h, size, scratch.terminal_reach, (base + h) * forest.terminals + t, forest.terminals
                )


@kernel
def follow_up(
    b, player, ways, forest, hands, tables, bias, even, payoff, scratch, next_value, next_width, parent_value, width
):
    """Values of the roots of one board for each of the player's continuations, added to those of the board before."""
    size, slots, value = hands.size, tables.slots, scratch.value
    share = hands.share[b]
    for k in range(hands.blocks):
        base = k * size
        start = (b * hands.blocks + k) * slots
        for t in range(0, forest.terminals, 16):
            amounts = load(payoff.difference, t)
            if payoff.raked and t < forest.showdowns:
                amounts = spread(ONE)  # already paid out
            for h in range(0, size, 16):
                scatter_transposed(
                    scratch.terminal_value, (base + h) * forest.terminals + t, forest.terminals, amounts,
                    value, forest.terminal_node, t, h, size,
                )  # fmt: skip
        for w in range(ways):
            for i in range(forest.kind.shape[0] - 1, -1, -1):
                kind = forest.kind[i]
                if kind == DEAL:
                    at = (forest.next_root[i] * ways + w) * next_width + base
                    for h in range(0, size, 16):
                        store(value, i * size + h, load(next_value, at + h))
                elif kind == player:
                    biased_value(
                        (start + forest.slot[i]) * size, forest.children[i], size, i * size, forest.first_child[i] * size,
                        tables.average, bias, even, w * slots + forest.slot[i], value,
                    )  # fmt: skip
                elif kind < FOLD:
                    below = forest.first_child[i] * size
                    for h in range(0, size, 16):
                        total = load(value, below + h)
                        for a in range(1, forest.children[i]):
                            total = total + load(value, below + a * size + h)
                        store(value, i * size + h, total)
            for i in range(forest.roots):
                at = b * hands.places + base
                for h in range(size):
                    parent_value[(i * ways + w) * width + hands.order[at + h]] += value[i * size + h] * share


@kernel
def follow_last(
    first, last, me, my_ways, their_ways, forest, mine, theirs, group_start, groups, payoff, my_tables, their_tables,
    my_bias, my_even, their_bias, their_even, factor, parent_reach, reach_width, parent_value, value_width, scratch, sums, nothing,
):  # fmt: skip
    """Last boards first .. last-1: my values under each of my continuations are added to parent_value."""
    for b in range(first, last):
        follow_down(
            b, 1 - me, their_ways, forest, theirs, their_tables, their_bias, their_even, parent_reach, reach_width, factor,
            scratch, sums, nothing, 0,
        )  # fmt: skip
        terminals(b, me, forest, mine, theirs, group_start, groups, payoff, scratch)
        follow_up(
            b, me, my_ways, forest, mine, my_tables, my_bias, my_even, payoff, scratch, nothing, 0, parent_value, value_width
        )  # fmt: skip


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
