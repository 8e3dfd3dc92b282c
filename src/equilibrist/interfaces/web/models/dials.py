"""Responses to locks by how far they are trusted."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from equilibrist.interfaces.web.data.store import JobStatus
from equilibrist.interfaces.web.models.common import Identity, Player, Strict

Trust = Annotated[float, Field(ge=0.0, le=1.0, description="p: how far to trust that the opponent keeps to the locks.")]


class DialRequest(Strict):
    """Responses to the locks of a solution: for which p, and how accurately."""

    solution: Identity
    steps: list[Trust] = Field(default=[step / 10 for step in range(11)], min_length=1, max_length=41)
    until: str = Field(default="0.2%", max_length=20, description="Chips, or a share of the pot.")


class DialStep(Strict):
    p: Trust


class DialPoint(BaseModel):
    """One response, in chips (shares of the pot)."""

    p: float
    payoff: float = Field(description="At least, against opponents that keep to the locks.")
    gain: float = Field(description="Over the equilibrium's payoff against them.")
    guarantee: float = Field(description="At least, against anybody.")
    risk: float = Field(description="What an equilibrium guarantees, less that.")
    percent_of_pot: float = Field(description="Exploitability that was reached in the game of this p.")
    solution: str = Field(description="Id under which the response can be walked.")


class DialItem(BaseModel):
    id: str
    created: float
    name: str
    board: str
    player: Player
    status: JobStatus
    points: int
    steps: int


class Dial(BaseModel):
    """Gain and risk of responses to locks; the job that finds them has the same id."""

    id: str
    created: float
    name: str
    solution: str | None = Field(description="Whose locks they are; null where it was deleted.")
    board: str
    pot: float
    player: Player = Field(description="Who responds.")
    locks: list[dict[str, Any]]
    until: str
    steps: list[float]
    status: JobStatus
    message: str
    points: list[DialPoint]
    chosen: float | None = Field(description="p of the largest gain whose risk is at most epsilon, if that was asked.")
