"""Bounties that pass from head to head: over sets of players, and along sampled finish orders."""

from __future__ import annotations

import numpy as np

from equilibrist.compute.kernel import kernel


@kernel
def subset_knockouts(stacks, kept, passed, out):
    """out [player, taker]: expected cash from a bounty of one that lies on a player's head now.

    `kept` is the share that is added to the taker's own head. passed [set, player, taker] is room to work in: the same, given that
    just this set has the first places.
    """
    players = stacks.size
    sets = 1 << players
    left = np.zeros(sets)  # [set] chips of the players in it
    reach = np.zeros(sets)  # [set] probability that these finish first
    reach[0] = 1.0
    for s in range(1, sets):
        for i in range(players):
            if (s >> i) & 1:
                left[s] = left[s ^ (1 << i)] + stacks[i]
                break
    for s in range(1, sets):
        passed[s] = 0.0
        for last in range(players):
            if (s >> last) & 1:
                above = s ^ (1 << last)
                reach[s] += reach[above] * stacks[last] / left[sets - 1 - above]
        if reach[s] <= 0.0:
            continue
        for last in range(players):
            if not (s >> last) & 1:
                continue
            above = s ^ (1 << last)
            if above == 0:
                passed[s, last, last] = 1.0  # the winner is paid what is on its own head
                continue
            chance = reach[above] * stacks[last] / left[sets - 1 - above] / reach[s]
            for i in range(players):
                if not (above >> i) & 1:
                    continue
                taken = chance * stacks[i] / left[above]
                passed[s, last, i] += taken * (1.0 - kept)
                for taker in range(players):
                    passed[s, i, taker] += chance * passed[above, i, taker]
                    passed[s, last, taker] += taken * kept * passed[above, i, taker]
    for i in range(players):
        for taker in range(players):
            out[i, taker] = passed[sets - 1, i, taker]


@kernel
def pay_bounties(stacks, bounties, kept, orders, draws, out):
    """out [sample, player]: cash from bounties along finish orders [sample, place]; draws [sample, place] in [0, 1) choose the takers."""
    samples, players = orders.shape
    heads = np.empty(players)
    above = np.empty(players)  # [place] chips up to and with that place
    for sample in range(samples):
        total = 0.0
        for place in range(players):
            total += stacks[orders[sample, place]]
            above[place] = total
            heads[place] = bounties[orders[sample, place]]
            out[sample, place] = 0.0
        for place in range(players - 1, 0, -1):
            target = draws[sample, place] * above[place - 1]
            low, high = 0, place - 1
            while low < high:
                middle = (low + high) // 2
                if above[middle] > target:
                    high = middle
                else:
                    low = middle + 1
            out[sample, orders[sample, low]] += (1.0 - kept) * heads[place]
            heads[low] += kept * heads[place]
        out[sample, orders[sample, 0]] += heads[0]
