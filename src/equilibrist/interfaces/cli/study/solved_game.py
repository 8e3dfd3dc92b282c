"""A solved game on the screen: the panel, the first decisions, JSON and a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equilibrist.interfaces.cli.output import duration, number

if TYPE_CHECKING:
    from rich.console import Console

    from equilibrist.core.solution import Solution
    from equilibrist.games.rules import Game

ROWS_SHOWN = 24


@dataclass(frozen=True)
class SolvedGame:
    """A solution of a game and what is needed to talk about it."""

    solution: Solution
    game: Game
    out: Path | None
    curve: list[tuple[int, float]]

    def save(self, path: Path) -> None:
        self.solution.save(path)

    def draw(self, path: Path) -> None:
        from equilibrist.interfaces.pictures.strategy_pictures import save_solution_picture

        save_solution_picture(self.solution, path, curve=self.curve, unit=self.game.unit)

    def to_json(self) -> dict[str, Any]:
        return self.solution.to_json()

    def print(self, console: Console) -> None:
        self._print_summary(console)
        print_rows(self.solution, console, self.out)

    def _print_summary(self, console: Console) -> None:
        """The panel above the strategy."""
        from rich.panel import Panel
        from rich.table import Table

        from equilibrist.interfaces.cli.study.solve import status

        solution = self.solution
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="bold")
        grid.add_column()
        grid.add_row("game", f"{solution.title}  ({solution.infosets:,} infosets)")
        grid.add_row("solver", solution.solver)
        if "chosen" in solution.settings:
            grid.add_row("", solution.settings["chosen"])
        grid.add_row("work", f"{solution.iterations:,} iterations in {duration(solution.seconds)}{_touched(solution)}")
        values = [f"player {p}: {number(value)}" for p, value in enumerate(solution.value, start=1)]
        grid.add_row("value", "   ".join(values) + f"   {self.game.unit}" if values else "not measured")
        grid.add_row("exploitability", self._exploitability())
        for remark in solution.extra.get("remarks", ()):
            grid.add_row("", str(remark))
        grid.add_row("status", status(solution))
        console.print(Panel(grid, expand=False, border_style="green" if solution.converged else "yellow"))

    def _exploitability(self) -> str:
        amount, blind = self.solution.exploitability, self.game.big_blind
        if math.isnan(amount):
            return "not measured"
        in_blinds = "" if blind is None else f" ({amount / blind * 1000:.4g} mbb/g)"
        return f"{number(amount)} {self.game.unit} per player{in_blinds}"


def _touched(solution: Solution) -> str:
    """Nodes and memory, for methods that report them."""
    extra = solution.extra
    text = f", {extra['nodes_touched']:,} {extra['nodes_unit']} touched" if "nodes_touched" in extra else ""
    if "live_fraction" in extra:
        text += f", {extra['live_fraction']:.0%} of all regrets in memory"
    if "best_iteration" in extra:
        text += f"; best after {extra['best_iteration']:,}"
    return text


def print_rows(solution: Solution, console: Console, saved: Path | None) -> None:
    """The first decisions of the game."""
    from equilibrist.interfaces.cli.views.tables import legend, strategy_table
    from equilibrist.interfaces.strategies import by_public_state, shortened, solution_rows

    policy = by_public_state(solution)
    if policy is not None:
        from equilibrist.interfaces.cli.views.board_view import print_place

        print_place(policy, console, solution_rows(solution), "", False)
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
