"""`solve_table`: from a table before the flop to a `TableSolution`."""

from __future__ import annotations

import logging
import re

from equilibrist.compute.threads import Team
from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError, TooLargeError
from equilibrist.core.solution import Solution
from equilibrist.forms.table_tree.table_tree import TableTree
from equilibrist.games.tables.flop_leaves import FlopLeaves
from equilibrist.games.tables.table import THREE_BY_WHAT_THERE_IS, Table
from equilibrist.games.tables.table_names import table_name
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.iteration_loop import Finished, ProgressCallback, Solver, Stop, finish, go_on
from equilibrist.solvers.postflop.gpu.devices import check_device, wants_gpu
from equilibrist.solvers.registry import make_solver, solver_name
from equilibrist.solvers.seat_evaluation import SeatEvaluation
from equilibrist.solvers.tables.flop_plan import FlopPlan, plan_flops, plan_of, refuse_too_large
from equilibrist.solvers.tables.future_values import grow_with_futures
from equilibrist.solvers.tables.model import MEASURED
from equilibrist.solvers.tables.showdowns.three_hands import choose_three_way
from equilibrist.solvers.tables.table_cfr import PotsOnFlops, TableRun
from equilibrist.solvers.tables.table_solution import TableSolution

log = logging.getLogger(__name__)

DEFAULT_TABLE_SOLVER = "dcfr"
DEFAULT_UNTIL = {"bb": "1mbb", "prize money": "0.001%"}  # by unit
FLOPS_UNTIL = "10mbb"  # where flops are played
SHORT_ITERATION, TOO_SHORT = 0.01, "its iterations are short"  # seconds that a CPU takes
_AMOUNT = re.compile(r"\s*([0-9.eE+-]+)\s*(%|mbb|bb)?\s*\Z")


def solve_table(
    table: Table | TableTree,
    solver: str | Solver = DEFAULT_TABLE_SOLVER,
    *,
    until: float | str | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    device: str = "cpu",
    progress: ProgressCallback | None = None,
    resume: Solution | None = None,
    plan: FlopPlan | None = None,
) -> TableSolution:
    """Solve a table until the largest gain of a seat is at most `until`: bb or prize money, `5mbb`, or `0.05%` of a bb or the prizes.

    Nothing given: 1 mbb, 10 mbb where flops are played, or 0.001 % of the prizes. `device` is where flops are solved; `plan`, if given,
    is what `plan_flops` said of this tree.
    """
    tree = table if isinstance(table, TableTree) else _tree_of(table, resume, threads)
    tree = choose_three_way(tree, resume.table if isinstance(resume, TableSolution) else None)
    if until is None and iterations is None and seconds is None:
        until = default_until(tree.table)
    stop = Stop(exploitability=target_gain(until, tree.table), iterations=iterations, seconds=seconds)
    plan = plan or saved_or_new_plan(tree, solver, resume, threads=threads)
    run = start_table(tree, solver, threads=threads, device=device, plan=plan)
    before = None
    if resume is not None:
        before = go_on(run, resume, kind=TableSolution.kind, game=table_name(tree.table), solver=solver_name(solver))

    def solution(found: Finished[SeatEvaluation]) -> TableSolution:
        return TableSolution(tree.table, found.record, found.evaluation, tree, run.average(), run.state())

    return finish(
        run, stop, solution, solver=solver_name(solver), progress=progress, before=before, threads=threads, measured=MEASURED
    )  # fmt: skip


def default_until(table: Table) -> str:
    """The goal where none is named."""
    return FLOPS_UNTIL if isinstance(table.leaves, FlopLeaves) else DEFAULT_UNTIL[table.unit]


def _tree_of(table: Table, resume: Solution | None, threads: int) -> TableTree:
    """That of the solution which goes on, where it is of this table: its hands to come are solved already."""
    if isinstance(resume, TableSolution):
        chosen = table.changed(three_way=resume.table.three_way) if table.three_way == THREE_BY_WHAT_THERE_IS else table
        if resume.table == chosen:
            return resume.tree
    return grow_with_futures(table, threads=threads)


def start_table(
    tree: TableTree,
    solver: str | Solver = DEFAULT_TABLE_SOLVER,
    *,
    threads: int = 1,
    device: str = "cpu",
    plan: FlopPlan | None = None,
) -> TableRun:
    """A run at iteration 0; refuses what does not fit in memory before anything is allocated."""
    chosen = table_solver(solver)
    if tree.depth != tree.table.fgs.depth:
        raise ParameterError("The ends of this tree pay by ICM, but the table has 'fgs'; grow it by grow_with_futures.")
    check_table_device(tree.table, device)
    plan = plan or plan_flops(tree, chosen, threads=threads)
    refuse_too_large(tree, plan)
    flops = None if plan is None else _start_flops(tree, plan, chosen, threads, device)
    return TableRun(tree, chosen.schedule, threads=threads, flops=flops)


def _start_flops(tree: TableTree, plan: FlopPlan, solver: CFR, threads: int, device: str) -> PotsOnFlops:
    """On the device that was asked for; "auto" takes a GPU where iterations are long and there is room."""
    from equilibrist.solvers.tables.flop_runs import FlopRuns  # late: most tables play no flops

    team, short = Team(threads), plan.seconds < SHORT_ITERATION * threads
    if wants_gpu(device, TOO_SHORT if device == "auto" and short else None, streets=3):
        from equilibrist.solvers.tables.on_device.device_flop_runs import DeviceFlopRuns

        try:
            return DeviceFlopRuns(tree, plan.ends, solver, team)
        except (TooLargeError, NotApplicableError) as error:  # no room, or a device that gives up
            if device != "auto":
                raise
            log.warning("Flops are solved on the CPU: %s", error)
    return FlopRuns(tree, plan.ends, solver, team)


def check_table_device(table: Table, device: str) -> None:
    """A GPU is for flops alone."""
    check_device(device)
    if device == "cuda" and not isinstance(table.leaves, FlopLeaves):
        raise NotApplicableError(
            "Tables are solved on the CPU unless they play flops (leaves = { flops = 25 }); leave 'device' out."
        )


def saved_or_new_plan(
    tree: TableTree, solver: str | Solver, resume: Solution | None, *, threads: int = 1
) -> FlopPlan | None:
    """The lines that a saved run plays on flops, or those that a new one will."""
    same = isinstance(resume, TableSolution) and resume.table.changed(three_way=tree.table.three_way) == tree.table
    if not isinstance(resume, TableSolution) or not same or not len(resume.flop_ends):
        return plan_flops(tree, table_solver(solver), threads=threads)
    if resume.without_flops:
        raise FormatError("The file was saved without the tables of its flops, so it cannot be resumed; solve it anew.")
    return plan_of(tree, resume.flop_ends.tolist())


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
    if until is None:
        return None
    if not isinstance(until, str):
        return _above_zero(until, f"{until:g}")
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
        amount *= (table.prize_pool if table.payouts else 1.0) / 100.0
    return _above_zero(amount / 1000.0 if unit == "mbb" else amount, until)


def _above_zero(amount: float, said: str) -> float:
    if not amount > 0.0:
        raise ParameterError(
            f"A gain of '{said[:40]}' is never reached: expected a target above 0, or a number of iterations or seconds instead."
        )
    return amount
