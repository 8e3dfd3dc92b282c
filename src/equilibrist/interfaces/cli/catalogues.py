"""`equilibrist games` and `equilibrist solvers`: list the games and the solvers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")]

ADAPTERS = {
    "openspiel:NAME(params)": "any OpenSpiel game of the installed open_spiel (extra 'openspiel')",
    "path/to/game.efg": "a Gambit extensive-form file",
    "my_game.py:MyGame": "a game of your own, from a Python file",
}


def games(
    name: Annotated[str | None, typer.Argument(help="One game: its parameters and what they may be.")] = None,
    sizes: Annotated[bool, typer.Option("--sizes", help="Count exactly, even if it takes long.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the games, their parameters, sizes and sources."""
    from equilibrist.games.catalogue import GAMES
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.sizes import usual_size

    entries = list(GAMES.entries().values()) if name is None else [GAMES.find(name)]
    found = [(entry, usual_size(entry, patient=sizes)) for entry in entries]
    if not as_json:
        if name is None:
            _print_games(found)
        else:
            _print_game(*found[0])
        return
    listed = [
        {
            "name": entry.name,
            "summary": entry.summary,
            "parameters": entry.parameters,
            "bounds": entry.bounds,
            "histories": size.histories,
            "histories_exact": size.exact,
            "infosets": size.infosets,
            "source": entry.source,
            "status": entry.status,
        }
        for entry, size in found
    ]
    print_json({"games": listed, "adapters": [{"name": n, "summary": s} for n, s in ADAPTERS.items()]})


def solvers(as_json: AsJson = False) -> None:
    """List the solvers, their parameters, guarantees and references."""
    from equilibrist.interfaces.cli.output import plain_table, print_json, screen
    from equilibrist.solvers.registry import SOLVERS

    entries = list(SOLVERS.entries().values())
    if as_json:
        names = ("name", "summary", "parameters", "guarantee", "reference", "status")
        print_json({"solvers": [{name: getattr(entry, name) for name in names} for entry in entries]})
        return
    table = plain_table("solver", "what it is", "parameters", "guarantee", "reference", "status")
    for entry in entries:
        table.add_row(
            entry.name,
            entry.summary,
            _parameters(entry.parameters),
            entry.guarantee,
            entry.reference,
            entry.status,
        )
    screen().print(table)


def _print_games(found: list[tuple[Any, Any]]) -> None:
    from equilibrist.interfaces.cli.output import plain_table, screen

    table = plain_table("game", "what it is", "parameters", "histories", "infosets", "source", "status")
    table.columns[1].min_width = 24  # of the columns that wrap, the one that people read
    for column in (3, 4):
        table.columns[column].justify = "right"
    for entry, size in found:
        infosets = "" if size.infosets is None else f"{size.infosets:,}"
        parameters = _parameters(entry.parameters)
        table.add_row(entry.name, entry.summary, parameters, size.text(), infosets, entry.source, entry.status)
    console = screen()
    console.print(table)
    for name, summary in ADAPTERS.items():
        console.print(f"  {name}: {summary}", markup=False)
    console.print(
        "  Sizes are those of the defaults (--sizes counts all); write parameters as in leduc(ranks=5).", markup=False
    )


def _print_game(entry: Any, size: Any) -> None:
    """One game, a line for each parameter."""
    from equilibrist.core.catalogue import bounds_text
    from equilibrist.core.names import format_value
    from equilibrist.interfaces.cli.output import plain_table, screen

    console = screen()
    console.print(f"{entry.name}: {entry.summary} ({entry.source})", markup=False)
    console.print(f"Histories of the default: {size.text()}", markup=False)
    if not entry.parameters:
        return
    table = plain_table("parameter", "default", "may be")
    for key, usual in entry.parameters.items():
        words = [*entry.words.get(key, ()), *(["true", "false"] if isinstance(usual, bool) else [])]
        allowed = [bounds_text(entry.bounds[key])] if key in entry.bounds else []
        table.add_row(key, _escaped(format_value(usual)), ", ".join([*allowed, *words]) or "a word")
    console.print(table)


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def _parameters(parameters: Mapping[str, Any]) -> str:
    """`ranks=3, suits=2`; brackets are escaped so that Rich does not read them as markup."""
    from rich.markup import escape

    from equilibrist.core.names import format_value

    return escape(", ".join(f"{key}={format_value(value)}" for key, value in parameters.items()))
