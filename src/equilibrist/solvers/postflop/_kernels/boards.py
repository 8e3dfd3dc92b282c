"""Vector CFR over boards: all betting lines of a board together, sixteen hands or sixteen terminals at a time.

One street's betting lines are a forest: nodes in breadth-first order, roots first. For one board and one updating player:
the opponent's reach goes down, terminals are evaluated together in the layout [hand, terminal], values come up and the player's
regrets are updated. All arrays are flat: tables [board, block, slot, hand], node rows [node, hand], terminal tables
[hand, terminal]; hands of a board are sorted by strength on the last street.
"""

from collections import namedtuple

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.compute.lanes import (
    choose,
    gather_transposed,
    inverse,
    largest,
    load,
    load_short,
    maximum,
    minimum,
    scatter_transposed,
    spread,
    store,
    store_short,
)

# what a pass does
LEARN, VALUE, RESPOND, GAIN = 0, 1, 2, 3  # GAIN: as LEARN, but regrets of this iteration are only written down
# kinds of nodes beyond the two players
FOLD, SHOWDOWN, DEAL = 2, 3, 4

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
HALF = np.float32(0.5)
TWO = np.float32(2.0)
DUST = np.float32(2e-6)  # sums of reach are exact to about this share of the whole
FINEST_SIGNED = np.float32(32767.0)  # largest 16-bit number
FINEST = np.float32(65534.0)  # without sign, with room for noise
NOISES = 4095  # places at which noise begins
SMALLEST = np.float32(1e-30)  # tables below this count as zero

Forest = namedtuple(
    "Forest",
    # [N]: kind, first child, number of children, first slot of the acting player, root of the next street, row with player 0's
    # and player 1's reach. Then where lines end, by the player whose reach counts there, and the number of roots.
    "kind first_child children slot next_root row0 row1 ends0 ends1 roots",
)
Ends = namedtuple(
    "Ends",
    # [L] lanes, one for each reach row that meets terminals, padded to sixteens: the row (padding: one that is always zero), the node of
    # the showdown there, the node of the fold there (none: a row that nobody reads). A bet that is called or folded to is one lane:
    # both ends meet the same hands. Lanes with showdowns alone come first, those with folds alone last. Then the number of lanes, of
    # those up to the last showdown and of those before the first fold, in sixteens.
    "row showdown fold lanes shown unfolded",
)
Hands = namedtuple(
    "Hands",
    # [board * places]: place on the board before (the padding points at a column that is zero), cards, place of the same hand in the
    # other player's list or -1. [image * places]: where relabellings of suits take each place; [board + 1]: first image of each board.
    # [board]: weight of its values on the board before, hands. Then numbers.
    "order card1 card2 twin images first_image share count places blocks size",
)
# [board, block, slot, hand] three times; `basis` is what strategies are made of: the regrets, or with predictive regret matching the
# regrets with the last one counted again. Then the player's slots on this street.
# lock_of [board * nodes]: number of the lock at a node or -1; bound [lock * places]: the share of its strategy that a hand does not choose;
# fixed [lock_start[lock] + action * places + place]: what it does with that share. Regrets and averages are those of the rest.
# With `compressed` the tables are 16-bit, `regret16`, `basis16` (signed) and `average16` (unsigned), one scale per (board, block, node);
# a node is then unpacked into the rows of the scratch memory before it is worked on. `noise`: see `pack_fairly`.
# With `shared` a part of the player's hands follows the strategy `model` [board, block, slot, hand] from beginning to end and learns
# nothing; reach that comes from a board above then has a second half, that of this part.
# `gain` and `memory` serve minimisers that have no fused pass: regrets of this iteration, and what they remember besides.
Tables = namedtuple(
    "Tables",
    "regret average basis slots predictive locked lock_of lock_start bound fixed compressed regret16 average16 basis16 "
    "regret_scale average_scale basis_scale noise shared model gain memory",
)
Scratch = namedtuple(
    "Scratch",
    # rows [node, hand]: reach, value. [hand, lane]: reach at terminals, what showdowns pay, what folds pay. Then sums by card and rows.
    "reach value terminal_reach showdown_value fold_value cards regret_rows average_rows spare model_reach",
)
# [lane]: what weaker minus stronger reach pays at a showdown, what any reach pays there (nothing without rake), what any pays at a fold
Payoff = namedtuple("Payoff", "difference both folded raked")
Weights = namedtuple("Weights", "positive negative keep")  # of this iteration


