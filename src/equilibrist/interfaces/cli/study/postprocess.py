"""`equilibrist postprocess`: drop or purify rarely played actions of a saved solution, and measure it again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equilibrist.interfaces.cli.completion import complete_solution


def postprocess(
    file: Annotated[
        Path, typer.Argument(help="A solution written by 'solve --out'.", autocompletion=complete_solution)
    ],
    rule: Annotated[
        str, typer.Option(help="purify, threshold(0.15) or generalised(0.2): fold surely above 0.2, else purify.")
    ] = "purify",
    out: Annotated[Path | None, typer.Option(help="Save the changed solution to this file.")] = None,
    game: Annotated[
        str | None, typer.Option(help="The game, for solutions of a game from a Python file: my_game.py:MyGame.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Drop or purify rarely played actions of a saved solution and measure it again."""
    from equilibrist.abstraction.bets.purification import find_rule
    from equilibrist.abstraction.bets.purification import postprocess as apply
    from equilibrist.core.solution import SolveRecord, TabularSolution
    from equilibrist.games.catalogue import recorded_game
    from equilibrist.interfaces.cli.files import check_writable, read_solution, save_result
    from equilibrist.interfaces.cli.output import number, print_json, screen
    from equilibrist.solvers.responses.best_response import evaluate_policy

    chosen = find_rule(rule)
    check_writable(out, "--out")
    solution = read_solution(file, game)
    whole = solution.tabular()
    policy = apply(whole, chosen)
    before, after = (evaluate_policy(recorded_game(solution.game), one) for one in (whole, policy))
    if out is not None:
        record = SolveRecord(
            solution.solver,
            solution.iterations,
            solution.seconds,
            settings={**solution.settings, "postprocessing": rule},
            provenance=solution.provenance,
            extra=solution.extra,
        )
        out = save_result(out, TabularSolution(solution.game, record, policy, after, unit=solution.unit).save)
    facts = {
        "game": solution.game,
        "rule": rule,
        "exploitability": {"before": before.exploitability, "after": after.exploitability},
        "value": {"before": before.value, "after": after.value},
        "changed": int((abs(policy.probabilities - whole.probabilities) > 1e-12).sum()),
        "out": None if out is None else str(out),
    }
    if as_json:
        print_json(facts)
        return
    console = screen()
    console.print(f"{solution.title} by {solution.solver}, {rule}", style="bold", markup=False)
    console.print(f"exploitability {number(before.exploitability)} -> {number(after.exploitability)}", markup=False)
    console.print(f"{facts['changed']:,} of {policy.infosets.slots:,} probabilities changed", style="dim", markup=False)
