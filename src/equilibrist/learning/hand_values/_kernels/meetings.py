"""How hands fare against ranges on all boards that can come, with card removal."""

import numpy as np

from equilibrist.cards._kernels.showdown import CARDS, PLACE, opponents, sweep_hands, sweep_lanes, sweep_room
from equilibrist.compute.kernel import kernel


@kernel
def meet_ranges(strengths, hands, low, high, ranges, edge, met):
    """What each hand [H] wins less what it loses against each of two ranges, summed over boards, and the weight it meets on one of them.

    strengths uint16 [board, H], 0 where a hand cannot be; ranges float64 [H, 2], edge float64 [H, 2], met float64 [H, 2] by the range met.
    """
    size = len(hands)
    order, spare, _, counts, _ = sweep_room(size)
    total, cards = np.empty(2), np.empty((CARDS, 2))
    below, up_to = np.zeros((size, 2)), np.zeros((size, 2))
    for board in range(strengths.shape[0]):
        sweep_lanes(strengths[board], hands, low, high, ranges, 1.0, order, spare, counts, total, cards, below, up_to)
        for h in range(size):
            if strengths[board, h] != 0:
                for lane in range(2):
                    met[h, lane] += total[lane] - cards[low[h], lane] - cards[high[h], lane] + ranges[h, lane]
    for h in range(size):
        for lane in range(2):
            edge[h, lane] = below[h, lane] + up_to[h, lane] - met[h, lane]


@kernel
def face_ranks(low, high, belief, band, met, faced):
    """Share of what each hand [H] meets [H] of a belief [H] that lies in each band, `faced` [H, band]; `band` [H] is that of each hand."""
    bands = faced.shape[1]
    total, cards = np.zeros(bands), np.zeros((CARDS, bands))
    for h in range(len(belief)):
        total[band[h]] += belief[h]
        cards[low[h], band[h]] += belief[h]
        cards[high[h], band[h]] += belief[h]
    for h in range(len(belief)):
        for b in range(bands):
            left = total[b] - cards[low[h], b] - cards[high[h], b]
            if b == band[h]:
                left += belief[h]
            faced[h, b] = left / met[h] if met[h] > 0.0 else 0.0


@kernel
def equities(strengths, hands, low, high, mean, square, outcomes):
    """Each hand's equity against an even range [H] and its square, averaged over the boards that leave it; nan where none does.

    outcomes [H, knot]: how often it is near each of so many knots from 0 to 1, linearly between two; nothing without knots.
    """
    knots = outcomes.shape[1]
    outcomes[:] = 0.0
    order, below, up_to, counts, cards = sweep_room(len(hands))
    seen = np.zeros(len(hands), np.int64)
    mean[:] = 0.0
    square[:] = 0.0
    for board in range(strengths.shape[0]):
        possible = sweep_hands(strengths[board], hands, low, high, order, below, up_to, counts, cards)
        for i in range(possible):
            h = order[i] & PLACE
            met = opponents(possible, cards[low[h]], cards[high[h]])
            equity = 0.5 * (below[i] + up_to[i]) / met
            mean[h] += equity
            square[h] += equity * equity
            seen[h] += 1
            if knots > 0:
                place = equity * (knots - 1)
                below_it = min(int(place), knots - 2)
                outcomes[h, below_it] += 1.0 - (place - below_it)
                outcomes[h, below_it + 1] += place - below_it
    for h in range(len(hands)):
        outcomes[h] /= max(seen[h], 1)
        mean[h] = mean[h] / seen[h] if seen[h] else np.nan
        square[h] = square[h] / seen[h] if seen[h] else np.nan


@kernel
def add_products(rows, matrix, out):
    """out [K, J] += rows [K, I] @ matrix [I, J], all float32."""
    for i in range(matrix.shape[0]):
        for k in range(rows.shape[0]):
            factor = rows[k, i]
            for j in range(matrix.shape[1]):
                out[k, j] += factor * matrix[i, j]
