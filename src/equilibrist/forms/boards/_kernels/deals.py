"""Hands on the boards of a street, from those of the street before: B boards, H hands, W places before, P places here."""

import numpy as np

from equilibrist.compute.kernel import kernel

DIGIT = 256  # of a strength, in sorting


@kernel
def keep_hands(parent, dealt, hands, before, count_before, count, pair, order):
    """The hands before [boards before, W] that hold none of the cards `dealt` [B, deck], in the order of those.

    count [B] is how many; pair, order [B, P], unless they are empty: which, and their places before; the padding is not touched.
    """
    writing = pair.shape[0] > 0
    for b in range(len(parent)):
        n = 0
        for i in range(count_before[parent[b]]):
            hand, free = before[parent[b], i], True
            for column in range(hands.shape[1]):
                free = free and not dealt[b, hands[hand, column]]
            if free:
                if writing:
                    pair[b, n], order[b, n] = hand, i
                n += 1
        count[b] = n


@kernel
def sort_hands(count, strengths, pair, order, spare, starts):
    """Hands of each board by strength [B, H], those of equal strength as they lie; spare [2, P] and starts [DIGIT + 1]: scratch space."""
    for b in range(len(count)):
        highest = 0
        for i in range(count[b]):
            highest = max(highest, np.int64(strengths[b, pair[b, i]]))
        shift = 0
        while highest >> shift > 0:  # digit by digit, the lowest first
            for digit in range(DIGIT + 1):
                starts[digit] = 0
            for i in range(count[b]):
                starts[((np.int64(strengths[b, pair[b, i]]) >> shift) & (DIGIT - 1)) + 1] += 1
            for digit in range(DIGIT):
                starts[digit + 1] += starts[digit]
            for i in range(count[b]):
                digit = (np.int64(strengths[b, pair[b, i]]) >> shift) & (DIGIT - 1)
                spare[0, starts[digit]] = pair[b, i]
                spare[1, starts[digit]] = order[b, i]
                starts[digit] += 1
            for i in range(count[b]):
                pair[b, i] = spare[0, i]
                order[b, i] = spare[1, i]
            shift += 8


@kernel
def fill_cards(count, pair, hands, foreign, card1, card2):
    """card1, card2 [B, P]: the higher and the lower card; of hands of one card the second is `foreign`."""
    for b in range(len(count)):
        for i in range(count[b]):
            card1[b, i] = hands[pair[b, i], hands.shape[1] - 1]
            card2[b, i] = hands[pair[b, i], 0] if hands.shape[1] > 1 else foreign


@kernel
def find_images(rows, moves, count, pair, hand_maps, where, images):
    """images [S, P]: places that relabelling `moves[s]` takes the hands of board `rows[s]` to; `where` [H] is full of -1."""
    for s in range(len(rows)):
        b = rows[s]
        for i in range(count[b]):
            where[pair[b, i]] = i
        for i in range(count[b]):
            images[s, i] = where[hand_maps[moves[s], pair[b, i]]]
        for i in range(count[b]):
            where[pair[b, i]] = -1


@kernel
def find_twins(count, pair, other_count, other_pair, where, twin):
    """twin [B, P]: place of the same hand in the other player's list, -1 if absent; `where` [H] is scratch space, full of -1."""
    for b in range(len(count)):
        for i in range(other_count[b]):
            where[other_pair[b, i]] = i
        for i in range(count[b]):
            twin[b, i] = where[pair[b, i]]
        for i in range(other_count[b]):
            where[other_pair[b, i]] = -1


@kernel
def strength_groups(count, pair, other_count, other_pair, strengths, first, start, groups):
    """First places of each strength for both players, and a closing row, board by board from row `first` on; the row after the last.

    start [B]: the row after each board's; groups [G, 2].
    """
    row = first
    for b in range(len(count)):
        i = j = 0
        while i < count[b] or j < other_count[b]:
            groups[row, 0], groups[row, 1] = i, j
            row += 1
            level = np.int64(strengths[b, pair[b, i]]) if i < count[b] else np.int64(1 << 62)
            if j < other_count[b]:
                level = min(level, np.int64(strengths[b, other_pair[b, j]]))
            while i < count[b] and strengths[b, pair[b, i]] == level:
                i += 1
            while j < other_count[b] and strengths[b, other_pair[b, j]] == level:
                j += 1
        groups[row, 0], groups[row, 1] = i, j
        row += 1
        start[b] = row
    return row


