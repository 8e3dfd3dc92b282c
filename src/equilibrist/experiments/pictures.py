"""Pictures of experiments, by matplotlib, which is imported only when a picture is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equilibrist.core.errors import MissingExtraError, ParameterError
from equilibrist.core.writing import whole_file
from equilibrist.experiments.findings import Check, Findings

if TYPE_CHECKING:
    from equilibrist.experiments.tables import Rerun

# Dark enough on white and told apart by colour-blind readers; beyond eight, line styles change too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#56B4E9", "#6A3D9A", "#444444")
STYLES = ("-", "--", ":")
FORMATS = ("png", "svg", "pdf")
PASSED, FAILED = "#0072B2", "#D55E00"


def check_picture(path: str) -> None:
    """Refuse before the work begins what could not be written after it."""
    if Path(path).suffix.lower().lstrip(".") not in FORMATS:
        raise ParameterError(f"The picture '{path}' must end in .png, .svg or .pdf.")
    if not Path(path).absolute().parent.is_dir():
        raise ParameterError(f"The folder of the picture '{path}' does not exist; create it or name another.")
    _figure_class()


def write_picture(title: str, findings: Findings, path: str) -> None:
    """Draw to a file, whole or not at all."""
    figure = _figure_class()(figsize=(10, 5.5), layout="constrained")
    if findings.draw is not None:
        findings.draw(figure)
    else:
        compare(figure, findings.checks)
    figure.suptitle(title)
    suffix = Path(path).suffix.lower()
    with whole_file(path) as out:
        figure.savefig(out, format=suffix.lstrip("."), dpi=150)


def _figure_class() -> Any:
    try:
        from matplotlib.figure import Figure  # no pyplot: no global state, no display
    except ImportError:
        raise MissingExtraError("matplotlib", "plots", "Drawing a picture") from None
    return Figure


def curves(figure: Any, tables: Mapping[str, Rerun], across: str, up: str) -> None:
    """One panel per table: a line for one run, a bar over all equivalent runs, a cross for each reference number."""
    solvers = list(dict.fromkeys(solver for rerun in tables.values() for solver in rerun.cells))
    looks = {s: (COLOURS[i % len(COLOURS)], STYLES[i // len(COLOURS) % len(STYLES)]) for i, s in enumerate(solvers)}
    lines: dict[str, Any] = {}
    columns = min(2, len(tables))
    panels = figure.subplots(-(-len(tables) // columns), columns, squeeze=False).flat
    for panel, (name, rerun) in zip(panels, tables.items(), strict=False):
        marks = list(rerun.table.marks)
        for solver, cells in rerun.cells.items():
            colour, style = looks[solver]
            (lines[solver],) = panel.plot(*rerun.curves[solver], style, color=colour, linewidth=1.2)
            panel.vlines(
                marks,
                [min(c.values) for c in cells],
                [max(c.values) for c in cells],
                color=colour,
                linewidth=3,
                alpha=0.3,
            )
            panel.plot(marks, rerun.table.rows[solver], "x", color=colour, markersize=5)
        panel.set(xscale="log", yscale="log", title=name, xlabel=across, ylabel=up)
        panel.grid(alpha=0.25)
    about = "line: measured\nbar: equivalent runs\ncross: reference"
    figure.legend(
        lines.values(), lines, loc="outside right upper", fontsize=7, frameon=False, title=about, title_fontsize=7
    )


def compare(figure: Any, checks: Sequence[Check]) -> None:
    """Every numeric check on one axis: 0 is the target, the shaded band its tolerance."""
    shown = [(check, place) for check in checks if (place := _place(check)) is not None]
    panel = figure.subplots()
    panel.axvspan(-1.0, 1.0, color="#009E73", alpha=0.12, linewidth=0)
    panel.axvline(0.0, color="#444444", linewidth=0.8)
    for row, (check, place) in enumerate(shown):
        colour, marker = (PASSED, "o") if check.passed else (FAILED, "X")
        panel.plot(max(-2.0, min(2.0, place)), row, marker, color=colour, markersize=7)
    panel.set_yticks(range(len(shown)), [_label(check) for check, _ in shown], fontsize=7)
    panel.set(xlim=(-2.2, 2.2), ylim=(len(shown) - 0.5, -0.5), xlabel="deviation from the target, in tolerances")
    panel.grid(axis="x", alpha=0.25)


def _place(check: Check) -> float | None:
    """Where the measured number lies: 0 at the target or middle, ±1 at the edge of what is tolerated."""
    measured, tolerance = check.measured, check.tolerance
    if isinstance(measured, bool) or not isinstance(measured, int | float):
        return None
    if isinstance(tolerance, list):
        low, high = tolerance
        return (measured - (low + high) / 2) / ((high - low) / 2) if high > low else None
    if isinstance(tolerance, int | float) and isinstance(check.target, int | float):
        off = float(measured - check.target)
        return off / tolerance if tolerance else (0.0 if off == 0 else 2.0)
    return None


def _label(check: Check) -> str:
    return f"{check.name} = {check.measured:.5g}"
