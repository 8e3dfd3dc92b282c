"""Batches: one spot on many boards, queued at once and read side by side."""

from __future__ import annotations

import contextlib
import math
import time
from typing import Annotated, Any

from fastapi import APIRouter, Query

from equilibrist.core.errors import EquilibristError, ParameterError
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.games.spots.flops import sample_flops
from equilibrist.games.spots.spot import Spot
from equilibrist.interfaces.web.data.spot_forms import spot_of
from equilibrist.interfaces.web.data.store import BatchRecord, JobRow, StoreError, new_id, now
from equilibrist.interfaces.web.models.batches import Batch, BatchItem, BatchRequest, BatchRow, WeightedBoard
from equilibrist.interfaces.web.models.common import Identity, Line
from equilibrist.interfaces.web.models.jobs import Job
from equilibrist.interfaces.web.models.reports import ReportRow
from equilibrist.interfaces.web.routes.jobs import job_of
from equilibrist.interfaces.web.routes.solutions import report_row
from equilibrist.interfaces.web.services import Here, Services
from equilibrist.interfaces.web.settings import LARGEST_STREET
from equilibrist.interfaces.web.time_limits import time_left
from equilibrist.solvers.postflop.locks.frequency_locks import check_locks
from equilibrist.solvers.postflop.solve_spot import DEFAULT_SPOT_SOLVER, check_request
from equilibrist.solvers.postflop.spot_size import spot_size

router = APIRouter(tags=["batches"])

MOST_BOARDS = 200
REPORT_SECONDS = 20.0


@router.get("/flops")
def choose_flops(
    count: Annotated[int, Query(ge=1, le=MOST_BOARDS)] = 25, seed: Annotated[int, Query(ge=0, le=2**31)] = 0
) -> list[WeightedBoard]:
    """Flops that stand for all 22,100, spread over ranks; weight: how many of them each stands for."""
    return [WeightedBoard(board=board, weight=weight) for board, weight in sample_flops(count, seed)]


@router.post("/batches", status_code=201)
def submit_batch(asked: BatchRequest, here: Here) -> BatchItem:
    """Queue one spot on many boards; every board becomes a job and a solution of its own."""
    spots = _spots(asked)
    check_request(spots[0], DEFAULT_SPOT_SOLVER, asked.until)
    first = compile_spot(spots[0], largest=LARGEST_STREET)
    check_locks(first)
    needs = [spot_size(first.on_board(spot.board_text)).table_bytes for spot in spots]
    number, name = new_id(), asked.name.strip() or f"{len(spots)} boards, pot {spots[0].pot:.12g}"
    jobs = [
        _job(spot, f"{name}: {spot.board_text}"[:200], asked.until, need)
        for spot, need in zip(spots, needs, strict=True)
    ]
    weights = [board.weight for board in asked.boards]
    record = BatchRecord(id=number, created=now(), name=name, jobs=[job.id for job in jobs], weights=weights)
    here.store.put_batch(record)
    try:
        here.queue.submit_all(jobs)
    except EquilibristError:
        with contextlib.suppress(StoreError):
            here.store.delete_batch(number)
        raise
    return _item(record, here)


@router.get("/batches")
def list_batches(here: Here) -> list[BatchItem]:
    """Batches, newest first."""
    return [_item(record, here) for record in here.store.batches()]


@router.get("/batches/{batch}")
def get_batch(batch: Identity, here: Here, line: Annotated[Line, Query()] = "") -> Batch:
    """Every board at one line, as far as it is solved, and the weighted means."""
    record, end = here.store.batch(batch), time.monotonic() + 0.8 * time_left(REPORT_SECONDS)
    rows = [
        _row(here, number, weight, line, end - time.monotonic())
        for number, weight in zip(record.jobs, record.weights, strict=True)
    ]
    solved = [(row.weight, row.report) for row in rows if row.report is not None and row.report.problem is None]
    return Batch(**_item(record, here).model_dump(), line=line, rows=rows, **_means(solved))


