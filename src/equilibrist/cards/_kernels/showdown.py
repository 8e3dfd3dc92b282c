"""The sweep over hands sorted by strength: how many of the hands that a hand can meet it beats, ties with and loses to.

`row` uint16 [pairs] holds one number per pair of hole cards on a complete board, larger wins, 0 where the pair collides with it;
`hands` int64 [n] are the pairs that take part, `low` and `high` int64 [n] their cards. Counting the hands with each card below a
strength takes those off that share a card, so that one sweep serves all hands ([Ganzfried15], appendix I).
"""

import numpy as np

from equilibrist.compute.kernel import kernel

CARDS = 64  # room for the cards of any deck
PLACE = 0xFFFF  # a sorted key holds the strength above these bits and the place of the hand in them


@kernel
def sort_hands(row, hands, order, spare, counts):
    """The possible hands by strength, weakest first, as `strength << 16 | place` in `order`; how many there are.

    Two passes of radix sort; order and spare int64 [n]; counts int64 [2, 256].
    """
    counts[:] = 0
    possible = 0
    for place in range(len(hands)):
        strength = np.int64(row[hands[place]])
        if strength > 0:
            order[possible] = strength << 16 | place
            counts[0, strength & 255] += 1
            counts[1, strength >> 8] += 1
            possible += 1
    for digit in range(2):
        before = 0
        for value in range(256):
            before, counts[digit, value] = before + counts[digit, value], before
    _scatter(order, possible, 16, counts[0], spare)
    _scatter(spare, possible, 24, counts[1], order)
    return possible


@kernel
def _scatter(source, possible, shift, begin, target):
    """Move keys to where their digit begins, keeping the order of equal ones."""
    for i in range(possible):
        digit = (source[i] >> shift) & 255
        target[begin[digit]] = source[i]
        begin[digit] += 1


@kernel
def sweep_room(n):
    """Scratch of a sweep over n hands: order, below, up_to int64 [n], counts int64 [2, 256], cards int64 [CARDS]."""
    return (
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty((2, 256), np.int64),
        np.empty(CARDS, np.int64),
    )


@kernel(merge=True)
def sweep_hands(row, hands, low, high, order, below, up_to, counts, cards):
    """Hand order[i] & PLACE meets below[i] weaker hands and up_to[i] that are not stronger; returns how many hands are possible.

    `cards` is left with the number of hands that hold each card, for `opponents`.
    """
    possible = sort_hands(row, hands, order, below, counts)
    cards[:] = 0
    start = 0
    while start < possible:
        end = start
        while end < possible and order[end] >> 16 == order[start] >> 16:
            h = order[end] & PLACE
            below[end] = start - cards[low[h]] - cards[high[h]]
            end += 1
        for i in range(start, end):
            h = order[i] & PLACE
            cards[low[h]] += 1
            cards[high[h]] += 1
        for i in range(start, end):  # a hand blocks itself through both of its cards: once too often
            h = order[i] & PLACE
            up_to[i] = end - cards[low[h]] - cards[high[h]] + 1
        start = end
    return possible


@kernel(inline=True)
def opponents(possible, first, second):
    """Hands that a hand can meet, from the numbers of hands that hold its first and its second card."""
    return possible - first - second + 1


@kernel(merge=True)
def sweep_lanes(row, hands, low, high, weights, times, order, spare, counts, total, cards, below, up_to):
    """The same with weights [n, lane] in place of ones, `times` over: added to below and up_to [n, lane] of each hand.

    `total` [lane] and `cards` [CARDS, lane] are left with the weight of all hands and of those that hold each card.
    """
    lanes = weights.shape[1]
    possible = sort_hands(row, hands, order, spare, counts)
    total[:] = 0
    cards[:] = 0
    start = 0
    while start < possible:
        end = start
        while end < possible and order[end] >> 16 == order[start] >> 16:
            h = order[end] & PLACE
            one, other, out = cards[low[h]], cards[high[h]], below[h]
            for lane in range(lanes):
                out[lane] += times * (total[lane] - one[lane] - other[lane])
            end += 1
        for i in range(start, end):
            h = order[i] & PLACE
            one, other, weight = cards[low[h]], cards[high[h]], weights[h]
            for lane in range(lanes):
                total[lane] += weight[lane]
                one[lane] += weight[lane]
                other[lane] += weight[lane]
        for i in range(start, end):  # a hand blocks itself through both of its cards: once too often
            h = order[i] & PLACE
            one, other, weight, out = cards[low[h]], cards[high[h]], weights[h], up_to[h]
            for lane in range(lanes):
                out[lane] += times * (total[lane] - one[lane] - other[lane] + weight[lane])
        start = end
    return possible
