"""One board in double precision, hand by hand: a player's reach down, what terminals pay, the other player's values up.

Rows are [node, place]. Tables are read as they are; nothing is learned.
"""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.postflop._kernels.layout import DEAL, FOLD, RESPOND, SHOWDOWN

LEAST = 2.0**-100  # as in `compute/lanes.py`: sums of a table below this count as nothing


class Payments(NamedTuple):
    """What N nodes pay, in chips net of half the starting pot; 0 where play goes on."""

    win: Any  # [N]
    lose: Any  # [N]
    tie: Any  # [N]
    folder: Any  # [N] who folded, or -1


@kernel
def weigh(tables, at, a, size):
    """An entry of the average: what is played is its share of the node's sum, in which a scale of 16 bits cancels."""
    if tables.compressed:
        return float(tables.average16[at + a * size])
    return float(tables.average[at + a * size])


@kernel
def share_of(tables, at, a, n, size, total):
    """The probability of an action."""
    return weigh(tables, at, a, size) / total if total > LEAST else 1.0 / n


@kernel
def sum_of(tables, at, n, size):
    """The sum over a node's actions."""
    total = 0.0
    for a in range(n):
        total += weigh(tables, at, a, size)
    return total


@kernel
def entry_of(b, h, hands, tables, slot):
    """Where a hand's first action at a node stands in the tables [board, block, slot, hand]."""
    return ((b * hands.blocks + h // hands.size) * tables.slots + slot) * hands.size + h % hands.size


@kernel
def exact_down(b, player, forest, hands, tables, factor, above, width, reach, next_reach, next_width):
    """The player's average reach at every node of a board, from that `above` [root, place]."""
    places, nodes, size = hands.places, forest.kind.shape[0], hands.size
    for i in range(forest.roots):
        for h in range(places):
            reach[i, h] = above[i * width + hands.order[b * places + h]] * factor
    for i in range(nodes):
        kind, n, child = forest.kind[i], forest.children[i], forest.first_child[i]
        if kind == player:
            lock = tables.lock_of[b * nodes + i] if tables.locked else -1
            for h in range(places):
                at = entry_of(b, h, hands, tables, forest.slot[i])
                total, here = sum_of(tables, at, n, size), reach[i, h]
                for a in range(n):
                    x = here * share_of(tables, at, a, n, size, total)
                    if lock >= 0:
                        held = float(tables.bound[lock * places + h])
                        fixed = float(tables.fixed[tables.lock_start[lock] + a * places + h])
                        x += held * (here * fixed - x)
                    reach[child + a, h] = x
        elif kind == DEAL:
            for h in range(places):
                next_reach[forest.next_root[i] * next_width + h] = reach[i, h]
        else:
            for a in range(n):
                for h in range(places):
                    reach[child + a, h] = reach[i, h]


@kernel
def add_up(b, theirs, row, cards):
    """The sum of a row of reach, and the sums by card."""
    cards[:] = 0.0
    total, at = 0.0, b * theirs.places
    for h in range(theirs.count[b]):
        total += row[h]
        cards[theirs.card1[at + h]] += row[h]
        cards[theirs.card2[at + h]] += row[h]
    return total


@kernel
def pay_folds(b, amount, mine, theirs, row, cards, value):
    """A fold pays by the reach of the hands that share no card with mine."""
    total, at = add_up(b, theirs, row, cards), b * mine.places
    for h in range(mine.count[b]):
        met = total - cards[mine.card1[at + h]] - cards[mine.card2[at + h]]
        twin = mine.twin[at + h]
        if twin >= 0:  # the same hand was taken away twice, once for each card
            met += row[twin]
        value[h] = amount * met


@kernel
def pay_showdown(b, me, pays, group_start, groups, mine, theirs, row, cards, value):
    """A showdown pays by the reach of weaker, equal and stronger hands: `pays` has win, tie, lose.

    Groups of equal strength rise: weaker hands are counted before the opponent's hands of a group are added, ties with them afterwards.
    """
    win, tie, lose = pays
    pay_folds(b, 1.0, mine, theirs, row, cards, value)  # every hand that is met
    cards[:] = 0.0
    below, my_at, their_at = 0.0, b * mine.places, b * theirs.places
    for g in range(group_start[b], group_start[b + 1] - 1):
        begin, end = groups[2 * g + me], groups[2 * g + 2 + me]
        for h in range(begin, end):
            weaker = below - cards[mine.card1[my_at + h]] - cards[mine.card2[my_at + h]]
            value[h] = lose * value[h] + (win - tie) * weaker
        for h in range(groups[2 * g + 1 - me], groups[2 * g + 3 - me]):
            below += row[h]
            cards[theirs.card1[their_at + h]] += row[h]
            cards[theirs.card2[their_at + h]] += row[h]
        for h in range(begin, end):
            not_stronger = below - cards[mine.card1[my_at + h]] - cards[mine.card2[my_at + h]]
            if mine.twin[my_at + h] >= 0:
                not_stronger += row[mine.twin[my_at + h]]
            value[h] += (tie - lose) * not_stronger


@kernel
def exact_terminals(b, me, forest, payments, group_start, groups, mine, theirs, reach, cards, value):
    """What all terminals of a board pay each of my hands against the opponent's reach; `cards` is memory for sums by card."""
    for i in range(forest.kind.shape[0]):
        kind = forest.kind[i]
        if kind != FOLD and kind != SHOWDOWN:
            continue
        value[i, mine.count[b] :] = 0.0
        if kind == FOLD:
            amount = payments.lose[i] if payments.folder[i] == me else payments.win[i]
            pay_folds(b, amount, mine, theirs, reach[i], cards, value[i])
        else:
            pays = (payments.win[i], payments.tie[i], payments.lose[i])
            pay_showdown(b, me, pays, group_start, groups, mine, theirs, reach[i], cards, value[i])


@kernel
def decide(mode, b, i, forest, hands, tables, value):
    """One node of mine: what my average strategy is worth, or the best that every hand can do."""
    places, size, n, child = hands.places, hands.size, forest.children[i], forest.first_child[i]
    lock = tables.lock_of[b * forest.kind.shape[0] + i] if tables.locked else -1
    for h in range(places):
        at = entry_of(b, h, hands, tables, forest.slot[i])
        total, here, best, forced = sum_of(tables, at, n, size), 0.0, value[child, h], 0.0
        for a in range(n):
            worth = value[child + a, h]
            here += share_of(tables, at, a, n, size, total) * worth
            best = max(best, worth)
            if lock >= 0:
                forced += float(tables.fixed[tables.lock_start[lock] + a * places + h]) * worth
        if mode == RESPOND:
            here = best
        if lock >= 0:
            here += float(tables.bound[lock * places + h]) * (forced - here)
        value[i, h] = here


@kernel
def exact_up(mode, b, me, forest, hands, tables, value, next_value, next_width, above, width):
    """My values at every node of a board, after its terminals were paid; added to those `above` [root, place]."""
    places = hands.places
    for i in range(forest.kind.shape[0] - 1, -1, -1):
        kind, child = forest.kind[i], forest.first_child[i]
        if kind == me:
            decide(mode, b, i, forest, hands, tables, value)
        elif kind == DEAL:
            for h in range(places):
                value[i, h] = next_value[forest.next_root[i] * next_width + h]
        elif kind < FOLD:
            value[i] = value[child]
            for a in range(1, forest.children[i]):
                for h in range(places):
                    value[i, h] += value[child + a, h]
    for i in range(forest.roots):
        for h in range(places):
            above[i * width + hands.order[b * places + h]] += value[i, h] * hands.share[b]
