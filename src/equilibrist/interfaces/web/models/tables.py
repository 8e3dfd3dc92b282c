"""Hands against players: requests, states and reviews."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from equilibrist.interfaces.web.models.common import Strict


class AgentItem(BaseModel):
    name: str
    summary: str
    game: str | None


class TableRequest(Strict):
    agent: str = Field(max_length=100)
    game: str = Field(default="nolimit-holdem(stack=2000)", max_length=100)
    seed: int | None = Field(default=None, ge=0, le=2**31)


class ActionRequest(Strict):
    hand: int = Field(
        ge=0, le=1_000_000, description="Number of the hand, from 0; an action for another hand is refused."
    )
    move: int = Field(ge=0, le=1000, description="How many own actions came before; guards against double clicks.")
    action: str = Field(max_length=20)


class HandMove(BaseModel):
    seat: int | None
    label: str
    text: str


class Offer(BaseModel):
    """An action that can be taken."""

    label: str
    text: str


class Choice(BaseModel):
    """What somebody at a table may do now."""

    offers: list[Offer]
    to_call: float
    needed_equity: float
    raise_least: float | None
    raise_most: float | None
    pot_raises: list[Offer]


class RangeHand(BaseModel):
    hand: str
    weight: float


class Review(BaseModel):
    """One own decision, looked at afterwards."""

    move: int
    action: str
    board: str
    pot: float
    equity: float | None = Field(description="Against the range the opponent can have here, if that is known.")
    actions: list[str]
    ev: list[float] | None = Field(description="Of each action against this opponent, where the game is small enough.")
    ev_loss: float | None


class DecisionValue(BaseModel):
    """What each action of one decision was worth, in chips, folding now being 0; `reason` where that cannot be said."""

    move: int
    method: Literal["exact", "solved", "blueprint"] | None
    actions: list[str]
    ev: list[float]
    chosen: int | None
    loss: float | None
    loss_bb: float | None = Field(description="In big blinds, or in the unit where the game has none.")
    unit: str = Field(description="Of that: bb, or what payoffs are called.")
    error: float | None = Field(
        description="Chips: 95 % interval of the loss, or the exploitability of what was solved."
    )
    note: str
    reason: str
    opponent_range: list[RangeHand] | None = Field(description="At the time of the decision.")


class SeatState(BaseModel):
    """One seat of a table."""

    name: str
    behind: float | None = Field(description="Chips; null where there is no limit.")
    folded: bool
    shown: str | None = Field(description="Cards shown at the end.")


class TableState(BaseModel):
    """A table as one person sees it."""

    id: str
    agent: str
    game: str
    hand: int
    seat: int
    hole: str
    board: str
    pot: float
    seats: list[SeatState]
    moves: list[HandMove]
    move: int
    over: bool
    choice: Choice | None
    result: float | None
    opponent_range: list[RangeHand] | None
    reviews: list[Review] | None
    played: int
    total: float
    mean_mbb: float | None
    interval_mbb: float | None
    unit: float
    payoffs: str = Field(description="What a payoff of 1 is called: chips, points, prize money.")
