"""The sign test by which series of hands are compared ([Gilpin09, §6.4.2])."""

from __future__ import annotations

import math

from equilibrist.core.errors import ParameterError


def sign_test(wins: int, series: int) -> float:
    """Two-sided probability that a fair coin is as far from even ([Gilpin09, Table 6.1]: 38 of 50 gives 3.06e-4)."""
    if not 0 <= wins <= series or series < 1:
        raise ParameterError(f"A sign test needs 0 to {series} wins of at least one series, but {wins} were given.")
    far = max(wins, series - wins)
    tail = float(sum(math.comb(series, k) for k in range(far, series + 1)) / 2.0**series)
    return min(1.0, 2.0 * tail)
