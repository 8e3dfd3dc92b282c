"""Tables of exploitability by solver and iterations: run again, and compared cell by cell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from equilibrist.experiments.findings import Check, Request, close
from equilibrist.experiments.rounding_replicas import Replica, Spread, exploitability_at, run_all

Curve = tuple[Sequence[int], Sequence[float]]  # iterations, exploitability

STEADY = 0.005  # scatter below which rounding is no excuse
STEPS_PER_DECADE = 8  # of a curve


@dataclass(frozen=True)
class PublishedTable:
    """Published exploitability of each solver after `marks` iterations."""

    name: str
    marks: Sequence[int]
    rows: Mapping[str, Sequence[float]]  # solver -> one number per mark
    tolerance: float  # relative
    chaotic: Sequence[str] = ()  # solvers that are shown but not checked
    mark: str = "T={}"  # how a column is named

    def up_to(self, last: int) -> PublishedTable:
        """Only the first columns."""
        kept = [mark for mark in self.marks if mark <= last]
        return replace(self, marks=kept, rows={s: row[: len(kept)] for s, row in self.rows.items()})

    def numbers(self) -> dict[str, dict[str, float]]:
        return {s: {str(m): v for m, v in zip(self.marks, row, strict=True)} for s, row in self.rows.items()}


@dataclass(frozen=True)
class Rerun:
    """The same table measured: for each cell, the equivalent runs."""

    table: PublishedTable
    cells: Mapping[str, Sequence[Spread]]  # solver -> one spread per mark
    curves: Mapping[str, Curve] = field(default_factory=dict)  # solver -> the first writing in finer steps

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

    def checked_cells(self) -> Iterator[tuple[str, float, Spread]]:
        """Name, published number and runs of every cell that counts."""
        for solver, row in self.table.rows.items():
            if solver not in self.table.chaotic:
                for mark, published, cell in zip(self.table.marks, row, self.cells[solver], strict=True):
                    yield f"{self.table.name}: {solver}, {self.table.mark.format(mark)}", published, cell


def table_checks(reruns: Sequence[Rerun]) -> list[Check]:
    """Each cell against its runs; the steady cells alone; and all together, the sharpest test where cells scatter."""
    tolerance = reruns[0].table.tolerance
    checks, steady, offsets, variances = [], [], [], []
    for name, published, cell in (entry for rerun in reruns for entry in rerun.checked_cells()):
        low, high = cell.interval(tolerance)
        checks.append(Check(name, published, cell.centre, [low, high], low <= published <= high))
        offsets.append(math.log(cell.centre / published))
        variances.append(cell.deviation**2 * (1.0 + 1.0 / len(cell.values)))
        if len(cell.values) > 1 and cell.deviation < STEADY:  # one run alone cannot tell
            steady.append(abs(cell.centre / published - 1.0))
    if steady:
        name = f"largest deviation in the {len(steady)} cells that rounding does not move"
        checks.append(close(name, 0.0, max(steady), tolerance))
    overall = math.exp(sum(offsets) / len(offsets))
    allowance = tolerance + 2.0 * math.sqrt(sum(variances)) / len(offsets)  # two standard errors
    return [*checks, close(f"measured / published, mean of {len(offsets)} cells", 1.0, overall, allowance)]


def fine_steps(marks: Sequence[int]) -> list[int]:
    """The marks and steps between them, for curves."""
    decades = math.log10(marks[-1])
    between = {round(10 ** (i / STEPS_PER_DECADE)) for i in range(int(decades * STEPS_PER_DECADE) + 1)}
    return sorted(between | set(marks))


def rerun(table: PublishedTable, ways: Sequence[Replica], request: Request) -> Rerun:
    """Run every solver of a table on every writing of its game."""
    cells: dict[str, list[Spread]] = {}
    curves: dict[str, Curve] = {}
    steps = fine_steps(table.marks)
    for number, solver in enumerate(table.rows):
        request.report(f"{table.name}: {solver}", number / len(table.rows))
        jobs = [partial(exploitability_at, way, solver, table.marks) for way in ways[1:]]
        first, *others = run_all([partial(exploitability_at, ways[0], solver, steps), *jobs])
        curves[solver] = steps, first
        runs = [[first[steps.index(mark)] for mark in table.marks], *others]
        cells[solver] = [Spread(tuple(column)) for column in zip(*runs, strict=True)]
    return Rerun(table, cells, curves)
