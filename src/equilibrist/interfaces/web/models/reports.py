"""Runouts, kinds of hands and reports over boards."""

from __future__ import annotations

from pydantic import BaseModel

from equilibrist.interfaces.web.models.common import Player


class Card(BaseModel):
    card: str
    like: str
    probability: float
    frequencies: list[float | None]
    ev: dict[str, float | None]
    equity: dict[str, float | None]


class RunoutsModel(BaseModel):
    """What every next card changes."""

    line: str
    board: str
    pot: float
    player: Player | None
    actions: list[str]
    labels: list[str]
    colours: list[str]
    frequencies: list[float | None]
    ev: dict[str, float | None]
    equity: dict[str, float | None]
    cards: list[Card]


class CategoryRow(BaseModel):
    """Hands of one kind."""

    name: str
    combos: float
    share: float
    equity: float | None
    ev: float | None
    frequencies: list[float | None]


class Categories(BaseModel):
    line: str
    player: Player | None
    labels: list[str]
    rows: list[CategoryRow]


class ReportRow(BaseModel):
    """One solution at the line of an aggregate report; `problem` where it has no such line."""

    id: str
    name: str
    board: str
    labels: list[str]
    actions: list[str]
    colours: list[str]
    frequencies: list[float | None]
    ev: dict[str, float | None]
    equity: dict[str, float | None]
    pot: float
    problem: str | None


class Report(BaseModel):
    line: str
    count: int
    rows: list[ReportRow]