@kernel
def order_rivers(strengths, game, first, second, ordered, held, count, groups):
    """Hands that either player holds on each river, by strength [B, H], those of equal strength as they are numbered.

    `first` and `second` are weights [G, H] of games, of which each river has that of `game` [B]. ordered [B, H], of which held [B]
    are used; count: hands of each player [B]; groups [B]: how many strengths there are.
    """
    spare, starts = np.empty(ordered.shape[1], ordered.dtype), np.empty(DIGIT + 1, np.int64)
    mine, theirs = count
    for b in range(len(held)):
        n = highest = 0
        mine[b] = theirs[b] = 0
        g = game[b]
        for h in range(strengths.shape[1]):
            if strengths[b, h] > 0 and (first[g, h] > 0.0 or second[g, h] > 0.0):
                ordered[b, n] = h
                highest = max(highest, np.int64(strengths[b, h]))
                mine[b] += first[g, h] > 0.0
                theirs[b] += second[g, h] > 0.0
                n += 1
        shift = 0
        while highest >> shift > 0:  # digit by digit, the lowest first
            starts[:] = 0
            for i in range(n):
                starts[((np.int64(strengths[b, ordered[b, i]]) >> shift) & (DIGIT - 1)) + 1] += 1
            for digit in range(DIGIT):
                starts[digit + 1] += starts[digit]
            for i in range(n):
                digit = (np.int64(strengths[b, ordered[b, i]]) >> shift) & (DIGIT - 1)
                spare[starts[digit]] = ordered[b, i]
                starts[digit] += 1
            ordered[b, :n] = spare[:n]
            shift += 8
        held[b] = n
        groups[b] = 0
        before = 0
        for i in range(n):
            here = np.int64(strengths[b, ordered[b, i]])
            groups[b] += here != before
            before = here


@kernel
def fill_rivers(strengths, game, weights, ordered, held, cards, start, groups, first, second):
    """Hands of both players on each river from those of `order_rivers`: start [B], groups [R, 2].

    weights of each player as there; first, second: pair, order, card1, card2 and twin [B, P].
    """
    ones, others = weights
    pair1, order1, high1, low1, twin1 = first
    pair2, order2, high2, low2, twin2 = second
    for b in range(len(held)):
        i = j = 0
        row, before = start[b], 0
        for k in range(held[b]):
            hand = np.int64(ordered[b, k])
            here = np.int64(strengths[b, hand])
            if here != before:
                groups[row, 0], groups[row, 1] = i, j
                row += 1
                before = here
            mine, theirs = ones[game[b], hand] > 0.0, others[game[b], hand] > 0.0
            if mine:
                pair1[b, i], order1[b, i], high1[b, i], low1[b, i] = hand, i, cards[hand, 1], cards[hand, 0]
                twin1[b, i] = j if theirs else -1
            if theirs:
                pair2[b, j], order2[b, j], high2[b, j], low2[b, j] = hand, j, cards[hand, 1], cards[hand, 0]
                twin2[b, j] = i if mine else -1
            i, j = i + mine, j + theirs
        groups[row, 0], groups[row, 1] = i, j
        pair1[b, i:], order1[b, i:], high1[b, i:], low1[b, i:], twin1[b, i:] = -1, pair1.shape[1], 0, 0, -1
        pair2[b, j:], order2[b, j:], high2[b, j:], low2[b, j:], twin2[b, j:] = -1, pair2.shape[1], 0, 0, -1


@kernel
def fill_first(weights, cards, count, pair, order, card1, card2):
    """Hands of one player on the board that each game begins with, from its weights [G, H]: pair, order, card1 and card2 [G, P]."""
    for g in range(len(count)):
        n = 0
        for hand in range(weights.shape[1]):
            if weights[g, hand] > 0.0:
                pair[g, n], order[g, n], card1[g, n], card2[g, n] = hand, n, cards[hand, 1], cards[hand, 0]
                n += 1
        pair[g, n:], order[g, n:], card1[g, n:], card2[g, n:] = -1, pair.shape[1], 0, 0


@kernel
def find_before(count, pair, parent, count_before, pair_before, where, order):
    """order [B, P]: places on the boards before [boards before, W], of which `parent` [B] are these boards'; the padding is one past them.

    `where` [H] is scratch space.
    """
    known = -1
    for b in range(len(count)):
        before = parent[b]
        if before != known:
            for i in range(count_before[before]):
                where[pair_before[before, i]] = i
            known = before
        for i in range(count[b]):
            order[b, i] = where[pair[b, i]]
        order[b, count[b] :] = pair_before.shape[1]


@kernel
def find_merging(boards, first, second, moves, hand_maps, merging):
    """merging [G]: whether a relabelling of suits leaves a board [G, cards] and both players' weights [G, H] as they are.

    Relabellings take cards to moves [S, deck] and hands to hand_maps [S, H].
    """
    for g in range(len(merging)):
        merging[g] = False
        for s in range(len(moves)):
            same = True
            for k in range(boards.shape[1]):
                there = False
                for other in range(boards.shape[1]):
                    there |= moves[s, boards[g, k]] == boards[g, other]
                same &= there
            h = 0
            while same and h < len(hand_maps[s]):
                same = first[g, hand_maps[s, h]] == first[g, h] and second[g, hand_maps[s, h]] == second[g, h]
                h += 1
            merging[g] |= same


@kernel
def weigh_sharing(held, hands, by_card, out):
    """out [N, H]: weight of the hands in `held` [N, H] that hold a card of each hand [H, hole], once for every card; by_card [deck]."""
    for n in range(held.shape[0]):
        by_card[:] = 0.0
        for h in range(hands.shape[0]):
            for k in range(hands.shape[1]):
                by_card[hands[h, k]] += held[n, h]
        for h in range(hands.shape[0]):
            total = 0.0
            for k in range(hands.shape[1]):
                total += by_card[hands[h, k]]
            out[n, h] = total