@kernel
def unpack(table, scale, first, count, out):
    """16-bit entries first .. first+count-1 as floats."""
    step = spread(scale)
    for h in range(0, count, 16):
        store(out, h, load_short(table, first + h, step))


@kernel
def top_of(rows, count):
    """The largest magnitude of the first entries."""
    zero = spread(ZERO)
    most = zero
    for h in range(0, count, 16):
        x = load(rows, h)
        most = maximum(most, maximum(x, zero - x))
    return largest(most)


@kernel
def pack(rows, count, table, first, scales, entry):
    """Floats as 16-bit entries with sign, and the scale that turns them back."""
    top = top_of(rows, count)
    fine = FINEST_SIGNED / top if top > SMALLEST else ZERO
    step = spread(fine)
    for h in range(0, count, 16):
        store_short(table, first + h, load(rows, h) * step)
    scales[entry] = top / FINEST_SIGNED if top > SMALLEST else ZERO


@kernel
def pack_fairly(rows, count, table, first, scales, entry, noise):
    """Floats that are not negative as 16-bit entries without sign, rounded up or down by chance.

    What is added to an average late is often less than a step; rounded to the nearest it would always be lost, and the average would
    freeze. The chance is a table of noise, begun wherever the bits of the old scale say, so that results can be repeated.
    """
    top = top_of(rows, count)
    fine = FINEST / top if top > SMALLEST else ZERO
    step = spread(fine)
    at = (
        np.int64(scales.view(np.int32)[entry]) * 40503 + entry * 30011
    )  # any odd numbers: entries shall not start alike
    for h in range(0, count, 16):
        at = at + 40503
        store_short(table, first + h, load(rows, h) * step + load(noise, (at >> 4) & NOISES))
    scales[entry] = top / FINEST if top > SMALLEST else ZERO


@kernel
def learn_reach(first, n, size, from_row, to_row, kept, table, average, reach):
    """One node with nothing special about it: reach of its children, and the average strategy."""
    zero, even = spread(ZERO), spread(1.0 / n)
    for h in range(0, size, 16):
        total = zero
        for a in range(n):
            total = total + maximum(load(table, first + a * size + h), zero)
        scale = inverse(total)
        here = load(reach, from_row + h)
        for a in range(n):
            s = first + a * size + h
            x = here * choose(total, maximum(load(table, s), zero) * scale, even)
            store(reach, to_row + a * size + h, x)
            store(average, s, load(average, s) * kept + x)


@kernel
def follow_reach(first, n, size, from_row, to_row, table, reach):
    """The same where a strategy is only played."""
    zero, even = spread(ZERO), spread(1.0 / n)
    for h in range(0, size, 16):
        total = zero
        for a in range(n):
            total = total + load(table, first + a * size + h)
        scale = inverse(total) * load(reach, from_row + h)
        nothing = even * load(reach, from_row + h)
        for a in range(n):
            x = choose(total, load(table, first + a * size + h) * scale, nothing)
            store(reach, to_row + a * size + h, x)


@kernel
def add_model(
    b, k, player, forest, hands, tables, rows, parent_reach, width, factor, model, reach, next_reach, next_width
):
    """Reach of the hands that follow a model, in one block of one board, added to that of the free ones."""
    size, base, above, below = hands.size, k * hands.size, parent_reach.shape[0] // 2, next_reach.shape[0] // 2
    for i in range(forest.roots):
        for h in range(size):
            model[i * size + h] = parent_reach[above + i * width + hands.order[b * hands.places + base + h]] * factor
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
def learn_values(first, n, size, row, below, positive, negative, regret, value):
    """One node with nothing special about it: its value, and the player's regrets."""
    zero, even = spread(ZERO), spread(1.0 / n)
    for h in range(0, size, 16):
        total = zero
        mixed = zero
        plain = zero
        for a in range(n):
            x = maximum(load(regret, first + a * size + h), zero)
            worth = load(value, below + a * size + h)
            total = total + x
            mixed = mixed + x * worth
            plain = plain + worth
        here = choose(total, mixed * inverse(total), plain * even)
        store(value, row + h, here)
        for a in range(n):
            s = first + a * size + h
            x = load(regret, s) + (load(value, below + a * size + h) - here)
            store(regret, s, maximum(x, zero) * positive + minimum(x, zero) * negative)


