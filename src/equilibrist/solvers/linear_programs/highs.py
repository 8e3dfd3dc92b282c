"""The one place that talks to HiGHS: a linear program goes in, its optimum with multipliers comes out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import sparse

from equilibrist.core.arrays import Bools, Floats
from equilibrist.core.errors import EquilibristError, ParameterError, suggest

Sparse: TypeAlias = "sparse.csc_array[np.float64]"
Status = Literal["optimal", "time limit", "iteration limit", "interrupted"]
Watch = Callable[[int, float], None]  # iterations and seconds so far

METHODS = ("choose", "simplex", "ipm", "primal", "dual")
STRATEGIES = {"primal": 4, "dual": 1}  # HiGHS' numbers
TOLERANCE = 1e-9  # feasibility; HiGHS' own 1e-7 would show in exploitability
SMALLEST_ENTRY = 1e-13  # HiGHS drops entries below 1e-9, which rare deals can have
SIMPLEX_ENTRIES = 250_000  # matrix entries up to which simplex was the faster (docs/solvers/lp.md)
REPORT_SECONDS = 0.2


@dataclass(frozen=True)
class LinearProgram:
    """Maximise cost·x subject to row_lower <= matrix x <= row_upper and lower <= x <= upper."""

    cost: Floats  # [columns]
    matrix: Sparse  # [rows, columns]
    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats


@dataclass(frozen=True)
class LinearSolution:
    """An optimum, or where the search stood when it was stopped."""

    status: Status
    objective: float
    point: Floats  # [columns]
    multiplier: Floats  # [rows] change of the optimum per unit of the row's bound
    iterations: int
    seconds: float


@dataclass(frozen=True)
class Start:
    """A basis to begin from: all other columns and rows lie at their lower bounds."""

    columns: Bools  # [columns] basic
    rows: Bools  # [rows] basic


class InfeasibleError(EquilibristError):
    """No point fulfils the constraints of a program."""


def checked_method(method: str) -> str:
    """`choose`, `simplex`, `ipm`, or the simplex method that keeps `primal` or `dual` feasibility."""
    if method not in METHODS:
        raise ParameterError(
            f"The method '{method}' is not one of {', '.join(METHODS)}.{suggest(str(method), METHODS)}"
        )
    return method


def maximise(
    program: LinearProgram,
    purpose: str,
    *,
    method: str = "choose",
    seconds: float | None = None,
    iterations: int | None = None,
    start: Start | None = None,
    watch: Watch | None = None,
    unfinished: bool = False,
) -> LinearSolution:
    """Solve a program; limits give what there is, and so does Ctrl-C where `unfinished` points are of use. No solution is an error.

    `iterations` limits the simplex method. With a `start` nothing is presolved, so that a search stopped early holds a point.
    """
    begin = time.perf_counter()
    highs = _load(program, _resolve(method, program), seconds, iterations)
    if start is not None:
        _begin_at(highs, start)
    interrupted = _run(highs, watch, begin)
    if interrupted and not unfinished:
        raise KeyboardInterrupt  # a point on the way is no answer
    status = highs.modelStatusToString(highs.getModelStatus())
    known: dict[str, Status] = {
        "Optimal": "optimal",
        "Time limit reached": "time limit",
        "Iteration limit reached": "iteration limit",
    }
    if status not in known and not interrupted:
        raise _trouble(program, purpose, status)
    found, info = highs.getSolution(), highs.getInfo()
    return LinearSolution(
        status="interrupted" if interrupted else known[status],
        objective=float(highs.getObjectiveValue()),
        point=_finite(found.col_value, program.matrix.shape[1]),
        multiplier=_finite(found.row_dual, program.matrix.shape[0]),
        iterations=max(0, info.simplex_iteration_count) + max(0, info.ipm_iteration_count),
        seconds=time.perf_counter() - begin,
    )


def _trouble(program: LinearProgram, purpose: str, status: str) -> EquilibristError:
    rows, columns = program.matrix.shape
    if status in ("Infeasible", "Primal infeasible or unbounded"):  # our programs are bounded
        return InfeasibleError(f"The linear program for {purpose} has no solution: its constraints contradict.")
    return EquilibristError(
        f"The linear program for {purpose} ({rows:,} rows, {columns:,} columns) ended as '{status}' instead of "
        "optimal, so its numbers are too extreme for double precision; try another method or a CFR solver."
    )


def _resolve(method: str, program: LinearProgram) -> str:
    if checked_method(method) != "choose":
        return method
    return "simplex" if program.matrix.nnz <= SIMPLEX_ENTRIES else "ipm"


def _load(program: LinearProgram, method: str, seconds: float | None, iterations: int | None) -> Any:
    import highspy  # late: commands that solve no program start faster

    highs = highspy.Highs()
    options: dict[str, bool | int | float | str] = {
        "output_flag": False,
        "solver": "simplex" if method in STRATEGIES else method,
        "parallel": "off",  # the same answer on every machine
        "primal_feasibility_tolerance": TOLERANCE,
        "dual_feasibility_tolerance": TOLERANCE,
        "small_matrix_value": SMALLEST_ENTRY,
    }
    if method in STRATEGIES:
        options["simplex_strategy"] = STRATEGIES[method]
    if seconds is not None:
        options["time_limit"] = float(seconds)
    if iterations is not None:
        options["simplex_iteration_limit"] = iterations
    for name, value in options.items():
        highs.setOptionValue(name, value)
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = program.matrix.shape
    model.sense_ = highspy.ObjSense.kMaximize
    model.col_cost_, model.col_lower_, model.col_upper_ = program.cost, program.lower, program.upper
    model.row_lower_, model.row_upper_ = program.row_lower, program.row_upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = program.matrix.indptr
    model.a_matrix_.index_ = program.matrix.indices
    model.a_matrix_.value_ = program.matrix.data
    highs.passModel(model)
    return highs


def _begin_at(highs: Any, start: Start) -> None:
    import highspy

    kinds = (highspy.HighsBasisStatus.kLower, highspy.HighsBasisStatus.kBasic)
    basis = highspy.HighsBasis()
    basis.col_status = [kinds[basic] for basic in start.columns.tolist()]
    basis.row_status = [kinds[basic] for basic in start.rows.tolist()]
    basis.valid = True
    highs.setOptionValue("presolve", "off")
    highs.setBasis(basis)


def _run(highs: Any, watch: Watch | None, begin: float) -> bool:
    """Work in a thread of its own, so that Ctrl-C is heard; True when it was."""
    stop, done, iterations = threading.Event(), threading.Event(), [0]

    def at_pause(event: Any) -> None:
        iterations[0] = max(event.data_out.simplex_iteration_count, event.data_out.ipm_iteration_count, 0)
        if stop.is_set():
            event.interrupt()

    def work() -> None:
        try:
            highs.run()
        finally:
            done.set()

    highs.cbSimplexInterrupt += at_pause
    highs.cbIpmInterrupt += at_pause
    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    try:
        while not done.wait(REPORT_SECONDS):
            if watch is not None:
                watch(iterations[0], time.perf_counter() - begin)
    except KeyboardInterrupt:
        return True
    finally:
        stop.set()
        worker.join()
        highs.cbSimplexInterrupt -= at_pause
        highs.cbIpmInterrupt -= at_pause
    return False


def _finite(values: Any, count: int) -> Floats:
    """As an array of the right length; a search stopped early may hold nothing or overflow."""
    out = np.zeros(count)
    given = np.asarray(values, dtype=np.float64)
    if len(given) == count:
        out[:] = np.nan_to_num(given, nan=0.0, posinf=0.0, neginf=0.0)
    return out
