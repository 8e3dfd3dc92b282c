"""Pictures of solutions: bars of the strategy and, where it was recorded, the way to it."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equilibrist.core.errors import FormatError, MissingExtraError
from equilibrist.core.writing import whole_file
from equilibrist.interfaces.pictures.palette import colour_map, describe_action, ink_on
from equilibrist.interfaces.strategies import StrategyRow, shortened, solution_rows

if TYPE_CHECKING:
    from equilibrist.core.solution import Solution
    from equilibrist.interfaces.pictures.grid import Grid

ROWS_WHOLE = 60  # a game with at most so many rows is drawn whole
ROWS_FIRST = 36  # of a larger one, the first decisions
DPI = 150
ROW_INCHES = 0.22
CURVE_INCHES = 2.3
INK, FAINT = "#222222", "#8a8a8a"
EMPTY, ABSENT_INK = "#f1f1ee", "#bdbdb8"  # cells of the grid
SUIT_INKS = {"c": "#2e8b3d", "d": "#2563c9", "h": "#c8102e", "s": "#222222"}
SUIT_SIGNS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}

Curve = Sequence[tuple[int, float]]  # iteration, exploitability


def require_matplotlib() -> None:
    """Refuse before the work is done rather than after."""
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plots", "Drawing a picture")


def save_solution_picture(solution: Solution, path: Path, *, curve: Curve = (), unit: str = "chips") -> None:
    """Draw a solution into a file; the ending (.png, .svg, .pdf) decides the format."""
    save_figure(solution_figure(solution, curve=curve, unit=unit), path)


def save_grid_picture(
    grid: Grid, path: Path, *, board: Sequence[int], frequencies: Sequence[float], names: Sequence[str], caption: str
) -> None:
    """Draw a 13×13 grid into a file; `names` and `frequencies` of the actions make the legend."""
    save_figure(grid_figure(grid, board=board, frequencies=frequencies, names=names, caption=caption), path)


def save_figure(figure: Any, path: Path) -> None:
    """The ending of the name decides the format."""
    try:
        with whole_file(path) as out:
            figure.savefig(out, format=path.suffix.lower().lstrip(".") or "png", dpi=DPI, facecolor="white")
    except ValueError as error:
        raise FormatError(f"Cannot write the picture '{path}': {error}; try a name that ends in .png.") from None


def solution_figure(solution: Solution, *, curve: Curve = (), unit: str = "chips") -> Any:
    """The figure itself, without a window or any global state of matplotlib."""
    require_matplotlib()
    from matplotlib.figure import Figure

    chosen = _columns(solution_rows(solution))
    rows = [row for column in chosen for row in column]
    colours = colour_map(row.actions for row in rows)
    columns = [(column, _heights(column)) for column in chosen]
    tallest = max(heights[-1] if heights else 1.0 for _, heights in columns)
    parts = [ROW_INCHES * tallest + 0.6]
    curve = [(t, e) for t, e in curve if e > 0]
    if len(curve) > 1:
        parts.append(CURVE_INCHES)
    figure = Figure(figsize=(10, sum(parts) + 1.0), layout="constrained")
    grid = figure.add_gridspec(len(parts), len(columns), height_ratios=parts)
    for number, (column, heights) in enumerate(columns):
        _draw_rows(figure.add_subplot(grid[0, number]), column, heights, tallest, colours)
    if len(curve) > 1:
        _draw_curve(figure.add_subplot(grid[1, :]), curve, solution, unit)
    figure.suptitle(_title(solution, rows, unit), fontsize=11, color=INK)
    _draw_legend(figure, colours)
    return figure


def _columns(rows: list[StrategyRow]) -> list[list[StrategyRow]]:
    """One column for each player where they are few, each with its share of what there is room for."""
    players = sorted({row.player for row in rows})
    columns = [rows]
    if 1 <= len(players) <= 3:
        columns = [[row for row in rows if row.player == player] for player in players]
    if len(rows) <= ROWS_WHOLE:
        return columns
    return [shortened(column, ROWS_FIRST // len(columns)) for column in columns]


def _heights(rows: list[StrategyRow]) -> list[float]:
    """Where each bar lies: one unit apart, half a unit more between public states."""
    heights: list[float] = []
    for number, row in enumerate(rows):
        apart = 1.0 if number == 0 or row.public == rows[number - 1].public else 1.5
        heights.append(apart + (heights[-1] if heights else 0.0))
    return heights


def _draw_rows(
    axes: Any, rows: list[StrategyRow], heights: list[float], tallest: float, colours: dict[str, str]
) -> None:
    """Stacked horizontal bars with their numbers."""
    for row, y in zip(rows, heights, strict=True):
        left = 0.0
        for action, probability in zip(row.actions, row.probabilities, strict=True):
            axes.barh(y, probability, left=left, height=0.82, color=colours[action], linewidth=0)
            if probability >= 0.15:
                text = f"{action} {probability:.2f}" if len(action) <= 4 else f"{probability:.2f}"
                middle, ink = left + probability / 2, ink_on(colours[action])
                axes.text(middle, y, text, ha="center", va="center", fontsize=7, color=ink)
            left += probability
    axes.set_yticks(heights, [row.key for row in rows], fontsize=8, family="monospace")
    axes.set_ylim(tallest + 0.7, 0.3)
    axes.set_xlim(0, 1)
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    if rows:
        axes.set_title(f"player {rows[0].player + 1}", fontsize=9, color=INK, loc="left")


def _draw_curve(axes: Any, curve: Curve, solution: Solution, unit: str) -> None:
    axes.loglog([t for t, _ in curve], [e for _, e in curve], color="#a81e2d", linewidth=1.6)
    goal = solution.settings.get("until")
    if goal:
        axes.axhline(goal, color=FAINT, linewidth=0.8, linestyle="--")
        axes.text(curve[0][0], goal, "target", fontsize=7, color=FAINT, va="bottom")
    axes.set_xlabel("iteration", fontsize=8)
    axes.set_ylabel(f"exploitability ({unit})", fontsize=8)
    axes.tick_params(which="both", labelsize=8)
    axes.grid(True, which="major", color="#e5e5e5", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_legend(figure: Any, colours: dict[str, str]) -> None:
    """Every action once, in the order of the menus."""
    from matplotlib.patches import Patch

    if len(colours) > 16:
        return  # a long menu is read off its order, dark to light
    patches = [Patch(color=colour, label=describe_action(action)) for action, colour in colours.items()]
    figure.legend(handles=patches, loc="outside lower center", ncols=min(len(patches), 8), fontsize=8, frameon=False)


def _title(solution: Solution, rows: list[StrategyRow], unit: str) -> str:
    state = f"  ({solution.unfinished})" if solution.unfinished else ""
    shown, total = sum(row.merged for row in rows), solution.infosets
    places = f"{total:,} infosets" if shown == total else f"{shown:,} of {total:,} infosets"
    return (
        f"{solution.game} by {solution.solver}, {solution.iterations:,} iterations\n"
        f"exploitability {solution.exploitability:.3g} {unit}{state}, {places}"
    )


def grid_figure(
    grid: Grid, *, board: Sequence[int], frequencies: Sequence[float], names: Sequence[str], caption: str
) -> Any:
    """In a cell height is reach and width is the action mix; the board stands above, the legend below."""
    require_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.6, 8.6))
    axes = figure.add_axes((0.02, 0.075, 0.96, 0.96 * 7.6 / 8.6))
    draw_cells(axes, grid)
    axes.set_xlim(0, 13)
    axes.set_ylim(13, 0)
    axes.set_axis_off()
    _draw_board(figure, board)
    figure.text(0.978, 0.9655, caption, fontsize=9, color=INK, ha="right", va="center", linespacing=1.35)
    _draw_frequencies(figure, grid, frequencies, names)
    return figure


def draw_cells(axes: Any, grid: Grid, letters: float = 9.0) -> None:
    """All classes of a grid; `letters` is the size of their names in points."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    from equilibrist.interfaces.pictures.grid import SIDE, class_name

    colours, gap = colour_map([grid.actions]), 0.025
    inner = 1.0 - 2.0 * gap
    boxes: list[tuple[Any, str]] = []
    for row in range(SIDE):
        for column in range(SIDE):
            boxes.append((Rectangle((column + gap, row + gap), inner, inner), EMPTY))
            tall = inner * float(grid.height[row, column])
            left = column + gap
            for action, share in zip(grid.actions, grid.mix[row, column], strict=True):
                boxes.append((Rectangle((left, row + 1 - gap - tall), inner * share, tall), colours[action]))
                left += inner * float(share)
            _draw_label(axes, class_name(row, column), column, row, tall if grid.present[row, column] else 0.0, letters)
    patches = PatchCollection([box for box, _ in boxes], facecolors=[colour for _, colour in boxes], linewidths=0)
    axes.add_collection(patches)


