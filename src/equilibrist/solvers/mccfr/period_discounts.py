"""Discounts of Monte Carlo CFR: sums are multiplied after every period of nodes touched ([Brown20, §3.1.5])."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

PERIOD = 1e7  # nodes touched ([Brown20, §3.1.5])
INITIAL_DISCOUNT = 0.1
NO_LIMIT = (1 << 63) - 1


@dataclass
class PeriodDiscounts:
    """Linear: times n / (n + 1) after period n; initial: times 1/10 after the first; none: never."""

    weighting: str
    period: float | None = None  # nodes touched; None: PERIOD
    number: int = 1  # of the period under way

    @property
    def limit(self) -> int:
        """Nodes touched at which the period under way ends."""
        if self.weighting == "none" or (self.weighting == "initial" and self.number > 1):
            return NO_LIMIT
        return ceil(self.number * (self.period or PERIOD))

    def factor(self, touched: int) -> float:
        """What regrets and averages are multiplied by for the periods that have ended since the last call."""
        factor = 1.0
        while touched >= self.limit:
            factor *= INITIAL_DISCOUNT if self.weighting == "initial" else self.number / (self.number + 1)
            self.number += 1
        return factor
