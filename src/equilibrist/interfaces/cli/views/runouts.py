"""`show --runouts` and `show --compare`: a solved spot card by card, and two of them side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from equilibrist.interfaces.cli.views.spot_view import SUIT_STYLES, cards_text, format_number, format_percent

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from equilibrist.evaluation.reports.comparison import ComparedSide, Comparison
    from equilibrist.evaluation.reports.runouts import RunoutReport
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

PLAYERS = ("oop", "ip")
BAR = 24  # columns
SHORTEST_BAR = 6
SHADES = "█▓▒░"  # tell actions apart where there is no colour


def show_runouts(solution: SpotSolution, *, line: str | None, png: Path | None, as_json: bool) -> None:
    """`show FILE --line L --runouts`."""
    from equilibrist.evaluation.reports.runouts import runout_report
    from equilibrist.interfaces.cli.output import print_json, print_whole, screen
    from equilibrist.interfaces.pictures.heat_map import save_runout_picture
    from equilibrist.interfaces.pictures.strategy_pictures import require_matplotlib

    if png is not None:
        require_matplotlib()
    report = runout_report(solution.root.at(line or ""))
    if png is not None:
        save_runout_picture(report, png)
    if as_json:
        print_json({"kind": "runouts", "converged": solution.converged, **report.to_json()})
        return
    console = screen()
    console.print(_heading(report))
    print_whole(runout_table(report, console), console)
    if solution.unfinished:
        console.print(f"The solution: {solution.unfinished}.", style="dim", markup=False)
    if png is not None:
        console.print(f"Picture in {png}", markup=False)


def show_comparison(
    first: SpotSolution, second: SpotSolution, names: tuple[str, str], *, line: str | None, as_json: bool
) -> None:
    """`show FILE --compare OTHER`."""
    from equilibrist.evaluation.reports.comparison import compare_solutions
    from equilibrist.interfaces.cli.output import print_json, print_whole, screen

    found = compare_solutions(first, second, line or "")
    if as_json:
        print_json({"kind": "comparison", **found.to_json()})
        return
    console = screen()
    actor = f"{found.player} to act" if found.player else "nobody to act"
    console.print(f"{found.board}  {found.line or 'the beginning'}: {actor}", style="bold", markup=False)
    console.print(_sides_table(found, names))
    if found.player is None:
        return
    if not found.hands:
        console.print("No hand is played differently.", markup=False)
        return
    print_whole(_hands_table(found), console)
    note = f"On average {100.0 * found.difference:.2f} % of the strategy goes to other actions; largest weight × difference first."
    console.print(note, style="dim", markup=False)


def runout_table(report: RunoutReport, console: Console) -> Table:
    """One line per card; the last one is the average."""
    from rich.text import Text

    from equilibrist.interfaces.cli.output import plain_table
    from equilibrist.interfaces.pictures.palette import colour_map

    coloured = console.color_system not in (None, "standard")  # sixteen colours make fold and call look alike
    colours = [colour_map([report.labels])[label] for label in report.labels] if coloured else []
    mix = [report.player or ""] if report.labels else []
    table = plain_table("card", "chance", *report.actions, *mix, "EV oop", "EV ip", "equity oop")
    for column in table.columns[1:]:
        column.no_wrap, column.justify = True, "left" if column.header in mix else "right"
    for column, colour in zip(table.columns[2:], colours, strict=False):
        column.header_style = colour
    lines = [
        (Text(row.card, style=SUIT_STYLES[row.card[1]]), row.probability, row.frequencies, row.ev, row.equity[0])
        for row in report.rows
    ]
    lines.append((Text("all"), 1.0, report.frequencies, report.ev, report.equity[0]))
    columns = _bar_columns(report, console.width)
    for number, (name, chance, shares, ev, equity) in enumerate(lines):
        bar = [_bar(shares, colours, columns)] if mix else []
        percents, chips = [_short(each) for each in (chance, *shares)], [_chips(each) for each in ev]
        table.add_row(name, *percents, *bar, *chips, _short(equity), end_section=number == len(lines) - 2)
    return table


def _bar_columns(report: RunoutReport, width: int) -> int:
    """What the numbers leave; bars shrink so that numbers need not."""
    chips = max(6, len(_chips(report.pot)))
    numbers = [4, 7, *(max(7, len(action)) for action in report.actions), chips, chips, 10]
    return min(BAR, max(SHORTEST_BAR, width - sum(numbers) - 3 * len(numbers) - 2))


def _short(share: float) -> str:
    return "–" if share != share else f"{100.0 * share:.1f} %"  # nan alone differs from itself


def _chips(value: float) -> str:
    return "–" if value != value else f"{value:,.2f}"


def _heading(report: RunoutReport) -> Text:
    from rich.text import Text

    actor = f"{report.player} acts first" if report.player else "nobody acts any more"
    out = Text()
    out.append(cards_text(report.cards))
    out.append(f"  {report.line}: ", style="bold")
    out.append(f"pot {report.pot:,.10g}, a card comes, {actor}")
    return out


def _bar(shares: Sequence[float], colours: Sequence[str], columns: int) -> Text:
    """Stacked shares; shades instead of colours where there are none."""
    from rich.text import Text

    out, filled, total = Text(), 0, 0.0
    if any(share != share for share in shares):  # nan: the card leaves nobody to act
        return out
    for number, share in enumerate(shares):
        total += share
        width = round(columns * total) - filled
        filled += width
        glyph = "█" if colours else SHADES[number % len(SHADES)]
        out.append(glyph * width, style=colours[number] if colours else "")
    return out


def _sides_table(found: Comparison, names: tuple[str, str]) -> Table:
    """Values of both, and the second less the first."""
    from equilibrist.interfaces.cli.output import plain_table

    table = plain_table("", *(names if names[0] != names[1] else ("first", "second")), "difference")
    for column in table.columns[1:]:
        column.justify = "right"
    one, other = found.first, found.second
    told = ("yes" if side.converged else "NO" for side in (one, other))
    table.add_row("solver", f"{one.solver} × {one.iterations:,}", f"{other.solver} × {other.iterations:,}", "")
    table.add_row("converged", *told, "")
    first, second = _numbers(found, one), _numbers(found, other)
    for name, (value, percent) in first.items():
        after = second[name][0]
        form = format_percent if percent else format_number
        table.add_row(name, form(value), form(after), ("+" if after > value else "") + form(after - value))
    return table


def _numbers(found: Comparison, side: ComparedSide) -> dict[str, tuple[float, bool]]:
    """What is measured on one side, and whether it is a percentage."""
    out = {"exploitability, % of pot": (side.percent_of_pot / 100.0, True), "pot": (side.pot, False)}
    out |= {f"EV {name}": (value, False) for name, value in zip(PLAYERS, side.ev, strict=True)}
    out |= {f"equity {name}": (value, True) for name, value in zip(PLAYERS, side.equity, strict=True)}
    return out | {name: (share, True) for name, share in zip(found.actions, side.frequencies, strict=True)}


def _hands_table(found: Comparison) -> Table:
    from equilibrist.interfaces.cli.output import plain_table

    table = plain_table("hand", "of range", "difference", *found.actions)
    for column in table.columns[1:]:
        column.justify, column.no_wrap = "right", True
    for row in found.hands:
        shares = (f"{100 * a:.1f} → {100 * b:.1f} %" for a, b in zip(row.first, row.second, strict=True))
        table.add_row(row.hand, format_percent(row.weight), format_percent(row.difference), *shares)
    return table
