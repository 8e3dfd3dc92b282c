"""Passes over the betting of three seats on one board: reach from the roots down, values and regrets from the leaves up."""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.three_way._kernels.meetings import Room, pay_end

SEATS = 3
BELOW, INNER, LEAF = 0, 1, 2  # of a node for a seat, as in forms/three_way/seat_ends.py


class Betting(NamedTuple):
    """A SeatForest."""

    kind: Any  # [N]
    first_child: Any  # [N]
    children: Any  # [N]
    slot: Any  # [N]
    row: Any  # [seat, N]
    place: Any  # [seat, N]
    roots: int


class Street(NamedTuple):
    """One street: betting, and of each seat hands, ends and tables."""

    betting: Betting
    hands: Any  # [seat] Hands
    ends: Any  # [seat] Ends
    regret: Any  # [seat][board, slot, place]
    average: Any  # [seat][board, slot, place]


class Scratch(NamedTuple):
    """What one thread works with on one board."""

    reach: Any  # [seat][row, place]
    value: Any  # [node, place]
    best: Any  # [node, place]
    total: Any  # [2, place]
    room: Room


@kernel
def mix(board, slot, actions, count, table, total):
    """Sums over actions, of which a positive entry is a share; `total` [0] becomes what to multiply with, [1] what to add."""
    for h in range(count):
        total[0, h] = 0.0
    for a in range(slot, slot + actions):
        for h in range(count):
            total[0, h] += max(table[board, a, h], 0.0)
    for h in range(count):
        some = total[0, h] > 0.0
        total[1, h] = 0.0 if some else 1.0 / actions
        total[0, h] = 1.0 / total[0, h] if some else 0.0


@kernel
def reach_down(seat, board, street, table, reach, total):
    """A seat's reach after each of its actions, by the positive part of a table; rows of roots are there."""
    betting, count = street.betting, street.hands[seat].count[board]
    for node in range(betting.kind.shape[0]):
        if betting.kind[node] != seat:
            continue
        slot, actions, above = betting.slot[node], betting.children[node], betting.row[seat, node]
        mix(board, slot, actions, count, table, total)
        for a in range(slot, slot + actions):
            for h in range(count):
                share = max(table[board, a, h], 0.0) * total[0, h] + total[1, h]
                reach[betting.roots + a, h] = reach[above, h] * share


@kernel
def pay(e, seat, board, street, reach, value, room):
    """What one end of a seat pays its hands."""
    betting, ends, hands = street.betting, street.ends[seat], street.hands
    node, i, j = ends.node[e], ends.first[e], ends.second[e]
    pay_end(
        board, ends.base[e], ends.side[e], ends.main[e], hands[seat], hands[i], hands[j],
        reach[i], betting.row[i, node], reach[j], betting.row[j, node], room, value[node],
    )  # fmt: skip


@kernel
def pay_ends(begin, end, seat, board, street, reach, value, room):
    for e in range(begin, end):
        pay(e, seat, board, street, reach, value, room)


@kernel
def add_children(node, count, betting, value):
    """What a node is worth where somebody else acts, whose probabilities are in its reach."""
    first = betting.first_child[node]
    for h in range(count):
        value[node, h] = value[first, h]
    for child in range(first + 1, first + betting.children[node]):
        for h in range(count):
            value[node, h] += value[child, h]


@kernel
def learn_up(seat, board, street, factors, scratch):
    """Values, regrets and averages of a seat, from the leaves up; `factors` are those of the schedule."""
    betting, count, value, total = street.betting, street.hands[seat].count[board], scratch.value, scratch.total
    regret, average, reach = street.regret[seat], street.average[seat], scratch.reach[seat]
    positive, negative, keep = factors[0], factors[1], factors[2]
    for node in range(betting.kind.shape[0] - 1, -1, -1):
        if betting.place[seat, node] != INNER:
            continue
        if betting.kind[node] != seat:
            add_children(node, count, betting, value)
            continue
        slot, actions, first = betting.slot[node], betting.children[node], betting.first_child[node]
        mix(board, slot, actions, count, regret, total)
        for h in range(count):
            value[node, h] = 0.0
        for a in range(actions):
            for h in range(count):
                share = max(regret[board, slot + a, h], 0.0) * total[0, h] + total[1, h]
                value[node, h] += share * value[first + a, h]
        for a in range(actions):
            for h in range(count):
                gained = regret[board, slot + a, h] + (value[first + a, h] - value[node, h])
                regret[board, slot + a, h] = gained * (positive if gained > 0.0 else negative)
                kept = keep * average[board, slot + a, h]
                average[board, slot + a, h] = kept + reach[betting.roots + slot + a, h]


