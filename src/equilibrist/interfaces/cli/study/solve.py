"""`equilibrist solve`: solve a game, spot or table, and report strategy and exploitability."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equilibrist.interfaces.cli.completion import complete_game, complete_solution, complete_solver
from equilibrist.interfaces.cli.files import save_result
from equilibrist.interfaces.cli.guard import INTERRUPTED, complain
from equilibrist.interfaces.cli.output import print_json, screen
from equilibrist.interfaces.cli.study.solve_request import SolveRequest

if TYPE_CHECKING:
    from equilibrist.core.solution import Solution


def solve(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GAME|SPOT.toml|TABLE.toml …",
            help="leduc, 'leduc(ranks=5)', openspiel:NAME, path/to/game.efg, path/to/spot.toml, path/to/table.toml …; or many spots: "
            "several files, a folder, or JSON lines (.jsonl).",
            autocompletion=complete_game,
        ),
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option(
            help="Name of a solver, such as 'dcfr' (the default) or 'cfr+(average=quadratic)'; 'auto' chooses and says why.",
            autocompletion=complete_solver,
        ),
    ] = None,
    until: Annotated[
        str | None, typer.Option(help="Stop at this exploitability: chips, '0.3%' of the pot or '5mbb'.")
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(help="Maximum number of iterations (default: 1000 for games; spots and tables stop at a target)."),
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Maximum number of seconds.")] = None,
    nodes: Annotated[
        int | None, typer.Option(help="Maximum number of nodes touched (counted by pruned and sampling methods).")
    ] = None,
    keep_best: Annotated[
        bool, typer.Option("--keep-best", help="Return the least exploitable profile that was measured.")
    ] = False,
    warm_start: Annotated[
        Path | None,
        typer.Option(help="Start CFR from the policy of a saved solution.", autocompletion=complete_solution),
    ] = None,
    warm_iterations: Annotated[
        int | None, typer.Option(help="Iterations that the policy stands for (default: estimated).")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed of sampling methods.")] = None,
    on: Annotated[
        str | None,
        typer.Option(help="Games: representation, 'tree', 'boards' or 'buckets' (default: by solver and size)."),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Number of threads (default: all cores for spots and boards, else 1).")
    ] = None,
    bits: Annotated[
        int | None,
        typer.Option(help="Spots and boards: bits per table entry, 32 or 16; 16 halves the memory (default: 32)."),
    ] = None,
    lock: Annotated[
        Path | None, typer.Option(help="Spots: file with further locked strategies ([[lock]] tables).")
    ] = None,
    device: Annotated[
        str,
        typer.Option(
            help="Where to compute: 'cpu', 'cuda' (spots, boards, flops of tables; needs the extra gpu) or 'auto'."
        ),
    ] = "cpu",
    out: Annotated[
        Path | None,
        typer.Option(
            help="Save the solution to this file (.eqb); many spots: to this folder, where the same command goes on."
        ),
    ] = None,
    without: Annotated[
        str | None,
        typer.Option(help="Leave out of the file: spots 'river' (or 'turn' and river), tables 'flops'."),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Continue a saved solution.", autocompletion=complete_solution)
    ] = None,
    png: Annotated[
        Path | None, typer.Option(help="Write a picture of the strategy and the convergence to this file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Solve a game, a postflop spot or a table before the flop, or many spots; Ctrl-C stops early and keeps the result so far."""
    named = games or []
    request = SolveRequest(
        named[0] if named else None,
        solver,
        until,
        iterations,
        seconds,
        nodes,
        keep_best,
        warm_start,
        warm_iterations,
        seed,
        on,
        threads,
        bits,
        lock,
        device,
        out,
        without,
        resume,
        png,
    )
    from equilibrist.interfaces.cli.build.solve_many import solve_many, stands_for_many

    if stands_for_many(named, out):
        solve_many(named, request, as_json=as_json)
        return
    result = request.run()
    solution = result.solution
    if out is not None:
        out = save_result(out, result.save)
    if png is not None:
        result.draw(png)
    if as_json:
        print_json(result.to_json() | {"file": str(out) if out else None})
    else:
        console = screen()
        result.print(console)
        for path, what in ((out, "Saved to"), (png, "Picture in")):
            if path is not None:
                console.print(f"{what} {path}", markup=False, soft_wrap=True)
    if solution.interrupted:
        complain(interrupted_sentence(solution, out))
        raise typer.Exit(INTERRUPTED)


def status(solution: Solution) -> str:
    """Whether the target was reached, as a panel says it."""
    goal = solution.settings.get("until")
    if solution.interrupted:
        return "[bold yellow]NOT converged[/] (interrupted)"
    if goal is None:
        return "done (no target was set; --until sets one)"
    target = f"target {goal:.4g} {solution.unit}"
    if not solution.converged:
        return f"[bold yellow]NOT converged[/] (the {target} was not reached)"
    return f"[bold green]converged[/] ({target})"


def interrupted_sentence(solution: Solution, out: Path | None) -> str:
    """What became of an interrupted solve, and how to go on."""
    where = f"Interrupted at iteration {solution.iterations:,}"
    if out is None:
        return f"{where}; nothing was saved, since no --out was given."
    file = shlex.quote(str(out))
    return f"{where}; saved to {out}, go on with: equilibrist solve --resume {file} --out {file}"
