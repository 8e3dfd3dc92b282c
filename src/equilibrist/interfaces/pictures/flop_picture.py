"""A report on many flops as a picture: what is done on each kind of flop, and what it is worth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equilibrist.interfaces.pictures.palette import colour_map, ink_on
from equilibrist.interfaces.pictures.strategy_pictures import INK, require_matplotlib, save_figure

if TYPE_CHECKING:
    from equilibrist.evaluation.flop_reports.report import FlopReport, Mean

MUTED = "#555555"
ROW_INCHES = 0.27
WIDTH_INCHES = 9.2
SHOWN = ("suits", "pairs", "straights", "high")
SMALLEST_LABEL = 0.07  # share of a bar that has room for its number


def save_flop_picture(report: FlopReport, line: str, path: Path) -> None:
    """Draw one line of a report into a file; the ending (.png, .svg, .pdf) decides the format."""
    save_figure(flop_figure(report, line), path)


def flop_figure(report: FlopReport, line: str = "") -> Any:
    """Bars of actions for all flops and for each kind; beside them share, EV and equity."""
    require_matplotlib()
    from matplotlib.figure import Figure

    groups: list[tuple[str, Sequence[Mean]]] = [("", (report.mean(line),))]
    groups += [(kind, report.by(kind, line)) for kind in SHOWN]
    place = report.place(line)
    colours = colour_map([place.labels])
    rows = sum(len(means) + 1 for _, means in groups)
    figure = Figure(figsize=(WIDTH_INCHES, ROW_INCHES * rows + 1.3))
    axes = figure.add_axes((0.14, 0.35 / (ROW_INCHES * rows + 1.3), 0.84, 1.0 - 1.15 / (ROW_INCHES * rows + 1.3)))
    row = 0
    for kind, means in groups:
        axes.text(-0.015, row + 0.5, kind, fontsize=9, color=MUTED, ha="right", va="center", style="italic")
        row += 1 if kind else 0
        for mean in means:
            _bar(axes, row, mean, [colours[label] for label in place.labels])
            row += 1
    _heads(axes)
    axes.set_xlim(0.0, 1.46)
    axes.set_ylim(row + 0.2, -1.0)
    axes.set_axis_off()
    title = f"{place.line or 'First decision'} of the flop: {place.player.upper()} acts, {len(report.solved):,} flops"
    figure.text(0.02, 1.0 - 0.25 / (ROW_INCHES * rows + 1.3), title, fontsize=12, weight="bold", color=INK, va="center")
    _legend(figure, place.actions, [colours[label] for label in place.labels], ROW_INCHES * rows + 1.3)
    return figure


def _bar(axes: Any, row: int, mean: Mean, colours: Sequence[str]) -> None:
    from matplotlib.patches import Rectangle

    axes.text(-0.015, row + 0.5, mean.name, fontsize=10, color=INK, ha="right", va="center")
    left = 0.0
    for share, colour in zip(mean.frequencies, colours, strict=True):
        if share != share:  # play never gets here
            continue
        axes.add_patch(Rectangle((left, row + 0.08), share, 0.84, facecolor=colour, linewidth=0))
        if share >= SMALLEST_LABEL:
            axes.text(
                left + share / 2.0,
                row + 0.52,
                f"{100.0 * share:.0f}",
                fontsize=8.5,
                color=ink_on(colour),
                ha="center",
                va="center",
            )
        left += share
    told = (
        f"{100.0 * mean.share:.1f} %",
        f"{mean.ev[0]:,.1f}",
        f"{mean.ev[1]:,.1f}",
        f"{100.0 * mean.equity[0]:.1f} %",
    )
    for place, text in zip(_COLUMNS, told, strict=True):
        axes.text(place, row + 0.5, text.replace("nan", "–"), fontsize=9, color=INK, ha="right", va="center")


_COLUMNS = (1.12, 1.23, 1.34, 1.45)  # where the numbers end


def _heads(axes: Any) -> None:
    for place, text in zip(_COLUMNS, ("share", "EV oop", "EV ip", "equity"), strict=True):
        axes.text(place, -0.5, text, fontsize=8.5, color=MUTED, ha="right", va="center")


def _legend(figure: Any, actions: Sequence[str], colours: Sequence[str], tall: float) -> None:
    left = 0.02
    for action, colour in zip(actions, colours, strict=True):
        figure.text(left, 1.0 - 0.55 / tall, "■", fontsize=12, color=colour, va="center")
        figure.text(left + 0.022, 1.0 - 0.55 / tall, action, fontsize=9.5, color=INK, va="center")
        left += 0.045 + 0.0095 * len(action)
