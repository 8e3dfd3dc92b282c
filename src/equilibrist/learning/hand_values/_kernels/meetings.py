"""How hands fare against ranges on all boards that can come, with card removal."""

import numpy as np

from equilibrist.cards._kernels.showdown import CARDS, PLACE, opponents, sweep_hands, sweep_lanes, sweep_room
from equilibrist.compute.kernel import kernel


@kernel
def meet_ranges(strengths, hands, low, high, ranges, edge, met):
    """What each hand [H] wins less what it loses against each of two ranges, summed over boards, and the weight it meets on one of them.

    strengths uint16 [board, H], 0 where a hand cannot be; ranges float64 [H, 2], edge float64 [H, 2], met float64 [H, 2] by the range met.
    """
    size = len(hands)
    order, spare, _, counts, _ = sweep_room(size)
    total, cards = np.empty(2), np.empty((CARDS, 2))
    below, up_to = np.zeros((size, 2)), np.zeros((size, 2))
    for board in range(strengths.shape[0]):
        sweep_lanes(strengths[board], hands, low, high, ranges, 1.0, order, spare, counts, total, cards, below, up_to)
        for h in range(size):
            if strengths[board, h] != 0:
                for lane in range(2):
                    met[h, lane] += total[lane] - cards[low[h], lane] - cards[high[h], lane] + ranges[h, lane]
    for h in range(size):
        for lane in range(2):
            edge[h, lane] = below[h, lane] + up_to[h, lane] - met[h, lane]


@kernel
def face_ranks(low, high, belief, band, met, faced):
    """Share of what each hand [H] meets [H] of a belief [H] that lies in each band, `faced` [H, band]; `band` [H] is that of each hand."""
    bands = faced.shape[1]
    total, cards = np.zeros(bands), np.zeros((CARDS, bands))
    for h in range(len(belief)):
        total[band[h]] += belief[h]
        cards[low[h], band[h]] += belief[h]
        cards[high[h], band[h]] += belief[h]
    for h in range(len(belief)):
        for b in range(bands):
            left = total[b] - cards[low[h], b] - cards[high[h], b]
            if b == band[h]:
                left += belief[h]
            faced[h, b] = left / met[h] if met[h] > 0.0 else 0.0


@kernel
def equities(strengths, hands, low, high, mean, square, outcomes):
    """Each hand's equity against an even range [H] and its square, averaged over the boards that leave it; nan where none does.

    outcomes [H, knot]: how often it is near each of so many knots from 0 to 1, linearly between two; nothing without knots.
    """
    knots = outcomes.shape[1]
    outcomes[:] = 0.0
    order, below, up_to, counts, cards = sweep_room(len(hands))
    seen = np.zeros(len(hands), np.int64)
    mean[:] = 0.0
    square[:] = 0.0
    for board in range(strengths.shape[0]):
        possible = sweep_hands(strengths[board], hands, low, high, order, below, up_to, counts, cards)
        for i in range(possible):
            h = order[i] & PLACE
            met = opponents(possible, cards[low[h]], cards[high[h]])
            equity = 0.5 * (below[i] + up_to[i]) / met
            mean[h] += equity
            square[h] += equity * equity
            seen[h] += 1
            if knots > 0:
                place = equity * (knots - 1)
                below_it = min(int(place), knots - 2)
                outcomes[h, below_it] += 1.0 - (place - below_it)
                outcomes[h, below_it + 1] += place - below_it
    for h in range(len(hands)):
        outcomes[h] /= max(seen[h], 1)
        mean[h] = mean[h] / seen[h] if seen[h] else np.nan
        square[h] = square[h] / seen[h] if seen[h] else np.nan


@kernel
def equities_of_boards(strengths, low, high, mean):
    """mean [N, H]: each hand's equity against an even range on the R complete boards of N states, strengths uint16 [N, R, H]."""
    size = strengths.shape[2]
    hands, square, none = np.arange(size), np.empty(size), np.empty((size, 0))
    for n in range(len(strengths)):
        equities(strengths[n], hands, low, high, mean[n], square, none)


@kernel
def rank_hands(mean, belief, rank):
    """Share of a belief [H] with less equity, hands with the same counted half; hands that cannot be held have no equity and rank 0."""
    keys = np.empty(len(mean))
    for h in range(len(mean)):
        keys[h] = np.rint(mean[h] * 1e9) if mean[h] == mean[h] else np.inf
    order = np.argsort(keys)
    start, before = 0, 0.0
    while start < len(order):
        end, level = start, 0.0
        while end < len(order) and keys[order[end]] == keys[order[start]]:
            level += belief[order[end]]
            end += 1
        for i in range(start, end):
            held = keys[order[i]] < np.inf
            rank[order[i]] = min(max(before + 0.5 * level, 0.0), 1.0) if held else 0.0
        before += level
        start = end


@kernel
def look_at_states(strengths, low, high, bands, least, beliefs, equity, spread, outcomes, rank, edge, met, faced):
    """What N states look like from each hand, as of `StateFeatures`: strengths uint16 [N, R, H] on the R boards that can come.

    beliefs float64 [N, 2, H] sum to 1; bands are ranks; met below `least` is nothing. Everything after is written.
    """
    boards, size = strengths.shape[1], strengths.shape[2]
    hands, mean, square = np.arange(size), np.empty(size), np.empty(size)
    knots, band, places = np.empty((size, outcomes.shape[2])), np.empty(size, np.int64), np.empty(size)
    ranges, won, meets, shares = (
        np.empty((size, 2)),
        np.empty((size, 2)),
        np.empty((size, 2)),
        np.empty((size, faced.shape[3])),
    )
    for n in range(len(strengths)):
        equities(strengths[n], hands, low, high, mean, square, knots)
        for h in range(size):
            held = mean[h] == mean[h]
            equity[n, h] = mean[h] if held else 0.0
            spread[n, h] = np.sqrt(max(square[h] - mean[h] * mean[h], 0.0)) if held else 0.0
            outcomes[n, h] = knots[h]
            ranges[h, 0], ranges[h, 1] = beliefs[n, 0, h], beliefs[n, 1, h]
        won[:] = 0.0
        meets[:] = 0.0
        meet_ranges(strengths[n], hands, low, high, ranges, won, meets)
        # boards that two hands leave, of those that the state leaves
        both = boards if boards == 1 else boards - 4
        for me in range(2):
            for h in range(size):
                there = meets[h, 1 - me] > least * both
                edge[n, me, h] = won[h, 1 - me] / meets[h, 1 - me] if there else 0.0
                met[n, me, h] = meets[h, 1 - me] / both if there else 0.0
        for me in range(2):
            rank_hands(mean, beliefs[n, 1 - me], places)
            for h in range(size):
                rank[n, 1 - me, h] = places[h]
                band[h] = 0
                for limit in bands:
                    band[h] += np.float32(places[h]) >= limit
                square[h] = met[n, me, h]
            face_ranks(low, high, beliefs[n, 1 - me], band, square, shares)
            for h in range(size):
                held = mean[h] == mean[h]
                for b in range(faced.shape[3]):
                    faced[n, me, h, b] = shares[h, b] if held else 0.0


@kernel
def add_products(rows, matrix, out):
    """out [K, J] += rows [K, I] @ matrix [I, J], all float32."""
    for i in range(matrix.shape[0]):
        for k in range(rows.shape[0]):
            factor = rows[k, i]
            for j in range(matrix.shape[1]):
                out[k, j] += factor * matrix[i, j]
