"""What an abstraction is like: sizes of buckets, how much equity varies within them, how far hands are from their centre."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.cards.card_abstraction import CardAbstraction
from equilibrist.abstraction.cards.deals import Streets, board_count, hands_on
from equilibrist.abstraction.cards.features import BINS, Histogram, Strength
from equilibrist.cards.evaluator import pairs
from equilibrist.core.arrays import Floats

LOOKED_AT = 200_000  # hands per street that a report is made of; all where there are fewer
RUNOUTS = 200  # completions per board of a report on a large deck


@dataclass(frozen=True, eq=False)
class StreetReport:
    """Numbers of one street, by deals."""

    name: str
    declared: int
    share: Floats  # [declared]; share of the deals in each bucket
    equity: Floats  # [declared]; mean E[HS]; nan for empty buckets
    variance: float  # of E[HS], all hands
    within: float  # of E[HS] within buckets, on average
    emd: float  # mean 1-D earth mover's distance of a hand's histogram to that of its bucket, in bins
    mixed: float  # share of deals in buckets that hold suited and offsuit hands
    hands: int  # looked at

    @property
    def used(self) -> int:
        return int((self.share > 0.0).sum())

    @property
    def smallest(self) -> float:
        return float(self.share[self.share > 0.0].min())

    @property
    def largest(self) -> float:
        return float(self.share.max())

    @property
    def deviation(self) -> float:
        return float(np.sqrt(self.within))

    @property
    def explained(self) -> float:
        return 1.0 - self.within / self.variance if self.variance > 0.0 else 1.0

    def to_json(self) -> dict[str, Any]:
        return {
            "street": self.name,
            "buckets": self.declared,
            "used": self.used,
            "smallest_share": self.smallest,
            "largest_share": self.largest,
            "equity_variance": self.variance,
            "equity_variance_within": self.within,
            "explained": self.explained,
            "emd_to_center_bins": self.emd,
            "mixed_suits": self.mixed,
            "hands_looked_at": self.hands,
        }


def report_on(made: CardAbstraction, hands: int = LOOKED_AT) -> list[StreetReport]:
    """All streets; large ones from evenly spread boards."""
    return [report_street(made, street, hands) for street in range(made.streets.count)]


def report_street(made: CardAbstraction, street: int, wanted: int = LOOKED_AT) -> StreetReport:
    """One street. Boards are dealt in the order of their streets as their canonical form has them."""
    streets = made.streets
    dealt = streets.ordered(street)
    boards = board_count(dealt, streets.deck)
    step = max(1, boards * len(pairs(streets.deck)) // wanted)
    batch = hands_on(dealt, streets.deck, np.arange(step // 2, boards, step))
    runouts = 0 if streets.runouts(street) <= RUNOUTS else RUNOUTS
    cards = batch.cards(streets.deck)
    bucket = made.bucket(street, cards)
    weight = batch.weight / batch.weight.sum()
    strength = Strength(runouts).rows(streets, batch)[:, 0].astype(np.float64)
    shares = np.asarray(np.bincount(bucket, weight, made.sizes[street]), np.float64)
    filled = np.maximum(shares, 1e-300)
    mean = np.bincount(bucket, weight * strength, made.sizes[street]) / filled
    return StreetReport(
        name=streets.names[street],
        declared=made.sizes[street],
        share=shares,
        equity=np.where(shares > 0.0, mean, np.nan),
        variance=float(weight @ (strength - weight @ strength) ** 2),
        within=float(weight @ (strength - mean[bucket]) ** 2),
        emd=_emd_to_centre(Histogram(BINS, runouts).rows(streets, batch), bucket, weight),
        mixed=_mixed(streets, cards, bucket, weight),
        hands=len(bucket),
    )


def _emd_to_centre(rows: NDArray[np.float32], bucket: NDArray[np.int64], weight: Floats) -> float:
    _, used = np.unique(bucket, return_inverse=True)
    cumulative = np.cumsum(rows, axis=1, dtype=np.float64)
    total = np.bincount(used, weight)
    centres = np.stack([np.bincount(used, weight * column) / total for column in cumulative.T], axis=1)
    return float(weight @ np.abs(cumulative - centres[used]).sum(axis=1))


def _mixed(streets: Streets, cards: NDArray[np.int8], bucket: NDArray[np.int64], weight: Floats) -> float:
    suited = cards[:, 0] % streets.deck.suits == cards[:, 1] % streets.deck.suits
    count = int(bucket.max()) + 1
    by = [np.bincount(bucket[kind], weight[kind], count) for kind in (suited, ~suited)]
    both = (by[0] > 0.0) & (by[1] > 0.0)
    return min(1.0, float((by[0] + by[1])[both].sum()))
