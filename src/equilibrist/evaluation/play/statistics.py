"""What match results say: means with intervals, and how likely they would be by luck."""

from __future__ import annotations

import math
from collections.abc import Sequence
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


def one_tailed_t(result: Estimate) -> float:
    """Probability of a mean this high if nothing were won (Student's t, as for Pluribus in [Brown20, §6.6])."""
    from scipy.special import stdtr

    if result.samples < 2 or not result.deviation:
        return 0.5 if not result.mean else float(result.mean < 0)
    return float(stdtr(result.samples - 1, -result.mean / result.error))
