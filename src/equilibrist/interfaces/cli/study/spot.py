"""A solved spot on the screen, and what is checked of a spot before it is solved."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from equilibrist.forms.boards.compiled_spot import CompiledSpot
    from equilibrist.games.spots.spot import Spot
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution


def prepare(
    spot: Spot, solver: str, bits: int, *, until: str | None, lock: Path | None, without: str | None
) -> CompiledSpot:
    """The spot with more locks, compiled; refuses what could only fail later, and says how large it is."""
    from equilibrist.forms.boards.compiled_spot import compile_spot
    from equilibrist.games.spots.locks import load_locks
    from equilibrist.solvers.postflop.solutions.spot_files import left_out
    from equilibrist.solvers.postflop.solve_spot import check_request
    from equilibrist.solvers.postflop.spot_size import spot_size

    if lock is not None:
        spot = spot.changed(lock=[*spot.locks, *load_locks(lock)])
    check_request(spot, solver, until)
    if without is not None:
        left_out(spot, without)
    here = compile_spot(spot)
    print(spot_size(here, solver, bits).sentence, file=sys.stderr)
    return here


@dataclass(frozen=True)
class SolvedSpot:
    """A solution of a spot and what is needed to talk about it."""

    solution: SpotSolution
    without: str | None

    def save(self, path: Path) -> None:
        """What was interrupted is kept whole, to go on from."""
        self.solution.save(path, without=None if self.solution.interrupted else self.without)

    def draw(self, path: Path) -> None:
        from equilibrist.interfaces.cli.views.spot_view import draw

        draw(self.solution.root, path, self.solution)

    def to_json(self) -> dict[str, Any]:
        return self.solution.to_json() | ({"lock_cost": self.costs} if self.costs else {})

    def print(self, console: Console) -> None:
        from equilibrist.interfaces.cli.views.spot_view import print_node

        _print_summary(self.solution, console)
        for sentence in _lock_sentences(self.solution, self.costs):
            console.print(sentence, markup=False)
        print_node(self.solution.root, console, values=False)

    @cached_property
    def costs(self) -> dict[str, float]:
        return _lock_costs(self.solution)


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


def _print_summary(solution: SpotSolution, console: Console) -> None:
    """The panel above the grid."""
    from rich.panel import Panel
    from rich.table import Table

    from equilibrist.interfaces.cli.output import duration
    from equilibrist.interfaces.cli.study.solve import status
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
    where = "1 thread" if solution.threads == 1 else f"{solution.threads} threads"
    if solution.settings.get("device") == "cuda":
        where = "on a GPU"
    grid.add_row("solver", f"{solution.solver}, {work}, {where}, {memory_text(solution.memory_bytes)}")
    grid.add_row("EV", "   ".join(f"{name} {value:,.3f}" for name, value in _named(solution.ev)))
    grid.add_row("equity", "   ".join(f"{name} {100.0 * value:.2f} %" for name, value in _named(solution.equity)))
    grid.add_row("exploitability", _exploitability(solution))
    grid.add_row("status", status(solution))
    console.print(Panel(grid, expand=False, border_style="green" if solution.converged else "yellow"))


def _exploitability(solution: SpotSolution) -> str:
    """In chips and as a share of the pot, with what rounding may do to it."""
    error = solution.provenance.get("error")
    exact = f", exact to {100.0 * error / solution.spot.pot:.1g} %" if isinstance(error, float) else ""
    return f"{solution.exploitability:.4g} chips ({solution.percent_of_pot:.3g} % of the pot{exact})"


def _named(values: Any) -> list[tuple[str, float]]:
    return list(zip(("oop", "ip"), values, strict=True))


def _stacks(spot: Spot) -> str:
    oop, ip = spot.stacks
    return f"{oop:,.10g}" if oop == ip else f"oop {oop:,.10g}, ip {ip:,.10g}"
