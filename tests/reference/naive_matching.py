"""Regret matching written down plainly."""

from __future__ import annotations

from collections.abc import Sequence


def matched(regrets: Sequence[float]) -> list[float]:
    """Positive regrets in proportion; even where none is positive."""
    positive = [max(float(regret), 0.0) for regret in regrets]
    total = sum(positive)
    return [each / total for each in positive] if total > 0.0 else [1.0 / len(positive)] * len(positive)
