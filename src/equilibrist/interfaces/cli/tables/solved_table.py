"""A solved table on the screen, and what is said of its size before it is solved."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from equilibrist.core.solution import Solution
    from equilibrist.forms.table_tree.table_tree import TableTree
    from equilibrist.games.tables.table import Table
    from equilibrist.interfaces.cli.progress import Meter
    from equilibrist.solvers.tables.flop_plan import FlopPlan
    from equilibrist.solvers.tables.table_solution import TableSolution


def prepare(
    table: Table, solver: str, saved: Solution | None, threads: int, device: str = "cpu"
) -> tuple[TableTree, FlopPlan | None]:
    """The table as a tree, and the flops that are played; says how large both are."""
    from equilibrist.cards.allins.classes import CLASSES
    from equilibrist.forms.table_tree.table_tree import grow_table
    from equilibrist.interfaces.cli.output import duration
    from equilibrist.solvers.postflop.spot_size import memory_text
    from equilibrist.solvers.tables.flop_plan import refuse_too_large
    from equilibrist.solvers.tables.showdowns.three_hands import choose_three_way
    from equilibrist.solvers.tables.solve_table import saved_or_new_plan
    from equilibrist.solvers.tables.table_cfr import tree_bytes
    from equilibrist.solvers.tables.table_solution import TableSolution

    tree = saved.tree if isinstance(saved, TableSolution) and saved.table == table else grow_table(table)
    tree = choose_three_way(tree)
    plan = saved_or_new_plan(tree, solver, saved, threads=threads)
    need = memory_text(tree_bytes(tree))
    sizes = f"{tree.decisions:,} decisions of {CLASSES} classes of hands, {tree.ends:,} ends of the betting"
    print(f"{table.seats} seats, {sizes}: {need} of memory.", file=sys.stderr)
    if plan is not None:
        lines = f"{len(plan.ends)} of {len(tree.flop_ends)} lines of two players on {plan.flops} flops"
        on_cpu = (
            f"{duration(max(0.01, plan.seconds / threads))} an iteration with {threads} thread{'s' * (threads > 1)}"
        )
        spent = {"cpu": f", about {on_cpu}", "auto": f", on the CPU about {on_cpu}"}.get(device, "")
        print(f"{lines}: {memory_text(plan.bytes)} of memory{spent}.", file=sys.stderr)
    refuse_too_large(tree, plan)
    return tree, plan


def with_futures(table: Table, threads: int, meter: Meter) -> TableTree:
    """The same with prizes after hands to come; says how many hands are solved."""
    from equilibrist.solvers.tables.future_values import grow_with_futures

    def report(text: str, share: float | None) -> None:
        if share == 0.0:
            print(text, file=sys.stderr)
        meter.show(share, text)

    return grow_with_futures(table, threads=threads, report=report)


@dataclass(frozen=True)
class SolvedTable:
    """A solution of a table and how `solve` talks about it."""

    solution: TableSolution
    without_flops: bool = False  # leave the tables of flops out of the file

    def save(self, path: Path) -> None:
        (self.solution.saved_without_flops() if self.without_flops else self.solution).save(path)

    def draw(self, path: Path) -> None:
        from equilibrist.interfaces.cli.tables.table_view import draw

        draw(self.solution, self.solution.root, path)

    def to_json(self) -> dict[str, Any]:
        return self.solution.to_json()

    def print(self, console: Console) -> None:
        from equilibrist.interfaces.cli.tables.table_view import first_in_table, print_node

        _print_summary(self.solution, console)
        console.print(_seats(self.solution))
        for sentence in self.solution.model:
            console.print(sentence, style="dim", markup=False)
        console.print(first_in_table(self.solution))
        print_node(self.solution.root, console)


def _print_summary(solution: TableSolution, console: Console) -> None:
    """The panel above all."""
    from rich.panel import Panel
    from rich.table import Table as Rows

    from equilibrist.interfaces.cli.output import duration
    from equilibrist.interfaces.cli.study.solve import status
    from equilibrist.solvers.postflop.spot_size import memory_text

    grid = Rows.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column()
    grid.add_row("table", blinds_text(solution.table))
    grid.add_row("betting", f"{solution.tree.decisions:,} decisions, {solution.tree.ends:,} ends")
    work = f"{solution.iterations:,} iterations in {duration(solution.seconds)}"
    where = "1 thread" if solution.threads == 1 else f"{solution.threads} threads"
    grid.add_row("solver", f"{solution.solver}, {work}, {where}, {memory_text(solution.memory_bytes)}")
    grid.add_row("largest gain", gain_text(solution))
    grid.add_row("status", status(solution))
    console.print(Panel(grid, expand=False, border_style="green" if solution.converged else "yellow"))


def blinds_text(table: Table) -> str:
    """`9 seats, blinds 0.5/1, ante 0.1 each, prizes 50, 30, 20`."""
    small, big = table.blinds
    out = f"{table.seats} seats, blinds {small:g}/{big:g}"
    if table.ante.amount:
        who = {"each": "each", "big_blind": "from the big blind", "button": "from the button"}[table.ante.kind]
        out += f", ante {table.ante.amount:g} {who}"
    if table.straddles:
        out += ", straddle " + "/".join(f"{amount:g}" for amount in table.straddles)
    if table.rake.rate:
        out += f", rake {100.0 * table.rake.rate:g} %"
    if table.payouts:
        out += ", prizes " + ", ".join(f"{prize:g}" for prize in table.payouts[: table.seats])
    return out + (", with bounties" if any(table.bounties) else "")


def gain_text(solution: TableSolution) -> str:
    """The largest gain of a seat, in its unit."""
    gain = solution.exploitability
    if solution.table.payouts:
        return f"{gain:.3g} of prize money ({100.0 * gain / solution.table.prize_pool:.2g} % of the prizes)"
    return f"{1000.0 * gain:.3g} mbb (thousandths of a big blind)"


def _seats(solution: TableSolution) -> Any:
    from equilibrist.interfaces.cli.output import number, plain_table

    table, unit = solution.table, solution.unit
    rows = plain_table("seat", "stack", "bb", f"EV ({unit})", f"gain of a best response ({unit})")
    for column in rows.columns[1:]:
        column.justify = "right"
    for seat, name in enumerate(table.names):
        deep = table.stacks[seat] / table.big_blind
        rows.add_row(
            name,
            f"{table.stacks[seat]:,.10g}",
            f"{deep:.4g}",
            f"{solution.ev[name]:,.4f}",
            number(solution.gains[name]),
        )
    return rows
