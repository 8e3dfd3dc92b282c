"""Questions from a solution, and grades."""

from __future__ import annotations

from pydantic import BaseModel, Field

from equilibrist.evaluation.play.trainer import Verdict


class Question(BaseModel):
    """A decision of the trainer."""

    solution: str
    seed: int
    line: str
    board: str = Field(description="Empty before the flop.")
    pot: float
    stacks: dict[str, float] = Field(description="Behind, by player or seat.")
    players: list[str]
    player: str
    hand: str = Field(description="Two cards, or a class of hands at a table before the flop.")
    unit: str = Field(description="Of EVs: chips, bb or prize money.")
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
    ev_loss: float = Field(description="In the unit of the question.")
    percent_of_pot: float
    verdict: Verdict
