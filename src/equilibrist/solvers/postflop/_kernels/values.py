"""Counterfactual values coming up one board; in learning the player's regrets are updated on the way."""

from equilibrist.compute.kernel import kernel
from equilibrist.compute.lanes import choose, load, maximum, minimum, spread, store, times_plus
from equilibrist.solvers.postflop._kernels.layout import DEAL, FOLD, GAIN, LEARN, ONE, RESPOND, ZERO
from equilibrist.solvers.postflop._kernels.matching import matched_value
from equilibrist.solvers.postflop._kernels.short_tables import pack, unpack
from equilibrist.solvers.postflop._kernels.terminals import spread_terminals


@kernel
def learn_values(first, n, size, row, below, positive, negative, regret, value):
    """One node with nothing special about it: its value, and the player's regrets."""
    zero = spread(ZERO)
    for h in range(0, size, 16):
        here = matched_value(regret, first + h, n, size, value, below + h)
        store(value, row + h, here)
        for a in range(n):
            s = first + a * size + h
            x = load(regret, s) + (load(value, below + a * size + h) - here)
            store(regret, s, times_plus(maximum(x, zero), positive, minimum(x, zero) * negative))


@kernel
def gain_values(first, n, size, row, below, table, gain, value):
    """The same where the regrets of this iteration are only written down."""
    for h in range(0, size, 16):
        here = matched_value(table, first + h, n, size, value, below + h)
        store(value, row + h, here)
        for a in range(n):
            store(gain, first + a * size + h, load(value, below + a * size + h) - here)


@kernel
def sum_values(n, size, row, below, value):
    """A node of the opponent: its values are weighted by its reach already."""
    for h in range(0, size, 16):
        total = load(value, below + h)
        for a in range(1, n):
            total = total + load(value, below + a * size + h)
        store(value, row + h, total)


@kernel
def best_of(n, size, below, value):
    """The largest of the children's values."""
    best = load(value, below)
    for a in range(1, n):
        best = maximum(best, load(value, below + a * size))
    return best


@kernel
def other_values(mode, lock, base, places, first, n, size, row, below, weights, table, regret, basis, tables, value):
    """Any other node of the player: with a lock, predictive, or one whose strategy is played or answered and not learned."""
    zero, positive, negative = spread(ZERO), spread(weights.positive), spread(weights.negative)
    for h in range(0, size, 16):
        free = matched_value(table, first + h, n, size, value, below + h)
        here = free
        if mode == RESPOND:
            here = best_of(n, size, below + h, value)
        learns = spread(ONE)
        if lock >= 0:
            held = load(tables.bound, lock * places + base + h)
            learns = learns - held
            forced = zero
            for a in range(n):
                at = tables.lock_start[lock] + a * places + base + h
                forced = forced + load(tables.fixed, at) * load(value, below + a * size + h)
            here = here + held * (forced - here)
        store(value, row + h, here)
        if mode == LEARN or mode == GAIN:
            for a in range(n):
                s = first + a * size + h
                # hands without a choice learn nothing: in 16 bits their regrets would blur the others'
                gain = choose(learns, load(value, below + a * size + h) - free, zero)
                if mode == GAIN:
                    store(tables.gain, s, gain)
                else:
                    x = load(regret, s) + gain
                    x = times_plus(maximum(x, zero), positive, minimum(x, zero) * negative)
                    store(regret, s, x)
                    if tables.predictive:
                        store(basis, s, x + gain)


@kernel
def values_up(mode, b, player, forest, hands, tables, scratch, weights, next_value, next_width, above, width, seen):
    """The player's counterfactual values at every node of one board, added to those `above` [root, place].

    `seen` [node, place], unless it is empty, keeps the values of all nodes.
    """
    size, slots, nodes, value, predictive = (
        hands.size,
        tables.slots,
        forest.kind.shape[0],
        scratch.value,
        tables.predictive,
    )
    positive, negative = spread(weights.positive), spread(weights.negative)
    regret = scratch.regret_rows if tables.compressed else tables.regret
    average = scratch.average_rows if tables.compressed else tables.average
    # learning does not look at averages here, so their rows serve the basis where it is not the regrets themselves
    unpacked = scratch.average_rows if predictive else scratch.regret_rows
    basis = unpacked if tables.compressed else tables.basis
    table = basis if mode == LEARN or mode == GAIN else average
    for k in range(hands.blocks):
        base = k * size
        spread_terminals(base, size, forest.ends1 if player == 0 else forest.ends0, scratch, value)
        start = (b * hands.blocks + k) * slots
        for i in range(nodes - 1, -1, -1):
            kind, row = forest.kind[i], i * size
            n, below = forest.children[i], forest.first_child[i] * size
            if kind == DEAL:
                at = forest.next_root[i] * next_width + base
                for h in range(0, size, 16):
                    store(value, row + h, load(next_value, at + h))
            elif kind < FOLD and kind != player:
                sum_values(n, size, row, below, value)
            elif kind == player and mode == RESPOND and not tables.locked:
                for h in range(0, size, 16):
                    store(value, row + h, best_of(n, size, below + h, value))
            elif kind == player:
                first = (start + forest.slot[i]) * size
                place, entry = first, (b * hands.blocks + k) * nodes + i
                if tables.compressed:
                    if mode == LEARN:
                        unpack(tables.regret16, tables.regret_scale[entry], place, n * size, regret)
                        if predictive:
                            unpack(tables.basis16, tables.basis_scale[entry], place, n * size, basis)
                    else:
                        unpack(tables.average16, tables.average_scale[entry], place, n * size, average)
                    first = 0
                lock = tables.lock_of[b * nodes + i] if tables.locked else -1
                if mode == LEARN and lock < 0 and not predictive:
                    learn_values(first, n, size, row, below, positive, negative, regret, value)
                elif mode == GAIN and lock < 0:
                    gain_values(first, n, size, row, below, basis, tables.gain, value)
                else:
                    other_values(
                        mode, lock, base, hands.places, first, n, size, row, below, weights, table, regret, basis, tables, value
                    )  # fmt: skip
                if tables.compressed and mode == LEARN:
                    pack(regret, n * size, tables.regret16, place, tables.regret_scale, entry)
                    if predictive:
                        pack(basis, n * size, tables.basis16, place, tables.basis_scale, entry)
        if seen.shape[0] > 1:
            for i in range(nodes):
                for h in range(size):
                    seen[i * hands.places + base + h] = value[i * size + h]
        share = hands.share[b]
        for i in range(forest.roots):
            at = b * hands.places + base
            for h in range(size):
                above[i * width + hands.order[at + h]] += value[i * size + h] * share
