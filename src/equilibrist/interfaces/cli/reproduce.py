"""`equilibrist reproduce`: published results, computed again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from equilibrist.experiments.findings import ExperimentResult
    from equilibrist.experiments.registry import Experiment

NOT_REPRODUCED = 1
COLOURS = {"reproduced": "green", "pattern reproduced": "yellow", "differs from the text": "cyan"}


def complete_experiment(incomplete: str) -> list[str]:
    from equilibrist.experiments.registry import EXPERIMENTS

    return [name for name in EXPERIMENTS.names() if name.startswith(incomplete)]


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="ID",
            help="Which result, such as 'brown/liars-dice'; without it, all are listed.",
            autocompletion=complete_experiment,
        ),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List all results.")] = False,
    full: Annotated[bool, typer.Option("--full", help="The published setting instead of the quick one.")] = False,
    png: Annotated[Path | None, typer.Option(help="Write the figure here.")] = None,
    data: Annotated[Path | None, typer.Option(help="Folder of data files, for results that need any.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Compute a published result again and compare; exit code 1 if it does not come out."""
    from equilibrist.experiments.registry import experiment_cards, find_experiment
    from equilibrist.interfaces.cli.output import print_json

    if listed or name is None:
        _print_list(experiment_cards(), as_json)
        return
    if png is not None:
        from equilibrist.interfaces.cli.files import check_writable

        check_writable(png, "--png")
    result = _run(find_experiment(name), full, png, data)
    if as_json:
        print_json(result.to_json())
    else:
        _print_result(result)
    if result.status == "not reproduced":
        raise typer.Exit(NOT_REPRODUCED)


def _run(experiment: Experiment, full: bool, png: Path | None, data: Path | None) -> ExperimentResult:
    from equilibrist.experiments.registry import run_experiment
    from equilibrist.interfaces.cli.guard import complain
    from equilibrist.interfaces.cli.output import duration
    from equilibrist.interfaces.cli.progress import Meter

    expected = experiment.seconds_full if full else experiment.seconds_quick
    if full or expected > 5:
        complain(f"{experiment.id}: about {duration(expected)} on two cores.")
    with Meter(experiment.id) as meter:

        def report(doing: str, share: float | None) -> None:
            meter.show(share, doing)

        return run_experiment(
            experiment.id,
            full=full,
            progress=report,
            data=None if data is None else str(data),
            figure=None if png is None else str(png),
        )


def _print_list(found: list[Experiment], as_json: bool) -> None:
    from equilibrist.interfaces.cli.output import duration, plain_table, print_json, screen

    if as_json:
        names = ("id", "title", "source", "seconds_quick", "seconds_full")
        print_json({"experiments": [{name: getattr(entry, name) for name in names} for entry in found]})
        return
    table = plain_table("id", "result", "source", "quick", "full")
    for entry in found:
        times = (duration(entry.seconds_quick), duration(entry.seconds_full))
        table.add_row(entry.id, entry.title, entry.source, *times)
    screen().print(table)


def _print_result(result: ExperimentResult) -> None:
    from rich.markup import escape

    from equilibrist.interfaces.cli.output import duration, plain_table, screen

    console = screen()
    console.print(f"{result.id}: {result.title}", style="bold", markup=False)
    console.print(f"{result.source}; {result.setting}", style="dim", markup=False)
    table = plain_table("check", "published", "measured", "tolerance", "")
    for check in result.checks:
        mark = "[green]✓ holds[/]" if check.passed else "[red]✗ fails[/]"
        cells = (check.name, *(_short(x) for x in (check.target, check.measured, check.tolerance)))
        table.add_row(*(escape(cell) for cell in cells), mark)
    console.print(table)
    for remark in result.to_json()["remarks"]:
        console.print(f"· {remark}", markup=False)
    colour = COLOURS.get(result.status, "red")
    console.print(f"[bold {colour}]{result.status}[/] in {duration(result.seconds)}")
    if result.figure:
        console.print(f"Picture in {result.figure}", markup=False)


def _short(value: Any) -> str:
    """A target or measurement in one cell."""
    from equilibrist.interfaces.cli.output import plain

    value = plain(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return "[" + ", ".join(_short(item) for item in value) + "]"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_short(item)}" for key, item in value.items())
    return "–" if value is None else str(value)
