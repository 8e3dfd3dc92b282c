"""Pairs of opposing hands that a hand meets: all that share no card with it, with each other or with the board.

For weights r(x) of one opponent's hands and s(y) of the other's, the sum of r(x) s(y) over all pairs that the hand (a, b) meets is

    R S - sum over cards c of R_c S_c + sum over hands x of r(x) s(x),

where R is the sum of r over the hands without a and b, and R_c that of those among them with the card c. Of all pairs the middle term
takes away those that share a card, each once for every card that it shares; pairs of one and the same hand share two. With sums by card
and by pair of cards R_c is a difference of three numbers, so that a hand costs one pass over the cards: O(n · 52) in place of O(n³).

Sums are kept while hands are added in order of strength. A hand of the group that is being looked at counts half, since a tie of two
shares a pot; with m the weights below and half of the group's, and d the group's own, a pot of three is worth meet(m, m) + meet(d, d) / 12
of itself: 1 for two weaker hands, 1/2 where one is equal, 1/4 + 1/12 = 1/3 where both are.
"""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel

WIDTH = 48  # cards that are not on the board: 47 on a river, 48 on a turn
BY_CARD, ALL = 48, 49  # rows of sums
TIES = 1.0 / 12.0


class Weights(NamedTuple):
    """Weights of both opponents' hands, and what follows from them."""

    first: Any  # [50, 48] of the hand of two cards; sums by card; their sum
    second: Any  # [50, 48]
    same: Any  # [49] products of both weights of a hand, by card, and of all hands


class Room(NamedTuple):
    """Scratch memory of one thread."""

    whole: Weights  # what is paid whatever the second opponent holds
    below: Weights  # hands up to the group that is being looked at, of which it counts half
    tied: Weights  # that group alone; nothing between groups


class Hands(NamedTuple):
    """Hands of one player on every board of a street, weakest first; cards count those that are not on the board."""

    hand: Any  # [board, place] place on the first board
    card1: Any  # [board, place]
    card2: Any  # [board, place]
    count: Any  # [board]
    start: Any  # [board, group + 1] where hands of one strength begin; groups are the same for all players
    groups: Any  # [board]


class Ends(NamedTuple):
    """Where a player's payoff no longer depends on betting: the hand is over, or the player has folded.

    It is base + side · (share of a pot of two with the first opponent) + main · (share of a pot of three).
    """

    node: Any  # [end]
    first: Any  # [end] opponents
    second: Any  # [end]
    base: Any  # [end] chips
    side: Any  # [end]
    main: Any  # [end]


@kernel(merge=True)
def clear(weights):
    for row in range(weights.first.shape[0]):
        for c in range(WIDTH):
            weights.first[row, c] = 0.0
            weights.second[row, c] = 0.0
    for c in range(weights.same.shape[0]):
        weights.same[c] = 0.0


@kernel(merge=True)
def add(mine, other, same, p, q, weight):
    """More weight for the hand (p, q) of an opponent."""
    mine[p, q] += weight
    mine[q, p] += weight
    mine[BY_CARD, p] += weight
    mine[BY_CARD, q] += weight
    mine[ALL, 0] += weight
    both = weight * other[p, q]
    same[p] += both
    same[q] += both
    same[BY_CARD] += both


@kernel(fast=True, merge=True)
def meet(a, b, weights):
    """The sum over all pairs that the hand (a, b) meets."""
    r, s, same = weights.first, weights.second, weights.same
    shared = 0.0
    for c in range(WIDTH):
        shared += (r[BY_CARD, c] - r[a, c] - r[b, c]) * (s[BY_CARD, c] - s[a, c] - s[b, c])
    r_a, r_b, r_ab = r[BY_CARD, a], r[BY_CARD, b], r[a, b]
    s_a, s_b, s_ab = s[BY_CARD, a], s[BY_CARD, b], s[a, b]
    shared -= (r_a - r_ab) * (s_a - s_ab) + (r_b - r_ab) * (s_b - s_ab)  # a and b are cards of no hand that is met
    alike = same[BY_CARD] - same[a] - same[b] + r_ab * s_ab
    return (r[ALL, 0] - r_a - r_b + r_ab) * (s[ALL, 0] - s_a - s_b + s_ab) - shared + alike


@kernel
def add_group(board, begin, end, hands, reach, row, weight, mine, other, same):
    """More weight for hands begin .. end-1 of an opponent, in proportion to their reach."""
    for h in range(begin, end):
        add(mine, other, same, hands.card1[board, h], hands.card2[board, h], weight * reach[row, h])


@kernel
def forget_group(board, begin, end, hands, mine, same):
    """No weight any more where only hands begin .. end-1 had some."""
    for h in range(begin, end):
        p, q = hands.card1[board, h], hands.card2[board, h]
        mine[p, q] = mine[q, p] = 0.0
        mine[BY_CARD, p] = mine[BY_CARD, q] = 0.0
        same[p] = same[q] = 0.0
    mine[ALL, 0] = 0.0
    same[BY_CARD] = 0.0


@kernel
def reaches(row, count, reach):
    for h in range(count):
        if reach[row, h] > 0.0:
            return True
    return False


@kernel
def pay_end(board, base, side, main, mine, first, second, reach1, row1, reach2, row2, room, out):
    """What one end pays each hand, times the reach of the pairs that it meets; `out` [place]."""
    n, groups, whole, below, tied = mine.count[board], mine.groups[board], room.whole, room.below, room.tied
    if not reaches(row1, first.count[board], reach1) or not reaches(row2, second.count[board], reach2):
        for h in range(n):
            out[h] = 0.0
        return
    clear(whole)
    begin1, end1, begin2, end2 = first.start[board, 0], first.count[board], second.start[board, 0], second.count[board]
    add_group(board, begin1, end1, first, reach1, row1, base, whole.first, whole.second, whole.same)
    add_group(board, begin2, end2, second, reach2, row2, 1.0, whole.second, whole.first, whole.same)
    if side == 0.0 and main == 0.0:
        for h in range(n):
            out[h] = meet(mine.card1[board, h], mine.card2[board, h], whole)
        return
    if main != 0.0:
        clear(below)
    for g in range(groups):
        my_begin, my_end = mine.start[board, g], mine.start[board, g + 1]
        begin1, end1 = first.start[board, g], first.start[board, g + 1]
        begin2, end2 = second.start[board, g], second.start[board, g + 1]
        ties = main != 0.0 and my_end > my_begin and end1 > begin1 and end2 > begin2
        for half in range(2):
            if side != 0.0:
                add_group(board, begin1, end1, first, reach1, row1, 0.5 * side, whole.first, whole.second, whole.same)
            if main != 0.0:
                add_group(board, begin1, end1, first, reach1, row1, 0.5, below.first, below.second, below.same)
                add_group(board, begin2, end2, second, reach2, row2, 0.5, below.second, below.first, below.same)
            if half == 1:
                continue
            if ties:
                add_group(board, begin1, end1, first, reach1, row1, 1.0, tied.first, tied.second, tied.same)
                add_group(board, begin2, end2, second, reach2, row2, 1.0, tied.second, tied.first, tied.same)
            for h in range(my_begin, my_end):
                a, b = mine.card1[board, h], mine.card2[board, h]
                paid = meet(a, b, whole)
                if main != 0.0:
                    paid += main * meet(a, b, below)
                if ties:
                    paid += main * TIES * meet(a, b, tied)
                out[h] = paid
            if ties:
                forget_group(board, begin1, end1, first, tied.first, tied.same)
                forget_group(board, begin2, end2, second, tied.second, tied.same)
