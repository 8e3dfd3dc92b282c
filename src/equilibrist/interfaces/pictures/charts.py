"""Charts of a solved table: one page a seat, its most frequent decisions as 13×13 grids, to print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equilibrist.core.errors import FormatError
from equilibrist.core.writing import whole_file
from equilibrist.interfaces.pictures.grid import SIDE, Grid
from equilibrist.interfaces.pictures.palette import colour_map
from equilibrist.interfaces.pictures.strategy_pictures import DPI, INK, draw_cells, require_matplotlib

COLUMNS, ROWS = 3, 2
LETTERS = 5.0  # points, of the names of classes


@dataclass(frozen=True)
class Panel:
    """One decision on a page."""

    title: str
    grid: Grid
    names: Sequence[str]  # of the actions
    frequencies: Sequence[float]


def chart_page(heading: str, panels: Sequence[Panel], note: str) -> Any:
    """One page of A4, across."""
    require_matplotlib()
    from matplotlib.figure import Figure

    page = Figure(figsize=(11.69, 8.27))
    page.text(0.03, 0.965, heading, fontsize=13, weight="bold", color=INK, va="center")
    page.text(0.03, 0.015, note, fontsize=6.5, color=INK, va="bottom")
    for number, panel in enumerate(panels[: COLUMNS * ROWS]):
        row, column = divmod(number, COLUMNS)
        left, bottom = 0.03 + 0.325 * column, 0.51 - 0.46 * row
        axes = page.add_axes((left, bottom, 0.30, 0.385))
        draw_cells(axes, panel.grid, letters=LETTERS)
        axes.set_xlim(0, SIDE)
        axes.set_ylim(SIDE, 0)
        axes.set_axis_off()
        page.text(left, bottom + 0.41, panel.title, fontsize=8.5, weight="bold", color=INK, va="center")
        _legend(page, left, bottom + 0.392, panel)
    return page


def _legend(page: Any, left: float, height: float, panel: Panel) -> None:
    colours = colour_map([panel.grid.actions])
    place = left
    for action, name, share in zip(panel.grid.actions, panel.names, panel.frequencies, strict=True):
        page.text(place, height, "■", fontsize=7, color=colours[action], va="center")
        text = f"{name} {100.0 * share:.1f} %"
        page.text(place + 0.009, height, text, fontsize=6.0, color=INK, va="center")
        place += 0.014 + 0.0041 * len(text)


def save_pages(pages: Iterable[Any], path: Path) -> None:
    """All pages in one PDF."""
    require_matplotlib()
    from matplotlib.backends.backend_pdf import PdfPages

    with whole_file(path) as out, PdfPages(out, metadata={"CreationDate": None}) as book:
        for page in pages:
            book.savefig(page, facecolor="white")


def save_page(page: Any, path: Path) -> None:
    """One page as a picture; the ending decides the format."""
    try:
        with whole_file(path) as out:
            page.savefig(out, format=path.suffix.lower().lstrip(".") or "png", dpi=DPI, facecolor="white")
    except ValueError as error:
        raise FormatError(f"Cannot write the picture '{path}': {error}; try a name that ends in .png.") from None
