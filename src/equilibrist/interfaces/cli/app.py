"""The commands, put together; each is imported when it is called."""

from __future__ import annotations

import importlib
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from equilibrist.interfaces.cli.guard import guarded
from equilibrist.version import __version__

# where each command lives and what it does, in the order of `--help`; a function of that name, or an app of its own
COMMANDS = {
    "games": ("catalogues", "List the games, their parameters, sizes and sources."),
    "solvers": ("catalogues", "List the solvers, their parameters and guarantees."),
    "agents": ("play.agents", "List the players, their parameters and sources."),
    "solve": ("study.solve", "Solve a game, a postflop spot or a preflop table."),
    "show": ("study.show", "Show a saved solution: infosets, hands, bet sizes, pictures."),
    "chart": ("tables.chart", "Charts of a solved preflop table: PDF, PNG, CSV."),
    "search": ("study.search", "Search one decision again: finer bets, safely."),
    "report": ("build.report", "Solve one line on many flops and sum them up."),
    "verify": ("study.verify", "Recompute what a saved solution states, from the rules alone."),
    "equity": ("study.equity", "Equity of ranges against one another."),
    "icm": ("tournaments.icm", "Prize money of tournament stacks, bubble factors."),
    "tournament": ("tournaments.tournament", "Jam/fold tournaments of two or three players, solved."),
    "convert": ("study.convert", "Write a game as a Gambit file or an ACPC definition."),
    "betting": ("build.betting", "Count the betting of a poker game under a menu."),
    "abstract": ("build.abstract", "Merge hands into classes, and say what that costs."),
    "postprocess": ("study.postprocess", "Drop or purify rarely played actions of a solution."),
    "cluster": ("build.cluster", "Put hold'em hands into buckets."),
    "optimise": ("study.optimise", "Choose bet sizes while solving."),
    "exploit": ("study.exploit", "Respond to a model of the opponent."),
    "play": ("play.play", "Play against players in the terminal."),
    "quiz": ("play.quiz", "Train on a solved spot or table: questions and grades."),
    "match": ("play.match", "Play a match between players, or work it out exactly."),
    "ladder": ("strength.ladder", "Play all pairs of several players, with intervals."),
    "evaluate": ("play.evaluate", "Exploitability of players: exact, or local best responses."),
    "diagnose": ("strength.diagnose", "Where a blueprint leaks, and tests of common sense."),
    "deal": ("play.acpc", "Deal to programs that speak the ACPC protocol."),
    "join": ("play.acpc", "Connect a player to a dealer of the ACPC protocol."),
    "serve": ("play.serve", "Open the browser application on this machine."),
    "reproduce": ("reproduce", "Compute a published result again and compare."),
    "bench": ("bench", "Run a benchmark of the source tree."),
    "train": ("build.train", "Train a blueprint for a poker game too large to solve."),
    "learn": ("build.learn", "Train networks by self-play: Deep CFR, ReBeL and others."),
}

# a solve that Ctrl-C cuts short is no answer to what these were asked
END_WITH_THEIR_SOLVES = ("abstract", "exploit", "evaluate", "play", "join")


class Commands(TyperGroup):
    """A group that knows its commands by name and imports the one that is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The lines above, for which no command need be imported."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # classes of Click, which newer Typers carry with them
        if cmd_name not in COMMANDS:
            return None
        found = getattr(importlib.import_module(f"equilibrist.interfaces.cli.{COMMANDS[cmd_name][0]}"), cmd_name)
        if not isinstance(found, typer.Typer):
            command, found = (
                found,
                typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False),
            )
            found.command(cmd_name)(guarded(command, ends=cmd_name in END_WITH_THEIR_SOLVES))
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
