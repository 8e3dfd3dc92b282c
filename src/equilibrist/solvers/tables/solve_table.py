"""`solve_table`: from a table before the flop to a `TableSolution`."""

from __future__ import annotations

import re

from equilibrist.core.errors import NotApplicableError, ParameterError, TooLargeError
from equilibrist.core.solution import Solution
from equilibrist.forms.table_tree.table_tree import TableTree, grow_table
from equilibrist.games.size_estimate import memory_limit
from equilibrist.games.tables.table import Table
from equilibrist.games.tables.table_names import table_name
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.iteration_loop import Finished, ProgressCallback, Solver, Stop, finish, go_on
from equilibrist.solvers.registry import make_solver, solver_name
from equilibrist.solvers.seat_evaluation import SeatEvaluation
from equilibrist.solvers.tables.model import MEASURED
from equilibrist.solvers.tables.table_cfr import TableRun, tree_bytes
from equilibrist.solvers.tables.table_solution import TableSolution

DEFAULT_TABLE_SOLVER = "dcfr"
DEFAULT_UNTIL = {"bb": "1mbb", "prize money": "0.001%"}  # by unit
_AMOUNT = re.compile(r"\s*([0-9.eE+-]+)\s*(%|mbb|bb)?\s*\Z")


def solve_table(
    table: Table | TableTree,
    solver: str | Solver = DEFAULT_TABLE_SOLVER,
    *,
    until: float | str | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    progress: ProgressCallback | None = None,
    resume: Solution | None = None,
) -> TableSolution:
    """Solve a table until the largest gain of a seat is at most `until`: bb or prize money, `5mbb`, or `0.05%` of a bb or the prizes.

    Nothing given: 1 mbb, or 0.001 % of the prizes.
    """
    tree = table if isinstance(table, TableTree) else grow_table(table)
    if until is None and iterations is None and seconds is None:
        until = DEFAULT_UNTIL[tree.table.unit]
    stop = Stop(exploitability=target_gain(until, tree.table), iterations=iterations, seconds=seconds)
    run = start_table(tree, solver, threads=threads)
    before = None
    if resume is not None:
        before = go_on(run, resume, kind=TableSolution.kind, game=table_name(tree.table), solver=solver_name(solver))

    def solution(found: Finished[SeatEvaluation]) -> TableSolution:
        return TableSolution(tree.table, found.record, found.evaluation, tree, run.average(), run.state())

    return finish(
        run, stop, solution, solver=solver_name(solver), progress=progress, before=before, threads=threads, measured=MEASURED
    )  # fmt: skip


def start_table(tree: TableTree, solver: str | Solver = DEFAULT_TABLE_SOLVER, *, threads: int = 1) -> TableRun:
    """A run at iteration 0; refuses what does not fit in memory before anything is allocated."""
    chosen = table_solver(solver)
    need = tree_bytes(tree)
    if need > memory_limit():
        raise TooLargeError(
            f"This table needs {need / 1e9:.1f} GB, but {memory_limit() / 1e9:.1f} GB are available; offer fewer sizes, fewer cold calls "
            "or fewer 'players_to_flop'."
        )
    return TableRun(tree, chosen.schedule, threads=threads)


def table_solver(solver: str | Solver) -> CFR:
    """A member of the CFR family with regret matching and alternating updates."""
    chosen = make_solver(solver) if isinstance(solver, str) else solver
    if not isinstance(chosen, CFR) or not chosen.plain_matching or chosen.minimiser != "rm":
        raise NotApplicableError(
            f"Tables are solved by CFR with regret matching and alternating updates, but '{solver_name(solver)}' was given; use cfr, cfr+, "
            "lcfr or dcfr."
        )
    return chosen


def target_gain(until: float | str | None, table: Table) -> float | None:
    """A target in the table's own unit: bb or prize money."""
    if until is None or not isinstance(until, str):
        return until
    match = _AMOUNT.match(until)
    try:
        amount = float(match.group(1)) if match else float("nan")
    except ValueError:
        amount = float("nan")
    if match is None or not amount >= 0.0:
        raise ParameterError(
            f"Cannot read the target '{until[:40]}': expected bb or prize money (0.001), '5mbb', or '0.05%' of a bb or of the prizes."
        )
    unit = match.group(2)
    if unit in ("mbb", "bb") and table.payouts:
        raise NotApplicableError(
            f"This table plays for prizes, so '{until}' means nothing; give prize money, or '0.05%' of the prizes."
        )
    if unit == "%":
        return amount / 100.0 * (table.prize_pool if table.payouts else 1.0)
    return amount / 1000.0 if unit == "mbb" else amount
