"""`equilibrist reproduce`: published results, computed again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from equilibrist.interfaces.cli.completion import complete_experiment


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="ID", help="Which result, such as 'brown/liars-dice'.", autocompletion=complete_experiment
        ),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List all results.")] = False,
    full: Annotated[bool, typer.Option("--full", help="The published setting instead of the quick one.")] = False,
    png: Annotated[Path | None, typer.Option(help="Write the figure here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Compute a published result again and compare."""
    raise NotImplementedError(name, listed, full, png, as_json)


def experiment_ids() -> list[str]:
    return []
