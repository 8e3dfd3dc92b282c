"""Pictures of card abstractions: how large buckets are and which equities they hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from equilibrist.abstraction.cards.card_abstraction import CardAbstraction
from equilibrist.abstraction.cards.report import StreetReport
from equilibrist.interfaces.pictures.strategy_pictures import FAINT, INK, require_matplotlib, save_figure

COLOUR = "#0072B2"


def save_bucket_picture(made: CardAbstraction, found: Sequence[StreetReport], path: Path) -> None:
    """Draw a report into a file; the ending (.png, .svg, .pdf) decides the format."""
    save_figure(bucket_figure(made, found), path)


def bucket_figure(made: CardAbstraction, found: Sequence[StreetReport]) -> Any:
    """For each street: share of deals against mean equity, one dot per bucket, and the sizes in falling order."""
    require_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 2.4 * len(found) + 0.6), layout="constrained")
    axes = figure.subplots(len(found), 2, squeeze=False)
    for (left, right), street in zip(axes, found, strict=True):
        used = street.share > 0.0
        left.scatter(street.equity[used], 100.0 * street.share[used], s=9, color=COLOUR, alpha=0.6, linewidths=0)
        left.set_xlim(0.0, 1.0)
        left.set_ylabel("% of deals")
        left.set_title(
            f"{street.name}: {street.used:,} of {street.declared:,} buckets, {100 * street.explained:.1f} % of the variance of equity",
            fontsize=9,
            color=INK,
            loc="left",
        )
        sizes = np.sort(street.share[used])[::-1]
        right.plot(np.arange(1, len(sizes) + 1), 100.0 * sizes, color=COLOUR)
        right.set_title(
            f"sizes in falling order; EMD to centre {street.emd:.2f} bins", fontsize=9, color=INK, loc="left"
        )
        right.set_yscale("log")
        for axis in (left, right):
            axis.grid(color=FAINT, alpha=0.25)
            axis.tick_params(labelsize=8)
    axes[-1][0].set_xlabel("mean E[HS] of the bucket")
    axes[-1][1].set_xlabel("bucket")
    figure.suptitle(f"card abstraction {made.hash[:12]}, {made.recall} recall", fontsize=11, color=INK)
    return figure
