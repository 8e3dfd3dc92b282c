"""`equilibrist show`: show the strategy of a saved solution."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equilibrist.interfaces.cli.completion import complete_solution

if TYPE_CHECKING:
    from rich.console import Console

    from equilibrist.core.solution import Solution
    from equilibrist.interfaces.strategies import StrategyRow

ROWS_SHOWN = 24
SPOT = "spot-solution"  # shown with equity and EV of every hand
TABLE = "table-solution"
THREE_WAY = "three-way-solution"  # the same for each of three seats


def show(
    file: Annotated[
        Path, typer.Argument(help="A solution written by 'solve --out'.", autocompletion=complete_solution)
    ],
    line: Annotated[
        str | None,
        typer.Option(
            help="Show only this line, such as 'b:c', and what follows it (on boards the line alone); suits may be left out."
        ),
    ] = None,
    player: Annotated[
        int | None, typer.Option(help="Show only this player, counted from 1; three-way spots: this seat's hands.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Show every infoset by itself.")] = False,
    hands: Annotated[bool, typer.Option("--hands", help="Spots: also show every single hand.")] = False,
    hand: Annotated[str | None, typer.Option(help="Spots: show only these hands: AKs, AK, 77 or AsKs.")] = None,
    runouts: Annotated[
        bool, typer.Option("--runouts", help="Spots: show every card that can come after --line.")
    ] = False,
    compare: Annotated[Path | None, typer.Option(help="Compare with this solution of the same game or spot.")] = None,
    png: Annotated[
        Path | None, typer.Option(help="Spots: write a picture of the grid (or the runouts) to this file.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option(help="Spots: write every hand at --line with its equity, EV and mix to this file.")
    ] = None,
    spot: Annotated[
        Path | None,
        typer.Option(help="Tables: write the flop that two players see after --line as a spot to this file."),
    ] = None,
    board: Annotated[
        str | None, typer.Option(help="With --spot: its flop, such as Td9d6h (default: for 'report').")
    ] = None,
    bunching: Annotated[
        bool, typer.Option("--bunching", help="Tables: count the hands of folded seats at --line exactly.")
    ] = False,
    game: Annotated[
        str | None, typer.Option(help="The game, for solutions of a game from a Python file: my_game.py:MyGame.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Show the strategy of a saved solution: infoset by infoset, or of a spot as a 13×13 grid."""
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.interfaces.cli.files import check_writable, read_solution
    from equilibrist.interfaces.cli.output import print_json, screen
    from equilibrist.interfaces.strategies import by_public_state, solution_rows, strategy_json
    from equilibrist.solvers.saved_solutions import load_solution

    check_writable(png, "--png")
    check_writable(csv, "--csv")
    check_writable(spot, "--spot")
    if board is not None and spot is None:
        raise NotApplicableError("--board is the flop of a spot; give --spot too.")
    if (runouts and compare is not None) or ((runouts or compare is not None) and (hands or hand is not None)):
        raise NotApplicableError("--runouts, --compare and --hands or --hand are shown one at a time; choose one.")
    if compare is not None and png is not None:
        raise NotApplicableError("There is no picture of --compare; leave out --png.")
    if csv is not None and (runouts or compare is not None):
        raise NotApplicableError("--csv writes the hands at --line; leave out --runouts and --compare.")
    if bunching and (
        hands or hand is not None or compare is not None or png is not None or csv is not None or spot is not None
    ):
        raise NotApplicableError("--bunching is shown alone, at --line, as a table or by --json; leave the others out.")
    solution = read_solution(file, game)
    if bunching and solution.kind != TABLE:
        raise NotApplicableError(f"--bunching is for solved tables, but '{file}' is none; leave it out.")
    if solution.kind == SPOT:
        if player is not None or every:
            raise NotApplicableError("--player and --all are for games; a spot shows who acts at --line, and --hands.")
        _show_spot(solution, file, line, hands, hand, runouts, compare, png, csv, as_json)
        return
    if solution.kind == TABLE:
        if player is not None or every or runouts:
            raise NotApplicableError(
                "--player, --all and --runouts are not for tables; --line says whose decision is shown."
            )
        if bunching:
            from equilibrist.interfaces.cli.tables.bunching_view import show_bunching
            from equilibrist.solvers.tables.table_solution import TableSolution

            assert isinstance(solution, TableSolution), "by its kind"
            show_bunching(solution, line or "", as_json)
            return
        if spot is not None:
            _write_spot(solution, line or "", board, spot, as_json)
            return
        _show_table(solution, file, line, hands, hand, compare, png, csv, as_json)
        return
    if spot is not None or board is not None:
        raise NotApplicableError(f"--spot and --board are for solved tables, but '{file}' is none; leave them out.")
    if solution.kind == THREE_WAY:
        if every or runouts or compare is not None:
            raise NotApplicableError(
                "--all, --runouts and --compare are not for spots of three players; --line, --player and --hands show them."
            )
        _show_three_way(solution, line, player, hands, hand, png, csv, as_json)
        return
    if hands or runouts or hand is not None or csv is not None:
        raise NotApplicableError(
            f"--hands, --hand, --runouts and --csv are for solved spots, but '{file}' is none; leave them out."
        )
    if compare is not None:
        from equilibrist.interfaces.cli.views.comparison import show_game_comparison

        show_game_comparison(solution, load_solution(compare), (file.name, compare.name), line, as_json)
        return
    rows = solution_rows(solution, line=line, player=None if player is None else player - 1)
    if png is not None:
        from equilibrist.interfaces.cli.views.board_view import draw_place

        draw_place(by_public_state(solution), solution.title, line or "", png)
    if as_json:
        print_json(strategy_json(solution, rows))
        return
    _print_rows(solution, screen(), rows, line or "", every)


