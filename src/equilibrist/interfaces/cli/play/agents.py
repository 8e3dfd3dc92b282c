"""`equilibrist agents`: list the players."""

from __future__ import annotations

from typing import Annotated

import typer


def agents(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """List the players, their parameters and sources."""
    from equilibrist.agents.registry import AGENTS
    from equilibrist.core.names import format_value
    from equilibrist.interfaces.cli.output import plain_table, print_json, screen

    entries = list(AGENTS.entries().values())
    if as_json:
        names = ("name", "summary", "parameters", "source")
        print_json({"agents": [{name: getattr(entry, name) for name in names} for entry in entries]})
        return
    from rich.markup import escape

    table = plain_table("player", "what it does", "parameters", "source")
    for entry in entries:
        parameters = ", ".join(f"{key}={format_value(value)}" for key, value in entry.parameters.items())
        table.add_row(entry.name, entry.summary, escape(parameters), entry.source)
    console = screen()
    console.print(table)
    console.print("  path/to/solution.eqb: a player that follows a saved solution of its game", markup=False)
