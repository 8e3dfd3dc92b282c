"""What hands win on flops beyond their equity, pair of seats by pair of seats."""

from typing import Any, NamedTuple

import numpy as np

from equilibrist.compute.kernel import kernel


class Pairs(NamedTuple):
    """Pairs of seats that see a flop."""

    end: Any  # [pair]
    seats: Any  # [pair, 2] out of position, in position
    effects: Any  # [pair, 2, class] big blinds that a class wins of any other


@kernel
def add_effects(seat, pairs, rows, reach, met, matrix, out):
    """Add to out[end, class] what a seat wins by its own effects and loses by the other's, times the chance that the others play this way.

    `rows` [end, seat], `reach` and `met` [row, class] as for ends; `matrix` [other's class, own class] is card removal.
    """
    classes = out.shape[1]
    lost, chance = np.empty(classes), np.empty(classes)
    for pair in range(len(pairs.end)):
        me = 0 if pairs.seats[pair, 0] == seat else 1
        if pairs.seats[pair, me] != seat:
            continue
        end, other = pairs.end[pair], pairs.seats[pair, 1 - me]
        own, theirs = pairs.effects[pair, me], pairs.effects[pair, 1 - me]
        row = rows[end, other]
        lost[:] = 0.0
        for b in range(classes):
            weight = reach[row, b] * theirs[b]
            if weight != 0.0:
                part = matrix[b]
                for a in range(classes):
                    lost[a] += weight * part[a]
        chance[:] = 1.0
        for k in range(rows.shape[1]):
            if k != seat and k != other:
                for a in range(classes):
                    chance[a] *= met[rows[end, k], a]
        for a in range(classes):
            out[end, a] += chance[a] * (own[a] * met[row, a] - lost[a])
