"""The picture of what a model can be taken for and at what risk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from equilibrist.interfaces.pictures.strategy_pictures import FAINT, INK, require_matplotlib, save_figure


class FrontierPoint(Protocol):
    """What a response gains and risks."""

    @property
    def gain(self) -> float: ...
    @property
    def risk(self) -> float: ...


class NamedPoint(FrontierPoint, Protocol):
    """The same with a word for the legend."""

    @property
    def kind(self) -> str: ...


LINE, MARK = "#0072B2", "#D55E00"


def frontier_figure(
    title: str,
    curve: Sequence[FrontierPoint],
    marked: Sequence[NamedPoint] = (),
    unit: str = "chips",
    over: str = "the game value",
) -> Any:
    """Gain `over` something against risk along a frontier; single answers are marked and named."""
    require_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    if curve:
        axes.plot(
            [a.risk for a in curve], [a.gain for a in curve], color=LINE, marker="o", markersize=4, label="frontier"
        )
    for number, answer in enumerate(marked):
        axes.plot([answer.risk], [answer.gain], color=MARK, marker="sD^v"[number % 4], linestyle="", label=answer.kind)
    axes.set_xlabel(f"risk: exploitability of the response, {unit} per hand", color=INK)
    axes.set_ylabel(f"gain over {over}, {unit} per hand", color=INK)
    axes.grid(color=FAINT, alpha=0.25)
    axes.legend(frameon=False)
    axes.set_title(title, fontsize=11, color=INK)
    return figure


def save_frontier_picture(
    path: Path,
    title: str,
    curve: Sequence[FrontierPoint],
    marked: Sequence[NamedPoint] = (),
    unit: str = "chips",
    over: str = "the game value",
) -> None:
    """Draw it into a file."""
    save_figure(frontier_figure(title, curve, marked, unit, over), path)
