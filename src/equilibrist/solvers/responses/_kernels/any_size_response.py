"""Best responses that may bet any share of the pot in an interval ([Brown20, §4.3.3]).

A bet of share x between the sizes A and B of the menu is answered as A with the pseudo-harmonic probability f(x), else as B. In games
where everything later scales with the pot a branch is worth F + (1 + 2x) C, F from folds at once, so the bet is worth
(k0 + k1 u + k2 u^2) / u with u = 1 + x: its maximum is at an end or at u^2 = k0 / k2.
"""

import math

from equilibrist.compute.kernel import kernel


@kernel
def interval_terms(low, high, value_low, fold_low, value_high, fold_high):
    """k0, k1, k2 of the value of a bet between two sizes, from the values of the sizes and their parts from folds."""
    c_low = (value_low - fold_low) / (1.0 + 2.0 * low)
    c_high = (value_high - fold_high) / (1.0 + 2.0 * high)
    # as functions of u: branch = (fold - c) + 2 c u, f = (1 + high - u)(1 + low) / ((high - low) u)
    scale = 1.0 / (high - low)
    left, right = scale * (1.0 + low), scale * (1.0 + high)
    a_low, a_high = fold_low - c_low, fold_high - c_high
    k0 = left * (1.0 + high) * a_low - right * (1.0 + low) * a_high
    k1 = left * ((1.0 + high) * 2.0 * c_low - a_low) + right * (a_high - (1.0 + low) * 2.0 * c_high)
    k2 = -left * 2.0 * c_low + right * 2.0 * c_high
    return k0, k1, k2


@kernel
def bet_value(x, first, last, share, value, fold):
    """Worth of a bet of share x at an infoset whose bets are first .. last-1, in increasing order."""
    if x <= share[first] or first == last - 1:
        return fold[first] + (1.0 + 2.0 * x) / (1.0 + 2.0 * share[first]) * (value[first] - fold[first])
    for s in range(first, last - 1):
        if x <= share[s + 1]:
            k0, k1, k2 = interval_terms(share[s], share[s + 1], value[s], fold[s], value[s + 1], fold[s + 1])
            u = 1.0 + x
            return (k0 + k1 * u + k2 * u * u) / u
    s = last - 1
    return fold[s] + (1.0 + 2.0 * x) / (1.0 + 2.0 * share[s]) * (value[s] - fold[s])


@kernel
def best_bet(least, most, first, last, share, value, fold):
    """The best share in [least, most] and what it is worth."""
    x = least
    best = bet_value(least, first, last, share, value, fold)
    for s in range(first, last):
        if value[s] > best and least <= share[s] <= most:
            best, x = value[s], share[s]
        if s + 1 < last:
            k0, k1, k2 = interval_terms(share[s], share[s + 1], value[s], fold[s], value[s + 1], fold[s + 1])
            if k0 * k2 > 0.0:
                u = math.sqrt(k0 / k2)
                if 1.0 + share[s] < u < 1.0 + share[s + 1] and (k0 + k1 * u + k2 * u * u) / u > best:
                    best, x = (k0 + k1 * u + k2 * u * u) / u, u - 1.0
    end = bet_value(most, first, last, share, value, fold)
    if end > best:
        best, x = end, most
    return best, x


@kernel
def respond_on_intervals(
    least,
    most,
    first_slot,
    infoset_player,
    parent_slot,
    player,
    first_bet,
    share,
    fold,
    slot_value,
    infoset_value,
    chosen,
):
    """As `respond`, but bets are free; `chosen[i]` is the best share of a bet, or 0 where another action is better.

    Slots first_bet[i] .. of an infoset are bets in increasing order. Returns what comes to the root.
    """
    root = 0.0
    for i in range(first_bet.shape[0] - 1, -1, -1):
        if infoset_player[i] != player:
            continue
        best, x = -1e300, 0.0
        for s in range(first_slot[i], first_bet[i]):
            best = max(best, slot_value[s])
        if first_bet[i] < first_slot[i + 1]:
            value, where = best_bet(least, most, first_bet[i], first_slot[i + 1], share, slot_value, fold)
            if value > best:
                best, x = value, where
        infoset_value[i], chosen[i] = best, x
        if parent_slot[i] >= 0:
            slot_value[parent_slot[i]] += best
        else:
            root += best
    return root


@kernel
def weigh_candidates(
    members,
    start,
    infoset_player,
    player,
    first_slot,
    first_bet,
    share,
    value,
    fold,
    kept,
    wanted,
    apart,
    best_share,
    best_regret,
):
    """For every public line (members[start[u] : start[u + 1]]) the bet with the largest sum of positive regrets over its infosets.

    `value` and `fold` are sums over all iterations, `kept[i]` the sum of what was earned, `wanted[i]` each infoset's own best bet; bets
    closer to a size than `apart` are left out.
    """
    for u in range(start.shape[0] - 1):
        best_share[u], best_regret[u] = 0.0, 0.0
        if infoset_player[members[start[u]]] != player:
            continue
        for k in range(start[u], start[u + 1]):
            x = wanted[members[k]]
            if x <= 0.0 or near_size(x, first_bet[members[k]], first_slot[members[k] + 1], share, apart):
                continue
            total = 0.0
            for m in range(start[u], start[u + 1]):
                i = members[m]
                total += max(0.0, bet_value(x, first_bet[i], first_slot[i + 1], share, value, fold) - kept[i])
            if total > best_regret[u]:
                best_share[u], best_regret[u] = x, total


@kernel
def near_size(x, first, last, share, apart):
    """On the scale x / (1 + x), in which the pseudo-harmonic mapping is linear."""
    for s in range(first, last):
        if abs(x / (1.0 + x) - share[s] / (1.0 + share[s])) < apart:
            return True
    return False


@kernel
def best_bets(least, most, infoset_player, player, first_slot, first_bet, share, value, fold, wanted):
    """Each infoset's best bet by given values of the sizes, 0 where there are none."""
    for i in range(first_bet.shape[0]):
        wanted[i] = 0.0
        if infoset_player[i] == player and first_bet[i] < first_slot[i + 1]:
            _, wanted[i] = best_bet(least, most, first_bet[i], first_slot[i + 1], share, value, fold)
