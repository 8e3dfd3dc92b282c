"""`equilibrist solve`: a game in, a strategy and its exploitability out."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equilibrist.interfaces.cli.completion import complete_game, complete_solution, complete_solver
from equilibrist.interfaces.cli.guard import INTERRUPTED, complain

if TYPE_CHECKING:
    from rich.console import Console

    from equilibrist.core.solution import Solution
    from equilibrist.games.rules import Game
    from equilibrist.solvers.hand_classes.bucket_solution import BucketSolution
    from equilibrist.solvers.postflop.solutions.game_solution import BoardSolution

ROWS_SHOWN = 24


def solve(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME|SPOT.toml",
            help="leduc, 'leduc(ranks=5)', openspiel:NAME, path/to/game.efg, path/to/spot.toml …",
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
        typer.Option(
            help="Stop after so many iterations in all (if nothing is said: 1000 on games, 0.3% of the pot on spots)."
        ),
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after so many seconds.")] = None,
    nodes: Annotated[
        int | None, typer.Option(help="Stop after so many nodes touched (walks and sampling methods count them).")
    ] = None,
    keep_best: Annotated[
        bool, typer.Option("--keep-best", help="Give the least exploitable profile measured on the way.")
    ] = False,
    warm_start: Annotated[
        Path | None,
        typer.Option(help="Start CFR from the policy of a saved solution.", autocompletion=complete_solution),
    ] = None,
    warm_iterations: Annotated[
        int | None, typer.Option(help="Iterations that policy stands for (estimated if nothing is said).")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of methods that sample.")] = None,
    threads: Annotated[
        int | None, typer.Option(help="Threads to use; if nothing is said all cores on spots and boards, 1 elsewhere.")
    ] = None,
    bits: Annotated[
        int | None, typer.Option(help="Spots and boards: 16 halves the memory of the tables (32 if nothing is said).")
    ] = None,
    lock: Annotated[
        Path | None, typer.Option(help="Spots: more locked strategies, from a file of [[lock]] tables.")
    ] = None,
    device: Annotated[str, typer.Option(help="Where to compute: 'cpu'.")] = "cpu",
    out: Annotated[Path | None, typer.Option(help="Save the solution here (.eqb).")] = None,
    without: Annotated[
        str | None,
        typer.Option(
            help="Spots: leave 'river' (or 'turn' and river) out of the file; solved again where it is shown."
        ),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Go on from a saved solution.", autocompletion=complete_solution)
    ] = None,
    png: Annotated[Path | None, typer.Option(help="Draw the strategy and the convergence here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Solve a game or a postflop spot; Ctrl-C stops early and keeps what was done."""
    from equilibrist.interfaces.cli.study.spot import SpotRequest, is_spot_file, solve_spot_file

    extras = _Extras(nodes, keep_best, warm_start, warm_iterations)
    if game.endswith(".toml") if game is not None else is_spot_file(resume):
        extras.refuse()
        solver = None if solver == "auto" else solver  # spots have one default, chosen by measurement
        spot = SpotRequest(game, solver, until, iterations, seconds, threads, out, resume, png, bits, lock, without)
        solve_spot_file(spot, seed=seed, device=device, as_json=as_json)
        return
    request = _Request(game, solver, until, iterations, seconds, seed, out, resume, png, threads, bits, extras)
    request.check(device, lock, without)
    result = request.run()
    solution = result.solution
    if out is not None:
        solution.save(out)
    if png is not None:
        from equilibrist.interfaces.pictures.strategy_pictures import save_solution_picture

        save_solution_picture(solution, png, curve=result.curve, unit=result.unit)
    _print(result, request, as_json)
    if solution.extra.get("interrupted"):
        complain(_interrupted_sentence(solution, out))
        raise typer.Exit(INTERRUPTED)


@dataclass(frozen=True)
class Result:
    """A solution and what is needed to talk about it."""

    solution: Solution | BoardSolution | BucketSolution
    game: Game
    curve: list[tuple[int, float]]

    @property
    def unit(self) -> str:
        return unit_of(self.game)


@dataclass(frozen=True)
class _Extras:
    """What only games have."""

    nodes: int | None
    keep_best: bool
    warm_start: Path | None
    warm_iterations: int | None

    def refuse(self) -> None:
        from equilibrist.core.errors import NotApplicableError

        if self != _Extras(None, False, None, None):
            raise NotApplicableError(
                "--nodes, --keep-best, --warm-start and --warm-iterations are for games; leave them out for spots."
            )

    def arguments(self, saved: Solution | BoardSolution | BucketSolution | None) -> dict[str, Any]:
        from equilibrist.interfaces.cli.files import read_solution

        settings = saved.settings if saved else {}
        given: dict[str, Any] = {"keep_best": self.keep_best or bool(settings.get("keep_best", False))}
        if self.warm_start is not None:
            given["warm_start"] = read_solution(self.warm_start)
        if self.warm_iterations is not None:
            given["warm_iterations"] = self.warm_iterations
        return given


