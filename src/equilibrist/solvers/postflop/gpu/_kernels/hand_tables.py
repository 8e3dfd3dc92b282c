"""Where hands look into prefix sums of the opponent's reach."""

import numpy as np

from equilibrist.compute.kernel import kernel

CARDS = 64  # numbers of cards, and of what stands for none
BYTES = 4  # of a number: places are told in bytes


@kernel
def first_not_below(values, first, last, wanted):
    """The first index from `first` on whose value is not below `wanted`; values are sorted."""
    while first < last:
        middle = (first + last) // 2
        if values[middle] < wanted:
            first = middle + 1
        else:
            last = middle
    return first


@kernel
def look_up_places(
    last_street, me, each, lanes, count, card1, card2, twin, low, theirs_on, group_start, groups, places, entries, starts
):  # fmt: skip
    """Fill the tables of `hand_tables.HandTables` board by board.

    The opponent's (card, hand) entries are sorted by card, then by place, `each` of them to a lane; with one private card the second one
    is a number of nobody's.
    """
    their_count, their_card1, their_card2 = theirs_on
    listed = np.zeros(lanes * each, dtype=np.int64)
    used, start = np.zeros(CARDS + 1, dtype=np.int64), np.zeros(CARDS + 1, dtype=np.int64)
    for b in range(places.shape[0]):
        mine, theirs = count[b], their_count[b]
        used[:] = 0
        for h in range(theirs):
            used[their_card1[b, h] + 1] += 1
            used[their_card2[b, h] + 1] += 1
        for c in range(CARDS):
            used[c + 1] += used[c]
            start[c] = used[c]
            starts[b, c] = BYTES * used[c]
        for h in range(theirs):
            for c in (their_card1[b, h], their_card2[b, h]):
                listed[used[c]] = h
                used[c] += 1
        for e in range(listed.shape[0]):  # lane by lane, so that lanes read neighbours, two entries at a time
            at = e % each // 2 * 2 * lanes + e // each * 2 + e % each % 2
            entries[b, at] = BYTES * (listed[e] if e < 2 * theirs else theirs)
        group = group_start[b]
        for h in range(mine):
            like = low[b, h]
            c1, c2 = card1[b, like], card2[b, like]
            if last_street:
                while groups[group + 1, me] <= h:
                    group += 1
                below, through = groups[group, 1 - me], groups[group + 1, 1 - me]
                places[b, h, 0], places[b, h, 1] = BYTES * below, BYTES * through
                places[b, h, 2] = BYTES * first_not_below(listed, start[c1], start[c1 + 1], below)
                places[b, h, 3] = BYTES * first_not_below(listed, start[c1], start[c1 + 1], through)
                places[b, h, 4] = BYTES * first_not_below(listed, start[c2], start[c2 + 1], below)
                places[b, h, 5] = BYTES * first_not_below(listed, start[c2], start[c2 + 1], through)
            places[b, h, 6] = BYTES * (c1 | c2 << 8)
            places[b, h, 7] = BYTES * (twin[b, like] + 1)


@kernel
def ranks_before(me, count, order, group_start, groups, ranks):
    """[B, place on the board before]: strength of each hand on a last board, -1 where it is not there."""
    ranks[:] = -1
    for b in range(ranks.shape[0]):
        group = group_start[b]
        for h in range(count[b]):
            while groups[group + 1, me] <= h:
                group += 1
            ranks[b, order[b, h]] = group - group_start[b]
