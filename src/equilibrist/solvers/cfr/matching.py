"""Regret matching on whole arrays: what `_kernels/matching.py` does row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Array


def in_proportion(weights: Array, total: Array, even: Any, least: float = 0.0) -> Array:
    """Weights, none of them negative, over their totals; `even` where these are at most `least`."""
    known = total > least
    return np.where(known, weights / np.where(known, total, 1.0), even)


def discounted(regret: Array, positive: float, negative: float) -> Array:
    """Regrets times one factor where they are positive and another where they are not."""
    return np.maximum(regret, 0.0) * positive + np.minimum(regret, 0.0) * negative


def match_slots(weights: Array, first: npt.NDArray[np.int32], actions: npt.NDArray[np.int32]) -> Array:
    """Strategies [slot, lane] of nodes whose slots begin at `first` and follow one another, from weights that are not negative."""
    total = np.repeat(np.add.reduceat(weights, first, axis=0), actions, axis=0)
    return in_proportion(weights, total, np.repeat(1.0 / actions, actions)[:, None])
