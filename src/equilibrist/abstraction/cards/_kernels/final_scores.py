"""Loops over complete hands: what a hand beats, and sums of that over all ways to complete a board.

A score is twice the wins plus the ties against all hands that avoid the cards. Tables as in the hand evaluator's loops.
"""

import numpy as np

from equilibrist.cards._kernels.evaluator import FLUSH, HALF, HALF_BITS, SUIT_BIT, SUIT_COUNTS, SUIT_RANKS, ZERO
from equilibrist.compute.kernel import kernel

SUITS = 4
MOST_RANKS = 16
NEEDED = 5  # cards of a flush


@kernel
def read_ranks(key, ranks, suits, keys, offset, number, plain, rows):
    """Strengths of all pairs of ranks with a board, flushes left aside: rows [rank, rank], the higher one first."""
    for high in range(ranks):
        with_high = key + keys[high * suits]
        for low in range(high + 1):
            both = with_high + keys[low * suits]
            rows[high, low] = plain[offset[both & HALF] + number[(both >> HALF_BITS) & HALF]]


@kernel
def worth(strength, mine):
    return np.int32(strength <= mine) + np.int32(strength < mine)


@kernel
def beaten_ranks(rows, left, ranks, mine):
    """Points against all pairs of ranks, of which `left` [rank] cards can be met."""
    total = np.int32(0)
    for high in range(ranks):
        under = np.int32(0)
        for low in range(high):
            under += left[low] * worth(rows[high, low], mine)
        total += left[high] * under + left[high] * (left[high] - 1) // 2 * worth(rows[high, high], mine)
    return total


@kernel
def flushes_gained(on, free, count, left, ranks, flush, rows, mine):
    """What changes because some pairs make a flush with the board, which has `count` cards of a suit: the ranks `on`.

    `free` are the ranks of the suit that can be met; `left` [rank] counts all cards that can be met, and those of other suits afterwards.
    """
    total = np.int32(0)
    for high in range(ranks):
        if (free >> high) & 1:
            left[high] -= 1
            with_high = on | 1 << high
            for low in range(high):
                if (free >> low) & 1:
                    total += worth(flush[with_high | 1 << low], mine) - worth(rows[high, low], mine)
    if count >= NEEDED - 1:  # one card of the suit is enough
        for rank in range(ranks):
            if (free >> rank) & 1:
                gained = worth(flush[on | 1 << rank], mine)
                for other in range(ranks):
                    total += left[other] * (gained - worth(rows[max(rank, other), min(rank, other)], mine))
    if count >= NEEDED:  # none is needed
        others = np.int32(0)
        for rank in range(ranks):
            others += left[rank]
        total += others * (others - 1) // 2 * worth(flush[on], mine) - beaten_ranks(rows, left, ranks, mine)
    return total


