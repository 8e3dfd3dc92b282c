"""How walks weigh iterations: discounts written as growing weights, in units that never overflow.

A regret that stays negative and is multiplied by n_t after iteration t is a sum of instantaneous regrets with weights
w_t = 1 / (n_1 ... n_{t-1}), read in the unit n_1 ... n_t. Averages with keep factors k_t weigh iteration t by 1 / (k_2 ... k_t).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.solvers.cfr.schedules import Schedule, factors_of

UNIT_BITS = 300  # weights are counted in powers of 2^300, so that changing the unit rounds nothing
_UNIT = UNIT_BITS * math.log(2.0)


@dataclass(frozen=True)
class Piece:
    """Consecutive iterations that share their units; one number each."""

    first: int
    positive: Floats
    negative: Floats
    weight: Floats  # of regrets that stay negative
    scale: Floats
    weights: Floats  # summed up to here
    share: Floats  # in the average
    units: tuple[int, int]  # of regrets and of averages


class Weights:
    """All factors of a schedule up to any iteration, kept as sums of logarithms."""

    def __init__(self, schedule: Schedule, floored: bool) -> None:
        """`floored`: negative regrets are remembered undiscounted by the minimiser itself."""
        self.schedule, self.floored = schedule, floored
        self.log_positive, self.log_negative, self.log_share = np.zeros(1), np.zeros(1), np.zeros(1)
        self.sum = np.zeros(1)  # of weights, in units of their own iteration

    @property
    def alike(self) -> bool:
        """Whether averages and regrets weigh iterations alike."""
        t = np.arange(2.0, 50.0)
        return bool(np.allclose(factors_of(self.schedule, t).keep, self._negative(t - 1.0), rtol=1e-12, atol=0.0))

    @property
    def logarithms(self) -> tuple[Floats, Floats]:
        """Of all factors on positive and on negative regrets up to each iteration."""
        return self.log_positive, self.log_negative

    @property
    def growing(self) -> bool:
        """Whether later iterations weigh more in regrets."""
        return bool((self._negative(np.arange(1.0, 50.0)) < 1.0).any())

    def _negative(self, t: Floats) -> Floats:
        """A floored regret is zero, whatever the factor."""
        factor = factors_of(self.schedule, t).negative
        return np.ones_like(t) if self.floored else np.where(factor > 0.0, factor, 1.0)

    def _grow(self, last: int) -> None:
        known = len(self.log_positive) - 1
        if last <= known:
            return
        t = np.arange(known + 1, max(last, 2 * known) + 1, dtype=np.float64)
        keep = factors_of(self.schedule, t).keep
        if t[0] == 1.0:
            keep[0] = 1.0  # nothing came before
        positive = np.ones_like(t) if self.floored else factors_of(self.schedule, t).positive
        if (keep <= 0.0).any() or (positive <= 0.0).any():
            raise NotApplicableError(
                "Walks cannot follow a schedule that wipes out averages or positive regrets; solve with on=sequence or on=tree."
            )
        for name, factor in (
            ("log_positive", positive),
            ("log_negative", self._negative(t)),
            ("log_share", 1.0 / keep),
        ):
            old = getattr(self, name)
            # summed one after the other, so that it does not matter in which pieces
            setattr(self, name, np.concatenate([old[:-1], np.cumsum(np.concatenate([old[-1:], np.log(factor)]))]))
        self._sum_up(known)

    def _sum_up(self, known: int) -> None:
        total, sums = float(self.sum[-1]), []
        unit = self.unit(known)
        for t in range(known + 1, len(self.log_negative)):
            if self.unit(t) != unit:
                total, unit = math.ldexp(total, UNIT_BITS * (unit - self.unit(t))), self.unit(t)
            total += math.exp(-self.log_negative[t - 1] - _UNIT * unit)
            sums.append(total)
        self.sum = np.concatenate([self.sum, sums])

    def unit(self, t: int) -> int:
        """Of regrets in iteration t."""
        return int(-self.log_negative[max(t - 1, 0)] // _UNIT)

    def unit_of_average(self, t: int) -> int:
        return int(self.log_share[t] // _UNIT)

    def units(self, t: int) -> tuple[int, int]:
        self._grow(t)
        return self.unit(t), self.unit_of_average(t)

    def piece(self, first: int, last: int) -> Piece:
        """Iterations first .. last, or as many of them as share their units."""
        self._grow(last)
        units = self.unit(first), self.unit_of_average(first)
        t = np.arange(first, last + 1)
        here = (-self.log_negative[t - 1] // _UNIT == units[0]) & (self.log_share[t] // _UNIT == units[1])
        t = t[: len(here) if here.all() else int(np.argmin(here))]
        at = t.astype(np.float64)
        return Piece(
            first=first,
            positive=np.ones_like(at) if self.floored else factors_of(self.schedule, at).positive,
            negative=np.ones_like(at) if self.floored else factors_of(self.schedule, at).negative,
            weight=np.exp(-self.log_negative[t - 1] - _UNIT * units[0]),
            scale=np.exp(self.log_negative[t] + _UNIT * units[0]),
            weights=self.sum[t],
            share=np.exp(self.log_share[t] - _UNIT * units[1]),
            units=units,
        )

    def steady(self, t: int) -> tuple[float, float]:
        """What a positive and a negative regret of 1 in each of t iterations come to."""
        self._grow(t)
        logs = (self.log_positive, self.log_negative)
        positive, negative = (float(np.exp(log[t] - log[:t]).sum()) for log in logs)
        return positive, negative

    def shares(self, t: int) -> float:
        """Summed weights of the average up to iteration t, in its unit."""
        self._grow(t)
        return float(np.exp(self.log_share[1 : t + 1] - _UNIT * self.unit_of_average(t)).sum())
