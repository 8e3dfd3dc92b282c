"""Where hands look into prefix sums of the opponent's reach, where both players can hold the same hands."""

import numpy as np

from equilibrist.compute.kernel import kernel

CARDS = 64  # numbers of cards, and of what stands for none
BYTES = 4  # of a number: places are told in bytes


@kernel
def lay_out_hands(last, threads, each, count, cards, twin, low, group_start, groups, places, entries, starts):
    """Fill the tables of `walk_hands.WalkHands` board by board; `cards` are my first, my second and the opponent's second ones.

    The opponent's (card, hand) entries are sorted by card, then by place, `each` of them to a thread; of hands of one card the second
    one is a number of nobody's, another for each player.
    """
    card1, card2, their_card2 = cards
    listed = np.zeros(threads * each, dtype=np.int64)
    seen, start = np.zeros(CARDS + 1, dtype=np.int64), np.zeros(CARDS + 1, dtype=np.int64)
    for b in range(places.shape[0]):
        hands = count[b]
        start[:] = 0
        for h in range(hands):
            start[card1[b, h] + 1] += 1
            start[their_card2[b, h] + 1] += 1
        for c in range(CARDS):
            start[c + 1] += start[c]
            seen[c] = start[c]
            starts[b, c] = BYTES * start[c]
        for h in range(hands):
            for c in (card1[b, h], their_card2[b, h]):
                listed[seen[c]] = h
                seen[c] += 1
        for e in range(listed.shape[0]):  # thread by thread, so that threads read neighbours, two entries at a time
            at = e % each // 2 * 2 * threads + e // each * 2 + e % each % 2
            entries[b, at] = BYTES * (listed[e] if e < 2 * hands else hands)
        for h in range(hands):
            like = low[b, h]
            places[b, h, 6] = BYTES * (card1[b, like] | card2[b, like] << 8)
            places[b, h, 7] = BYTES * (twin[b, like] + 1)
        if last:
            seen[:] = start
            for group in range(group_start[b], group_start[b + 1] - 1):  # hands of equal strength
                first, end = groups[group, 0], groups[group + 1, 0]
                for h in range(first, end):
                    places[b, h, 0], places[b, h, 1] = BYTES * first, BYTES * end
                    places[b, h, 2], places[b, h, 4] = BYTES * seen[card1[b, h]], BYTES * seen[card2[b, h]]
                for h in range(first, end):
                    seen[card1[b, h]] += 1
                    seen[their_card2[b, h]] += 1
                for h in range(first, end):
                    places[b, h, 3], places[b, h, 5] = BYTES * seen[card1[b, h]], BYTES * seen[card2[b, h]]
