"""`equilibrist show`: the strategy in a saved solution."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equilibrist.interfaces.cli.completion import complete_solution

if TYPE_CHECKING:
    from equilibrist.core.solution import Solution
    from equilibrist.interfaces.strategies import StrategyRow
    from equilibrist.solvers.hand_classes.bucket_solution import BucketSolution
    from equilibrist.solvers.postflop.solutions.game_solution import BoardSolution

ROWS_SHOWN = 24


def show(
    file: Annotated[
        Path, typer.Argument(help="A solution written by 'solve --out'.", autocompletion=complete_solution)
    ],
    line: Annotated[
        str | None,
        typer.Option(help="Only at this line, such as 'b:c', and after it (on boards at it); suits may be left out."),
    ] = None,
    player: Annotated[int | None, typer.Option(help="Only this player, counted from 1.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every infoset, each by itself.")] = False,
    hands: Annotated[bool, typer.Option("--hands", help="Of a spot, also every single hand.")] = False,
    hand: Annotated[str | None, typer.Option(help="Of a spot, only these hands: AKs, AK, 77 or AsKs.")] = None,
    runouts: Annotated[
        bool, typer.Option("--runouts", help="Of a spot, every card that can come after --line.")
    ] = False,
    compare: Annotated[Path | None, typer.Option(help="Of a spot, beside this other solution of it.")] = None,
    png: Annotated[Path | None, typer.Option(help="Of a spot, draw the grid (or the runouts) here.")] = None,
    game: Annotated[
        str | None, typer.Option(help="The game, for solutions of a game from a Python file: my_game.py:MyGame.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Show the strategy of a saved solution: infoset by infoset, or of a spot as a 13×13 grid."""
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.core.solution import Solution
    from equilibrist.interfaces.cli.files import read_solution
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.study.spot import is_spot_file
    from equilibrist.interfaces.strategies import shortened, solution_rows

    if is_spot_file(file):
        from equilibrist.interfaces.cli.views.spot_view import show_spot

        if player is not None or every:
            raise NotApplicableError("--player and --all are for games; a spot shows who acts at --line, and --hands.")
        if runouts or compare is not None:
            from equilibrist.interfaces.cli.views.runouts import show_comparison, show_runouts

            if (runouts and compare is not None) or hands or hand is not None:
                raise NotApplicableError(
                    "--runouts, --compare and --hands or --hand are shown one at a time; choose one."
                )
            if compare is None:
                show_runouts(file, line=line, png=png, as_json=as_json)
            elif png is not None:
                raise NotApplicableError("There is no picture of --compare; leave out --png.")
            else:
                show_comparison(file, compare, line=line, as_json=as_json)
            return
        show_spot(file, line=line, hands=hands, hand=hand, png=png, as_json=as_json)
        return
    if hands or runouts or any(given is not None for given in (hand, compare)):
        raise NotApplicableError(
            f"--hands, --hand, --runouts and --compare are for solved spots, but '{file}' is none; leave them out."
        )
    solution = read_solution(file, game)
    rows = solution_rows(solution, line=line, player=None if player is None else player - 1)
    if png is not None:
        from equilibrist.interfaces.cli.views.board_view import draw_place

        if isinstance(solution, Solution):
            raise NotApplicableError(f"--png draws spots and hold'em hands, but '{file}' has none; leave it out.")
        draw_place(solution, line or "", png)
    if as_json:
        print_json(strategy_facts(solution, rows))
        return
    shown = rows if every or not isinstance(solution, Solution) else shortened(rows, ROWS_SHOWN)
    _print_rows(solution, rows, shown, line or "", every)


def strategy_facts(solution: Solution | BoardSolution | BucketSolution, rows: list[StrategyRow]) -> dict[str, Any]:
    """What `show --json` prints; players count from 1."""
    return {
        "game": solution.game,
        "solver": solution.solver,
        "iterations": solution.iterations,
        "exploitability": solution.exploitability,
        "converged": solution.converged,
        "infosets": {
            row.key: {
                "player": row.player + 1,
                "public": row.public,
                "strategy": dict(zip(row.actions, row.probabilities, strict=True)),
            }
            for row in rows
        },
    }


def _print_rows(
    solution: Solution | BoardSolution | BucketSolution,
    rows: list[StrategyRow],
    shown: list[StrategyRow],
    line: str,
    every: bool,
) -> None:
    from equilibrist.core.solution import Solution
    from equilibrist.interfaces.cli.output import number, screen
    from equilibrist.interfaces.cli.views.tables import legend, strategy_table

    console = screen()
    state = "" if solution.converged else ", NOT converged"
    title = f"{solution.game} by {solution.solver}, exploitability {number(solution.exploitability)}{state}"
    console.print(title, style="bold", markup=False)
    if not isinstance(solution, Solution):
        from equilibrist.interfaces.cli.views.board_view import print_place

        print_place(solution, console, rows, line, every)
        return
    console.print(strategy_table(shown, console))
    hidden = len(rows) - sum(row.merged for row in shown)
    notes = [legend(shown), f"{hidden:,} more infosets: --all shows them, --line narrows" if hidden else ""]
    console.print("; ".join(note for note in notes if note), style="dim", markup=False)