@dataclass(frozen=True)
class _Request:
    """What was typed."""

    game: str | None
    solver: str | None
    until: str | None
    iterations: int | None
    seconds: float | None
    seed: int | None
    out: Path | None
    resume: Path | None
    png: Path | None
    threads: int | None
    bits: int | None
    extras: _Extras

    def check(self, device: str, lock: Path | None, without: str | None) -> None:
        """Refuse what could only fail later."""
        from equilibrist.core.errors import NotApplicableError, ParameterError
        from equilibrist.interfaces.cli.files import check_writable
        from equilibrist.interfaces.pictures.strategy_pictures import require_matplotlib

        if self.game is None and self.resume is None:
            raise ParameterError("No game was named; try 'equilibrist solve kuhn', or 'equilibrist games' for a list.")
        if device != "cpu":
            raise NotApplicableError(f"Tabular solvers run on the CPU, but --device {device} was given; leave it out.")
        if lock is not None:
            raise NotApplicableError(
                "Only spots have locks, but --lock was given; games take opponent models in Python (Binding)."
            )
        if without is not None:
            raise NotApplicableError(f"Only spots have streets, but --without {without} was given; leave it out.")
        check_writable(self.out, "--out")
        check_writable(self.png, "--png")
        if self.png is not None:
            require_matplotlib()

    def run(self) -> Result:
        from equilibrist.compute.interrupts import TerminationAsInterrupt
        from equilibrist.compute.machine import cores
        from equilibrist.forms.compiled import compiled
        from equilibrist.games.catalogue import recorded_game
        from equilibrist.games.poker.bucket_game import BucketPoker
        from equilibrist.interfaces.cli.files import read_solution
        from equilibrist.interfaces.cli.progress import SolveMeter, preparing
        from equilibrist.solvers.auto_solver import AUTO
        from equilibrist.solvers.registry import make_solver
        from equilibrist.solvers.solve import DEFAULT_SOLVER, wants_boards, wants_buckets
        from equilibrist.solvers.solve import solve as solve_game

        target = None if self.game is None else compiled(self.game)
        saved = None if self.resume is None else read_solution(self.resume)
        if target is None:
            assert saved is not None, "check() refuses a request without a game"
            target = compiled(recorded_game(saved.game))
        solver = self.solver
        if solver is None:
            solver = saved.solver if saved else DEFAULT_SOLVER
        made = make_solver(DEFAULT_SOLVER if solver == AUTO else solver)
        shared = wants_boards(target.game, made) or wants_buckets(target.game, made)
        threads = (cores() if shared else 1) if self.threads is None else self.threads
        tuning: dict[str, Any] = {
            "threads": threads,
            "bits": getattr(saved, "bits", 32) if self.bits is None else self.bits,
        }
        with TerminationAsInterrupt(), SolveMeter(target.game.name, self.out) as meter:
            meter.show(None, preparing())
            if isinstance(target.game, BucketPoker):
                target.game.prepare(lambda text, share: meter.show(share, text), threads=cores())
            arguments = self._stop(saved) | self.extras.arguments(saved) | tuning
            solution = solve_game(target, solver, **arguments, progress=meter, resume=saved)
        final = [] if math.isnan(solution.exploitability) else [(solution.iterations, solution.exploitability)]
        return Result(solution, target.game, [point for point in meter.curve if point not in final] + final)

    def _stop(self, saved: Solution | BoardSolution | BucketSolution | None) -> dict[str, Any]:
        """Where to stop; a resumed run goes on to its old goal unless a new one is given."""
        given: dict[str, Any] = {
            "until": self.until,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "nodes": self.extras.nodes,
        }
        settings = saved.settings if saved else {}
        if all(goal is None for goal in given.values()):
            given = {name: settings.get(name) for name in given}
        seed = settings.get("seed", 0) if self.seed is None else self.seed
        return {**given, "seed": seed}


def unit_of(game: Game) -> str:
    """What a payoff of 1 is called."""
    return "points" if game.pot is None and game.big_blind is None else "chips"


def _print(result: Result, request: _Request, as_json: bool) -> None:
    from equilibrist.interfaces.cli.output import print_json, screen

    if as_json:
        print_json(solution_facts(result) | {"file": str(request.out) if request.out else None})
        return
    console = screen()
    print_summary(result, console)
    print_rows(result.solution, console, request.out)
    for path, what in ((request.out, "Saved to"), (request.png, "Picture in")):
        if path is not None:
            console.print(f"{what} {path}", markup=False)


