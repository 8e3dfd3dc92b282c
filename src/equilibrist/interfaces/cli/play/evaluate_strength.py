"""`equilibrist evaluate --responses`: what a strategy loses to opponents that answer it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equilibrist.core.policy import TabularPolicy
    from equilibrist.evaluation.reports.strength_report import StrengthReport
    from equilibrist.forms.compiled import Compiled


DUST = 1e-9  # rounding shows as 0


def _no_dust(chips: float) -> float:
    return chips if abs(chips) > DUST else 0.0


def evaluate_strength(
    target: str, game: str | None, responses: str, runs: int, seed: int, png: Path | None, as_json: bool
) -> None:
    """Table, JSON and picture of a strategy's losses."""
    from equilibrist.evaluation.reports.strength_report import read_responders, strength_report
    from equilibrist.exploit.response_functions.strength import both_sides
    from equilibrist.interfaces.cli.files import check_writable
    from equilibrist.interfaces.cli.output import print_json

    check_writable(png, "--png")
    begun = time.perf_counter()
    if _of_buckets(target):
        report, what = _bucket_strength(target, game, responses, runs, seed)
    else:
        compiled_game, policy, what = _strategy(target, game)
        sides = both_sides(compiled_game)
        report = strength_report(
            compiled_game, policy, read_responders(responses, compiled_game, sides), runs=runs, seed=seed
        )
    if png is not None:
        from equilibrist.interfaces.pictures.strength_picture import save_strength_picture

        save_strength_picture(png, report, f"{what} in {report.game}")
    facts = _facts(report, what, runs, seed) | {"seconds": time.perf_counter() - begun}
    if as_json:
        print_json(facts)
    else:
        _print(report, facts)


def _of_buckets(target: str) -> bool:
    from equilibrist.core.artifact import artifact_kind
    from equilibrist.solvers.hand_classes.bucket_solution import BucketSolution

    return target.endswith(".eqb") and os.path.isfile(target) and artifact_kind(target) == BucketSolution.kind


def _bucket_strength(path: str, game: str | None, responses: str, runs: int, seed: int) -> tuple[StrengthReport, str]:
    """A solved game of buckets, whose tree is never laid out."""
    from equilibrist.evaluation.reports.class_strength import class_strength, read_class_responders
    from equilibrist.interfaces.cli.files import read_solution
    from equilibrist.solvers.hand_classes.bucket_solution import BucketSolution

    responders = read_class_responders(responses)
    solution = read_solution(Path(path), game)
    assert isinstance(solution, BucketSolution)
    strategy = solution.run.strategy()
    report = class_strength(solution.game, strategy.form, strategy.weights, responders, runs=runs, seed=seed)
    return report, f"{Path(path).name} ({solution.solver})"


def _strategy(target: str, game: str | None) -> tuple[Compiled, TabularPolicy, str]:
    """A saved solution, the equilibrium of a game, or a player written out in a game."""
    from equilibrist.core.errors import UnknownNameError
    from equilibrist.forms.compiled import compiled
    from equilibrist.games.catalogue import load_game

    if target.endswith(".eqb"):
        return _solution(target, game)
    if game is None:
        try:
            found = compiled(load_game(target))
        except UnknownNameError as error:
            raise UnknownNameError(
                f"{error} A player needs its game: add --game, or name a game or a solution (.eqb)."
            ) from None
        from equilibrist.exploit.response_functions.strength import solved_policy

        return found, solved_policy(found), "equilibrium"
    from equilibrist.agents.registry import load_agent
    from equilibrist.agents.tabulate import tabulate

    found = compiled(load_game(game))
    return found, tabulate(load_agent(target), found.game, target), target


def _solution(path: str, game: str | None) -> tuple[Compiled, TabularPolicy, str]:
    from equilibrist.forms.compiled import compiled
    from equilibrist.games.catalogue import recorded_game
    from equilibrist.interfaces.cli.files import read_solution

    solution = read_solution(Path(path), game)
    return compiled(recorded_game(solution.game)), solution.tabular(), f"{Path(path).name} ({solution.solver})"


def _facts(report: StrengthReport, what: str, runs: int, seed: int) -> dict[str, Any]:
    return {
        "strategy": what,
        "game": report.game,
        "unit": "chips per hand, seats averaged",
        "exploitability": report.exploitability,
        "responses": [
            {
                "responder": loss.responder.name,
                "label": loss.responder.label,
                "samples": loss.responder.strength,
                "loss": loss.chips,
                "interval": loss.interval,
            }
            for loss in report.losses
        ],
        "runs": runs,
        "seed": seed,
    }


def _print(report: StrengthReport, facts: dict[str, Any]) -> None:
    from equilibrist.interfaces.cli.output import duration, number, plain_table, screen

    console = screen()
    console.print(f"{facts['strategy']} in {report.game}", style="bold", markup=False)
    table = plain_table("responder", "what it is", "loss", "95 % interval")
    for column in table.columns[2:]:
        column.justify = "right"
    for loss in report.losses:
        interval = f"± {loss.interval:.3g}" if loss.interval > DUST else ""
        table.add_row(loss.responder.name, loss.responder.label, number(_no_dust(loss.chips), 4), interval)
    console.print(table)
    console.print(
        f"chips per hand beyond the game value, seats averaged; negative losses are wins. Exploitability "
        f"{number(_no_dust(report.exploitability), 4)}; {duration(facts['seconds'])}",
        style="dim",
        markup=False,
    )
