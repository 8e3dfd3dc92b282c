"""How many clusters each parent class gets: the 0-1 program of [Gilpin09, §6.4], a multiple-choice knapsack, solved exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError


def allocate(errors: Sequence[Floats], total: int) -> list[int]:
    """Clusters of every family, at least one each and at most `total` together, with the least sum of errors.

    errors[i][k - 1] is the error of family i with k clusters; infinite entries cannot be chosen. Among optima the one with fewest
    clusters is taken, and then the first.
    """
    if total < len(errors):
        raise ParameterError(
            f"{total} classes were asked for in a round that has {len(errors)} classes before it; ask for at least as many."
        )
    best = np.full(total + 1, np.inf)  # [clusters used so far]
    best[0] = 0.0
    choices = []
    for family in errors:
        best, chosen = _with_family(best, np.asarray(family, np.float64))
        choices.append(chosen)
    used = int(np.argmin(best))
    if not np.isfinite(best[used]):
        raise ParameterError(
            f"No choice of clusters keeps to {total} classes; ask for more, or allow fewer per family."
        )
    out = []
    for chosen in reversed(choices):
        out.append(int(chosen[used]))
        used -= out[-1]
    return out[::-1]


def _with_family(best: Floats, errors: Floats) -> tuple[Floats, NDArray[np.int32]]:
    """[clusters used] least error with one family more, and how many clusters that family then has."""
    after = np.full(len(best), np.inf)
    chosen = np.zeros(len(best), np.int32)
    for k in range(1, min(len(errors), len(best) - 1) + 1):
        if np.isfinite(errors[k - 1]):
            offered = best[:-k] + errors[k - 1]
            better = offered < after[k:]
            after[k:][better] = offered[better]
            chosen[k:][better] = k
    return after, chosen