@kernel
def gain_values(first, n, size, row, below, table, gain, value):
    """The same where the regrets of this iteration are only written down."""
    zero, even = spread(ZERO), spread(1.0 / n)
    for h in range(0, size, 16):
        total = zero
        mixed = zero
        plain = zero
        for a in range(n):
            x = maximum(load(table, first + a * size + h), zero)
            worth = load(value, below + a * size + h)
            total = total + x
            mixed = mixed + x * worth
            plain = plain + worth
        here = choose(total, mixed * inverse(total), plain * even)
        store(value, row + h, here)
        for a in range(n):
            store(gain, first + a * size + h, load(value, below + a * size + h) - here)


@kernel
def reach_down(
    mode, b, player, forest, hands, tables, keep, parent_reach, width, factor, scratch, next_reach, next_width, seen
):
    """The player's reach at every node of one board; in learning its average strategy is added on the way.

    `seen` [node, place], unless it is empty, keeps the reach of all nodes.
    """
    size, slots, reach = hands.size, tables.slots, scratch.reach
    rows = forest.row0 if player == 0 else forest.row1
    ends = forest.ends0 if player == 0 else forest.ends1
    zero, kept = spread(ZERO), spread(keep)
    average = scratch.average_rows if tables.compressed else tables.average
    basis = scratch.regret_rows if tables.compressed else tables.basis
    learning = mode == LEARN or mode == GAIN
    table = basis if learning else average
    for k in range(hands.blocks):
        base = k * size
        for i in range(forest.roots):
            for h in range(size):
                reach[i * size + h] = parent_reach[i * width + hands.order[b * hands.places + base + h]] * factor
        start = (b * hands.blocks + k) * slots
        for i in range(forest.kind.shape[0]):
            kind = forest.kind[i]
            if kind == player:
                n, child = forest.children[i], forest.first_child[i]
                first = (start + forest.slot[i]) * size
                place, entry = first, (b * hands.blocks + k) * forest.kind.shape[0] + i
                if tables.compressed:
                    if learning:
                        unpack(tables.basis16, tables.basis_scale[entry], place, n * size, basis)
                    unpack(tables.average16, tables.average_scale[entry], place, n * size, average)
                    first = 0
                from_row, to_row = rows[i] * size, child * size
                even = spread(1.0 / n)
                lock = tables.lock_of[b * forest.kind.shape[0] + i] if tables.locked else -1
                if learning and lock < 0:
                    learn_reach(first, n, size, from_row, to_row, kept, table, average, reach)
                elif lock < 0:
                    follow_reach(first, n, size, from_row, to_row, table, reach)
                else:
                    for h in range(0, size, 16):
                        total = zero
                        for a in range(n):
                            total = total + maximum(load(table, first + a * size + h), zero)
                        scale = inverse(total)
                        here = load(reach, from_row + h)
                        for a in range(n):
                            s = first + a * size + h
                            x = here * choose(total, maximum(load(table, s), zero) * scale, even)
                            if learning:
                                store(average, s, load(average, s) * kept + x)
                            at = tables.lock_start[lock] + a * hands.places + base + h
                            held = load(tables.bound, lock * hands.places + base + h)
                            x = x + held * (here * load(tables.fixed, at) - x)
                            store(reach, to_row + a * size + h, x)
                if tables.compressed and learning:
                    pack_fairly(average, n * size, tables.average16, place, tables.average_scale, entry, tables.noise)
            elif kind == DEAL:
                at, row = forest.next_root[i] * next_width + base, rows[i] * size
                for h in range(0, size, 16):
                    store(next_reach, at + h, load(reach, row + h))
        if tables.shared:
            add_model(
                b, k, player, forest, hands, tables, rows, parent_reach, width, factor, scratch.model_reach, reach,
                next_reach, next_width,
            )  # fmt: skip
        if seen.shape[0] > 1:
            for i in range(forest.kind.shape[0]):
                for h in range(size):
                    seen[i * hands.places + base + h] = reach[rows[i] * size + h]
        for t in range(0, ends.lanes, 16):
            for h in range(0, size, 16):
                gather_transposed(
                    reach, ends.row, t, h, size, scratch.terminal_reach, (base + h) * ends.lanes + t, ends.lanes
                )


