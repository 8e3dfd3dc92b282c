"""Loops of equity: runouts up to suits, who wins each deal, and all hands against all by strength.

`strengths` holds per complete board one number per hand, larger wins, 0 where the hand shares a card with the board.
"""

import numpy as np

from equilibrist.cards._kernels.showdown import PLACE, sweep_hands, sweep_lanes, sweep_room
from equilibrist.compute.kernel import kernel


@kernel
def list_runouts(free, count, suit_class, chosen, masks, runouts, multiplicity):
    """Runouts of `count` of the `free` cards, one of each set that differs by suits of one class; how many there are.

    free int64 [n] ascending; suit_class int64 [4]; writes runouts uint8 [m, count] and how many each stands for, uint8 [m]. Scratch
    space: chosen int64 [count], masks int64 [4].
    """
    for place in range(count):
        chosen[place] = place
    found = 0
    while True:
        for suit in range(4):
            masks[suit] = 0
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
def add_showdowns(strengths, multiplicity, hands, low, high, weights, room, below, up_to):
    """Add up over boards the opponent's weight below each hand, and up to its strength, with card removal.

    Lanes are as many opponents' ranges: weights, below, up_to float64 [n, lane]. Scratch space `room`: order, spare int64 [n], counts
    int64 [2, 256], total [lane], cards [CARDS, lane].
    """
    order, spare, counts, total, cards = room
    for board in range(strengths.shape[0]):
        row, times = strengths[board], np.float64(multiplicity[board])
        sweep_lanes(row, hands, low, high, weights, times, order, spare, counts, total, cards, below, up_to)


@kernel
def add_features(strengths, multiplicity, hands, low, high, points, squares, histogram):
    """Add up over boards each hand's equity against a random hand, its square and its bin.

    hands, low, high int64 [1326]; points int64 [1326] in parts of 1,980 (2 a win, 1 a tie, 990 opponents); squares
    float64 [1326] of equities; histogram int64 [1326, bin].
    """
    bins = histogram.shape[1]
    order, below, up_to, counts, cards = sweep_room(len(hands))
    for board in range(strengths.shape[0]):
        times = np.int64(multiplicity[board])
        possible = sweep_hands(strengths[board], hands, low, high, order, below, up_to, counts, cards)
        for i in range(possible):
            h = order[i] & PLACE
            score = below[i] + up_to[i]
            points[h] += times * score
            squares[h] += times * (score / 1980.0) ** 2
            histogram[h, min(bins * score // 1980, bins - 1)] += times
