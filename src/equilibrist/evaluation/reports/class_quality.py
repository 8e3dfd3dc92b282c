"""What can be said about classes of hands without solving anything: how many hands they hold, and how unlike these are."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from equilibrist.abstraction.information.hand_strength import HandStrength
from equilibrist.forms.hand_classes.classes import HandClasses

ROUNDING = 1e-20  # a variance of equities below this is none


@dataclass(frozen=True)
class RoundQuality:
    """One betting round; sizes count hands with suits told apart."""

    round: int  # from 1
    classes: int
    hands: int
    smallest: int
    median: float
    largest: int
    equity_variance: float  # mean over hands of the squared difference from the class's mean of w + d/2
    equity_explained: (
        float  # share of all variance of equity that lies between classes; 1 where there is none to explain
    )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def class_quality(strength: HandStrength, classes: HandClasses) -> tuple[RoundQuality, ...]:
    """Sizes and variances of every round, exactly."""
    return tuple(_round_quality(strength, classes, round) for round in range(len(classes.seen)))


def _round_quality(strength: HandStrength, classes: HandClasses, round: int) -> RoundQuality:
    deal, table = classes.seen[round], classes.table[round]
    weight, equity = strength.weight[deal], strength.equity(deal)
    sizes = np.bincount(table, weight, classes.counts[round])
    means = np.bincount(table, weight * equity, classes.counts[round]) / sizes
    total = float(sizes.sum())
    within = float(weight @ (equity - means[table]) ** 2) / total
    within = within if within > ROUNDING else 0.0
    everywhere = float(weight @ (equity - weight @ equity / total) ** 2) / total
    return RoundQuality(
        round=round + 1,
        classes=classes.counts[round],
        hands=int(total),
        smallest=int(sizes.min()),
        median=float(np.median(sizes)),
        largest=int(sizes.max()),
        equity_variance=within,
        equity_explained=1.0 - within / everywhere if everywhere > 0.0 else 1.0,
    )
