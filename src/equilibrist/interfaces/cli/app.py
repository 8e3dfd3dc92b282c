"""The commands, put together; each is imported when it is called, or listed by `--help`."""

from __future__ import annotations

import importlib
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from equilibrist.interfaces.cli.guard import guarded
from equilibrist.version import __version__

# where each command lives, in the order of `--help`; a function of that name, or an app of its own
COMMANDS = {
    "games": "catalogues",
    "solvers": "catalogues",
    "agents": "play.agents",
    "solve": "study.solve",
    "show": "study.show",
    "search": "study.search",
    "verify": "study.verify",
    "equity": "study.equity",
    "convert": "study.convert",
    "betting": "build.betting",
    "abstract": "build.abstract",
    "postprocess": "study.postprocess",
    "cluster": "build.cluster",
    "optimise": "study.optimise",
    "exploit": "study.exploit",
    "play": "play.play",
    "match": "play.match",
    "evaluate": "play.evaluate",
    "deal": "play.acpc",
    "join": "play.acpc",
    "serve": "play.serve",
    "reproduce": "reproduce",
    "bench": "bench",
    "train": "build.train",
}


class Commands(TyperGroup):
    """A group that knows its commands by name and imports the one that is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # classes of Click, which newer Typers carry with them
        if cmd_name not in COMMANDS:
            return None
        found = getattr(importlib.import_module(f"equilibrist.interfaces.cli.{COMMANDS[cmd_name]}"), cmd_name)
        if not isinstance(found, typer.Typer):
            command, found = (
                found,
                typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False),
            )
            found.command(cmd_name)(guarded(command))
        made = get_command(found)
        made.name = cmd_name
        return made


# plain help and plain errors: Rich is not imported unless a table is printed
app = typer.Typer(
    name="equilibrist",
    cls=Commands,
    help="Solve, play and explain games of imperfect information, poker above all.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"equilibrist {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass
