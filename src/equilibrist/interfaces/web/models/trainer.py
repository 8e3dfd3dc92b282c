"""Questions from a solution, and grades."""

from __future__ import annotations

from pydantic import BaseModel, Field

from equilibrist.evaluation.play.trainer import Verdict
from equilibrist.interfaces.web.models.common import Player
from equilibrist.interfaces.web.models.spots import Both


class Question(BaseModel):
    """A decision of the trainer."""

    solution: str
    seed: int
    line: str
    board: str
    pot: float
    stacks: Both
    player: Player
    hand: str
    actions: list[str]
    labels: list[str]
    colours: list[str]
    history: list[str]


class Grade(Question):
    """The answer, graded."""

    answer: str
    best: str
    ev_by_action: list[float]
    strategy: list[float]
    ev_loss: float = Field(description="Chips.")
    percent_of_pot: float
    verdict: Verdict
