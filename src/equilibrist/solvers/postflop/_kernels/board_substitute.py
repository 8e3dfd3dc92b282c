"""Substitute values on one board: best responses weakened at every infoset, and the regrets that follow from them."""

from typing import Any, NamedTuple

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.postflop._kernels.layout import FOLD

ZERO = np.float32(0.0)


class Weakening(NamedTuple):
    """How much best responses are weakened at N nodes."""

    iterations: float  # of regret matching that the profile stands for
    share: float  # lambda
    deals: float  # in all, which values and masses count where the text has probabilities
    spread: Any  # [N] range of payoffs below each node


class Room(NamedTuple):
    """Scratch memory."""

    by_card: Any  # [cards]
    mass: Any  # [places]
    values: Any  # [actions]


@kernel
def opponent_mass(b, node, mine, theirs, reach, by_card, out):
    """out[place] = reach of all hands of the opponent at a node that share no card with mine."""
    by_card[:] = 0.0
    total, row, at = 0.0, node * theirs.places, b * theirs.places
    for h in range(theirs.count[b]):
        x = reach[row + h]
        total += x
        by_card[theirs.card1[at + h]] += x
        by_card[theirs.card2[at + h]] += x
    my_at = b * mine.places
    for h in range(mine.count[b]):
        met = total - by_card[mine.card1[my_at + h]] - by_card[mine.card2[my_at + h]]
        twin = mine.twin[my_at + h]
        if twin >= 0:
            met += reach[row + twin]
        out[h] = max(met, 0.0)


@kernel
def weakened_best(values, n, slack):
    """The x with sum of (v - x)+^2 = slack over the first n values, which are put in falling order; their maximum if slack is 0."""
    for i in range(1, n):
        v, k = values[i], i
        while k > 0 and values[k - 1] < v:
            values[k] = values[k - 1]
            k -= 1
        values[k] = v
    if slack <= 0.0:
        return values[0]
    total, squares = 0.0, 0.0
    x = values[0]
    for k in range(1, n + 1):
        shifted = values[k - 1] - values[0]  # small numbers, so that squares keep their digits
        total += shifted
        squares += shifted * shifted
        x = values[0] + (total - np.sqrt(max(total * total - k * (squares - slack), 0.0))) / k
        if k == n or x >= values[k]:
            break
    return x


@kernel
def substitute_up(b, player, write, weakening, forest, mine, theirs, tables, reach, strategy, value, room):
    """Values [node, place] from those of terminals and deals upwards; with `write` the player's regrets are set.

    Values and masses count deals where the text has probabilities; so slack, a square, has one factor more.
    `strategy` [slot, place] is played where a regret of zero would say nothing.
    """
    places, size = mine.places, mine.size
    iterations, share, deals, spread = weakening
    by_card, mass, sorted_values = room
    for i in range(forest.kind.shape[0] - 1, -1, -1):
        kind = forest.kind[i]
        if kind >= FOLD:
            continue
        n, child = forest.children[i], forest.first_child[i]
        if kind != player:
            for h in range(places):
                total = ZERO
                for a in range(n):
                    total += value[(child + a) * places + h]
                value[i * places + h] = total
            continue
        opponent_mass(b, i, mine, theirs, reach, by_card, mass)
        for h in range(mine.count[b]):
            for a in range(n):
                sorted_values[a] = value[(child + a) * places + h]
            slack = share * mass[h] * deals * spread[i] * spread[i] * n / iterations
            x = weakened_best(sorted_values, n, slack)
            value[i * places + h] = x
            if write:
                block, lane = h // size, h % size
                first = ((b * mine.blocks + block) * tables.slots + forest.slot[i]) * size + lane
                best = 0.0
                for a in range(n):
                    best = max(best, value[(child + a) * places + h] - x)
                for a in range(n):
                    gain = value[(child + a) * places + h] - x
                    if best <= 0.0:
                        gain = 1e-9 * spread[i] * mass[h] * strategy[(forest.slot[i] + a) * places + h]
                    tables.regret[first + a * size] = iterations * gain
