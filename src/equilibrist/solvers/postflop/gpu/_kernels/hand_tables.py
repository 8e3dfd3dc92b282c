"""Where hands look into prefix sums of the opponent's reach."""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel

CARDS = 64  # numbers of cards, and of what stands for none
BYTES = 4  # of a number: places are told in bytes


class Hands(NamedTuple):
    """One player's hands on B boards."""

    count: Any  # [B]
    card1: Any  # [B, P]
    card2: Any  # [B, P]
    twin: Any  # [B, P]
    order: Any  # [B, P] place on the board before


class Tables(NamedTuple):
    """Arrays of `hand_tables.HandTables`."""

    places: Any  # [B, H, 8]
    entries: Any  # [B, entries]
    starts: Any  # [B, CARDS]
    order: Any  # [B, H]


@kernel
def list_entries(count, card1, card2, each, lanes, start, listed, entries):
    """One board's `count` hands by their cards, then by place: start [CARDS + 1] of each card; `listed` is scratch space.

    entries: `each` of them to a lane, lane by lane, so that lanes read neighbours, two at a time; the padding is one past the hands.
    """
    for c in range(CARDS + 1):
        start[c] = 0
    for h in range(count):
        start[card1[h] + 1] += 1
        start[card2[h] + 1] += 1
    for c in range(CARDS):
        start[c + 1] += start[c]
    for h in range(count):
        listed[start[card1[h]]] = h
        start[card1[h]] += 1
        listed[start[card2[h]]] = h
        start[card2[h]] += 1
    for c in range(CARDS, 0, -1):  # each has moved to where the next one begins
        start[c] = start[c - 1]
    start[0] = 0
    for lane in range(lanes):
        for k in range(each):
            e = lane * each + k
            entries[(k >> 1) * 2 * lanes + 2 * lane + (k & 1)] = BYTES * (listed[e] if e < 2 * count else count)


@kernel
def look_up_places(last_street, me, each, lanes, before, own, other, low, group_start, groups, spare, out):
    """Fill the tables of `hand_tables.HandTables` board by board; the opponent's (card, hand) entries have `each` to a lane.

    With one private card the second one is a number of nobody's. Scratch space `spare`: [lanes * each] and [CARDS + 1].
    """
    card1, card2, twin, places, order = own.card1, own.card2, own.twin, out.places, out.order
    listed, seen = spare
    for b in range(places.shape[0]):
        mine = own.count[b]
        list_entries(other.count[b], other.card1[b], other.card2[b], each, lanes, seen, listed, out.entries[b])
        for c in range(CARDS):
            out.starts[b, c] = BYTES * seen[c]
        for h in range(mine):
            like = low[b, h]
            places[b, h, 6] = BYTES * (card1[b, like] | card2[b, like] << 8)
            places[b, h, 7] = BYTES * (twin[b, like] + 1)
            order[b, h] = own.order[b, h]
        for h in range(mine, order.shape[1]):
            order[b, h] = before
        if not last_street:
            continue
        group, h = group_start[b], 0
        while h < mine:  # from the weakest group up; `seen` are the entries of weaker hands
            first, below, through = h, groups[group, 1 - me], groups[group + 1, 1 - me]
            while h < groups[group + 1, me]:
                like = low[b, h]
                places[b, h, 0], places[b, h, 1] = BYTES * below, BYTES * through
                places[b, h, 2], places[b, h, 4] = BYTES * seen[card1[b, like]], BYTES * seen[card2[b, like]]
                h += 1
            for theirs in range(below, through):
                seen[other.card1[b, theirs]] += 1
                seen[other.card2[b, theirs]] += 1
            for again in range(first, h):
                like = low[b, again]
                places[b, again, 3], places[b, again, 5] = BYTES * seen[card1[b, like]], BYTES * seen[card2[b, like]]
            group += 1


@kernel
def ranks_before(me, count, order, group_start, groups, ranks):
    """[B, place on the board before]: strength of each hand on a last board, -1 where it is not there."""
    ranks[:] = -1
    for b in range(ranks.shape[0]):
        group = group_start[b]
        for h in range(count[b]):
            while groups[group + 1, me] <= h:
                group += 1
            ranks[b, order[b, h]] = group - group_start[b]
