"""What the terminals of one board pay: one sweep over the hands by strength, sixteen lanes at a time."""

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.compute.lanes import choose, load, maximum, scatter_transposed, spread, store
from equilibrist.solvers.postflop._kernels.layout import ZERO
from equilibrist.solvers.postflop._kernels.symmetry import level_terminals

TWO = np.float32(2.0)
# groups, and hands where there are none, whose sum is taken by itself: a long sum of like numbers rounds in one direction
FEW, SHORT = 16, 32
DUST = np.float32(2e-6)  # sums of reach are exact to about this share of the whole


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
def sweep(t, b, me, group_start, groups, mine, theirs, ends, scratch):
    """Reach of weaker hands, once without and once with ties, over hands sorted by strength; returns the sum of all reach.

    Sums by card are left complete.
    """
    reach, out, cards, width, them = scratch.terminal_reach, scratch.showdown_value, scratch.cards, ends.shown, 1 - me
    my_at, their_at, two = b * mine.places, b * theirs.places, spread(TWO)
    far, near, below = spread(ZERO), spread(ZERO), spread(ZERO)  # below = far + near
    for g in range(group_start[b], group_start[b + 1] - 1):
        my_begin, my_end = groups[2 * g + me], groups[2 * g + 2 + me]
        their_begin, their_end = groups[2 * g + them], groups[2 * g + 2 + them]
        if their_end == their_begin:
            for h in range(my_begin, my_end):
                store(out, h * width + t, met_by(h, below, mine, my_at, cards) * two)
            continue
        for h in range(my_begin, my_end):
            store(out, h * width + t, met_by(h, below, mine, my_at, cards))
        tied = spread(ZERO)
        for h in range(their_begin, their_end):
            x = load(reach, h * ends.lanes + t)
            tied = tied + x
            add_cards(h, x, theirs, their_at, cards)
        near = near + tied
        below = far + near
        if g % FEW == 0:
            far, near = below, spread(ZERO)
        for h in range(my_begin, my_end):
            store(out, h * width + t, load(out, h * width + t) + met_by(h, below, mine, my_at, cards))
    return below


@kernel
def all_reach(t, b, them, group_start, groups, theirs, ends, scratch):
    """The sum of all reach and the sums by card, in the order of `sweep` where hands are sorted: a fold is worth the same in every lane."""
    reach, cards, at, zero = scratch.terminal_reach, scratch.cards, b * theirs.places, spread(ZERO)
    first, last = group_start[b], group_start[b + 1] - 1
    in_groups = last > first
    if not in_groups:
        last = first + (theirs.count[b] + SHORT - 1) // SHORT
    far, near, total, end = zero, zero, zero, 0
    for g in range(first, last):
        if in_groups:
            begin, end = groups[2 * g + them], groups[2 * g + 2 + them]
            if begin == end:
                continue
        else:
            begin, end = end, min(end + SHORT, theirs.count[b])
        part = zero
        for h in range(begin, end):
            x = load(reach, h * ends.lanes + t)
            part = part + x
            add_cards(h, x, theirs, at, cards)
        near = near + part
        total = far + near
        if g % FEW == 0:
            far, near = total, zero
    return total


@kernel
def terminals(b, me, forest, group_start, groups, mine, theirs, payoff, scratch):
    """What all terminals pay each of my hands against the opponent's reach, sixteen lanes at a time.

    Fold: reach of compatible hands. Showdown: weaker minus stronger; weaker hands with and without ties, less all hands, are just that.
    What is less than rounding is nothing: a hand that meets no opponent must not begin to prefer an action by a last digit.
    """
    ends = forest.ends1 if me == 0 else forest.ends0
    reach, cards, zero = scratch.terminal_reach, scratch.cards, spread(ZERO)
    my_at = b * mine.places
    fold_width = ends.lanes - ends.unfolded
    for t in range(0, ends.lanes, 16):
        shows, folds = t < ends.shown, t >= ends.unfolded
        for c in range(0, cards.shape[0], 16):
            store(cards, c, zero)
        if shows:
            total = sweep(t, b, me, group_start, groups, mine, theirs, ends, scratch)
        else:
            total = all_reach(t, b, 1 - me, group_start, groups, theirs, ends, scratch)
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
    # places without a hand: what other boards left there would get into tables, and into the scale of those in 16 bits
    for h in range(mine.count[b] * ends.shown, mine.places * ends.shown, 16):
        store(scratch.showdown_value, h, zero)
    for h in range(mine.count[b] * fold_width, mine.places * fold_width, 16):
        store(scratch.fold_value, h, zero)


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