def _draw_label(axes: Any, name: str, column: int, row: int, tall: float, letters: float) -> None:
    """On colour white letters with a dark rim, above a low bar dark ones, faint where the class is hardly ever held."""
    from matplotlib.patheffects import withStroke

    covered = tall > 0.72
    rim = [withStroke(linewidth=0.2 * letters, foreground="#1c1c1cb0")] if covered else []
    ink = "white" if covered else INK if tall > 0.02 else FAINT if tall > 0.0 else ABSENT_INK
    weight = "bold" if tall > 0.02 else "normal"
    at = (column + 0.09, row + 0.11)
    axes.text(*at, name, fontsize=letters, color=ink, weight=weight, ha="left", va="top", path_effects=rim)


def _draw_board(figure: Any, board: Sequence[int]) -> None:
    """The cards as small tiles in the colours of their suits; a gap after the flop and after the turn."""
    from matplotlib.patches import FancyBboxPatch

    from equilibrist.cards.range_text import STANDARD

    axes = figure.add_axes((0.02, 0.939, 0.5, 0.053))
    axes.set_xlim(0, 7.6 * 0.5 / (8.6 * 0.053))
    axes.set_ylim(0, 1)
    axes.set_axis_off()
    for place, card in enumerate(board):
        label = STANDARD.label(card)
        left = 0.12 + 1.02 * place + 0.22 * max(0, place - 2)
        shape = "round,pad=0,rounding_size=0.12"
        tile = FancyBboxPatch((left, 0.04), 0.92, 0.92, boxstyle=shape, facecolor=SUIT_INKS[label[1]], linewidth=0)
        axes.add_patch(tile)
        sign = label[0] + SUIT_SIGNS[label[1]]
        axes.text(left + 0.46, 0.48, sign, fontsize=14, color="white", weight="bold", ha="center", va="center")


def _draw_frequencies(figure: Any, grid: Grid, frequencies: Sequence[float], names: Sequence[str]) -> None:
    """One bar of the aggregate strategy, and a legend with percentages under it."""
    colours = colour_map([grid.actions])
    bar = figure.add_axes((0.025, 0.048, 0.95, 0.018))
    left = 0.0
    for action, share in zip(grid.actions, frequencies, strict=True):
        bar.barh(0, share, left=left, height=1.0, color=colours[action], linewidth=0)
        left += share
    bar.set_xlim(0, 1)
    bar.set_ylim(-0.5, 0.5)
    bar.set_axis_off()
    many = len(grid.actions) > 4  # then the percentage goes below the name
    place, room = 0.025, 0.95 / max(len(grid.actions), 4)
    for action, name, share in zip(grid.actions, names, frequencies, strict=True):
        figure.text(place, 0.022, "■", fontsize=13, color=colours[action], va="center")
        label = ("\n" if many else "  ").join((name, f"{100.0 * share:.1f} %"))
        figure.text(place + 0.028, 0.0225, label, fontsize=8 if many else 9.5, color=INK, va="center")
        place += room
