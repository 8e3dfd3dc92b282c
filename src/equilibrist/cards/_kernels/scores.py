"""How every pair of hole cards fares against all others on complete boards.

`strengths` holds per complete board one number per pair of hole cards, larger wins, 0 where they collide.
"""

import numpy as np

from equilibrist.cards._kernels.showdown import PLACE, sweep_hands, sweep_room
from equilibrist.compute.kernel import kernel


@kernel
def score_boards(strengths, hands, low, high, ties, scores):
    """Twice the wins, plus the ties where these count, of each pair against all others on every complete board; -1 where it collides.

    scores int16 [R, P].
    """
    order, below, up_to, counts, cards = sweep_room(len(hands))
    for board in range(strengths.shape[0]):
        out = scores[board]
        out[:] = -1
        possible = sweep_hands(strengths[board], hands, low, high, order, below, up_to, counts, cards)
        for i in range(possible):
            out[order[i] & PLACE] = below[i] + (up_to[i] if ties else below[i])


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
