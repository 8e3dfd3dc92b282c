"""Strategies: solved games of every kind, decision by decision."""

from __future__ import annotations

import math
from typing import Annotated

from fastapi import APIRouter, Path, Query

from equilibrist.core.errors import EquilibristError, NotApplicableError
from equilibrist.interfaces.web.data.strategies import OpenStrategy
from equilibrist.interfaces.web.data.table_walk import ClassWalk
from equilibrist.interfaces.web.data.walks import WalkedInfoset, WalkStep
from equilibrist.interfaces.web.models.common import Line
from equilibrist.interfaces.web.models.strategies import (
    InfosetMix,
    SeatFacts,
    StrategyChart,
    StrategyFacts,
    StrategyPlace,
    StrategyStep,
)
from equilibrist.interfaces.web.services import Here
from equilibrist.solvers.tables.table_solution import TableSolution

router = APIRouter(prefix="/strategies", tags=["strategies"])

MOST_ROWS = 2000
MOST_LINES = 6  # on a chart
DIGITS = 6
Name = Annotated[str, Path(max_length=100, description="A file of the folder `agents`.")]


@router.get("")
def list_strategies(here: Here) -> list[StrategyFacts]:
    """Solved games that can be looked at and played against; what cannot be opened is left out."""
    found = []
    for name in here.tables.files():
        try:
            found.append(_facts(name, here.strategies.open(name)))
        except EquilibristError:
            continue
    return found


@router.get("/{name}")
def get_strategy(name: Name, here: Here) -> StrategyFacts:
    """What a file says about itself."""
    return _facts(name, here.strategies.open(name))


@router.get("/{name}/place")
def get_place(
    name: Name,
    here: Here,
    line: Annotated[Line, Query()] = "",
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = MOST_ROWS,
) -> StrategyPlace:
    """A public state: the decisions up to it, how often each action is taken, and the mix of every infoset."""
    opened = here.strategies.open(name)
    with opened.lock:
        return _place(name, opened, opened.walk.first(line), offset, limit)


@router.get("/{name}/chart")
def get_chart(
    name: Name,
    here: Here,
    seat: Annotated[str, Query(max_length=40)],
    lines: Annotated[int, Query(ge=1, le=MOST_LINES)] = MOST_LINES,
) -> StrategyChart:
    """The most frequent decisions of a seat of a table before the flop, as `equilibrist chart` draws them."""
    opened = here.strategies.open(name)
    solution = opened.solution
    if not isinstance(solution, TableSolution):
        raise NotApplicableError(f"Charts are for tables before the flop; '{name}' is another game.")
    with opened.lock:
        own = solution.table.names[solution.table.seat(seat)]
        places = [_place(name, opened, line, 0, MOST_ROWS) for line in solution.likely_lines(own, lines)]
        return StrategyChart(name=name, seat=own, places=places)


def _place(name: str, opened: OpenStrategy, line: str, offset: int, limit: int) -> StrategyPlace:
    """A place as it is sent; called with the lock held."""
    walk, step = opened.walk, opened.step(line)
    count, rows = walk.rows(line, offset, limit)
    return StrategyPlace(
        **_step(step, None).model_dump(exclude={"chosen", "following"}),
        name=name,
        board=step.board,
        grid=walk.grid and step.kind == "decision",
        weighted=walk.weighted,
        count=count,
        offset=offset,
        rows=[_row(row, step) for row in rows],
        path=[_step(opened.step(place), chosen) for place, chosen in walk.path(line)],
        coming=step.coming,
        cards=list(step.cards),
        note=step.note,
        stacks=list(step.stacks),
        values=walk.values(line) if isinstance(walk, ClassWalk) else [],
    )


def _facts(name: str, opened: OpenStrategy) -> StrategyFacts:
    solution = opened.solution
    gap = solution.exploitability
    return StrategyFacts(
        name=name,
        kind=solution.kind,
        game=solution.game,
        title=solution.title,
        solver=solution.solver,
        iterations=solution.iterations,
        seconds=solution.seconds,
        infosets=solution.infosets,
        unit=solution.unit,
        value=list(solution.value),
        exploitability=gap if math.isfinite(gap) else None,
        measured=solution.provenance.get("exploitability"),
        converged=solution.converged,
        seats=_seats(solution) if isinstance(solution, TableSolution) else [],
        model=solution.model if isinstance(solution, TableSolution) else [],
    )


def _seats(solution: TableSolution) -> list[SeatFacts]:
    table = solution.table
    return [
        SeatFacts(name=name, stack=stack, ev=solution.ev[name], gain=solution.gains[name])
        for name, stack in zip(table.names, table.stacks, strict=True)
    ]


def _step(step: WalkStep, chosen: str | None) -> StrategyStep:
    return StrategyStep(
        line=step.line,
        kind=step.kind,
        player=step.player,
        labels=list(step.labels),
        actions=step.actions,
        colours=step.colours,
        frequencies=[round(share, DIGITS) if math.isfinite(share) else None for share in step.frequencies],
        chosen=chosen,
        pot=step.pot,
        following=step.following,
    )


def _row(row: WalkedInfoset, step: WalkStep) -> InfosetMix:
    return InfosetMix(
        key=row.key,
        hand=row.hand,
        player=row.player,
        labels=None if row.labels == step.labels else list(row.labels),
        weight=row.weight,
        value=row.value,
        strategy=[round(share, DIGITS) for share in row.strategy],
        action_values=None if row.action_values is None else list(row.action_values),
    )