@kernel
def measure_up(seat, board, street, scratch):
    """Values of a seat's average strategy, and of its best response."""
    betting, count, total = street.betting, street.hands[seat].count[board], scratch.total
    value, best, average = scratch.value, scratch.best, street.average[seat]
    for node in range(betting.kind.shape[0] - 1, -1, -1):
        if betting.place[seat, node] != INNER:
            continue
        if betting.kind[node] != seat:
            add_children(node, count, betting, value)
            add_children(node, count, betting, best)
            continue
        slot, actions, first = betting.slot[node], betting.children[node], betting.first_child[node]
        mix(board, slot, actions, count, average, total)
        for h in range(count):
            value[node, h] = 0.0
            best[node, h] = best[first, h]
        for a in range(actions):
            for h in range(count):
                share = max(average[board, slot + a, h], 0.0) * total[0, h] + total[1, h]
                value[node, h] += share * value[first + a, h]
                best[node, h] = max(best[node, h], best[first + a, h])


@kernel
def copy_ends(seat, board, street, value, best):
    """Ends pay the same whoever plays on."""
    ends, count = street.ends[seat], street.hands[seat].count[board]
    for e in range(ends.node.shape[0]):
        for h in range(count):
            best[ends.node[e], h] = value[ends.node[e], h]


@kernel
def iterate(factors, street, scratch):
    """Iterations on the only board of a river, one for every row of `factors`; reach is up to date before and afterwards."""
    for t in range(factors.shape[0]):
        for board in range(1):  # a variable: every literal would compile all kernels below once more
            for seat in range(SEATS):
                for e in range(street.ends[seat].node.shape[0]):
                    pay(e, seat, board, street, scratch.reach, scratch.value, scratch.room)
                learn_up(seat, board, street, factors[t], scratch)
                reach_down(seat, board, street, street.regret[seat], scratch.reach[seat], scratch.total)


@kernel
def pass_boards(begin, end, seat, learns, factors, street, above, deals, below, scratch, out, out_best):
    """Boards begin .. end-1 below a board, for one seat: its values at their roots, from everybody's reach `below` that board.

    `above` is the betting before, `deals` [root] its nodes where the card comes; `out` [board, root, place].
    """
    hands, roots = street.hands, street.betting.roots
    for board in range(begin, end):
        for player in range(SEATS):
            reach, own = scratch.reach[player], hands[player]
            for root in range(roots):
                row = above.row[player, deals[root]]
                for h in range(own.count[board]):
                    reach[root, h] = below[player][row, own.hand[board, h]]
            table = street.regret[player] if learns else street.average[player]
            reach_down(player, board, street, table, reach, scratch.total)
        for e in range(street.ends[seat].node.shape[0]):
            pay(e, seat, board, street, scratch.reach, scratch.value, scratch.room)
        if learns:
            learn_up(seat, board, street, factors, scratch)
        else:
            copy_ends(seat, board, street, scratch.value, scratch.best)
            measure_up(seat, board, street, scratch)
        for root in range(roots):
            if street.betting.place[seat, root] == BELOW:
                continue
            for h in range(hands[seat].count[board]):
                out[board, root, h] = scratch.value[root, h]
                if not learns:
                    out_best[board, root, h] = scratch.best[root, h]


@kernel
def add_deals(seat, street, deals, chance, count, found, value):
    """What a seat's hands are worth where a card comes: the mean over the boards below; `found` [board, root, place]."""
    hands = street.hands[seat]
    for root in range(deals.shape[0]):
        if street.betting.place[seat, root] == BELOW:
            continue
        for h in range(count):
            value[deals[root], h] = 0.0
        for board in range(found.shape[0]):
            for h in range(hands.count[board]):
                value[deals[root], hands.hand[board, h]] += chance * found[board, root, h]