def _show_spot(
    solution: Solution,
    file: Path,
    line: str | None,
    hands: bool,
    hand: str | None,
    runouts: bool,
    compare: Path | None,
    png: Path | None,
    csv: Path | None,
    as_json: bool,
) -> None:
    from equilibrist.interfaces.cli.views.runouts import show_comparison, show_runouts
    from equilibrist.interfaces.cli.views.spot_view import show_spot
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution, load_spot_solution

    assert isinstance(solution, SpotSolution), "files of this kind hold nothing else"
    if compare is not None:
        show_comparison(solution, load_spot_solution(compare), (file.name, compare.name), line=line, as_json=as_json)
    elif runouts:
        show_runouts(solution, line=line, png=png, as_json=as_json)
    else:
        show_spot(solution, line=line, hands=hands, hand=hand, png=png, csv=csv, as_json=as_json)


def _write_spot(solution: Solution, line: str, board: str | None, path: Path, as_json: bool) -> None:
    """Send a line of a table to the flop."""
    from equilibrist.core.writing import whole_file
    from equilibrist.games.spots.toml_text import toml_text
    from equilibrist.interfaces.cli.output import print_json, screen
    from equilibrist.solvers.tables.table_solution import TableSolution

    assert isinstance(solution, TableSolution), "files of this kind hold nothing else"
    node = solution.at(line)
    keys = node.spot_keys() if board is None else node.to_spot(board).table()
    text = toml_text(keys)
    with whole_file(path) as out:
        out.write(text.encode())
    if as_json:
        print_json({"kind": "spot", "file": str(path), "spot": keys})
        return
    further = f"equilibrist report {path}" if board is None else f"equilibrist solve {path}"
    screen().print(f"Spot in {path}; go on with: {further}", markup=False, soft_wrap=True)


def _show_table(
    solution: Solution,
    file: Path,
    line: str | None,
    hands: bool,
    hand: str | None,
    compare: Path | None,
    png: Path | None,
    csv: Path | None,
    as_json: bool,
) -> None:
    from equilibrist.core.solution import read_solution
    from equilibrist.interfaces.cli.tables.table_view import show_table, show_table_comparison
    from equilibrist.solvers.tables.table_solution import TableSolution

    assert isinstance(solution, TableSolution), "files of this kind hold nothing else"
    if compare is not None:
        other = read_solution(compare, TableSolution)
        show_table_comparison(solution, other, (file.name, compare.name), line, as_json)
    else:
        show_table(solution, line=line, hands=hands, hand=hand, png=png, csv=csv, as_json=as_json)


def _show_three_way(
    solution: Solution,
    line: str | None,
    player: int | None,
    hands: bool,
    hand: str | None,
    png: Path | None,
    csv: Path | None,
    as_json: bool,
) -> None:
    from equilibrist.core.errors import ParameterError
    from equilibrist.interfaces.cli.views.spot_view import show_spot
    from equilibrist.solvers.three_way.three_way_solution import ThreeWaySolution

    assert isinstance(solution, ThreeWaySolution), "files of this kind hold nothing else"
    seats = solution.spot.seats
    if player is not None and not 1 <= player <= len(seats):
        names = ", ".join(f"{number} ({name})" for number, name in enumerate(seats, start=1))
        raise ParameterError(f"--player is one of {names}, but {player} was given.")
    seat = None if player is None else seats[player - 1]
    show_spot(solution, line=line, seat=seat, hands=hands, hand=hand, png=png, csv=csv, as_json=as_json)


def _print_rows(solution: Solution, console: Console, rows: list[StrategyRow], line: str, every: bool) -> None:
    from equilibrist.interfaces.cli.output import number
    from equilibrist.interfaces.cli.views.board_view import print_place
    from equilibrist.interfaces.cli.views.tables import legend, strategy_table
    from equilibrist.interfaces.strategies import by_public_state, shortened

    state = f", {solution.unfinished}" if solution.unfinished else ""
    title = f"{solution.title} by {solution.solver}, exploitability {number(solution.exploitability)}{state}"
    console.print(title, style="bold", markup=False)
    policy = by_public_state(solution)
    if policy is not None:
        print_place(policy, console, rows, line, every)
        return
    shown = rows if every else shortened(rows, ROWS_SHOWN)
    console.print(strategy_table(shown, console))
    hidden = len(rows) - sum(row.merged for row in shown)
    notes = [legend(shown), f"{hidden:,} more infosets: --all shows them, --line narrows" if hidden else ""]
    console.print("; ".join(note for note in notes if note), style="dim", markup=False)
