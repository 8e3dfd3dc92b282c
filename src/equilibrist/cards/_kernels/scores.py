"""How every pair of hole cards fares against all others on complete boards.

`strengths` holds per complete board one number per pair of hole cards, larger wins, 0 where they collide.
"""

import numpy as np

from equilibrist.cards._kernels.equity import sort_hands
from equilibrist.compute.kernel import kernel

PLACE = 0xFFFF


@kernel
def score_boards(strengths, hands, low, high, ties, scores):
    """Twice the wins, plus the ties where these count, of each pair against all others on every complete board; -1 where it collides.

    One sweep by strength with counts per card ([Ganzfried15] appendix I); scores int16 [R, P].
    """
    order, below = np.empty(len(hands), np.int64), np.empty(len(hands), np.int64)
    counts = np.empty((2, 256), np.int64)
    cards = np.empty(64, np.int64)  # hands so far with a card
    for board in range(strengths.shape[0]):
        out = scores[board]
        out[:] = -1
        possible = sort_hands(strengths[board], hands, order, below, counts)
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
            for i in range(start, end):
                h = order[i] & PLACE
                out[h] = below[i] + (end - cards[low[h]] - cards[high[h]] + 1 if ties else below[i])
            start = end


@kernel
def add_scores(scores, runouts, points, squares, counts):
    """Sums of scores and of their squares, and of completions met; outputs int64 [B, P]."""
    for board in range(points.shape[0]):
        for r in range(board * runouts, (board + 1) * runouts):
            for p in range(points.shape[1]):
                score = np.int64(scores[r, p])
                if score >= 0:
                    points[board, p] += score
                    squares[board, p] += score * score
                    counts[board, p] += 1
