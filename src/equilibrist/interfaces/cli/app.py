"""The commands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from equilibrist.interfaces.cli.bench import bench
from equilibrist.interfaces.cli.catalogues import games, solvers
from equilibrist.interfaces.cli.equity import equity
from equilibrist.interfaces.cli.exploit import exploit
from equilibrist.interfaces.cli.guard import guarded
from equilibrist.interfaces.cli.reproduce import reproduce
from equilibrist.interfaces.cli.show import show
from equilibrist.interfaces.cli.solve import solve
from equilibrist.interfaces.cli.verify import verify
from equilibrist.version import __version__

# plain help and plain errors: Rich is not imported unless a table is printed
app = typer.Typer(
    name="equilibrist",
    help="Solve, play and explain games of imperfect information, poker above all.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)

for command in (games, solvers, solve, show, verify, equity, exploit, reproduce, bench):
    app.command()(guarded(command))


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
