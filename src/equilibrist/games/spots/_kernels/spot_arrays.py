"""Ranges of many spots: N boards of C cards, R rows of ranges (N, or one for all), 1326 hands of the cards `low` and `high`."""

import numpy as np

from equilibrist.compute.kernel import kernel

FINE, NOT_A_WEIGHT, FAINT, EMPTY, COLLIDING = 0, 1, 2, 3, 4  # what may be wrong with a row of ranges
CARDS = 52


@kernel
def mark_board(board, dealt):
    """dealt [CARDS]: whether a card lies on the board [C]; whether all of them are cards, none of them twice."""
    dealt[:] = False
    for k in range(len(board)):
        card = board[k]
        if card < 0 or card >= CARDS or dealt[card]:
            return False
        dealt[card] = True
    return True


@kernel
def bad_board(boards):
    """The first of `boards` [N, C] that has something else than different cards, or -1."""
    dealt = np.zeros(CARDS, np.bool_)
    for b in range(len(boards)):
        if not mark_board(boards[b], dealt):
            return b
    return -1


@kernel
def scan_range(weights, faintest):
    """Largest of a player's weights, what is wrong with them (`FINE` to `FAINT`), and with which hand."""
    top = 0.0
    for h in range(len(weights)):
        weight = np.float64(weights[h])
        if not (0.0 <= weight < np.inf):
            return top, NOT_A_WEIGHT, h
        top = max(top, weight)
    for h in range(len(weights)):
        if 0.0 < weights[h] < faintest * top:
            return top, FAINT, h
    return top, FINE, 0


@kernel
def check_ranges(boards, ranges, low, high, faintest, tops):
    """What is wrong with the `ranges` [R, 2, H] first: (problem, spot, player, hand); tops [R, 2] are their largest weights."""
    dealt, with_card = np.zeros(CARDS, np.bool_), np.zeros(CARDS, np.int64)
    for r in range(len(ranges)):
        for p in range(2):
            tops[r, p], problem, hand = scan_range(ranges[r, p], faintest)
            if problem != FINE:
                return problem, r, p, hand
    for b in range(len(boards)):
        mark_board(boards[b], dealt)
        own = ranges[b if len(ranges) > 1 else 0]
        with_card[:] = 0
        theirs = 0
        for h in range(len(low)):
            if own[1, h] > 0.0 and not dealt[low[h]] and not dealt[high[h]]:
                with_card[low[h]] += 1
                with_card[high[h]] += 1
                theirs += 1
        if theirs == 0:
            return EMPTY, b, 1, 0
        mine, met = 0, False
        for h in range(len(low)):
            if own[0, h] > 0.0 and not dealt[low[h]] and not dealt[high[h]]:
                mine += 1
                same = 1 if own[1, h] > 0.0 else 0  # the hand itself was taken away twice
                met = met or theirs - with_card[low[h]] - with_card[high[h]] + same > 0
            if met:
                break
        if mine == 0:
            return EMPTY, b, 0, 0
        if not met:
            return COLLIDING, b, 0, 0
    return FINE, 0, 0, 0


@kernel
def weigh_hands(boards, ranges, divisors, player, spots, rows, low, high, weights):
    """weights [S, H] of a player's hands on the boards of some `spots` [S], by the ranges of these `rows` [S], without those ruled out.

    They are divided by `divisors` [R, 2].
    """
    dealt = np.zeros(CARDS, np.bool_)
    for s in range(len(spots)):
        mark_board(boards[spots[s]], dealt)
        own, divisor = ranges[rows[s], player], divisors[rows[s], player]
        for h in range(len(low)):
            free = not dealt[low[h]] and not dealt[high[h]]
            weights[s, h] = min(own[h] / divisor, 1.0) if free else 0.0
