"""Jobs: solves that are asked for, watched, cancelled, resumed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.games.spots.spot import Spot
from equilibrist.interfaces.web.data.spot_forms import spot_of, with_locks
from equilibrist.interfaces.web.data.store import JobRow, new_id, now
from equilibrist.interfaces.web.models.common import Identity
from equilibrist.interfaces.web.models.jobs import Job, JobGoal, JobRequest, Point
from equilibrist.interfaces.web.services import Here, Services
from equilibrist.interfaces.web.settings import LARGEST_STREET
from equilibrist.solvers.postflop.locks.frequency_locks import check_locks
from equilibrist.solvers.postflop.solve_spot import check_request
from equilibrist.solvers.postflop.spot_size import spot_size

router = APIRouter(prefix="/jobs", tags=["jobs"])

POLL_SECONDS = 0.2
PING_SECONDS = 15.0


@router.post("", status_code=201)
def submit_job(asked: JobRequest, here: Here) -> Job:
    """Queue a solve; its solution will have the id of the job."""
    spot = _spot(asked, here)
    check_request(spot, asked.solver, asked.until)
    if asked.until is None and asked.iterations is None and asked.seconds is None:
        raise ParameterError("A solve needs a goal: give 'until', 'iterations' or 'seconds'.")
    compiled = compile_spot(spot, largest=LARGEST_STREET)
    size = spot_size(compiled, asked.solver, asked.bits)
    check_locks(compiled)
    job = JobRow(
        id=new_id(),
        created=now(),
        name=asked.name.strip() or _usual_name(spot),
        spot=spot.to_toml(),
        board=spot.board_text,
        pot=spot.pot,
        solver=asked.solver,
        until=asked.until,
        iterations=asked.iterations,
        seconds=asked.seconds,
        bits=asked.bits,
        need_bytes=size.table_bytes,
    )
    return job_of(here.queue.submit(job))


@router.get("")
def list_jobs(here: Here) -> list[Job]:
    """All jobs, newest first."""
    return [job_of(job) for job in here.queue.jobs()]


@router.get("/events", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def watch_jobs(request: Request, here: Here) -> StreamingResponse:
    """Jobs as they change: server-sent events `jobs`, each `{"changed": [Job…], "ids": […]}`."""
    return StreamingResponse(
        _events(request, here), media_type="text/event-stream", headers={"cache-control": "no-store"}
    )


async def _events(request: Request, here: Services) -> AsyncIterator[str]:
    import msgspec

    seen, quiet = -1, 0.0
    while not await request.is_disconnected() and not here.queue.closing:
        version, changed, ids = here.queue.changes(seen)
        if version != seen:
            body = {"changed": [job_of(job).model_dump() for job in changed], "ids": ids}
            yield f"event: jobs\ndata: {msgspec.json.encode(body).decode()}\n\n"
            seen, quiet = version, 0.0
        elif quiet >= PING_SECONDS:
            yield ": ping\n\n"
            quiet = 0.0
        await asyncio.sleep(POLL_SECONDS)
        quiet += POLL_SECONDS


@router.post("/resume")
def resume_jobs(here: Here) -> list[Job]:
    """Let all jobs go on that were running when the server stopped."""
    return [job_of(job) for job in here.queue.resume_interrupted()]


@router.get("/{job}")
def get_job(job: Identity, here: Here) -> Job:
    """One job."""
    return job_of(here.queue.job(job))


@router.post("/{job}/cancel")
def cancel_job(job: Identity, here: Here) -> Job:
    """Stop a job; what it has found is kept."""
    return job_of(here.queue.cancel(job))


@router.post("/{job}/resume")
def resume_job(job: Identity, goal: JobGoal, here: Here) -> Job:
    """Go on from the last save, to the old goal or to another one."""
    if goal.until is not None:
        row = here.queue.job(job)
        if row.kind != "solve":
            raise NotApplicableError("Another goal is for solves; responses of a dial are found to the goal it has.")
        check_request(Spot.from_text(row.spot), row.solver, goal.until)
    return job_of(here.queue.resume(job, goal.until))


@router.delete("/{job}", status_code=204)
def delete_job(job: Identity, here: Here) -> None:
    """Forget a job that has ended; its solution stays in the library."""
    here.queue.delete(job)


def job_of(row: JobRow) -> Job:
    """A row as it is told."""
    gap = row.exploitability
    return Job(
        id=row.id,
        kind=row.kind,
        created=row.created,
        name=row.name,
        board=row.board,
        pot=row.pot,
        solver=row.solver,
        until=row.until,
        status=row.status,
        message=row.message,
        iteration=row.iteration,
        elapsed=row.elapsed,
        exploitability=gap,
        percent_of_pot=None if gap is None else 100.0 * gap / row.pot,
        fraction=row.fraction,
        seconds_left=row.seconds_left,
        saved=row.saved,
        need_bytes=row.need_bytes,
        curve=[Point(iteration=i, seconds=s, exploitability=e) for i, s, e in list(row.curve)],
    )


def _spot(asked: JobRequest, here: Services) -> Spot:
    if (asked.spot is None) == (asked.solution is None):
        raise ParameterError("A solve takes a 'spot' or a 'solution' of the library, one of the two.")
    spot = spot_of(asked.spot) if asked.spot is not None else here.library.open(str(asked.solution)).solution.spot
    return with_locks(spot, asked.lock, asked.unlock) if asked.lock or asked.unlock else spot


def _usual_name(spot: Spot) -> str:
    locks = f", {len(spot.locks)} locked" if spot.locks else ""
    return f"{spot.board_text}, pot {spot.pot:.12g}, stack {spot.stack:.12g}{locks}"
