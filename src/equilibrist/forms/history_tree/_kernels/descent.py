"""One pass down a game tree: chance reach and the last own slot of every player at every history."""

from equilibrist.compute.kernel import kernel


@kernel
def chance_reach(parent, chance_probability, out):  # all [N]
    """Product of chance probabilities on the way to each history."""
    out[0] = 1.0
    for n in range(1, parent.shape[0]):
        out[n] = out[parent[n]] * chance_probability[n]


@kernel
def last_slots(player, parent, first_child, infoset, first_slot, last, parent_slot):
    """`last[N, k]`: slot of each player's latest action, -1 before the first; `parent_slot[I]` the same by infoset.

    Returns -1, or an infoset that is reached by two different own sequences (imperfect recall).
    """
    for i in range(parent_slot.shape[0]):
        parent_slot[i] = -2
    for p in range(last.shape[1]):
        last[0, p] = -1
    for n in range(player.shape[0]):
        above = parent[n]
        if above >= 0:
            for p in range(last.shape[1]):
                last[n, p] = last[above, p]
            if player[above] >= 0:
                last[n, player[above]] = first_slot[infoset[above]] + (n - first_child[above])
        if player[n] >= 0:
            i = infoset[n]
            own = last[n, player[n]]
            if parent_slot[i] == -2:
                parent_slot[i] = own
            elif parent_slot[i] != own:
                return i
    return -1


@kernel
def payoff_range(player, parent, infoset, terminal, returns, low, high, spread):
    """`spread[I]`: difference of the largest and smallest payoff of the acting player below an infoset."""
    players = low.shape[1]
    for n in range(player.shape[0]):
        for p in range(players):
            low[n, p] = 1e300
            high[n, p] = -1e300
    for n in range(player.shape[0] - 1, -1, -1):
        if terminal[n] >= 0:
            for p in range(players):
                low[n, p] = returns[terminal[n], p]
                high[n, p] = returns[terminal[n], p]
        above = parent[n]
        if above >= 0:
            for p in range(players):
                low[above, p] = min(low[above, p], low[n, p])
                high[above, p] = max(high[above, p], high[n, p])
    for i in range(spread.shape[0]):
        spread[i] = -1e300
    for n in range(player.shape[0]):  # the range over all histories of an infoset: max of highs minus min of lows
        if player[n] >= 0:
            i = infoset[n]
            spread[i] = max(spread[i], high[n, player[n]])
    lowest = spread.copy()
    for i in range(spread.shape[0]):
        lowest[i] = 1e300
    for n in range(player.shape[0]):
        if player[n] >= 0:
            i = infoset[n]
            lowest[i] = min(lowest[i], low[n, player[n]])
    for i in range(spread.shape[0]):
        spread[i] -= lowest[i]