@kernel
def values_up(
    mode, b, player, forest, hands, tables, weights, payoff, scratch, next_value, next_width, parent_value, width, seen
):
    """Counterfactual values of every node of one board; in learning the player's regrets are updated on the way.

    `seen` [node, place], unless it is empty, keeps the values of all nodes.
    """
    size, slots, value = hands.size, tables.slots, scratch.value
    zero, positive, negative = spread(ZERO), spread(weights.positive), spread(weights.negative)
    predictive = tables.predictive
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
        for i in range(forest.kind.shape[0] - 1, -1, -1):
            kind = forest.kind[i]
            if kind == DEAL:
                at = forest.next_root[i] * next_width + base
                for h in range(0, size, 16):
                    store(value, i * size + h, load(next_value, at + h))
            elif kind < FOLD:
                n, below = forest.children[i], forest.first_child[i] * size
                if kind != player:
                    for h in range(0, size, 16):
                        total = load(value, below + h)
                        for a in range(1, n):
                            total = total + load(value, below + a * size + h)
                        store(value, i * size + h, total)
                elif mode == RESPOND and not tables.locked:
                    for h in range(0, size, 16):
                        best = load(value, below + h)
                        for a in range(1, n):
                            best = maximum(best, load(value, below + a * size + h))
                        store(value, i * size + h, best)
                else:
                    first = (start + forest.slot[i]) * size
                    place, entry = first, (b * hands.blocks + k) * forest.kind.shape[0] + i
                    if tables.compressed:
                        if mode == LEARN:
                            unpack(tables.regret16, tables.regret_scale[entry], place, n * size, regret)
                            if predictive:
                                unpack(tables.basis16, tables.basis_scale[entry], place, n * size, basis)
                        else:
                            unpack(tables.average16, tables.average_scale[entry], place, n * size, average)
                        first = 0
                    even = spread(1.0 / n)
                    lock = tables.lock_of[b * forest.kind.shape[0] + i] if tables.locked else -1
                    if mode == LEARN and lock < 0 and not predictive:
                        learn_values(first, n, size, i * size, below, positive, negative, regret, value)
                    elif mode == GAIN and lock < 0:
                        gain_values(first, n, size, i * size, below, basis, tables.gain, value)
                    else:
                        for h in range(0, size, 16):
                            total = zero
                            mixed = zero
                            plain = zero
                            for a in range(n):
                                x = maximum(load(table, first + a * size + h), zero)
                                worth = load(value, below + a * size + h)
                                total = total + x
                                mixed = mixed + x * worth
                                plain = plain + worth
                            free = choose(total, mixed * inverse(total), plain * even)
                            here = free
                            if mode == RESPOND:
                                here = load(value, below + h)
                                for a in range(1, n):
                                    here = maximum(here, load(value, below + a * size + h))
                            learns = spread(ONE)
                            if lock >= 0:
                                held = load(tables.bound, lock * hands.places + base + h)
                                learns = learns - held
                                forced = zero
                                for a in range(n):
                                    at = tables.lock_start[lock] + a * hands.places + base + h
                                    forced = forced + load(tables.fixed, at) * load(value, below + a * size + h)
                                here = here + held * (forced - here)
                            store(value, i * size + h, here)
                            if mode == GAIN:
                                for a in range(n):
                                    gained = load(value, below + a * size + h) - free
                                    store(tables.gain, first + a * size + h, choose(learns, gained, zero))
                            if mode == LEARN:
                                for a in range(n):
                                    s = first + a * size + h
                                    gain = load(value, below + a * size + h) - free
                                    # hands without a choice learn nothing: in 16 bits their regrets would blur the others'
                                    gain = choose(learns, gain, zero)
                                    x = load(regret, s) + gain
                                    x = maximum(x, zero) * positive + minimum(x, zero) * negative
                                    store(regret, s, x)
                                    if predictive:
                                        store(basis, s, x + gain)
                    if tables.compressed and mode == LEARN:
                        pack(regret, n * size, tables.regret16, place, tables.regret_scale, entry)
                        if predictive:
                            pack(basis, n * size, tables.basis16, place, tables.basis_scale, entry)
        if seen.shape[0] > 1:
            for i in range(forest.kind.shape[0]):
                for h in range(size):
                    seen[i * hands.places + base + h] = value[i * size + h]
        share = hands.share[b]
        for i in range(forest.roots):
            at = b * hands.places + base
            for h in range(size):
                parent_value[i * width + hands.order[at + h]] += value[i * size + h] * share


