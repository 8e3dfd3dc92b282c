"""Runouts as a picture: cards by rank and suit, coloured by how often the first player bets and by EV."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equilibrist.cards.deck import RANKS
from equilibrist.cards.range_text import STANDARD
from equilibrist.interfaces.pictures.palette import ink_on
from equilibrist.interfaces.pictures.strategy_pictures import (
    ABSENT_INK,
    EMPTY,
    INK,
    SUIT_INKS,
    SUIT_SIGNS,
    require_matplotlib,
    save_figure,
)

if TYPE_CHECKING:
    from equilibrist.evaluation.reports.runouts import RunoutReport

SUITS = "shdc"  # from top to bottom
BETTING_STOPS = ("#f7f3e8", "#f0a830", "#a81e2d")  # never to always, in the colours of bets
EV_STOPS = ("#1f5fa8", "#a9cbe6", "#f5f3ee", "#9fd3bb", "#00704f")  # worse, as before, better
MUTED = "#555555"
PANEL_INCHES = 3.0
WIDTH_INCHES = 9.2

Cells = Mapping[str, float]  # by card
Colour = Callable[[float], str]


def save_runout_picture(report: RunoutReport, path: Path) -> None:
    """Draw a report into a file; the ending (.png, .svg, .pdf) decides the format."""
    save_figure(runout_figure(report), path)


def runout_figure(report: RunoutReport) -> Any:
    """Betting frequency above, EV below; only EV where nobody acts any more."""
    require_matplotlib()
    from matplotlib.figure import Figure

    panels = [_ev_panel] if report.player is None else [_betting_panel, _ev_panel]
    tall = PANEL_INCHES * len(panels) + 0.4
    figure = Figure(figsize=(WIDTH_INCHES, tall))
    for number, panel in enumerate(panels):
        top = tall - 0.4 - PANEL_INCHES * number
        panel(figure.add_axes((0.03, (top - 2.84) / tall, 0.955, 2.48 / tall)), report)
    board = " ".join(STANDARD.label(card)[0] + SUIT_SIGNS[STANDARD.label(card)[1]] for card in report.cards)
    title = f"{board}   after {report.line}, pot {report.pot:,.10g}: every next card"
    figure.text(0.06, 1.0 - 0.26 / tall, title, fontsize=12, weight="bold", color=INK, va="center")
    return figure


def _betting_panel(axes: Any, report: RunoutReport) -> None:
    cells = {row.card: report.betting(row) for row in report.rows if row.probability > 0.0}
    mean = math.fsum(row.probability * cells[row.card] for row in report.rows if row.card in cells)
    title = f"{str(report.player).upper()} bets, in percent (all cards together {100.0 * mean:.1f} %)"
    _draw_panel(
        axes, title, report, cells, lambda share: _colour(BETTING_STOPS, share), lambda share: f"{100.0 * share:.0f}"
    )


def _ev_panel(axes: Any, report: RunoutReport) -> None:
    """White is the EV before the card; the farthest card has the full colour."""
    seat = 1 if report.player == "ip" else 0
    before = report.ev[seat]
    cells = {row.card: row.ev[seat] for row in report.rows if row.probability > 0.0}
    span = max((abs(value - before) for value in cells.values()), default=0.0) or 1.0
    digits = 0 if report.pot >= 100.0 else 1 if report.pot >= 10.0 else 2
    told = f"before the card {before:,.{digits + 1}f}" if cells else "the line is never played"
    title = f"EV of {('oop', 'ip')[seat].upper()}, in chips ({told})"
    _draw_panel(
        axes,
        title,
        report,
        cells,
        lambda value: _colour(EV_STOPS, 0.5 + 0.5 * (value - before) / span),
        lambda value: f"{value:,.{digits}f}",
    )


def _draw_panel(
    axes: Any, title: str, report: RunoutReport, cells: Cells, colour: Colour, write: Callable[[float], str]
) -> None:
    """Ranks from the ace on, suits below each other; cards that cannot come stay empty."""
    from matplotlib.patches import Rectangle

    lying = {STANDARD.label(card) for card in report.cards}
    for row, suit in enumerate(SUITS):
        for column, rank in enumerate(reversed(RANKS)):
            if rank + suit in lying:
                continue
            value = cells.get(rank + suit)
            fill = EMPTY if value is None else colour(value)
            axes.add_patch(Rectangle((column + 0.025, row + 0.03), 0.95, 0.94, facecolor=fill, linewidth=0))
            text, ink = ("–", ABSENT_INK) if value is None else (write(value), ink_on(fill))
            axes.text(column + 0.5, row + 0.52, text, fontsize=11, color=ink, ha="center", va="center")
        axes.text(-0.24, row + 0.5, SUIT_SIGNS[suit], fontsize=15, color=SUIT_INKS[suit], ha="center", va="center")
    for column, rank in enumerate(reversed(RANKS)):
        axes.text(column + 0.5, -0.2, rank, fontsize=11, weight="bold", color=INK, ha="center", va="center")
    _mark_board(axes, report)
    axes.text(0.03, -0.62, title, fontsize=10.5, color=MUTED, va="center")
    axes.set_xlim(-0.4, 13)
    axes.set_ylim(4, -0.45)
    axes.set_axis_off()


def _mark_board(axes: Any, report: RunoutReport) -> None:
    """Cards that lie there already, framed so that no colour of theirs is taken for a value."""
    from matplotlib.patches import Rectangle

    for card in report.cards:
        label = STANDARD.label(card)
        left, top, ink = RANKS[::-1].index(label[0]), SUITS.index(label[1]), SUIT_INKS[label[1]]
        axes.add_patch(
            Rectangle((left + 0.045, top + 0.055), 0.91, 0.89, facecolor="white", edgecolor=ink, linewidth=1.8)
        )
        sign = label[0] + SUIT_SIGNS[label[1]]
        axes.text(left + 0.5, top + 0.52, sign, fontsize=12, weight="bold", color=ink, ha="center", va="center")


def _colour(stops: tuple[str, ...], share: float) -> str:
    """A colour on the way through evenly spaced stops."""
    position = min(max(share, 0.0), 1.0) * (len(stops) - 1)
    left = min(int(position), len(stops) - 2)
    channels = [(int(stops[left][i : i + 2], 16), int(stops[left + 1][i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * (position - left)):02x}" for a, b in channels)
