"""Pictures of solutions: bars of the strategy and, where it was recorded, the way to it."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equilibrist.core.errors import FormatError, MissingExtraError
from equilibrist.interfaces.palette import colour_map, describe_action, ink_on
from equilibrist.interfaces.strategies import StrategyRow, shortened, strategy_rows

if TYPE_CHECKING:
    from equilibrist.core.solution import Solution

ROWS_WHOLE = 60  # a game with at most so many rows is drawn whole
ROWS_FIRST = 36  # of a larger one, the first decisions
DPI = 150
ROW_INCHES = 0.22
CURVE_INCHES = 2.3
INK, FAINT = "#222222", "#8a8a8a"

Curve = Sequence[tuple[int, float]]  # iteration, exploitability


def require_matplotlib() -> None:
    """Refuse before the work is done rather than after."""
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plots", "Drawing a picture")


def save_solution_picture(solution: Solution, path: Path, *, curve: Curve = (), unit: str = "chips") -> None:
    """Draw a solution into a file; the ending (.png, .svg, .pdf) decides the format."""
    figure = solution_figure(solution, curve=curve, unit=unit)
    try:
        figure.savefig(path, dpi=DPI, facecolor="white")
    except (OSError, ValueError) as error:
        raise FormatError(f"Cannot write the picture '{path}': {error}; try a name that ends in .png.") from None


def solution_figure(solution: Solution, *, curve: Curve = (), unit: str = "chips") -> Any:
    """The figure itself, without a window or any global state of matplotlib."""
    require_matplotlib()
    from matplotlib.figure import Figure

    chosen = _columns(strategy_rows(solution.policy))
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
    state = "" if solution.converged else "  (NOT converged)"
    shown, total = sum(row.merged for row in rows), len(solution.policy.infosets)
    places = f"{total:,} infosets" if shown == total else f"{shown:,} of {total:,} infosets"
    return (
        f"{solution.game} by {solution.solver}, {solution.iterations:,} iterations\n"
        f"exploitability {solution.exploitability:.3g} {unit}{state}, {places}"
    )
