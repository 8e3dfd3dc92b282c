"""Two players that differ in endgames only, compared by the deals on which both reach one ([Ganzfried15, §10.6])."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError
from equilibrist.evaluation.play.statistics import Estimate, estimate


def endgame_difference(
    first: Sequence[float] | Floats,
    second: Sequence[float] | Floats,
    first_reached: Sequence[bool],
    second_reached: Sequence[bool],
) -> Estimate:
    """How much better the second of two players that differ in endgames only does, per deal on which both reach one.

    Deals on which both reach *some* endgame are kept; keeping those with the *same* endgame would be biased
    ([Ganzfried15, §10.6, Propositions 12 and 13]).
    """
    kept = np.asarray(first_reached, dtype=bool) & np.asarray(second_reached, dtype=bool)
    if not kept.any():
        raise ParameterError("There is no deal on which both players reach an endgame; play more hands.")
    return estimate(np.asarray(second, dtype=np.float64)[kept] - np.asarray(first, dtype=np.float64)[kept])


def per_hand_effect(difference: Estimate, kept: int, deals: int) -> Estimate:
    """An endgame difference as an effect per hand: scaled by how often endgames are reached."""
    return difference.scaled(kept / deals)
