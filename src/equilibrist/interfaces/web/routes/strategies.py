"""Strategies: solved games of every kind, decision by decision."""

from __future__ import annotations

import math
from typing import Annotated

from fastapi import APIRouter, Path, Query

from equilibrist.core.errors import EquilibristError
from equilibrist.interfaces.web.data.strategies import OpenStrategy, WalkedInfoset, WalkStep
from equilibrist.interfaces.web.models.common import Line
from equilibrist.interfaces.web.models.strategies import InfosetMix, StrategyFacts, StrategyPlace, StrategyStep
from equilibrist.interfaces.web.services import Here

router = APIRouter(prefix="/strategies", tags=["strategies"])

MOST_ROWS = 2000
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
        walk = opened.walk
        line = walk.first(line)
        here_step = opened.step(line)
        path = [_step(opened.step(place), chosen) for place, chosen in walk.path(line)]
        count, rows = walk.rows(line, offset, limit)
        return StrategyPlace(
            **_step(here_step, None).model_dump(exclude={"chosen", "following"}),
            name=name,
            board=here_step.board,
            grid=walk.grid and here_step.kind == "decision",
            weighted=walk.weighted,
            count=count,
            offset=offset,
            rows=[_row(row, here_step) for row in rows],
            path=path,
            coming=here_step.coming,
            cards=list(here_step.cards),
            note=here_step.note,
        )  # fmt: skip


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
    )


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
