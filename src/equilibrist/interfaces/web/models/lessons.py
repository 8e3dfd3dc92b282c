"""Small games, laid open iteration by iteration."""

from __future__ import annotations

from pydantic import BaseModel, Field


class GameItem(BaseModel):
    name: str
    title: str
    summary: str
    infosets: int


class InfosetRow(BaseModel):
    """One infoset at one iteration."""

    key: str
    public: str
    player: int
    actions: list[str]
    regret: list[float]
    current: list[float]
    average: list[float]


class StepAction(BaseModel):
    label: str
    name: str
    before: float
    value: float
    gain: float
    regret_before: float
    regret: float
    after: float
    average: float


class Step(BaseModel):
    """What the last iteration did at one infoset."""

    key: str
    player: int
    value: float
    positive_factor: float
    negative_factor: float
    actions: list[StepAction]
    formulas: list[str]


class CurvePoint(BaseModel):
    iteration: int
    exploitability: float


class LessonDecision(BaseModel):
    """One card of the line in a lesson; frequencies are those of the averages, over all infosets by how likely they are."""

    line: str
    player: int
    labels: list[str]
    actions: list[str]
    frequencies: list[float]
    chosen: str | None
    following: dict[str, list[str]] = Field(description="By action: the decisions that can come next.")


class LearnState(BaseModel):
    """CFR on a small game after some iterations."""

    game: str
    solver: str
    iteration: int
    line: str
    lines: list[str]
    path: list[LessonDecision]
    value: list[float]
    exploitability: float
    curve: list[CurvePoint]
    colours: dict[str, str]
    infosets: list[InfosetRow]
    step: Step | None
