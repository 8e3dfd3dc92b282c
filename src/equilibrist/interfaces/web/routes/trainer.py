"""The trainer: decisions drawn from a solution, answers graded by what they lose."""

from __future__ import annotations

import re
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from equilibrist.evaluation.play.trainer import TrainingQuestion, draw_question, grade_answer, trainable
from equilibrist.interfaces.web.data.node_json import colours_of
from equilibrist.interfaces.web.models.common import Line
from equilibrist.interfaces.web.models.trainer import Grade, Question
from equilibrist.interfaces.web.services import Here, Services

router = APIRouter(prefix="/trainer", tags=["trainer"])

Source = Annotated[
    str,
    Path(max_length=100, description="A solution of the library, or a file of the folder `agents`: a spot or a table."),
]
Seed = Annotated[int, Query(ge=0, le=2**31, description="The same seed gives the same question.")]
Asked = Annotated[str | None, Query(max_length=40, description="Who is asked: oop, ip, or the name of a seat.")]


@router.get("/{solution}/question")
def ask(
    solution: Source, here: Here, seed: Seed, player: Asked = None, line: Annotated[Line, Query()] = ""
) -> Question:
    """A decision as it comes up in play, at a line or after it."""
    return Question(**_facts(_draw(here, solution, seed, player, line), solution, seed))


@router.get("/{solution}/grade")
def grade(
    solution: Source,
    here: Here,
    seed: Seed,
    answer: Annotated[str, Query(max_length=20)],
    player: Asked = None,
    line: Annotated[Line, Query()] = "",
) -> Grade:
    """What an answer loses, and what the solution does."""
    drawn = _draw(here, solution, seed, player, line)
    found = grade_answer(drawn, answer)
    return Grade(
        **_facts(drawn, solution, seed),
        answer=answer,
        best=found.best,
        ev_by_action=list(found.ev_by_action),
        strategy=list(found.strategy),
        ev_loss=found.ev_loss,
        percent_of_pot=found.percent_of_pot,
        verdict=found.verdict,
    )


def _draw(here: Services, source: str, seed: int, player: str | None, line: str) -> TrainingQuestion:
    if re.fullmatch(r"[0-9a-f]{12}", source):
        return draw_question(here.library.open(source).solution, seed, player, line)
    opened = here.strategies.open(source)
    with opened.lock:
        return draw_question(trainable(opened.solution), seed, player, line)


def _facts(drawn: TrainingQuestion, solution: str, seed: int) -> dict[str, Any]:
    node = drawn.node
    return {
        "solution": solution,
        "seed": seed,
        "line": node.line,
        "board": getattr(node, "board", ""),
        "pot": node.pot,
        "stacks": dict(zip(node.players, node.stacks, strict=True)),
        "players": list(node.players),
        "player": drawn.player,
        "hand": drawn.hand_name,
        "unit": drawn.unit,
        "actions": list(node.actions),
        "labels": list(node.labels),
        "colours": colours_of(node.labels),
        "history": drawn.history,
    }
