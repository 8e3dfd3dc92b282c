"""Reach going down one board; in learning the average strategy is added up on the way."""

from equilibrist.compute.kernel import kernel
from equilibrist.compute.lanes import choose, gather_transposed, inverse, load, maximum, spread, store, times_plus
from equilibrist.solvers.postflop._kernels.layout import DEAL, GAIN, LEARN, ZERO
from equilibrist.solvers.postflop._kernels.matching import positive_sum
from equilibrist.solvers.postflop._kernels.short_tables import pack_fairly, unpack


@kernel
def learn_reach(first, n, size, from_row, to_row, kept, table, average, reach):
    """One node with nothing special about it: reach of its children, and the average strategy."""
    zero, even = spread(ZERO), spread(1.0 / n)
    for h in range(0, size, 16):
        total = positive_sum(table, first + h, n, size)
        scale = inverse(total)
        here = load(reach, from_row + h)
        for a in range(n):
            s = first + a * size + h
            x = here * choose(total, maximum(load(table, s), zero) * scale, even)
            store(reach, to_row + a * size + h, x)
            store(average, s, times_plus(load(average, s), kept, x))


@kernel
def follow_reach(first, n, size, from_row, to_row, table, reach):
    """The same where a strategy is only played; its table has nothing negative."""
    even = spread(1.0 / n)
    for h in range(0, size, 16):
        total = positive_sum(table, first + h, n, size)
        here = load(reach, from_row + h)
        scale = inverse(total) * here
        for a in range(n):
            x = choose(total, load(table, first + a * size + h) * scale, even * here)
            store(reach, to_row + a * size + h, x)


@kernel
def locked_reach(learning, lock, base, places, first, n, size, from_row, to_row, kept, table, tables, average, reach):
    """The same at a node where a share of each hand's strategy is fixed."""
    zero, even = spread(ZERO), spread(1.0 / n)
    for h in range(0, size, 16):
        total = positive_sum(table, first + h, n, size)
        scale = inverse(total)
        here = load(reach, from_row + h)
        held = load(tables.bound, lock * places + base + h)
        for a in range(n):
            s = first + a * size + h
            x = here * choose(total, maximum(load(table, s), zero) * scale, even)
            if learning:
                store(average, s, times_plus(load(average, s), kept, x))
            fixed = load(tables.fixed, tables.lock_start[lock] + a * places + base + h)
            store(reach, to_row + a * size + h, x + held * (here * fixed - x))


@kernel
def add_model(b, k, player, forest, hands, tables, factor, above, width, scratch, next_reach, next_width):
    """Reach of the hands that follow a model, in one block of one board, added to that of the free ones."""
    rows, model, reach = forest.row0 if player == 0 else forest.row1, scratch.model_reach, scratch.reach
    size, base, second, below = hands.size, k * hands.size, above.shape[0] // 2, next_reach.shape[0] // 2
    for i in range(forest.roots):
        for h in range(size):
            place = hands.order[b * hands.places + base + h]
            model[i * size + h] = above[second + i * width + place] * factor
    for i in range(forest.kind.shape[0]):
        kind = forest.kind[i]
        if kind == player:
            first, child = ((b * hands.blocks + k) * tables.slots + forest.slot[i]) * size, forest.first_child[i] * size
            for s in range(0, forest.children[i] * size, size):
                for h in range(0, size, 16):
                    store(model, child + s + h, load(model, rows[i] * size + h) * load(tables.model, first + s + h))
        elif kind == DEAL:
            at, row = below + forest.next_root[i] * next_width + base, rows[i] * size
            for h in range(0, size, 16):
                store(next_reach, at + h, load(model, row + h))
    for i in range(forest.kind.shape[0]):
        if rows[i] == i:
            for h in range(i * size, (i + 1) * size, 16):
                store(reach, h, load(reach, h) + load(model, h))


@kernel
def reach_down(
    mode, b, player, forest, hands, tables, scratch, factor, keep, above, width, next_reach, next_width, seen
):
    """The player's reach at every node of one board, from that `above` [root, place]; in learning its average is added on the way.

    Structs come in pieces: taking one out of another counts references, which on small boards takes as long as the work.
    `scratch` is that of the other player's pass. `seen` [node, place], unless it is empty, keeps the reach of all nodes.
    """
    size, slots, nodes, reach = hands.size, tables.slots, forest.kind.shape[0], scratch.reach
    rows = forest.row0 if player == 0 else forest.row1
    ends = forest.ends0 if player == 0 else forest.ends1
    kept = spread(keep)
    average = scratch.average_rows if tables.compressed else tables.average
    basis = scratch.regret_rows if tables.compressed else tables.basis
    learning = mode == LEARN or mode == GAIN
    table = basis if learning else average
    for k in range(hands.blocks):
        base = k * size
        for i in range(forest.roots):
            for h in range(size):
                reach[i * size + h] = above[i * width + hands.order[b * hands.places + base + h]] * factor
        start = (b * hands.blocks + k) * slots
        for i in range(nodes):
            kind = forest.kind[i]
            if kind == player:
                n, child = forest.children[i], forest.first_child[i]
                first = (start + forest.slot[i]) * size
                place, entry = first, (b * hands.blocks + k) * nodes + i
                if tables.compressed:
                    if learning:
                        unpack(tables.basis16, tables.basis_scale[entry], place, n * size, basis)
                    unpack(tables.average16, tables.average_scale[entry], place, n * size, average)
                    first = 0
                from_row, to_row = rows[i] * size, child * size
                lock = tables.lock_of[b * nodes + i] if tables.locked else -1
                if lock >= 0:
                    locked_reach(
                        learning, lock, base, hands.places, first, n, size, from_row, to_row, kept, table, tables, average, reach
                    )  # fmt: skip
                elif learning:
                    learn_reach(first, n, size, from_row, to_row, kept, table, average, reach)
                else:
                    follow_reach(first, n, size, from_row, to_row, table, reach)
                if tables.compressed and learning:
                    pack_fairly(average, n * size, tables.average16, place, tables.average_scale, entry, tables.noise)
            elif kind == DEAL:
                at, row = forest.next_root[i] * next_width + base, rows[i] * size
                for h in range(0, size, 16):
                    store(next_reach, at + h, load(reach, row + h))
        if tables.shared:
            add_model(b, k, player, forest, hands, tables, factor, above, width, scratch, next_reach, next_width)
        if seen.shape[0] > 1:
            for i in range(nodes):
                for h in range(size):
                    seen[i * hands.places + base + h] = reach[rows[i] * size + h]
        for t in range(0, ends.lanes, 16):
            for h in range(0, size, 16):
                gather_transposed(
                    reach, ends.row, t, h, size, scratch.terminal_reach, (base + h) * ends.lanes + t, ends.lanes
                )
