"""Pictures of solutions: bars of the strategy and, where it was recorded, the way to it."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equilibrist.core.errors import FormatError, MissingExtraError
from equilibrist.interfaces.palette import action_colours, describe_action
from equilibrist.interfaces.strategies import StrategyRow, shortened, strategy_rows

if TYPE_CHECKING:
    from equilibrist.core.solution import Solution

ROWS_DRAWN = 60
DPI = 150
ROW_INCHES = 0.24
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

    rows = shortened(strategy_rows(solution.policy), ROWS_DRAWN)
    columns = _columns(rows)
    curve = [(t, e) for t, e in curve if e > 0]
    tallest = max((len(column) for column in columns), default=1)
    bars_height = max(1.6, ROW_INCHES * (tallest + sum(1 for r in _breaks(columns)) / 3) + 0.7)
    height = bars_height + 0.9 + (2.3 if len(curve) > 1 else 0.0)
    figure = Figure(figsize=(10, height), layout="constrained")
    parts = [bars_height, 2.3] if len(curve) > 1 else [bars_height]
    grid = figure.add_gridspec(len(parts), len(columns), height_ratios=parts)
    for number, column in enumerate(columns):
        _draw_rows(figure.add_subplot(grid[0, number]), column)
    if len(curve) > 1:
        _draw_curve(figure.add_subplot(grid[1, :]), curve, solution, unit)
    figure.suptitle(_title(solution, rows, unit), fontsize=11, color=INK)
    _draw_legend(figure, rows)
    return figure


def _breaks(columns: list[list[StrategyRow]]) -> list[int]:
    return [i for column in columns for i in range(1, len(column)) if column[i].public != column[i - 1].public]


def _columns(rows: list[StrategyRow]) -> list[list[StrategyRow]]:
    """One column for each player where they are few, so that a row's place says whose it is."""
    players = sorted({row.player for row in rows})
    if len(players) > 3:
        return [rows]
    return [[row for row in rows if row.player == player] for player in players] or [[]]


def _draw_rows(axes: Any, rows: list[StrategyRow]) -> None:
    """Stacked horizontal bars, a gap between public states."""
    heights, y = [], 0.0
    for number, row in enumerate(rows):
        y += 1.0 if number == 0 or row.public == rows[number - 1].public else 1.45
        heights.append(y)
        left = 0.0
        for colour, probability in zip(action_colours(row.actions), row.probabilities, strict=True):
            axes.barh(y, probability, left=left, height=0.82, color=colour, linewidth=0)
            if probability >= 0.12:
                text = f"{probability:.2f}"
                axes.text(left + probability / 2, y, text, ha="center", va="center", fontsize=7, color="white")
            left += probability
    axes.set_yticks(heights, [row.key for row in rows], fontsize=8, family="monospace")
    axes.set_ylim(y + 0.7, 0.3)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.5, 1], ["0", "½", "1"], fontsize=8)
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
    axes.tick_params(labelsize=8)
    axes.grid(True, which="major", color="#e5e5e5", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_legend(figure: Any, rows: list[StrategyRow]) -> None:
    """Every action once, in the order of the menus."""
    from matplotlib.patches import Patch

    colours: dict[str, str] = {}
    for row in rows:
        for action, colour in zip(row.actions, action_colours(row.actions), strict=True):
            colours.setdefault(describe_action(action), colour)
    if len(colours) > 16:
        return  # a long menu is read off its order, dark to light
    patches = [Patch(color=colour, label=action) for action, colour in colours.items()]
    figure.legend(handles=patches, loc="outside lower center", ncols=min(len(patches), 8), fontsize=8, frameon=False)


def _title(solution: Solution, rows: list[StrategyRow], unit: str) -> str:
    state = "" if solution.converged else "  (NOT converged)"
    shown, total = sum(row.merged for row in rows), len(solution.policy.infosets)
    places = f"{total:,} infosets" if shown == total else f"{shown:,} of {total:,} infosets"
    return (
        f"{solution.game} by {solution.solver}, {solution.iterations:,} iterations\n"
        f"exploitability {solution.exploitability:.3g} {unit}{state}, {places}"
    )
