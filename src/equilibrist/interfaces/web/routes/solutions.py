"""Solutions: the library, and the places in them."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from equilibrist.core.errors import EquilibristError, NotApplicableError
from equilibrist.core.writing import plain
from equilibrist.evaluation.reports.comparison import compare_solutions
from equilibrist.evaluation.reports.runouts import both_equities, both_evs
from equilibrist.interfaces.web.data.node_json import (
    both,
    categories_answer,
    colours_of,
    frequencies_of,
    node_answer,
    runouts_answer,
)
from equilibrist.interfaces.web.data.spot_forms import stated
from equilibrist.interfaces.web.data.store import SolutionRow
from equilibrist.interfaces.web.models.common import Identity, Line, Player
from equilibrist.interfaces.web.models.reports import Categories, Report, ReportRow, RunoutsModel
from equilibrist.interfaces.web.models.solutions import Naming, Node, SolutionFacts, SolutionItem, SolutionList
from equilibrist.interfaces.web.services import Here, Services
from equilibrist.interfaces.web.time_limits import time_left

router = APIRouter(tags=["solutions"])

MOST_ROWS = 200  # of an aggregate report
REPORT_SECONDS = 20.0
Search = Annotated[str, Query(max_length=200, description="Words that name, board, street or notes must contain.")]


@router.get("/solutions")
def list_solutions(
    here: Here,
    query: Search = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> SolutionList:
    """The library, newest first."""
    count, rows = here.store.solutions(query, limit, offset)
    return SolutionList(count=count, solutions=list(rows))


@router.get("/solutions/{solution}")
def get_solution(solution: Identity, here: Here) -> SolutionFacts:
    """A solution with its spot."""
    row, held = here.store.solution(solution), here.library.open(solution).solution
    spot = held.spot
    return SolutionFacts(
        **row.model_dump(exclude={"part_of"}),
        toml=spot.to_toml(),
        spot=stated(spot),
        decisions=held.nodes,
        lock_lines=[lock.line for lock in spot.locks],
        part_of=row.part_of or None,
    )


@router.patch("/solutions/{solution}")
def name_solution(solution: Identity, naming: Naming, here: Here) -> SolutionItem:
    """Change the name or the notes."""
    return here.library.rename(solution, naming.name, naming.notes)


@router.delete("/solutions/{solution}", status_code=204)
def delete_solution(solution: Identity, here: Here) -> None:
    """Delete a solution and its file."""
    if here.queue.is_active(solution):
        raise NotApplicableError("This solution is still being solved; cancel the job first.")
    if here.store.solution(solution).part_of:
        raise NotApplicableError("This solution is a response of a dial; delete the dial instead.")
    here.library.delete(solution)


@router.get("/solutions/{solution}/node", response_model=Node)
def get_node(
    solution: Identity,
    here: Here,
    line: Annotated[Line, Query()] = "",
    player: Annotated[Player | None, Query()] = None,
) -> Response:
    """A place: the decisions up to it and one player's hands with weight, equity, EV, EQR, mix and EV of every action."""
    return _json(node_answer(here.library.open(solution), line, player))


@router.get("/solutions/{solution}/runouts", response_model=RunoutsModel)
def get_runouts(solution: Identity, here: Here, line: Annotated[Line, Query()] = "") -> Response:
    """What every next card changes, after a line that ends a street."""
    return _json(runouts_answer(here.library.open(solution), line))


@router.get("/solutions/{solution}/categories", response_model=Categories)
def get_categories(
    solution: Identity,
    here: Here,
    line: Annotated[Line, Query()] = "",
    player: Annotated[Player | None, Query()] = None,
) -> Response:
    """How each kind of hand is played, from straight flush to nothing."""
    return _json(categories_answer(here.library.open(solution), line, player))


@router.get("/compare")
def compare(
    here: Here,
    first: Annotated[Identity, Query()],
    second: Annotated[Identity, Query()],
    line: Annotated[Line, Query()] = "",
) -> dict[str, Any]:
    """Two solutions of the same board at a line: values, and the hands that are played most differently."""
    one, other = here.library.open(first).solution, here.library.open(second).solution
    found = compare_solutions(one, other, line)
    told: dict[str, Any] = plain(found.to_json() | {"colours": colours_of(found.labels)})
    return told


@router.get("/report")
def aggregate_report(here: Here, line: Annotated[Line, Query()] = "", query: Search = "") -> Report:
    """Every solution of the library that matches a search, at one line: frequencies, EV and equity side by side."""
    count, rows = here.store.solutions(query, MOST_ROWS)
    end = time.monotonic() + 0.8 * time_left(REPORT_SECONDS)
    return Report(line=line, count=count, rows=[report_row(here, row, line, end - time.monotonic()) for row in rows])


def report_row(here: Services, row: SolutionRow, line: str, seconds: float) -> ReportRow:
    """One solution at a line; left out where no time is left."""
    empty = ReportRow(
        id=row.id, name=row.name, board=row.board, labels=[], actions=[], colours=[], frequencies=[], ev={}, equity={},
        pot=row.pot, problem=None,
    )  # fmt: skip
    if seconds <= 0.0:
        return empty.model_copy(update={"problem": "Left out: the report took too long; narrow the search."})
    try:
        node = here.library.open(row.id).at(line)
    except EquilibristError as error:
        return empty.model_copy(update={"problem": str(error)})
    return empty.model_copy(
        update={
            "board": node.board,
            "labels": list(node.labels),
            "actions": list(node.actions),
            "colours": colours_of(node.labels),
            "frequencies": [None if share != share else share for share in frequencies_of(node)],
            "ev": both(both_evs(node)),
            "equity": both(both_equities(node)),
            "pot": node.pot,
        }
    )


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")
