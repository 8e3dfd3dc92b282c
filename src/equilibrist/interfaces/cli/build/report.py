"""`equilibrist report`: one line solved on many flops, and what they say together."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equilibrist.interfaces.cli.completion import complete_solver

if TYPE_CHECKING:
    from equilibrist.evaluation.flop_reports.report import FlopReport
    from equilibrist.evaluation.flop_reports.run import ReportProgress
    from equilibrist.interfaces.cli.progress import Meter
    from equilibrist.interfaces.cli.views.flop_report import ReportView

ENDING = ".report"  # of the folder, where none is named


def report(
    order: Annotated[
        Path,
        typer.Argument(
            metavar="FLOPS.toml|FOLDER",
            help="A spot file without a board, or the folder of a report to print it again.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Folder of the report; interrupted work is continued (default: FLOPS.report).")
    ] = None,
    flops: Annotated[
        str | None,
        typer.Option(help="'all' 1,755 flops, a subset of '25', '47', '95' or '184', or flops: 'Td9d6h,AsKd2c:12'."),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(help="Stop each flop at this exploitability: chips or '0.5%' of the pot (the default)."),
    ] = None,
    line: Annotated[
        list[str] | None, typer.Option(help="Report this decision of the flop, too, such as 'x:b120'; may be repeated.")
    ] = None,
    solver: Annotated[
        str | None, typer.Option(help="Name of a solver (default: dcfr(gamma=3)).", autocompletion=complete_solver)
    ] = None,
    iterations: Annotated[int | None, typer.Option(min=1, help="Maximum number of iterations on each flop.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Flops solved side by side (default: 1; on a GPU 2 for many flops).")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads for each flop (default: all cores, shared out over the workers).")
    ] = None,
    ray: Annotated[str, typer.Option(metavar="ADDRESS|local", help="Spread the flops over a Ray cluster.")] = "",
    device: Annotated[str, typer.Option(help="Where to compute: 'cpu', 'cuda' or 'auto'.")] = "cpu",
    keep: Annotated[
        str | None,
        typer.Option(help="Keep every solution in FOLDER/solutions: its 'flop', flop and 'turn', or 'all' streets."),
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Print groups instead of flops: texture, suits, pairs, straights or high.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Print flops of this kind only, such as 'monotone', 'paired' or 'A'; may be repeated."),
    ] = None,
    sort: Annotated[
        str, typer.Option(help="Column to sort flops by, largest first: flop, weight, ev_oop, equity_ip, x, b120 …")
    ] = "flop",
    top: Annotated[int | None, typer.Option(min=1, help="Print at most so many flops.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write every flop and line as a table to this file.")] = None,
    png: Annotated[Path | None, typer.Option(help="Write a picture of the first --line to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Solve one line on many flops and report averages, textures and every flop; Ctrl-C keeps what is done."""
    from equilibrist.core.errors import ParameterError
    from equilibrist.core.writing import write_text
    from equilibrist.interfaces.cli.files import check_writable
    from equilibrist.interfaces.cli.output import print_json, screen
    from equilibrist.interfaces.cli.views.flop_report import ReportView, print_report

    check_writable(csv, "--csv")
    check_writable(png, "--png")
    if png is not None:
        from equilibrist.interfaces.pictures.strategy_pictures import require_matplotlib

        require_matplotlib()
    wanted = ReportView(line=(line or [""])[0], by=by, only=tuple(only or ()), sort=sort, top=top)
    given = {"flops": flops, "until": until, "solver": solver, "iterations": iterations}
    if os.path.isdir(order):
        where = {
            "workers": workers,
            "ray": ray or None,
            "device": device if device != "cpu" else None,
        }
        told = given | {"out": out, "keep": keep, "threads": threads} | where
        named = [name for name, value in told.items() if value is not None]
        if named:
            raise ParameterError(
                f"A folder is printed as it is, but --{named[0]} was given; give the file to solve on."
            )
        found = _opened(order)
        folder = order
    else:
        folder = out or order.with_name(order.stem + ENDING)
        how = {"workers": workers, "threads": threads, "device": device, "ray": ray or None, "keep": keep}
        found = _solved(order, folder, given | {"lines": line or None}, how, wanted)
    choice = wanted.of(found)
    if csv is not None:
        write_text(csv, found.to_csv())
    if png is not None:
        from equilibrist.interfaces.pictures.flop_picture import save_flop_picture

        save_flop_picture(found, choice.line, png)
    if as_json:
        print_json(found.to_json() | {"folder": str(folder)})
        return
    console = screen()
    print_report(found, choice, console)
    for path, what in ((csv, "Table in"), (png, "Picture in"), (folder, "Report in")):
        if path is not None:
            console.print(f"{what} {path}", markup=False, soft_wrap=True)


def _opened(folder: Path) -> FlopReport:
    from equilibrist.evaluation.flop_reports.run import open_report

    return open_report(folder)


def _solved(order: Path, folder: Path, given: dict[str, Any], how: dict[str, Any], choice: ReportView) -> FlopReport:
    from equilibrist.evaluation.flop_reports.order import ReportOrder
    from equilibrist.evaluation.flop_reports.run import chosen_device, report_size, sum_up, usual_workers
    from equilibrist.evaluation.flop_reports.run import report as run_report
    from equilibrist.interfaces.cli.progress import Meter, preparing
    from equilibrist.solvers.postflop.spot_size import memory_text

    wanted, betting = ReportOrder.from_toml(order, **given).checked()
    choice.of(sum_up(wanted, betting, {}))  # what cannot be printed is refused now
    device = chosen_device(wanted, how["device"], ray=how["ray"])
    how["workers"] = how["workers"] or usual_workers(wanted, betting, device, ray=how["ray"])
    size = report_size(wanted, betting, workers=how["workers"], keep=how["keep"])
    print(
        f"{size.flops:,} flops, {memory_text(size.memory_bytes)} of tables at a time, at most {memory_text(size.disk_bytes)} on disk; "
        f"each to {wanted.until}.",
        file=sys.stderr,
    )
    with Meter("report") as meter:
        meter.show(None, preparing(), worth_a_line=False)
        told = _Told(meter, folder)
        try:
            return run_report(wanted, folder, progress=told, **how)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(told.interrupted) from None


class _Told:
    """The callback of a report."""

    def __init__(self, meter: Meter, folder: Path) -> None:
        self.meter, self.folder, self.flops = meter, folder, 0

    def __call__(self, progress: ReportProgress) -> None:
        from equilibrist.interfaces.cli.guard import complain
        from equilibrist.interfaces.cli.output import duration

        self.flops = progress.flops
        if progress.warning:
            complain(progress.warning)
        facts = f"{progress.done:,} of {progress.flops:,} flops"
        if progress.last is not None:
            facts += f"  {progress.last.flop} in {duration(progress.last.seconds)}"
        if progress.seconds_left:
            facts += f"  {duration(progress.seconds_left)} left"
        self.meter.show(progress.done / progress.flops, facts, worth_a_line=progress.last is not None)

    @property
    def interrupted(self) -> str:
        if not self.flops:
            return "Interrupted; nothing was written."
        done = len(_opened(self.folder).solved)  # one more than was told, if it came between writing and telling
        return f"Interrupted; {done:,} of {self.flops:,} flops are in '{self.folder}', and the same command goes on from there."
