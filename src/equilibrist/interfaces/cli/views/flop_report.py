"""A report on many flops in the terminal: means, groups, and flops one by one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from equilibrist.interfaces.cli.views.spot_view import SUIT_STYLES

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from equilibrist.evaluation.flop_reports.report import FlopReport, Mean


@dataclass(frozen=True)
class ReportView:
    """What of a report is printed."""

    line: str = ""
    by: str | None = None  # groups instead of flops
    only: tuple[str, ...] = ()  # kinds of flops
    sort: str = "flop"
    top: int | None = None

    def of(self, report: FlopReport) -> ReportView:
        """With the line as the report spells it; refuses what it does not have."""
        from equilibrist.evaluation.flop_reports.report import check_kind, chosen_rows

        line = report.named_line(self.line)
        if self.by is not None:
            check_kind(self.by)
        chosen_rows((), self.only)
        report.sorted_rows(self.sort, line, ())
        return replace(self, line=line)


def print_report(report: FlopReport, choice: ReportView, console: Console) -> None:
    """One line of the report: flops or groups, the mean below."""
    from equilibrist.evaluation.flop_reports.report import chosen_rows
    from equilibrist.interfaces.cli.output import print_whole

    place = report.place(choice.line)
    console.print(
        f"{place.line or 'the beginning'}: {place.player} acts, pot {place.pot:,.10g}; {_state(report)}",
        style="bold",
        markup=False,
    )
    rows = chosen_rows(report.rows(choice.line), choice.only)
    if not rows:
        console.print("No flop of this kind is solved yet.", markup=False)
        return
    table = _table(report, choice)
    if choice.by is not None:
        for mean in report.by(choice.by, choice.line, rows):
            table.add_row(mean.name, f"{mean.flops:,}", *_numbers(mean, choice))
    else:
        ordered = report.sorted_rows(choice.sort, choice.line, rows)
        for row in ordered[: choice.top]:
            table.add_row(_flop(row.flop), row.texture.texture, *_numbers(report.mean(choice.line, [row]), choice))
    table.add_section()
    table.add_row(
        "all" if not choice.only else ", ".join(choice.only),
        f"{len(rows):,}",
        *_numbers(report.mean(choice.line, rows), choice),
    )
    print_whole(table, console)


def _state(report: FlopReport) -> str:
    """How far it has come, and how well."""
    done, wanted = len(report.solved), len(report.order.flops)
    flops = f"{done:,} flops" if done == wanted else f"{done:,} of {wanted:,} flops"
    if not done:
        return flops
    sure = "" if report.converged else "; NOT all converged"
    return f"{flops}, exploitability at most {report.percent_of_pot:.3g} % of the pot{sure}"


def _table(report: FlopReport, choice: ReportView) -> Table:
    from equilibrist.interfaces.cli.output import plain_table

    first = ("flop", "texture") if choice.by is None else (choice.by, "flops")
    reach = ["comes here"] if choice.line else []
    table = plain_table(*first, "share", *reach, *report.place(choice.line).actions, "EV oop", "EV ip", "equity oop")
    for column in table.columns[1 if choice.by else 2 :]:
        column.justify, column.no_wrap = "right", True
    return table


def _numbers(mean: Mean, choice: ReportView) -> list[str]:
    here = [_percent(mean.reach)] if choice.line else []
    return [
        _percent(mean.share),
        *here,
        *map(_percent, mean.frequencies),
        *map(_chips, mean.ev),
        _percent(mean.equity[0]),
    ]


def _percent(share: float) -> str:
    return "–" if share != share else f"{100.0 * share:.2f} %"  # nan alone differs from itself


def _chips(value: float) -> str:
    return "–" if value != value else f"{value:,.2f}"


def _flop(name: str) -> Text:
    """Cards in the colours of their suits."""
    from rich.text import Text

    out = Text()
    for i in range(0, len(name), 2):
        out.append(name[i : i + 2], style=SUIT_STYLES[name[i + 1]])
    return out
