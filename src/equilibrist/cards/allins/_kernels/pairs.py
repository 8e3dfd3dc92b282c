"""Two hands all-in before the flop: on every board one sweep over all hands by strength counts whom each class beats."""

import numpy as np

from equilibrist.cards._kernels.showdown import CARDS, PLACE, sort_hands, sweep_room
from equilibrist.compute.kernel import kernel


@kernel
def add_class_wins(strengths, multiplicity, hands, low, high, cell, wins):
    """Add to wins int64 [class, class] in how many deals a hand of the first class beats one of the second.

    strengths uint16 [board, pair], 0 where a pair meets the board; multiplicity [board]; hands, low, high, cell int64 [1326].
    """
    classes = wins.shape[1]
    order, spare, _, counts, _ = sweep_room(len(hands))
    below = np.empty(classes, np.int64)  # weaker hands by class
    with_card = np.empty((CARDS, classes), np.int64)  # those of them that hold a card
    for board in range(strengths.shape[0]):
        times = np.int64(multiplicity[board])
        possible = sort_hands(strengths[board], hands, order, spare, counts)
        below[:] = 0
        with_card[:] = 0
        start = 0
        while start < possible:
            end = start
            while end < possible and order[end] >> 16 == order[start] >> 16:
                h = order[end] & PLACE
                one, other, out = with_card[low[h]], with_card[high[h]], wins[cell[h]]
                for c in range(classes):
                    out[c] += times * (below[c] - one[c] - other[c])
                end += 1
            for i in range(start, end):
                h = order[i] & PLACE
                below[cell[h]] += 1
                with_card[low[h], cell[h]] += 1
                with_card[high[h], cell[h]] += 1
            start = end
