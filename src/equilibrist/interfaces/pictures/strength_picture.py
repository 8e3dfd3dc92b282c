"""The strength curve of a strategy as a picture: losses to graded responders, with the others as level lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from equilibrist.evaluation.reports.strength_report import GRADED, StrengthReport
from equilibrist.interfaces.pictures.strategy_pictures import FAINT, INK, require_matplotlib, save_figure

COLOURS = {"uct": "#0072B2", "fbr": "#D55E00"}
SHADES = ("#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#555555", "#882255", "#44AA99")


def strength_figure(report: StrengthReport, title: str) -> Any:
    """Loss against samples of the responder."""
    require_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.8), layout="constrained")
    axes = figure.add_subplot()
    for kind in GRADED:
        row = report.curve(kind)
        if row:
            samples = [loss.responder.strength or 0 for loss in row]
            losses, intervals = [loss.chips for loss in row], [loss.interval for loss in row]
            axes.errorbar(
                samples, losses, yerr=intervals, color=COLOURS[kind], marker="o", markersize=4, capsize=3, label=kind.upper()
            )  # fmt: skip
    others = [loss for loss in report.losses if loss.responder.strength is None]
    for number, loss in enumerate(others):
        style = ("-", "--", ":", "-.")[number % 4]
        axes.axhline(
            loss.chips, color=SHADES[number % len(SHADES)], linestyle=style, linewidth=1.2, label=loss.responder.label
        )
    if any(report.curve(kind) for kind in GRADED):
        axes.set_xscale("log")
        axes.set_xlabel("samples of the responder", color=INK)
    else:
        axes.set_xticks([])
    axes.set_ylabel("loss beyond the game value, chips per hand", color=INK)
    axes.grid(color=FAINT, alpha=0.25)
    axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    axes.set_title(title, fontsize=11, color=INK)
    return figure


def save_strength_picture(path: Path, report: StrengthReport, title: str) -> None:
    """Draw it into a file."""
    save_figure(strength_figure(report, title), path)