@kernel
def lowest_image(b, hands, h):
    """The first place that a relabelling of suits takes a place to: the same for all hands that are alike on a board."""
    low = h
    for g in range(hands.first_image[b], hands.first_image[b + 1]):
        low = min(low, hands.images[g * hands.places + h])
    return low


@kernel
def symmetrise(b, hands, rows, width, value, spare):
    """Sum values [row, place] of one board over the relabellings of suits that leave it as it is.

    Hands that are alike get the very same number: a last digit would let them play differently where actions are nearly equal, and
    then kept boards would no longer stand for their copies.
    """
    first, last = hands.first_image[b], hands.first_image[b + 1]
    if first == last:
        return
    for i in range(rows):
        at = i * width
        for h in range(hands.places):
            spare[h] = value[at + h]
        for h in range(hands.places):
            low = lowest_image(b, hands, h)
            if low < h:
                value[at + h] = value[at + low]
                continue
            for g in range(first, last):
                value[at + h] += spare[hands.images[g * hands.places + h]]


@kernel
def level_terminals(b, hands, width, out):
    """The same for terminal values [hand, lane] of a board, whose sums were added up in another order for each hand."""
    if hands.first_image[b] == hands.first_image[b + 1]:
        return
    for h in range(hands.count[b]):
        low = lowest_image(b, hands, h)
        if low < h:
            for t in range(0, width, 16):
                store(out, h * width + t, load(out, low * width + t))


@kernel
def add_cards(h, lanes, theirs, at, cards):
    """Add a hand's reach to the sums of both its cards."""
    first, second = theirs.card1[at + h] * 16, theirs.card2[at + h] * 16
    store(cards, first, load(cards, first) + lanes)
    store(cards, second, load(cards, second) + lanes)


@kernel
def met_by(h, total, mine, at, cards):
    """A sum of reach without the hands that hold one of mine's cards; one that holds both is taken away twice."""
    return total - load(cards, mine.card1[at + h] * 16) - load(cards, mine.card2[at + h] * 16)


@kernel
def dusted(met, dust, zero):
    """Nothing where a number is no larger than its rounding."""
    return choose(maximum(met, zero - met) - dust, met, zero)


@kernel
def sweep(t, b, me, mine, theirs, group_start, groups, ends, scratch):
    """Reach of weaker hands, once without and once with ties, over hands sorted by strength; returns the sum of all reach.

    Sums by card are left complete.
    """
    reach, out, cards, width, them = scratch.terminal_reach, scratch.showdown_value, scratch.cards, ends.shown, 1 - me
    my_at, their_at, two = b * mine.places, b * theirs.places, spread(TWO)
    below = spread(ZERO)
    for g in range(group_start[b], group_start[b + 1] - 1):
        my_begin, my_end = groups[2 * g + me], groups[2 * g + 2 + me]
        their_begin, their_end = groups[2 * g + them], groups[2 * g + 2 + them]
        if their_end == their_begin:
            for h in range(my_begin, my_end):
                store(out, h * width + t, met_by(h, below, mine, my_at, cards) * two)
            continue
        for h in range(my_begin, my_end):
            store(out, h * width + t, met_by(h, below, mine, my_at, cards))
        for h in range(their_begin, their_end):
            x = load(reach, h * ends.lanes + t)
            below = below + x
            add_cards(h, x, theirs, their_at, cards)
        for h in range(my_begin, my_end):
            store(out, h * width + t, load(out, h * width + t) + met_by(h, below, mine, my_at, cards))
    return below


