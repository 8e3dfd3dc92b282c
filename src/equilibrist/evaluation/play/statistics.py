"""What match results say: means with intervals, duplicate pairs, series, endgames, bankrolls ([Gilpin09, §6.4.2]; [Ganzfried15, §10.6])."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError

Z95 = 1.959963984540054  # two-sided 95 % of the normal distribution


@dataclass(frozen=True)
class Estimate:
    """A mean and what is known of it."""

    mean: float
    deviation: float  # of one sample
    samples: int

    @property
    def error(self) -> float:
        """Standard error of the mean; infinite for one sample."""
        return self.deviation / math.sqrt(self.samples) if self.samples > 1 else math.inf

    @property
    def interval(self) -> tuple[float, float]:
        """95 %, by the normal distribution."""
        return self.mean - Z95 * self.error, self.mean + Z95 * self.error

    def scaled(self, factor: float) -> Estimate:
        return Estimate(self.mean * factor, self.deviation * abs(factor), self.samples)


def estimate(samples: Sequence[float] | Floats) -> Estimate:
    """Mean and deviation of independent samples."""
    values = np.asarray(samples, dtype=np.float64)
    if values.ndim != 1 or not values.size:
        raise ParameterError(f"An estimate needs a list of numbers, but an array of shape {values.shape} was given.")
    spread = float(values.std(ddof=1)) if values.size > 1 else 0.0
    return Estimate(float(values.mean()), spread, int(values.size))


def duplicate_estimate(first: Sequence[float] | Floats, swapped: Sequence[float] | Floats) -> Estimate:
    """The same deals from both seats: each pair's average is one sample."""
    one, two = np.asarray(first, dtype=np.float64), np.asarray(swapped, dtype=np.float64)
    if one.shape != two.shape:
        raise ParameterError(f"Duplicate results come in pairs, but {one.size} and {two.size} were given.")
    return estimate((one + two) / 2.0)


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


def sign_test(wins: int, series: int) -> float:
    """Two-sided probability that a fair coin is as far from even ([Gilpin09, Table 6.1]: 38 of 50 gives 3.06e-4)."""
    if not 0 <= wins <= series or series < 1:
        raise ParameterError(f"A sign test needs 0 to {series} wins of at least one series, but {wins} were given.")
    far = max(wins, series - wins)
    tail = float(sum(math.comb(series, k) for k in range(far, series + 1)) / 2.0**series)
    return min(1.0, 2.0 * tail)


def one_tailed_t(result: Estimate) -> float:
    """Probability of a mean this high if nothing were won (Student's t, as for Pluribus in [Brown20, §6.6])."""
    from scipy.stats import t

    if result.samples < 2 or not result.deviation:
        return 0.5 if not result.mean else float(result.mean < 0)
    return float(t.sf(result.mean / result.error, result.samples - 1))


def instant_runoff(results: Mapping[tuple[str, str], float]) -> list[str]:
    """Players from best to worst: the one with the lowest total against those left drops out each time.

    `results[a, b]` is what a wins from b.
    """
    left = sorted({name for pair in results for name in pair})
    dropped: list[str] = []
    while left:
        totals = {a: sum(results.get((a, b), -results.get((b, a), 0.0)) for b in left if b != a) for a in left}
        worst = min(left, key=lambda name: totals[name])
        dropped.append(worst)
        left.remove(worst)
    return dropped[::-1]
