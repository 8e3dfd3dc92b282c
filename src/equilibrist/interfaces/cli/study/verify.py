"""`equilibrist verify`: check a saved solution by an independent computation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equilibrist.interfaces.cli.completion import complete_solution

if TYPE_CHECKING:
    from equilibrist.evaluation.verification.verify import Verified

DISAGREES = 1


def verify(
    file: Annotated[
        Path, typer.Argument(help="A solution written by 'solve --out'.", autocompletion=complete_solution)
    ],
    full: Annotated[
        bool, typer.Option("--full", help="Verify even if it takes minutes: flop spots, games with many boards.")
    ] = False,
    game: Annotated[
        str | None, typer.Option(help="The game, for solutions of a game from a Python file: my_game.py:MyGame.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Recompute value and exploitability from the rules alone; exit code 1 if the file says otherwise."""
    from equilibrist.core.artifact import check_artifact
    from equilibrist.evaluation.verification.verify import verify as recompute
    from equilibrist.interfaces.cli.files import read_solution
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.progress import Meter

    solution = read_solution(file, game)
    sealed = check_artifact(file)
    with Meter(f"verifying {solution.title}") as meter:
        verification = recompute(solution, full=full, report=meter.show)
    if as_json:
        print_json(verification.to_json() | {"checksum": "right" if sealed else None})
    else:
        _print(verification, sealed)
    if not verification.agrees:
        raise typer.Exit(DISAGREES)


def _print(verification: Verified, sealed: bool) -> None:
    from rich.table import Table

    from equilibrist.interfaces.cli.output import duration, screen

    console = screen()
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for column in (verification.game, "the file says", verification.route):
        table.add_column(column, justify="left" if column == verification.game else "right")
    for name, *both in verification.rows:
        table.add_row(name, *("–" if each is None else f"{each:.9f}" for each in both))
    if verification.rows:
        console.print(table)
    for problem in (*verification.problems, *verification.claims.wrong):
        console.print(f"problem: {problem}", markup=False)
    for claim in verification.claims.right:
        console.print(f"right: {claim}", markup=False)
    checksum = "right: the checksum" if sealed else "The file has no checksum: an earlier version wrote it."
    console.print(checksum, markup=False)
    stated = ", ".join(f"{name} {_said(value)}" for name, value in (verification.claims.stated or {}).items() if value)
    if stated:
        console.print(f"stated by the file, not checked: {stated}", markup=False)
    walked = f"{verification.histories:,} {verification.walked} walked in {duration(verification.seconds)}"
    console.print(f"{_verdict(verification)} ({walked}).", markup=False)


def _said(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _verdict(verification: Verified) -> str:
    if verification.problems:
        return "The file does NOT fit the rules of its game"
    if verification.claims.wrong:
        return "What the file says about itself is NOT right"
    if verification.stated is None:
        return "The file states no values, so there is nothing to compare"
    if verification.agrees:
        return f"They agree to {verification.difference:.1e}, tolerance {verification.tolerance:.1e}"
    return f"They do NOT agree: the difference {verification.difference:.3g} exceeds {verification.tolerance:.1e}"
