"""Substitute values of a warm start: a best response weakened at every infoset, within a bound ([Brown20, §3.2.4])."""

import math

from equilibrist.compute.kernel import kernel


@kernel
def weakened(values, first, n, potential, order):
    """The x with sum of [value - x]_+^2 = potential over values[first : first + n]; their maximum for no potential."""
    for a in range(n):  # order: the largest first
        b = a
        while b > 0 and values[first + a] > values[first + order[b - 1]]:
            order[b] = order[b - 1]
            b -= 1
        order[b] = a
    top = values[first + order[0]]
    if potential <= 0.0:
        return top
    x, total, square = top, 0.0, 0.0
    for count in range(1, n + 1):
        gap = values[first + order[count - 1]] - top  # against the maximum: no digits are lost
        total += gap
        square += gap * gap
        x = (total - math.sqrt(max(total * total - count * (square - potential), 0.0))) / count
        if count == n or top + x >= values[first + order[count]]:
            break
    return top + x


@kernel
def substitute(
    first_slot, infoset_player, parent_slot, player, mass, spread, share, order, slot_value, infoset_value, gain
):
    """From terminal values in `slot_value` upwards; `gain` becomes value of action - value of infoset. Returns the root's.

    `share` is lambda / T: the potential allowed is share * reach of the others * L(I)^2 * actions.
    """
    root = 0.0
    for i in range(parent_slot.shape[0] - 1, -1, -1):
        if infoset_player[i] != player:
            continue
        first, n = first_slot[i], first_slot[i + 1] - first_slot[i]
        value = weakened(slot_value, first, n, share * mass[i] * spread[i] * spread[i] * n, order)
        for s in range(first, first + n):
            gain[s] = slot_value[s] - value
        infoset_value[i] = value
        if parent_slot[i] >= 0:
            slot_value[parent_slot[i]] += value
        else:
            root += value
    return root


@kernel
def infoset_mass(player, infoset, reach, mass):  # reach [N, k + 1] of each player, chance last
    """Summed reach of everybody but the acting player at each infoset."""
    for n in range(player.shape[0]):
        if player[n] >= 0:
            others = 1.0
            for p in range(reach.shape[1]):
                if p != player[n]:
                    others *= reach[n, p]
            mass[infoset[n]] += others