@kernel
def terminals(b, me, forest, mine, theirs, group_start, groups, payoff, scratch):
    """What all terminals pay each of my hands against the opponent's reach, sixteen lanes at a time.

    Fold: reach of compatible hands. Showdown: weaker minus stronger; weaker hands with and without ties, less all hands, are just that.
    What is less than rounding is nothing: a hand that meets no opponent must not begin to prefer an action by a last digit.
    """
    ends = forest.ends1 if me == 0 else forest.ends0
    reach, cards, zero = scratch.terminal_reach, scratch.cards, spread(ZERO)
    my_at, their_at = b * mine.places, b * theirs.places
    fold_width = ends.lanes - ends.unfolded
    for t in range(0, ends.lanes, 16):
        shows, folds = t < ends.shown, t >= ends.unfolded
        for c in range(0, cards.shape[0], 16):
            store(cards, c, zero)
        if shows:
            total = sweep(t, b, me, mine, theirs, group_start, groups, ends, scratch)
        else:
            total = zero
            for h in range(theirs.count[b]):
                x = load(reach, h * ends.lanes + t)
                total = total + x
                add_cards(h, x, theirs, their_at, cards)
        dust = total * spread(DUST)
        difference, both, folded = load(payoff.difference, t), load(payoff.both, t), load(payoff.folded, t)
        for h in range(mine.count[b]):
            whole = met_by(h, total, mine, my_at, cards)
            at = h * ends.shown + t
            if shows:
                x = dusted(load(scratch.showdown_value, at) - whole, dust, zero) * difference
                store(scratch.showdown_value, at, x)
            if folds or payoff.raked:
                twin = mine.twin[my_at + h]
                if twin >= 0:  # the same hand was taken away twice, once for each card
                    whole = whole + load(reach, twin * ends.lanes + t)
                whole = dusted(whole, dust, zero)
                if folds:
                    store(scratch.fold_value, h * fold_width + t - ends.unfolded, whole * folded)
                if shows and payoff.raked:
                    store(scratch.showdown_value, at, load(scratch.showdown_value, at) + whole * both)
    level_terminals(b, mine, ends.shown, scratch.showdown_value)
    level_terminals(b, mine, fold_width, scratch.fold_value)


@kernel
def spread_terminals(base, size, ends, scratch, value):
    """What terminals pay a block of hands, put into the rows of their nodes."""
    width = ends.lanes - ends.unfolded
    for h in range(0, size, 16):
        for t in range(0, ends.shown, 16):
            at = (base + h) * ends.shown + t
            scatter_transposed(scratch.showdown_value, at, ends.shown, value, ends.showdown, t, h, size)
        for t in range(0, width, 16):
            at = (base + h) * width + t
            scatter_transposed(scratch.fold_value, at, width, value, ends.fold, ends.unfolded + t, h, size)


@kernel
def run_last(
    first, last, mode, me, forest, mine, theirs, group_start, groups, payoff, my_tables, their_tables, weights, factor,
    parent_reach, reach_width, parent_value, value_width, scratch, nothing,
):  # fmt: skip
    """River boards first .. last-1: my values against the opponent's reach are added to parent_value."""
    for b in range(first, last):
        reach_down(
            mode, b, 1 - me, forest, theirs, their_tables, weights.keep, parent_reach, reach_width, factor, scratch, nothing, 0,
            nothing,
        )  # fmt: skip
        terminals(b, me, forest, mine, theirs, group_start, groups, payoff, scratch)
        values_up(
            mode, b, me, forest, mine, my_tables, weights, payoff, scratch, nothing, 0, parent_value, value_width, nothing,
        )  # fmt: skip


@kernel
def run_single(
    mode, first_player, last_player, factors, forest, hands0, hands1, group_start, groups, payoff0, payoff1, tables0, tables1,
    factor, reach0, reach1, value0, value1, scratch0, scratch1, nothing,
):  # fmt: skip
    """Passes over a game of one street, one for each row of `factors` [pass, 3] and player, without going back to the caller.

    It does by itself what `run_last` does for one board: with that in between, the first solve would wait for one compilation more.
    """
    for t in range(factors.shape[0]):
        weights = Weights(factors[t, 0], factors[t, 1], factors[t, 2])
        for me in range(first_player, last_player + 1):
            first = me == 0
            mine, theirs = (hands0, hands1) if first else (hands1, hands0)
            my_tables, their_tables = (tables0, tables1) if first else (tables1, tables0)
            reach, value = (reach1, value0) if first else (reach0, value1)
            payoff, scratch = (payoff0, scratch0) if first else (payoff1, scratch1)
            reach_down(
                mode, 0, 1 - me, forest, theirs, their_tables, weights.keep, reach, theirs.places + 1, factor, scratch, nothing, 0,
                nothing,
            )  # fmt: skip
            terminals(0, me, forest, mine, theirs, group_start, groups, payoff, scratch)
            values_up(
                mode, 0, me, forest, mine, my_tables, weights, payoff, scratch, nothing, 0, value, mine.places + 1, nothing,
            )  # fmt: skip


