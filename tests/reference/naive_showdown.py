"""Every hand against every other, one pair at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def showdowns(
    strength: Sequence[int], cards: Sequence[tuple[int, int]], weights: Floats
) -> dict[int, tuple[Floats, Floats, Floats]]:
    """For each possible hand: weight [lane] of weaker hands that share no card, of those not stronger, of all of them."""
    out = {}
    for h, (mine, held) in enumerate(zip(strength, cards, strict=True)):
        if mine == 0:
            continue
        below, up_to, met = (np.zeros(weights.shape[1]) for _ in range(3))
        for other, (theirs, those) in enumerate(zip(strength, cards, strict=True)):
            if theirs == 0 or set(held) & set(those):
                continue
            met += weights[other]
            up_to += weights[other] * (theirs <= mine)
            below += weights[other] * (theirs < mine)
        out[h] = below, up_to, met
    return out
