"""What fixed play costs a seat and who gains by it: values of all seats with locks and seats that never fold, and without them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from equilibrist.games.tables.table import Table
from equilibrist.solvers.iteration_loop import ProgressCallback
from equilibrist.solvers.tables.solve_table import DEFAULT_TABLE_SOLVER, solve_table
from equilibrist.solvers.tables.table_solution import TableSolution


@dataclass(frozen=True)
class LockCosts:
    """Both solutions, each to its own gains."""

    free: TableSolution  # everybody plays as well as it can
    bound: TableSolution  # locks are kept, the others adapt

    @property
    def changes(self) -> dict[str, float]:
        """By seat: what it has more where locks are kept."""
        return {name: self.bound.ev[name] - self.free.ev[name] for name in self.free.table.names}

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "table-exploit",
            "unit": self.free.unit,
            "free": {"ev": self.free.ev, "gains": self.free.gains},
            "bound": {"ev": self.bound.ev, "gains": self.bound.gains},
            "changes": self.changes,
        }


def is_bound(table: Table) -> bool:
    """Whether somebody plays as it is told."""
    return bool(table.locks) or not all(one.fold for one in table.menus)


def freed(table: Table) -> Table:
    """The same table where everybody may do all that is on its menu."""
    menus = dict(zip(table.names, (replace(one, fold=True) for one in table.menus), strict=True))
    return table.changed(lock=[], menu=menus)


def lock_costs(
    table: Table, solver: str = DEFAULT_TABLE_SOLVER, *, until: float | str | None = None, iterations: int | None = None,
    threads: int = 1, progress: ProgressCallback | None = None,
) -> LockCosts:  # fmt: skip
    """Solve a table as it is and without what binds its seats, both to the same target."""
    goals: dict[str, Any] = {"until": until, "iterations": iterations, "threads": threads, "progress": progress}
    return LockCosts(solve_table(freed(table), solver, **goals), solve_table(table, solver, **goals))
