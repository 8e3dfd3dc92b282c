"""Loops over the hands of boards: which are alike, how strong they end, how they fare against groups of opponents.

`strengths` holds per complete board one number per pair of hole cards, larger wins, 0 where they collide.
"""

import numpy as np

from equilibrist.cards._kernels.showdown import CARDS, PLACE, sweep_lanes, sweep_room
from equilibrist.compute.kernel import kernel

SLOTS = 4096  # of the hash table that finds hands alike on one board; more than twice the pairs of any deck
SPREAD = 0x9E3779B97F4A7C15 - (1 << 64)


@kernel
def list_hands(boards, low, high, rows, first, pair):
    """All pairs that avoid each board: rows int8 [n, 2 + c], first int64 [B + 1], pair int16 [n]."""
    n = 0
    for b in range(boards.shape[0]):
        first[b] = n
        taken = np.int64(0)
        for j in range(boards.shape[1]):
            taken |= np.int64(1) << np.int64(boards[b, j])
        for p in range(low.shape[0]):
            if (taken >> low[p] | taken >> high[p]) & 1:
                continue
            rows[n, 0] = low[p]
            rows[n, 1] = high[p]
            for j in range(boards.shape[1]):
                rows[n, 2 + j] = boards[b, j]
            pair[n] = p
            n += 1
    first[boards.shape[0]] = n


@kernel
def find_alike(index, first, kept, alike):
    """Places of the first hand of every number on each board, and how many hands of the board share it; how many places."""
    keys = np.empty(SLOTS, np.int64)
    place = np.empty(SLOTS, np.int64)
    found = 0
    for b in range(first.shape[0] - 1):
        keys[:] = -1
        for n in range(first[b], first[b + 1]):
            slot = (index[n] * SPREAD >> 40) & (SLOTS - 1)
            while keys[slot] != index[n] and keys[slot] != -1:
                slot = (slot + 1) & (SLOTS - 1)
            if keys[slot] == -1:
                keys[slot] = index[n]
                place[slot] = found
                kept[found] = n
                alike[found] = 0
                found += 1
            alike[place[slot]] += 1
    return found


@kernel
def add_bins(scores, runouts, full, histogram):
    """How often each pair's equity score / full falls in each bin; histogram uint16 [B, P, bins]."""
    bins = histogram.shape[2]
    bin_of = np.empty(full + 1, np.int64)
    for score in range(full + 1):
        bin_of[score] = min(bins * score // full, bins - 1)
    for board in range(histogram.shape[0]):
        for r in range(board * runouts, (board + 1) * runouts):
            for p in range(histogram.shape[1]):
                score = scores[r, p]
                if score >= 0:
                    histogram[board, p, bin_of[score]] += 1


@kernel
def add_cluster_equities(strengths, runouts, hands, low, high, group, groups, won, met):
    """Sums over completions of each pair's equity against each group of opponents' pairs, and of completions where it meets one.

    group int8 [P]; won, met float64 [B, P, K].
    """
    n = len(hands)
    order, spare, _, counts, _ = sweep_room(n)
    total, cards = np.empty(groups, np.float32), np.empty((CARDS, groups), np.float32)
    score = np.empty((n, groups), np.float32)  # twice the wins, and the ties; whole numbers as all here
    inside = np.zeros((n, groups), np.float32)  # a one for the group of each hand
    for h in range(n):
        inside[h, group[h]] = 1
    for board in range(strengths.shape[0]):
        row, b = strengths[board], board // runouts
        score[:] = 0
        possible = sweep_lanes(
            row, hands, low, high, inside, np.float32(1), order, spare, counts, total, cards, score, score
        )
        for i in range(possible):
            h = order[i] & PLACE
            one, other = cards[low[h]], cards[high[h]]
            for k in range(groups):
                met_here = total[k] - one[k] - other[k] + inside[h, k]
                if met_here > 0:
                    won[b, h, k] += score[h, k] / (2.0 * met_here)
                    met[b, h, k] += 1.0


@kernel
def count_scores(scores, times, classes, out):
    """How many deals of a board end with each score, by class of hole cards; out int64 [classes, score]."""
    for board in range(scores.shape[0]):
        for p in range(scores.shape[1]):
            score = scores[board, p]
            if score >= 0:
                out[classes[p], score] += times[board]
