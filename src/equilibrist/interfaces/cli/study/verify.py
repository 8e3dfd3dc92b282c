"""`equilibrist verify`: a second opinion on a saved solution."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equilibrist.interfaces.cli.completion import complete_solution

if TYPE_CHECKING:
    from equilibrist.evaluation.verification.tabular import Verification

DISAGREES = 1


def verify(
    file: Annotated[
        Path, typer.Argument(help="A solution written by 'solve --out'.", autocompletion=complete_solution)
    ],
    full: Annotated[
        bool, typer.Option("--full", help="Also where it takes minutes: a spot on the flop, a game with many boards.")
    ] = False,
    game: Annotated[
        str | None, typer.Option(help="The game, for solutions of a game from a Python file: my_game.py:MyGame.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Recompute value and exploitability from the rules alone; exit code 1 if the file says otherwise."""
    from equilibrist.core.solution import Solution
    from equilibrist.evaluation.verification.tabular import verify_solution
    from equilibrist.games.catalogue import recorded_game
    from equilibrist.interfaces.cli.files import read_solution
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.progress import Meter
    from equilibrist.interfaces.cli.study.spot import is_spot_file, verify_spot_file
    from equilibrist.solvers.hand_classes.bucket_solution import BucketSolution

    if is_spot_file(file):
        verify_spot_file(file, full=full, as_json=as_json)
        return
    solution = read_solution(file, game)
    rules = recorded_game(solution.game)
    with Meter(f"verifying {rules.name}") as meter:
        if isinstance(solution, Solution):
            total = rules.histories()

            def report(histories: int) -> None:
                meter.show(min(1.0, histories / total) if total else None, f"{histories:,} histories")

            verification = verify_solution(solution, rules, progress=report)
        elif isinstance(solution, BucketSolution):
            from equilibrist.evaluation.verification.hand_classes import verify_buckets

            verification = verify_buckets(solution, lambda walked: meter.show(None, f"{walked:,} betting situations"))
        else:
            from equilibrist.evaluation.verification.boards import verify_boards

            def count(done: int, boards: int) -> None:
                meter.show(done / boards, f"{done:,} of {boards:,} boards")

            verification = verify_boards(solution, full=full, progress=count)
    if as_json:
        print_json(verification_facts(verification))
    else:
        _print(verification)
    if not verification.agrees:
        raise typer.Exit(DISAGREES)


def verification_facts(verification: Verification) -> dict[str, Any]:
    """What `verify --json` prints."""

    def numbers(evaluation: Any) -> dict[str, Any] | None:
        if evaluation is None:
            return None
        return {
            "value": list(evaluation.value),
            "best_response_value": evaluation.best_response_value,
            "nash_conv": evaluation.nash_conv,
            "exploitability": evaluation.exploitability,
        }

    return {
        "game": verification.game,
        "agrees": verification.agrees,
        "stated": numbers(verification.stated),
        "recomputed": numbers(verification.recomputed),
        "difference": verification.difference,
        "tolerance": verification.tolerance,
        "histories": verification.histories,
        "seconds": verification.seconds,
        "problems": list(verification.problems),
    }


def _print(verification: Verification) -> None:
    from rich.table import Table

    from equilibrist.interfaces.cli.output import duration, screen

    console = screen()
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for column in (verification.game, "the file says", "the rules say"):
        table.add_column(column, justify="left" if column == verification.game else "right")
    for name, stated, recomputed in _comparison(verification):
        table.add_row(name, stated, recomputed)
    if verification.recomputed is not None:
        console.print(table)
    for problem in verification.problems:
        console.print(f"problem: {problem}", markup=False)
    walked = f"{verification.histories:,} {verification.walked} walked in {duration(verification.seconds)}"
    console.print(f"{_verdict(verification)} ({walked}).", markup=False)


def _verdict(verification: Verification) -> str:
    if verification.problems:
        return "The policy does NOT fit the rules of its game"
    if verification.stated is None:
        return "The file states no values, so there is nothing to compare"
    if verification.agrees:
        return f"They agree to {verification.difference:.1e}, tolerance {verification.tolerance:.1e}"
    return f"They do NOT agree: the difference {verification.difference:.3g} exceeds {verification.tolerance:.1e}"


def _comparison(verification: Verification) -> list[tuple[str, str, str]]:
    stated, recomputed = verification.stated, verification.recomputed
    if recomputed is None:
        return []
    rows = _lines("value", stated.value if stated else None, recomputed.value)
    best = recomputed.best_response_value
    rows += _lines("best response", stated.best_response_value if stated else None, best)
    if best is not None:
        known = None if stated is None else (stated.exploitability,)
        rows += _lines("exploitability", known, (recomputed.exploitability,))
    return rows


def _lines(name: str, stated: Sequence[float] | None, recomputed: Sequence[float] | None) -> list[tuple[str, str, str]]:
    out = []
    for p in range(max(len(stated or ()), len(recomputed or ()))):
        label = f"{name} of player {p + 1}" if name != "exploitability" else name
        both = [f"{each[p]:.9f}" if each is not None and p < len(each) else "–" for each in (stated, recomputed)]
        out.append((label, both[0], both[1]))
    return out
