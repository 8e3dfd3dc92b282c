"""Tables of exploitability by solver and iterations: run again, and compared cell by cell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equilibrist.experiments.equivalents import Spread, Writing, exploitability_at, spread_over_cores
from equilibrist.experiments.findings import Check, Request, between, close

@dataclass(frozen=True)
class Table:
    """Published exploitability of each solver after `marks` iterations."""

    name: str
    marks: Sequence[int]
    rows: Mapping[str, Sequence[float]]  # solver -> one number per mark
    tolerance: float  # relative
    chaotic: Sequence[str] = ()  # solvers that are shown but not checked

    def up_to(self, last: int) -> Table:
        """Only the first columns."""
        kept = [mark for mark in self.marks if mark <= last]
        return Table(
            self.name, kept, {s: row[: len(kept)] for s, row in self.rows.items()}, self.tolerance, self.chaotic
        )

    def numbers(self) -> dict[str, dict[str, float]]:
        return {s: {str(m): v for m, v in zip(self.marks, row, strict=True)} for s, row in self.rows.items()}


@dataclass(frozen=True)
class Rerun:
    """The same table measured: for each cell, the equivalent runs."""

    table: Table
    cells: Mapping[str, Sequence[Spread]]  # solver -> one spread per mark

    def at(self, solver: str, mark: int) -> Spread:
        return self.cells[solver][list(self.table.marks).index(mark)]

    def numbers(self) -> dict[str, Any]:
        """Centre, and lowest and highest equivalent run, by solver and mark."""
        return {
            solver: {
                str(mark): {"centre": cell.centre, "runs": [min(cell.values), max(cell.values)]}
                for mark, cell in zip(self.table.marks, cells, strict=True)
            }
            for solver, cells in self.cells.items()
        }

    def checks(self) -> list[Check]:
        """Each cell against its runs, then all cells together, which is the sharper test where cells scatter."""
        found, offsets = [], []
        for solver, row in self.table.rows.items():
            if solver in self.table.chaotic:
                continue
            for mark, published, cell in zip(self.table.marks, row, self.cells[solver], strict=True):
                low, high = cell.interval(self.table.tolerance)
                name = f"{self.table.name}: {solver}, T={mark}"
                check = between(name, low, high, published)
                found.append(Check(name, published, cell.centre, [low, high], check.passed))
                offsets.append(math.log(cell.centre / published))
        overall = math.exp(sum(offsets) / len(offsets))
        found.append(close(f"{self.table.name}: measured / published, mean of all cells", 1.0, overall, self.table.tolerance))
        return found


def rerun(table: Table, ways: Sequence[Writing], request: Request) -> Rerun:
    """Run every solver of a table on every writing of its game."""
    cells: dict[str, list[Spread]] = {}
    for number, solver in enumerate(table.rows):
        request.report(f"{table.name}: {solver}", number / len(table.rows))
        runs = spread_over_cores(lambda way, solver=solver: exploitability_at(way, solver, table.marks), ways)
        cells[solver] = [Spread(tuple(column)) for column in zip(*runs, strict=True)]
    return Rerun(table, cells)