def solution_facts(result: Result) -> dict[str, Any]:
    """What `solve --json` prints."""
    from equilibrist.version import __version__

    solution = result.solution
    return {
        "game": solution.game,
        "solver": solution.solver,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "value": list(solution.value),
        "exploitability": solution.exploitability,
        "infosets": solution.infosets,
        "converged": solution.converged,
        "interrupted": bool(solution.extra.get("interrupted", False)),
        "nash_conv": solution.nash_conv,
        "best_response_value": solution.evaluation.best_response_value if solution.evaluation else None,
        "unit": result.unit,
        "extra": {name: value for name, value in solution.extra.items() if name != "interrupted"},
        "settings": dict(solution.settings),
        "measured": solution.provenance.get("exploitability"),
        "version": __version__,
    }


def print_summary(result: Result, console: Console) -> None:
    """The panel above the strategy."""
    from rich.panel import Panel
    from rich.table import Table

    from equilibrist.interfaces.cli.output import duration, number

    solution = result.solution
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column()
    grid.add_row("game", f"{solution.game}  ({solution.infosets:,} infosets)")
    grid.add_row("solver", solution.solver)
    if "chosen" in solution.settings:
        grid.add_row("", solution.settings["chosen"])
    grid.add_row("work", f"{solution.iterations:,} iterations in {duration(solution.seconds)}{_touched(solution)}")
    values = [f"player {p}: {number(value)}" for p, value in enumerate(solution.value, start=1)]
    grid.add_row("value", "   ".join(values) + f"   {result.unit}" if values else "not measured")
    grid.add_row("exploitability", _exploitability(result))
    grid.add_row("status", _status(solution))
    console.print(Panel(grid, expand=False, border_style="green" if solution.converged else "yellow"))


def _touched(solution: Solution | BoardSolution | BucketSolution) -> str:
    """Nodes and memory, for methods that report them."""
    extra = solution.extra
    text = f", {extra['nodes_touched']:,} {extra['nodes_unit']} touched" if "nodes_touched" in extra else ""
    if "live_fraction" in extra:
        text += f", {extra['live_fraction']:.0%} of all regrets in memory"
    if "best_iteration" in extra:
        text += f"; best after {extra['best_iteration']:,}"
    return text


def _exploitability(result: Result) -> str:
    from equilibrist.interfaces.cli.output import number

    amount, blind = result.solution.exploitability, result.game.big_blind
    if math.isnan(amount):
        return "not measured"
    in_blinds = "" if blind is None else f" ({amount / blind * 1000:.4g} mbb/g)"
    return f"{number(amount)} {result.unit} per player{in_blinds}"


def _status(solution: Solution | BoardSolution | BucketSolution) -> str:
    from equilibrist.interfaces.cli.output import number

    goal = solution.settings.get("until")
    if solution.extra.get("interrupted"):
        return "[bold yellow]NOT converged[/] (interrupted)"
    if goal is None:
        return "done (no target was set; --until sets one)"
    if not solution.converged:
        return f"[bold yellow]NOT converged[/] (the target {number(goal)} was not reached)"
    return f"[bold green]converged[/] (target {number(goal)})"


def print_rows(solution: Solution | BoardSolution | BucketSolution, console: Console, saved: Path | None) -> None:
    """The first decisions of the game."""
    from equilibrist.core.policy import TabularPolicy
    from equilibrist.interfaces.cli.views.tables import legend, strategy_table
    from equilibrist.interfaces.strategies import shortened, solution_rows

    if not isinstance(solution.policy, TabularPolicy):
        from equilibrist.interfaces.cli.views.board_view import print_place

        print_place(solution, console, solution_rows(solution), "", False)
        if saved:
            console.print(f"other places: equilibrist show {saved} --line …", style="dim", markup=False)
        return
    rows = shortened(solution_rows(solution), ROWS_SHOWN)
    console.print(strategy_table(rows, console))
    hidden = solution.infosets - sum(row.merged for row in rows)
    notes = [legend(rows)]
    if any(row.merged > 1 for row in rows):
        notes.append("rows without suits stand for all suits")
    if hidden:
        place = f"equilibrist show {saved} --all" if saved else "save with --out, then equilibrist show FILE --all"
        notes.append(f"{hidden:,} more infosets: {place}")
    text = "; ".join(note for note in notes if note)
    if text:
        console.print(text, style="dim", markup=False)


def _interrupted_sentence(solution: Solution | BoardSolution | BucketSolution, out: Path | None) -> str:
    where = f"Interrupted at iteration {solution.iterations:,}"
    if out is None:
        return f"{where}; nothing was saved, since no --out was given."
    file = shlex.quote(str(out))
    return f"{where}; saved to {out}, go on with: equilibrist solve --resume {file} --out {file}"
