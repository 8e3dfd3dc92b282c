"""The trainer: decisions drawn from a solution, answers graded by what they lose."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from equilibrist.evaluation.play.trainer import TrainingQuestion, draw_question, grade_answer
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.interfaces.web.data.node_json import colours_of
from equilibrist.interfaces.web.models.common import Identity, Player
from equilibrist.interfaces.web.models.trainer import Grade, Question
from equilibrist.interfaces.web.services import Here

router = APIRouter(prefix="/trainer", tags=["trainer"])

Seed = Annotated[int, Query(ge=0, le=2**31, description="The same seed gives the same question.")]


@router.get("/{solution}/question")
def ask(solution: Identity, here: Here, seed: Seed, player: Annotated[Player | None, Query()] = None) -> Question:
    """A decision as it comes up in play."""
    drawn = draw_question(here.library.open(solution).solution, seed, player)
    return Question(**_facts(drawn, solution, seed))


@router.get("/{solution}/grade")
def grade(
    solution: Identity,
    here: Here,
    seed: Seed,
    answer: Annotated[str, Query(max_length=20)],
    player: Annotated[Player | None, Query()] = None,
) -> Grade:
    """What an answer loses, and what the solution does."""
    drawn = draw_question(here.library.open(solution).solution, seed, player)
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


def _facts(drawn: TrainingQuestion, solution: str, seed: int) -> dict[str, Any]:
    node, history = drawn.node, []
    here = node
    while here.before is not None:
        move = here.line.rpartition(":")[2]
        before = here.before
        if before.is_deal:
            history.append(f"card {move}")
        else:
            history.append(f"{before.player} {before.actions[before.labels.index(move)]}")
        here = before
    return {
        "solution": solution,
        "seed": seed,
        "line": node.line,
        "board": node.board,
        "pot": node.pot,
        "stacks": dict(zip(PLAYERS, node.stacks, strict=True)),
        "player": PLAYERS[drawn.player],
        "hand": drawn.hand_name,
        "actions": list(node.actions),
        "labels": list(node.labels),
        "colours": colours_of(node.labels),
        "history": history[::-1],
    }