@router.post("/batches/{batch}/cancel")
def cancel_batch(batch: Identity, here: Here) -> BatchItem:
    """Stop all jobs of a batch; what they have found is kept."""
    record = here.store.batch(batch)
    for number in record.jobs:
        if here.queue.is_active(number):
            here.queue.cancel(number)
    return _item(record, here)


def _spots(asked: BatchRequest) -> list[Spot]:
    boards = [board.board.replace(" ", "") for board in asked.boards]
    if len(set(boards)) < len(boards):
        raise ParameterError("A board is named twice; leave one of them out.")
    if len({len(board) for board in boards}) > 1:
        raise ParameterError("All boards of a batch have the same number of cards, since they share bet sizes.")
    if len(boards[0]) != len(own := asked.spot.board.replace(" ", "")):
        raise ParameterError(
            f"The boards have {len(boards[0]) // 2} cards, but the board of the spot has {len(own) // 2}, and its bet sizes are for the "
            "streets from there on; give the spot a board of as many cards and sizes for every street."
        )
    found = []
    for board in boards:
        try:
            found.append(spot_of(asked.spot.model_copy(update={"board": board})))
        except EquilibristError as error:
            raise ParameterError(f"On the board '{board[:20]}': {error}") from None
    return found


def _job(spot: Spot, name: str, until: str, need: int) -> JobRow:
    return JobRow(
        id=new_id(), created=now(), name=name, spot=spot.to_toml(), board=spot.board_text, pot=spot.pot,
        solver=DEFAULT_SPOT_SOLVER, until=until, iterations=None, seconds=None, bits=32, need_bytes=need,
    )  # fmt: skip


def _item(record: BatchRecord, here: Services) -> BatchItem:
    done = sum(here.store.has_solution(number) and not here.queue.is_active(number) for number in record.jobs)
    waiting = sum(here.queue.is_active(number) for number in record.jobs)
    return BatchItem(
        id=record.id, created=record.created, name=record.name, boards=len(record.jobs), solved=done, active=waiting
    )


def _row(here: Services, number: str, weight: float, line: str, seconds: float) -> BatchRow:
    job: Job | None = job_of(here.queue.job(number)) if here.queue.knows(number) else None
    if not here.store.has_solution(number):
        board, status = (job.board, job.status) if job else ("", "stopped")
        return BatchRow(id=number, board=board, weight=weight, status=status, percent_of_pot=None, report=None)
    row = here.store.solution(number)
    report: ReportRow = report_row(here, row, line, seconds)
    status = job.status if job else "done"
    return BatchRow(
        id=number, board=row.board, weight=weight, status=status, percent_of_pot=row.percent_of_pot, report=report
    )


def _means(solved: list[tuple[float, ReportRow]]) -> dict[str, Any]:
    """Weighted over the boards that are solved; frequencies where all boards offer the same actions."""
    total = math.fsum(weight for weight, _ in solved)
    if not total > 0.0:
        return {"labels": [], "actions": [], "colours": [], "frequencies": [], "ev": {}, "equity": {}}
    first = solved[0][1]
    same = all(row.labels == first.labels and None not in row.frequencies for _, row in solved)

    def mean(values: list[float | None]) -> float | None:
        if any(value is None for value in values):
            return None
        pairs = zip((weight for weight, _ in solved), values, strict=True)
        return math.fsum(weight * value for weight, value in pairs if value is not None) / total

    return {
        "labels": first.labels if same else [],
        "actions": first.actions if same else [],
        "colours": first.colours if same else [],
        "frequencies": [mean([row.frequencies[a] for _, row in solved]) for a in range(len(first.labels))]
        if same
        else [],
        "ev": {name: mean([row.ev.get(name) for _, row in solved]) for name in ("oop", "ip")},
        "equity": {name: mean([row.equity.get(name) for _, row in solved]) for name in ("oop", "ip")},
    }
