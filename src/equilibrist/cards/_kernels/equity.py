"""Loops of equity: runouts up to suits, who wins each deal, and all hands against all by strength.

`strengths` holds per complete board one number per hand, larger wins, 0 where the hand shares a card with the board.
"""

import numpy as np

from equilibrist.compute.kernel import kernel

CARDS = 52
PLACE = 0xFFFF  # a sorted key holds the strength above these bits and the place of the hand in them


@kernel
def list_runouts(free, count, suit_class, runouts, multiplicity):
    """Runouts of `count` of the `free` cards, one of each set that differs by suits of one class; how many there are.

    free int64 [n] ascending; suit_class int64 [4]; writes runouts uint8 [m, count] and how many each stands for, uint8 [m].
    """
    chosen = np.arange(count)
    masks = np.zeros(4, np.int64)
    found = 0
    while True:
        masks[:] = 0
        for place in range(count):
            card = free[chosen[place]]
            masks[card % 4] |= 1 << (card // 4)
        same = _orbit_size(masks, suit_class)
        if same > 0:
            for place in range(count):
                runouts[found, place] = free[chosen[place]]
            multiplicity[found] = same
            found += 1
        place = count - 1
        while place >= 0 and chosen[place] == len(free) - count + place:
            place -= 1
        if place < 0:
            return found
        chosen[place] += 1
        for later in range(place + 1, count):
            chosen[later] = chosen[later - 1] + 1


@kernel
def _orbit_size(masks, suit_class):
    """How many runouts arise by exchanging suits of one class; 0 unless their rank sets descend (the canonical one)."""
    size = 1
    for suit in range(4):
        in_class, equal = 1, 1
        for earlier in range(suit):
            if suit_class[earlier] == suit_class[suit]:
                if masks[earlier] < masks[suit]:
                    return 0
                in_class += 1
                equal += masks[earlier] == masks[suit]
        size = size * in_class // equal
    return size


@kernel
def count_winners(strengths, multiplicity, deals, won, tied, sixtieths):
    """Add up over boards who wins, who splits and what share; the last three and deals are int64 [deal, player]."""
    players = deals.shape[1]
    for board in range(strengths.shape[0]):
        row, times = strengths[board], np.int64(multiplicity[board])
        for deal in range(deals.shape[0]):
            best, winners, possible = 0, 0, True
            for player in range(players):
                strength = row[deals[deal, player]]
                possible = possible and strength > 0
                if strength > best:
                    best, winners = strength, 1
                elif strength == best:
                    winners += 1
            if not possible:
                continue
            for player in range(players):
                if row[deals[deal, player]] == best:
                    sixtieths[deal, player] += times * (60 // winners)
                    if winners == 1:
                        won[deal, player] += times
                    else:
                        tied[deal, player] += times


@kernel
def sort_hands(row, hands, order, spare, counts):
    """The possible hands by strength, weakest first, as `strength << 16 | place` in `order`; how many there are.

    Two passes of radix sort; row uint16 [1326]; hands int64 [n]; order and spare int64 [n]; counts int64 [2, 256].
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
def add_showdowns(strengths, multiplicity, hands, low, high, weights, below, up_to):
    """Add up over boards the opponent's weight below each hand, and up to its strength, with card removal.

    One sweep by strength per board ([Ganzfried15] appendix I) for all lanes, which are as many opponents' ranges; hands,
    low, high int64 [n] (low and high are their cards); weights, below, up_to float64 [n, lane].
    """
    lanes = weights.shape[1]
    order, spare = np.empty(len(hands), np.int64), np.empty(len(hands), np.int64)
    counts = np.empty((2, 256), np.int64)
    total, cards = np.empty(lanes), np.empty((CARDS, lanes))  # weight so far: of all hands, of those with a card
    for board in range(strengths.shape[0]):
        times = np.float64(multiplicity[board])
        possible = sort_hands(strengths[board], hands, order, spare, counts)
        total[:] = 0.0
        cards[:] = 0.0
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


@kernel
def add_features(strengths, multiplicity, hands, low, high, points, squares, histogram):
    """Add up over boards each hand's equity against a random hand, its square and its bin.

    hands, low, high int64 [1326]; points int64 [1326] in parts of 1,980 (2 a win, 1 a tie, 990 opponents); squares
    float64 [1326] of equities; histogram int64 [1326, bin].
    """
    bins = histogram.shape[1]
    order, spare = np.empty(len(hands), np.int64), np.empty(len(hands), np.int64)
    counts = np.empty((2, 256), np.int64)
    cards = np.empty(CARDS, np.int64)  # hands so far with a card
    for board in range(strengths.shape[0]):
        times = np.int64(multiplicity[board])
        possible = sort_hands(strengths[board], hands, order, spare, counts)
        cards[:] = 0
        start = 0
        while start < possible:
            end = start
            while end < possible and order[end] >> 16 == order[start] >> 16:
                h = order[end] & PLACE
                spare[end] = start - cards[low[h]] - cards[high[h]]
                end += 1
            for i in range(start, end):
                cards[low[order[i] & PLACE]] += 1
                cards[high[order[i] & PLACE]] += 1
            for i in range(start, end):
                h = order[i] & PLACE
                score = spare[i] + end - cards[low[h]] - cards[high[h]] + 1
                points[h] += times * score
                squares[h] += times * (score / 1980.0) ** 2
                histogram[h, min(bins * score // 1980, bins - 1)] += times
            start = end