@kernel
def score_hands(cards, ranks, suits, keys, places, offset, number, plain, flush, out):
    """Scores of hands `cards` [N, 2 + c]; what belongs to a board is worked out once where rows with it follow each other."""
    held = cards.shape[1]
    rows = np.zeros((MOST_RANKS, MOST_RANKS), np.uint16)
    free, left = np.zeros(MOST_RANKS, np.int32), np.zeros(MOST_RANKS, np.int32)
    key, board, suit, count = SUIT_COUNTS, ZERO, -1, 0
    for n in range(cards.shape[0]):
        same = n > 0
        for j in range(2, held):
            same = same and cards[n, j] == cards[n - 1, j]
        if not same:
            key, board = SUIT_COUNTS, ZERO
            free[:] = suits
            for j in range(2, held):
                card = np.int64(cards[n, j])
                key += keys[card]
                board |= places[card]
                free[card // suits] -= 1
            suit, count = -1, 0
            for s in range(suits):
                of_suit = np.int64((key >> np.uint64(SUIT_BIT + 4 * s)) & np.uint64(15)) - 3
                if of_suit >= NEEDED - 2:
                    suit, count = s, of_suit
            read_ranks(key, ranks, suits, keys, offset, number, plain, rows)
        a, b = np.int64(cards[n, 0]), np.int64(cards[n, 1])
        mine = rows[max(a, b) // suits, min(a, b) // suits]
        if (key + keys[a] + keys[b]) & FLUSH:
            mine = flush[((board | places[a] | places[b]) >> np.uint64(16 * suit)) & SUIT_RANKS]
        left[:] = free
        left[a // suits] -= 1
        left[b // suits] -= 1
        total = beaten_ranks(rows, left, ranks, mine)
        if suit >= 0:
            shift = np.uint64(16 * suit)
            on = np.int64((board >> shift) & SUIT_RANKS)
            gone = np.int64(((board | places[a] | places[b]) >> shift) & SUIT_RANKS)
            total += flushes_gained(on, ~gone, count, left, ranks, flush, rows, mine)
        out[n] = total


@kernel
def find_runs(cards, starts):
    """First rows of runs of hands [N, 2 + c] with the same board, and N: how many runs there are, or -1 where `starts` has no room."""
    runs = 0
    for n in range(cards.shape[0]):
        same = n > 0
        for j in range(2, cards.shape[1]):
            same = same and cards[n, j] == cards[n - 1, j]
        if not same:
            if runs + 1 >= starts.shape[0]:
                return -1
            starts[runs] = n
            runs += 1
    starts[runs] = cards.shape[0]
    return runs


@kernel
def pick_scores(cards, starts, scores, out):
    """Of all scores of boards [R, pair] those of hands in runs of the same board."""
    for r in range(scores.shape[0]):
        for n in range(starts[r], starts[r + 1]):
            a, b = np.int64(cards[n, 0]), np.int64(cards[n, 1])
            high, low = max(a, b), min(a, b)
            out[n] = scores[r, high * (high - 1) // 2 + low]


@kernel
def relabel(boards, canonical, suits, number, out):
    """For each board the number of a relabelling of suits that takes it to its canonical copy; `number` [256] by images."""
    have, want = np.empty(SUITS, np.int64), np.empty(SUITS, np.int64)
    for b in range(boards.shape[0]):
        have[:] = 0
        want[:] = 0
        for j in range(boards.shape[1]):
            have[boards[b, j] % suits] |= np.int64(1) << np.int64(boards[b, j] // suits)
            want[canonical[b, j] % suits] |= np.int64(1) << np.int64(canonical[b, j] // suits)
        image, used = 0, 0
        for s in range(SUITS):
            for t in range(SUITS):
                if not (used >> t) & 1 and want[t] == have[s]:
                    used |= 1 << t
                    image |= t << (2 * s)
                    break
        out[b] = number[image]


@kernel
def add_scores_of_cards(found, kinds, relabelled, scores, points, squares):
    """Sums over the last card: found, kinds [B, C] say which row of scores [R, P] each card leads to, pairs relabelled [24, P]."""
    for b in range(found.shape[0]):
        points[b] = 0
        squares[b] = 0
        for k in range(found.shape[1]):
            row, to = scores[found[b, k]], relabelled[kinds[b, k]]
            for p in range(to.shape[0]):
                score = np.int32(max(row[to[p]], 0))
                points[b, p] += score
                squares[b, p] += score * score


@kernel
def add_sums_of_cards(found, kinds, relabelled, times, above_points, above_squares, points, squares):
    """Sums over one more card, from sums of boards that have it; every completion is met `times`."""
    for b in range(found.shape[0]):
        points[b] = 0
        squares[b] = 0
        for k in range(found.shape[1]):
            one, two, to = above_points[found[b, k]], above_squares[found[b, k]], relabelled[kinds[b, k]]
            for p in range(to.shape[0]):
                points[b, p] += one[to[p]]
                squares[b, p] += two[to[p]]
        for p in range(points.shape[1]):
            points[b, p] //= times
            squares[b, p] //= times
