"""Dials: responses to the locks of a solution, from an equilibrium to full trust, with gain and risk."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from equilibrist.core.errors import EquilibristError, NotApplicableError
from equilibrist.exploit.responses.data_biased_spots import check_model, locked_player
from equilibrist.exploit.responses.trust_frontier import safest
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.games.spots.spot import Spot
from equilibrist.interfaces.web.data.dials import RatedPoint, rated
from equilibrist.interfaces.web.data.store import DialRow, JobRow, JobStatus, new_id, now
from equilibrist.interfaces.web.models.common import Chips, Identity
from equilibrist.interfaces.web.models.dials import Dial, DialItem, DialPoint, DialRequest, DialStep
from equilibrist.interfaces.web.services import Here, Services
from equilibrist.interfaces.web.settings import LARGEST_STREET
from equilibrist.solvers.postflop.solve_spot import DEFAULT_SPOT_SOLVER, target_chips
from equilibrist.solvers.postflop.spot_size import spot_size

router = APIRouter(prefix="/dials", tags=["dials"])

TABLES = 3  # a response, and the two runs that measure its gain and its risk
AVERAGES = 0.5  # of the tables are kept of every response
DIGITS = 4


@router.post("", status_code=201)
def open_dial(asked: DialRequest, here: Here) -> Dial:
    """Queue responses to the locks of a solution; a dial that is there already is given more points where it needs them."""
    held = here.library.open(asked.solution).solution
    check_model(held.spot)
    target_chips(asked.until, held.spot)
    steps = sorted({0.0, *(round(p, DIGITS) for p in asked.steps)})
    known = next((dial for dial in here.store.dials(asked.solution) if dial.until == asked.until), None)
    if known is None:
        known = DialRow(
            id=new_id(),
            created=now(),
            name=here.store.solution(asked.solution).name,
            solution=asked.solution,
            spot=held.spot.to_toml(),
            player="ip" if locked_player(held.spot) == 0 else "oop",
            until=asked.until,
            steps=steps,
        )
        here.store.put_dial(known)
    else:
        known = here.queue.dials.add_steps(known.id, steps)
    return _dial_of(_queued(known, here), here, None)


@router.get("")
def list_dials(here: Here, solution: Annotated[Identity | None, Query()] = None) -> list[DialItem]:
    """Dials, newest first; those of one solution, or all."""
    return [
        DialItem(
            id=row.id,
            created=row.created,
            name=row.name,
            board=Spot.from_text(row.spot).board_text,
            player=row.player,
            status=_status(row, here)[0],
            points=len(row.points),
            steps=len(row.steps),
        )
        for row in here.store.dials(solution)
    ]


@router.get("/{dial}")
def get_dial(
    dial: Identity,
    here: Here,
    epsilon: Annotated[
        Chips | None, Query(description="Chips that may be risked; `chosen` is the best p within.")
    ] = None,
) -> Dial:
    """Gain and risk of every response found so far."""
    return _dial_of(here.store.dial(dial), here, epsilon)


@router.post("/{dial}/points", status_code=201)
def add_point(dial: Identity, asked: DialStep, here: Here) -> Dial:
    """Find the response for another p, too."""
    return _dial_of(_queued(here.queue.dials.add_steps(dial, [round(asked.p, DIGITS)]), here), here, None)


@router.delete("/{dial}", status_code=204)
def delete_dial(dial: Identity, here: Here) -> None:
    """Delete a dial and its responses; the solution with the locks stays."""
    if here.queue.is_active(dial):
        raise NotApplicableError("Responses of this dial are still being found; cancel the job first.")
    here.queue.dials.delete(dial)
    if here.queue.knows(dial):
        here.queue.delete(dial)


def _queued(row: DialRow, here: Services) -> DialRow:
    """See to it that what is missing will be found."""
    if here.queue.dials.missing(row.id) is None or here.queue.is_active(row.id):
        return row
    if here.queue.knows(row.id):
        here.queue.resume(row.id)
        return row
    spot = Spot.from_text(row.spot)
    tables = spot_size(compile_spot(spot, largest=LARGEST_STREET)).table_bytes
    job = JobRow(
        id=row.id,
        created=now(),
        name=f"{row.name}: responses"[:200],
        spot=row.spot,
        board=spot.board_text,
        pot=spot.pot,
        solver=DEFAULT_SPOT_SOLVER,
        until=row.until,
        iterations=None,
        seconds=None,
        bits=32,
        need_bytes=TABLES * tables,
        kind="dial",
    )
    try:
        here.queue.submit(job, disk_bytes=int(AVERAGES * tables * (len(row.steps) - len(row.points))))
    except EquilibristError:
        if not row.points:
            here.store.delete_dial(row.id)
        raise
    return row


def _status(row: DialRow, here: Services) -> tuple[JobStatus, str]:
    if here.queue.knows(row.id):
        job = here.queue.job(row.id)
        return job.status, job.message
    return ("done", "") if len(row.points) >= len(row.steps) else ("stopped", "Some responses were not found.")


def _dial_of(row: DialRow, here: Services, epsilon: float | None) -> Dial:
    spot, points = Spot.from_text(row.spot), rated(row)
    status, message = _status(row, here)
    chosen = safest(points, epsilon).p if epsilon is not None and points else None
    return Dial(
        id=row.id,
        created=row.created,
        name=row.name,
        solution=row.solution if here.store.has_solution(row.solution) else None,
        board=spot.board_text,
        pot=spot.pot,
        player=row.player,
        locks=[lock.asked.table() for lock in spot.locks],
        until=row.until,
        steps=row.steps,
        status=status,
        message=message,
        points=[_point(point, spot.pot) for point in points],
        chosen=chosen,
    )


def _point(point: RatedPoint, pot: float) -> DialPoint:
    row = point.row
    return DialPoint(
        p=row.p,
        payoff=row.payoff,
        gain=point.gain,
        guarantee=row.guarantee,
        risk=point.risk,
        percent_of_pot=100.0 * row.exploitability / pot,
        solution=row.solution,
    )
