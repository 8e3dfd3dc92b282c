"""The commands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from equilibrist.interfaces.cli.bench import bench
from equilibrist.interfaces.cli.build.abstract import abstract
from equilibrist.interfaces.cli.build.betting import betting
from equilibrist.interfaces.cli.build.cluster import cluster
from equilibrist.interfaces.cli.build.train import train
from equilibrist.interfaces.cli.catalogues import games, solvers
from equilibrist.interfaces.cli.guard import guarded
from equilibrist.interfaces.cli.play.acpc import deal, join
from equilibrist.interfaces.cli.play.agents import agents
from equilibrist.interfaces.cli.play.evaluate import evaluate
from equilibrist.interfaces.cli.play.match import match
from equilibrist.interfaces.cli.play.play import play
from equilibrist.interfaces.cli.play.serve import serve
from equilibrist.interfaces.cli.reproduce import reproduce
from equilibrist.interfaces.cli.study.equity import equity
from equilibrist.interfaces.cli.study.exploit import exploit
from equilibrist.interfaces.cli.study.optimise import optimise
from equilibrist.interfaces.cli.study.postprocess import postprocess
from equilibrist.interfaces.cli.study.search import search
from equilibrist.interfaces.cli.study.show import show
from equilibrist.interfaces.cli.study.solve import solve
from equilibrist.interfaces.cli.study.verify import verify
from equilibrist.version import __version__

# plain help and plain errors: Rich is not imported unless a table is printed
app = typer.Typer(
    name="equilibrist",
    help="Solve, play and explain games of imperfect information, poker above all.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)

for command in (
    games,
    solvers,
    agents,
    solve,
    show,
    search,
    verify,
    equity,
    betting,
    abstract,
    postprocess,
    cluster,
    optimise,
    exploit,
    play,
    match,
    evaluate,
    deal,
    join,
    serve,
    reproduce,
    bench,
):
    app.command()(guarded(command))
app.add_typer(train, name="train")


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
