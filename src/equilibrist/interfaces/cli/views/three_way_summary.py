"""A solved spot of three players on the screen."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from equilibrist.solvers.three_way.three_way_solution import ThreeWaySolution


@dataclass(frozen=True)
class SolvedThreeWay:
    """A solution of a three-way spot and what is needed to talk about it."""

    solution: ThreeWaySolution

    def save(self, path: Path) -> None:
        self.solution.save(path)

    def draw(self, path: Path) -> None:
        from equilibrist.interfaces.cli.views.spot_view import draw

        draw(self.solution.root, path, self.solution)

    def to_json(self) -> dict[str, Any]:
        return self.solution.to_json()

    def print(self, console: Console) -> None:
        from equilibrist.interfaces.cli.views.spot_view import print_node

        _print_summary(self.solution, console)
        print_node(self.solution.root, console, values=False)


def _print_summary(solution: ThreeWaySolution, console: Console) -> None:
    """The panel above the grid."""
    from rich.panel import Panel
    from rich.table import Table

    from equilibrist.interfaces.cli.output import duration
    from equilibrist.interfaces.cli.study.solve import status
    from equilibrist.interfaces.cli.views.spot_view import cards_text
    from equilibrist.solvers.postflop.spot_size import memory_text
    from equilibrist.solvers.three_way.three_way_solution import NO_GUARANTEE

    spot = solution.spot
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column()
    grid.add_row("board", cards_text(spot.board))
    stacks = "   ".join(f"{name} {stack:,.10g}" for name, stack in zip(spot.seats, spot.stacks, strict=True))
    grid.add_row("pot, stacks", f"{spot.pot:,.10g}, {stacks}")
    grid.add_row("betting", ", ".join(f"{street} {count:,} decisions" for street, count in solution.nodes.items()))
    work = f"{solution.iterations:,} iterations in {duration(solution.seconds)}"
    where = "1 thread" if solution.threads == 1 else f"{solution.threads} threads"
    grid.add_row("solver", f"{solution.solver}, {work}, {where}, {memory_text(solution.memory_bytes)}")
    grid.add_row("EV", "   ".join(f"{name} {value:,.3f}" for name, value in solution.ev.items()))
    grid.add_row("equity", "   ".join(f"{name} {100.0 * share:.2f} %" for name, share in solution.equity.items()))
    gains = (f"{name} {gain:.4g} ({100.0 * gain / spot.pot:.3g} %)" for name, gain in solution.gains.items())
    grid.add_row("gains", "   ".join(gains) + "   chips (of the pot), by a best response")
    grid.add_row("NashConv", f"{solution.nash_conv:.4g} chips; {NO_GUARANTEE}")
    grid.add_row("status", status(solution))
    console.print(Panel(grid, expand=False, border_style="green" if solution.converged else "yellow"))