@kernel
def sum_over_hands(weights, values):
    """Values of the hands at the root, added up by weight."""
    total = 0.0
    for h in range(weights.shape[0]):
        total += float(weights[h]) * float(values[h])
    return total


@kernel
def run_to_goal(
    first_t,
    check,
    goal,
    growth,
    steepest,
    silence,
    factors,
    normaliser,
    forest,
    hands,
    groups,
    payoff,
    tables,
    ends,
    scratch,
):
    """Iterations of a game of one street, with exploitability checks at fixed iterations, until one meets the goal.

    `factors` [iteration, 3]; `check`, `growth`, `steepest` and `silence` as in `iteration_loop.Loop`, whose rule this is; `ends` holds both
    players' weights at the root, the values there, and factors of 1. Returns the iterations done, the next check, and the
    last exploitability found here (-1: none), net of what it was found after: its iteration.
    """
    group_start, groups, factor, nothing = groups
    hands0, hands1 = hands
    payoff0, payoff1 = payoff
    tables0, tables1 = tables
    reach0, reach1, value0, value1, ones = ends
    scratch0, scratch1 = scratch
    found, found_at = -1.0, 0
    for step in range(factors.shape[0]):
        run_single(
            LEARN, 0, 1, factors[step : step + 1], forest, hands0, hands1, group_start, groups, payoff0, payoff1, tables0, tables1,
            factor, reach0, reach1, value0, value1, scratch0, scratch1, nothing,
        )  # fmt: skip
        iteration = first_t + step
        if iteration < int(check):
            continue
        value0[:] = ZERO
        value1[:] = ZERO
        run_single(
            RESPOND, 0, 1, ones, forest, hands0, hands1, group_start, groups, payoff0, payoff1, tables0, tables1, factor, reach0,
            reach1, value0, value1, scratch0, scratch1, nothing,
        )  # fmt: skip
        found = (sum_over_hands(reach0, value0) + sum_over_hands(reach1, value1)) / (2.0 * normaliser)
        found_at = iteration
        soonest = 0.0
        if goal > 0.0:
            soonest = iteration * min(max(found / goal, 1.0) ** (1.0 / steepest), silence)
        while int(check) <= iteration or check < soonest:
            check = max(check + 1.0, check * growth)
        if found <= goal:
            return step + 1, check, found, found_at
    return factors.shape[0], check, found, found_at


@kernel
def run_last_two(
    first, last, mode, me,
    turn, turn_mine, turn_theirs, turn_payoff, turn_my_tables, turn_their_tables, turn_factor, first_river,
    river, river_mine, river_theirs, group_start, groups, river_payoff, river_my_tables, river_their_tables, river_factor,
    weights, parent_reach, reach_width, parent_value, value_width, turn_scratch, river_scratch, turn_reach, turn_value, nothing,
):  # fmt: skip
    """Boards first .. last-1 of the last street but one (a turn), each with all its last boards (rivers)."""
    turn_reach_width, turn_value_width = turn_theirs.places + 1, turn_mine.places + 1
    for b in range(first, last):
        reach_down(
            mode, b, 1 - me, turn, turn_theirs, turn_their_tables, weights.keep, parent_reach, reach_width, turn_factor,
            turn_scratch, turn_reach, turn_reach_width, nothing,
        )  # fmt: skip
        for h in range(turn_value.shape[0]):
            turn_value[h] = ZERO
        run_last(
            first_river[b], first_river[b + 1], mode, me, river, river_mine, river_theirs, group_start, groups, river_payoff,
            river_my_tables, river_their_tables, weights, river_factor, turn_reach, turn_reach_width, turn_value,
            turn_value_width, river_scratch, nothing,
        )  # fmt: skip
        symmetrise(b, turn_mine, river.roots, turn_value_width, turn_value, turn_scratch.spare)
        terminals(b, me, turn, turn_mine, turn_theirs, group_start, groups, turn_payoff, turn_scratch)
        values_up(
            mode, b, me, turn, turn_mine, turn_my_tables, weights, turn_payoff, turn_scratch, turn_value, turn_value_width,
            parent_value, value_width, nothing,
        )  # fmt: skip
