"""`equilibrist optimise`: bet sizes (or other numbers of a game) that are best for one player, found while solving."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equilibrist.interfaces.cli.completion import complete_game
from equilibrist.interfaces.cli.guard import INTERRUPTED, complain

if TYPE_CHECKING:
    from equilibrist.solvers.bet_sizing.parameter_optimisation import Optimised

STEPS_SHOWN = 12


def optimise(
    game: Annotated[
        str,
        typer.Argument(
            help="A game of the catalogue, where the search begins: 'leduc', 'leduc(bets=[2,7])' …",
            autocompletion=complete_game,
        ),
    ],
    vary: Annotated[str, typer.Option(help="Parameters to optimise: 'bets', 'bets[2]' (the second), 'ante,bets' …")],
    player: Annotated[int, typer.Option(help="Player to optimise for; 1 acts first.")] = 1,
    low: Annotated[float | None, typer.Option(help="Lower bound of all parameters (default: 5% of the start).")] = None,
    high: Annotated[float | None, typer.Option(help="Upper bound of all parameters.")] = None,
    iterations: Annotated[int, typer.Option(help="CFR iterations at each of the two points per parameter.")] = 100_000,
    rate: Annotated[float, typer.Option(help="Step size: rate * gradient / step^0.75.")] = 50.0,
    radius: Annotated[
        float | None,
        typer.Option(help="Initial distance of the points (default: a quarter of the smallest parameter, at most 1)."),
    ] = None,
    largest_step: Annotated[
        float | None, typer.Option(help="Largest change of a parameter in one step (default: half the radius).")
    ] = None,
    sampling: Annotated[str, typer.Option(help="'none' walks all deals, 'chance' one deal per iteration.")] = "none",
    seed: Annotated[int, typer.Option(help="Random seed of chance sampling.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Save the equilibrium of the game found to this file (.eqb).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Choose bet sizes while solving: the numbers that are best for one player when everybody plays an equilibrium."""
    from equilibrist.forms.history_tree.parameters import family_of
    from equilibrist.interfaces.cli.files import check_writable, save_result
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.progress import Meter, preparing
    from equilibrist.solvers.bet_sizing.parameter_optimisation import (
        OptimiserSettings,
        OptimiserStep,
        optimise_parameters,
    )

    check_writable(out, "--out")
    family = family_of(game, vary)
    settings = OptimiserSettings(rate=rate, radius=radius, largest_step=largest_step, sampling=sampling)
    box = None
    if low is not None or high is not None:
        most = float("inf") if high is None else high
        box = [(0.05 * start if low is None else low, most) for start in family.start]
    with Meter(game) as meter:
        meter.show(None, preparing())

        def show(step: OptimiserStep, share: float) -> None:
            places = "  ".join(f"{name} {x:.4g}" for name, x in zip(family.names, step.theta, strict=True))
            meter.show(share, f"step {step.number:,}  {places}")

        found = optimise_parameters(
            family, player=player - 1, box=box, iterations=iterations, settings=settings, seed=seed, progress=show
        )
    if out is not None:
        out = save_result(out, found.solution.save)
    if as_json:
        print_json(facts(found) | {"file": str(out) if out else None})
    else:
        _print(found, out)
    if found.interrupted:
        complain(f"Interrupted after {len(found.steps):,} steps; the numbers are where the search stood.")
        raise typer.Exit(INTERRUPTED)


def facts(found: Optimised) -> dict[str, Any]:
    """What `optimise --json` prints."""
    solution = found.solution
    return {
        "game": solution.game,
        "player": found.player + 1,
        "parameters": dict(zip(found.names, found.theta, strict=True)),
        "value": found.value,
        "values": list(solution.value),
        "exploitability": solution.exploitability,
        "interrupted": found.interrupted,
        "iterations": found.steps[-1].iterations if found.steps else 0,
        "steps": [
            {
                "step": step.number,
                "parameters": list(step.theta),
                "gradient": list(step.gradient),
                "value": step.value,
                "weight": step.weight,
                "iterations": step.iterations,
            }
            for step in found.steps
        ],
    }


def _print(found: Optimised, out: Path | None) -> None:
    from equilibrist.interfaces.cli.output import number, plain_table, screen

    console = screen()
    table = plain_table(
        "step", *found.names, *(f"gradient {name}" for name in found.names), "value", "past counts", "iterations"
    )
    spaced = max(1, len(found.steps) // STEPS_SHOWN)
    for step in [*found.steps[:-1:spaced], *found.steps[-1:]]:
        cells = [*(f"{x:.4f}" for x in step.theta), *(f"{x:+.5f}" for x in step.gradient)]
        table.add_row(f"{step.number:,}", *cells, number(step.value), f"{step.weight:.3f}", f"{step.iterations:,}")
    console.print(table)
    places = ", ".join(f"{name} = {x:.4g}" for name, x in zip(found.names, found.theta, strict=True))
    worth = f"worth {number(found.value)} to player {found.player + 1} (exploitability {number(found.solution.exploitability)})"
    console.print(f"{places}: {worth}", markup=False)
    if out is not None:
        console.print(f"Saved to {out}", markup=False, soft_wrap=True)
