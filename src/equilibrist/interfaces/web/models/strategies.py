"""Strategies of solved games of every kind: facts, and decisions walked along the public line."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class SeatFacts(BaseModel):
    """A seat of a table before the flop."""

    name: str
    stack: float = Field(description="Chips.")
    ev: float = Field(description="Big blinds won, or prize money.")
    gain: float = Field(description="What a best response would gain in the model.")


class StrategyFacts(BaseModel):
    """A solved game: a table of infosets, boards, buckets, a spot or a blueprint."""

    name: str
    kind: str
    game: str
    title: str
    solver: str
    iterations: int
    seconds: float
    infosets: int
    unit: str = Field(description="What a payoff of 1 is called.")
    value: list[float] = Field(description="By player; empty where it was not measured.")
    exploitability: float | None = Field(description="As the file states it; null where it was not measured.")
    measured: str | None = Field(description="How it was measured.")
    converged: bool
    seats: list[SeatFacts] = Field(description="Of tables before the flop; empty elsewhere.")
    model: list[str] = Field(description="What the model of a table keeps and what it leaves out.")


class StrategyStep(BaseModel):
    """One card of the line: who had which choice, how often each is taken, and what was chosen."""

    line: str
    kind: Literal["decision", "deal", "over"]
    player: int | None = Field(description="From 0.")
    labels: list[str]
    actions: list[str]
    colours: list[str]
    frequencies: list[float | None]
    chosen: str | None
    pot: float | None = Field(description="Chips; null where it is not known.")
    following: dict[str, list[str]] = Field(
        description="By action: the lines that can come next; several after a card."
    )


class InfosetMix(BaseModel):
    """What is done at one infoset."""

    key: str
    hand: str = Field(description="What the player alone knows.")
    player: int
    labels: list[str] | None = Field(description="Where they are not those of the place.")
    weight: float | None = Field(description="How likely it is to be here with it; null where that is not known.")
    value: float | None = Field(description="Expected payoff from here on.")
    strategy: list[float]
    action_values: list[float | None] | None


class StrategyPlace(BaseModel):
    """A public state and one page of its infosets."""

    name: str
    line: str
    kind: Literal["decision", "deal", "over"]
    player: int | None
    board: str
    grid: bool = Field(description="Hands are those of the 13×13 grid, or its classes.")
    pot: float | None
    labels: list[str]
    actions: list[str]
    colours: list[str]
    frequencies: list[float | None]
    weighted: bool = Field(description="Frequencies count infosets by how likely they are, not all alike.")
    count: int = Field(description="Infosets here.")
    offset: int
    rows: list[InfosetMix]
    path: list[StrategyStep]
    coming: int = Field(description="Cards that are dealt here.")
    cards: list[str] = Field(description="Which they can be.")
    note: str = Field(description="What to do where nobody acts, or what is to be known here.")
    stacks: list[float] = Field(description="Chips behind, by player; empty where they are not known.")
    values: list[float | None] = Field(description="What each seat of a table expects here; empty elsewhere.")


class StrategyChart(BaseModel):
    """The most frequent decisions of one seat of a table."""

    name: str
    seat: str
    places: list[StrategyPlace]
