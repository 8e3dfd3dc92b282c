"""`equilibrist reproduce`: published results, computed again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from equilibrist.experiments.findings import ExperimentResult
    from equilibrist.experiments.registry import Experiment, Outcome

NOT_REPRODUCED = 1
COLOURS = {
    "reproduced": "green",
    "pattern reproduced": "yellow",
    "stand-in reproduced": "magenta",
    "differs from the text": "cyan",
}
NOT_RUN = "can be "  # before the status that an experiment has if all its checks hold


def complete_experiment(incomplete: str) -> list[str]:
    from equilibrist.experiments.registry import EXPERIMENTS

    return [name for name in EXPERIMENTS.names() if name.startswith(incomplete)]


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="ID",
            help="Which result, such as 'brown/liars-dice' (default: list all).",
            autocompletion=complete_experiment,
        ),
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="List all results with their status; 'can be' marks those not run here yet.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Run the full setting, close to the published one (default: the quick one).")
    ] = False,
    png: Annotated[Path | None, typer.Option(help="Write the figure to this file.")] = None,
    data: Annotated[Path | None, typer.Option(help="Folder with data files, for results that need them.")] = None,
    device: Annotated[
        str, typer.Option(help="Where to compute: 'cpu', 'cuda' or 'auto', for results that can use a GPU.")
    ] = "cpu",
    jobs: Annotated[
        int, typer.Option(min=1, help="Processes that train side by side, for results of several trainings.")
    ] = 1,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0, help="Time after which trainings end early and are measured as they are, for results of several."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Compute a published result again and compare it with the text; exit code 1 if it is not reproduced."""
    from equilibrist.experiments.registry import experiment_cards, find_experiment, remember
    from equilibrist.interfaces.cli.output import print_json

    if listed or name is None:
        _print_list(experiment_cards(), as_json)
        return
    if png is not None:
        from equilibrist.interfaces.cli.files import check_writable

        check_writable(png, "--png")
    result = _run(find_experiment(name), full, png, data, device, jobs, seconds)
    remember(result)
    if as_json:
        print_json(result.to_json())
    else:
        _print_result(result)
    if result.status == "not reproduced":
        raise typer.Exit(NOT_REPRODUCED)


def _run(
    experiment: Experiment,
    full: bool,
    png: Path | None,
    data: Path | None,
    device: str,
    jobs: int,
    seconds: float | None,
) -> ExperimentResult:
    from equilibrist.experiments.registry import run_experiment
    from equilibrist.interfaces.cli.guard import complain
    from equilibrist.interfaces.cli.output import duration
    from equilibrist.interfaces.cli.progress import Meter

    expected = experiment.seconds_full if full else experiment.seconds_quick
    if (full or expected > 5) and device == "cpu":
        on = experiment.full_on if full else "two cores"
        complain(f"{experiment.id}: about {duration(expected)} on {on}.")
    with Meter(experiment.id) as meter:

        def report(doing: str, share: float | None) -> None:
            meter.show(share, doing)

        return run_experiment(
            experiment.id,
            full=full,
            progress=report,
            data=None if data is None else str(data),
            figure=None if png is None else str(png),
            device=device,
            jobs=jobs,
            seconds=seconds,
        )


def _print_list(found: list[Experiment], as_json: bool) -> None:
    from equilibrist.experiments.registry import remembered
    from equilibrist.interfaces.cli.output import duration, plain_table, print_json, screen

    known = remembered(entry.id for entry in found)
    if as_json:
        print_json({"experiments": [_card_json(entry, known.get(entry.id)) for entry in found]})
        return
    table = plain_table("id", "result", "source", "status", "quick", "full")
    for entry in found:
        times = (duration(entry.seconds_quick), duration(entry.seconds_full))
        table.add_row(entry.id, entry.title, entry.source, _status(entry, known.get(entry.id)), *times)
    screen().print(table)


def _status(entry: Experiment, outcome: Outcome | None) -> str:
    """Of the last run on this machine, or what the quick setting can come to at best."""
    from equilibrist.experiments.findings import attainable_status

    if outcome is None:
        return NOT_RUN + attainable_status(entry.quick)
    return outcome.status + (" (full)" if outcome.full else "")


def _card_json(entry: Experiment, outcome: Outcome | None) -> dict[str, Any]:
    from equilibrist.experiments.findings import attainable_status

    names = ("id", "title", "source", "text", "seconds_quick", "seconds_full")
    settings = {"quick": entry.quick, "full": entry.full or entry.quick}
    return {
        **{name: getattr(entry, name) for name in names},
        "parts": {setting: {part: list(kinds) for part, kinds in parts.items()} for setting, parts in settings.items()},
        "attainable": {setting: attainable_status(parts) for setting, parts in settings.items()},
        "status": None if outcome is None else outcome.status,
    }


def _print_result(result: ExperimentResult) -> None:
    from rich.markup import escape

    from equilibrist.experiments.findings import is_text
    from equilibrist.interfaces.cli.output import duration, plain_table, screen

    console = screen()
    console.print(f"{result.id}: {result.title}", style="bold", markup=False)
    console.print(f"{result.source}; {result.setting}", style="dim", markup=False)
    for part, status in result.parts.items():
        table = plain_table("check", "kind", "target", "measured", "tolerance", "")
        for check in result.checks_of(part):
            mark = "[green]✓ holds[/]" if check.passed else "[red]✗ fails[/]"
            cells = (check.name, check.kind, *(_short(x) for x in (check.target, check.measured, check.tolerance)))
            table.add_row(*(escape(cell) for cell in cells), mark)
        if len(result.parts) > 1 or not is_text(part):
            console.print(f"{_part_title(part)}: {status}", style="bold", markup=False)
        console.print(table)
    for remark in result.to_json()["remarks"]:
        console.print(f"· {remark}", markup=False)
    colour = COLOURS.get(result.status, "red")
    held = sum(check.passed for check in result.checks)
    console.print(
        f"[bold {colour}]{result.status}[/] in {duration(result.seconds)}; {held} of {len(result.checks)} checks hold"
    )
    if result.figure:
        console.print(f"Picture in {result.figure}", markup=False)


def _part_title(part: str) -> str:
    """A part's game and size, and whether they are the text's."""
    from equilibrist.experiments.findings import TEXT, is_text

    if not is_text(part):
        return f"In place of the text's game or size, {part}"
    return "The text's game and size" + part.removeprefix(TEXT).replace(": ", ", ", 1)


def _short(value: Any) -> str:
    """A target or measurement in one cell."""
    from equilibrist.core.writing import plain

    value = plain(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return "[" + ", ".join(_short(item) for item in value) + "]"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_short(item)}" for key, item in value.items())
    return "–" if value is None else str(value)
