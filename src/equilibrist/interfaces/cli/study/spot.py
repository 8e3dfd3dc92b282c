"""What `solve`, `show` and `verify` do with postflop spots."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from equilibrist.compute.machine import cores
from equilibrist.interfaces.cli.guard import INTERRUPTED, complain

if TYPE_CHECKING:
    from rich.console import Console

    from equilibrist.evaluation.verification.spots import SpotVerification
    from equilibrist.games.spots.spot import Spot
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

DEFAULT_UNTIL = "0.3%"
DISAGREES = 1
SAVED_KIND = "spot-solution"  # importing the solvers only to ask for it would take a second


def is_spot_file(path: Path | None) -> bool:
    """Whether a file was saved by solving a spot; what cannot be read is not, and is refused where it is read."""
    from equilibrist.core.artifact import artifact_kind

    return path is not None and artifact_kind(path) == SAVED_KIND


@dataclass(frozen=True)
class SpotRequest:
    """What was typed after `solve`."""

    file: str | None  # None: the spot of the resumed file
    solver: str | None
    until: str | None
    iterations: int | None
    seconds: float | None
    threads: int | None
    out: Path | None
    resume: Path | None
    png: Path | None
    bits: int | None = None
    lock: Path | None = None
    without: str | None = None

    def check(self, seed: int | None, device: str) -> None:
        """Refuse what could only fail later."""
        from equilibrist.core.errors import NotApplicableError, ParameterError
        from equilibrist.interfaces.cli.files import check_writable
        from equilibrist.interfaces.pictures.strategy_pictures import require_matplotlib

        if device != "cpu":
            raise NotApplicableError(f"Spots are solved on the CPU, but --device {device} was given; leave it out.")
        if seed is not None:
            raise NotApplicableError("Spots are solved without sampling, but --seed was given; leave it out.")
        if self.threads is not None and self.threads < 1:
            raise ParameterError(f"--threads must be at least 1, but {self.threads} was given.")
        check_writable(self.out, "--out")
        check_writable(self.png, "--png")
        if self.without is not None and self.out is None:
            raise ParameterError("--without says what to leave out of a file, but no --out was given; name a file.")
        if self.png is not None:
            require_matplotlib()

    def run(self) -> SpotSolution:
        from equilibrist.compute.interrupts import TerminationAsInterrupt
        from equilibrist.forms.boards.compiled_spot import compile_spot
        from equilibrist.games.spots.locks import load_locks
        from equilibrist.games.spots.spot import Spot
        from equilibrist.interfaces.cli.progress import SolveMeter, preparing
        from equilibrist.solvers.postflop.solutions.spot_files import left_out
        from equilibrist.solvers.postflop.solutions.spot_solution import load_spot_solution
        from equilibrist.solvers.postflop.solve_spot import DEFAULT_SPOT_SOLVER, check_request, solve_spot
        from equilibrist.solvers.postflop.spot_size import spot_size

        saved = None if self.resume is None else load_spot_solution(self.resume)
        if self.file is not None:
            spot = Spot.from_toml(self.file)
        else:
            assert saved is not None, "without a spot file there is a file to go on from"
            spot = saved.spot
        if self.lock is not None:
            spot = spot.changed(lock=[*spot.locks, *load_locks(self.lock)])
        solver = self.solver or (saved.solver if saved else DEFAULT_SPOT_SOLVER)
        bits = self.bits or (saved.bits if saved else 32)
        check_request(spot, solver, self.until)
        if self.without is not None:
            left_out(spot, self.without)
        compiled = compile_spot(spot)
        print(spot_size(compiled, solver, bits).sentence, file=sys.stderr)
        most = 1 if spot.street == 2 else 52 - len(spot.board)  # boards are the unit of threading
        threads = min(cores(), most) if self.threads is None else self.threads
        with TerminationAsInterrupt(), SolveMeter(spot.board_text, self.out) as meter:
            meter.show(None, preparing())
            return solve_spot(
                compiled, solver, **self._stop(saved), threads=threads, bits=bits, progress=meter, resume=saved
            )

    def _stop(self, saved: SpotSolution | None) -> dict[str, Any]:
        """Where to stop; a resumed run goes on to its old goal unless a new one is given."""
        given: dict[str, Any] = {"until": self.until, "iterations": self.iterations, "seconds": self.seconds}
        if saved is not None and all(goal is None for goal in given.values()):
            given = {name: saved.settings.get(name) for name in given}
        if all(goal is None for goal in given.values()):
            given["until"] = DEFAULT_UNTIL
        return given


def solve_spot_file(request: SpotRequest, *, seed: int | None, device: str, as_json: bool) -> None:
    """`solve SPOT.toml`."""
    from equilibrist.interfaces.cli.output import print_json, screen
    from equilibrist.interfaces.cli.views.spot_view import draw, print_node

    request.check(seed, device)
    solution = request.run()
    if request.out is not None:  # what was interrupted is kept whole, to go on from
        solution.save(request.out, without=None if solution.interrupted else request.without)
    if request.png is not None:
        draw(solution.root, request.png, solution)
    costs = _lock_costs(solution)
    if as_json:
        print_json(solution.to_json() | ({"lock_cost": costs} if costs else {}))
    else:
        console = screen()
        _print_summary(solution, console)
        for sentence in _lock_sentences(solution, costs):
            console.print(sentence, markup=False)
        print_node(solution.root, console, values=False)
        for path, what in ((request.out, "Saved to"), (request.png, "Picture in")):
            if path is not None:
                console.print(f"{what} {path}", markup=False)
    if solution.interrupted:
        complain(_interrupted_sentence(solution, request.out))
        raise typer.Exit(INTERRUPTED)


def _lock_costs(solution: SpotSolution) -> dict[str, float]:
    """What fixed strategies cost each player; nothing where there are none."""
    if not solution.spot.locks or solution.interrupted:
        return {}
    from equilibrist.solvers.postflop.solve_spot import cost_of_locks

    return dict(zip(("oop", "ip"), cost_of_locks(solution), strict=True))


def _lock_sentences(solution: SpotSolution, costs: dict[str, float]) -> Iterator[str]:
    """What became of frequencies that were asked for, and what all locks together cost."""
    from equilibrist.solvers.postflop.locks.frequency_locks import CLOSE, lock_reports

    for report in lock_reports(solution):
        if report.lock.frequency is not None:
            reached = ", ".join(f"{label} {100.0 * report.reached[label]:.1f} %" for label in report.lock.frequency)
            asked = ", ".join(f"{label} {100.0 * share:.1f} %" for label, share in report.lock.frequency.items())
            state = "as asked" if report.missed <= CLOSE else f"NOT the {asked} that were asked for"
            yield f"Locked after {report.lock.line or 'the beginning'}: {report.player} {reached}, {state}."
    if costs:
        parts = ", ".join(f"{name} {cost:+.3f} chips" for name, cost in costs.items())
        yield f"The locks cost {parts} (EV without them minus EV with them)."


def _interrupted_sentence(solution: SpotSolution, out: Path | None) -> str:
    where = f"Interrupted at iteration {solution.iterations:,}"
    if out is None:
        return f"{where}; nothing was saved, since no --out was given."
    file = shlex.quote(str(out))
    return f"{where}; saved to {out}, go on with: equilibrist solve --resume {file} --out {file}"


def _print_summary(solution: SpotSolution, console: Console) -> None:
    """The panel above the grid."""
    from rich.panel import Panel
    from rich.table import Table

    from equilibrist.interfaces.cli.output import duration
    from equilibrist.interfaces.cli.views.spot_view import cards_text
    from equilibrist.solvers.postflop.spot_size import memory_text

    spot = solution.spot
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column()
    grid.add_row("board", cards_text(spot.board))
    grid.add_row("pot, stacks", f"{spot.pot:,.10g}, {_stacks(spot)}")
    grid.add_row("betting", ", ".join(f"{street} {count:,} decisions" for street, count in solution.nodes.items()))
    work = f"{solution.iterations:,} iterations in {duration(solution.seconds)}"
    threads = "1 thread" if solution.threads == 1 else f"{solution.threads} threads"
    grid.add_row("solver", f"{solution.solver}, {work}, {threads}, {memory_text(solution.memory_bytes)}")
    grid.add_row("EV", "   ".join(f"{name} {value:,.3f}" for name, value in _named(solution.ev)))
    grid.add_row("equity", "   ".join(f"{name} {100.0 * value:.2f} %" for name, value in _named(solution.equity)))
    grid.add_row("exploitability", f"{solution.exploitability:.4g} chips ({solution.percent_of_pot:.3g} % of the pot)")
    grid.add_row("status", _status(solution))
    console.print(Panel(grid, expand=False, border_style="green" if solution.converged else "yellow"))


def _named(values: Any) -> list[tuple[str, float]]:
    return list(zip(("oop", "ip"), values, strict=True))


def _stacks(spot: Spot) -> str:
    oop, ip = spot.stacks
    return f"{oop:,.10g}" if oop == ip else f"oop {oop:,.10g}, ip {ip:,.10g}"


def _status(solution: SpotSolution) -> str:
    goal = solution.settings.get("until")
    if solution.interrupted:
        return "[bold yellow]NOT converged[/] (interrupted)"
    if goal is None:
        return "done (no target was set; --until sets one)"
    target = f"target {goal:.4g} chips"
    if not solution.converged:
        return f"[bold yellow]NOT converged[/] (the {target} was not reached)"
    return f"[bold green]converged[/] ({target})"


def verify_spot_file(file: Path, *, full: bool, as_json: bool) -> None:
    """`verify FILE` for a saved spot; exit code 1 if the file says otherwise."""
    from equilibrist.evaluation.verification.spots import verify_spot
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.progress import Meter
    from equilibrist.solvers.postflop.solutions.spot_solution import load_spot_solution

    solution = load_spot_solution(file)
    with Meter(f"verifying {solution.spot.board_text}") as meter:
        verification = verify_spot(
            solution, full=full, progress=lambda done, total: meter.show(done / total, f"{done:,} of {total:,} boards")
        )
    if as_json:
        print_json(_verification_facts(verification))
    else:
        _print_verification(verification)
    if not verification.agrees:
        raise typer.Exit(DISAGREES)


def _verification_facts(verification: SpotVerification) -> dict[str, Any]:
    return {
        "kind": "spot",
        "agrees": verification.agrees,
        "stated": asdict(verification.stated),
        "recomputed": asdict(verification.recomputed),
        "difference": verification.difference,
        "tolerance": verification.tolerance,
        "boards": verification.boards,
        "seconds": verification.seconds,
    }


def _print_verification(verification: SpotVerification) -> None:
    from rich.table import Table

    from equilibrist.interfaces.cli.output import duration, screen

    stated, found = verification.stated, verification.recomputed
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for column in ("chips", "the file says", "the matrices say"):
        table.add_column(column, justify="left" if column == "chips" else "right")
    for p, name in enumerate(("oop", "ip")):
        table.add_row(f"EV of {name}", f"{stated.ev[p]:.5f}", f"{found.ev[p]:.5f}")
    for p, name in enumerate(("oop", "ip")):
        best = (each.best_response_ev[p] for each in (stated, found))
        table.add_row(f"best response of {name}", *(f"{value:.5f}" for value in best))
    table.add_row("exploitability", f"{stated.exploitability:.5f}", f"{found.exploitability:.5f}")
    console = screen()
    console.print(table)
    verdict = f"They agree to {verification.difference:.1e}, tolerance {verification.tolerance:.1e}"
    if not verification.agrees:
        verdict = (
            f"They do NOT agree: the difference {verification.difference:.3g} exceeds {verification.tolerance:.1e}"
        )
    boards = "1 board" if verification.boards == 1 else f"{verification.boards:,} boards"
    console.print(f"{verdict} ({boards} dealt in {duration(verification.seconds)}).", markup=False)
