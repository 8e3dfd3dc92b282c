"""Saved solutions and the decisions in them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from equilibrist.interfaces.web.models.common import Player, Strict
from equilibrist.interfaces.web.models.spots import Both


class SolutionItem(BaseModel):
    """A solution of the library."""

    id: str
    created: float
    name: str
    notes: str
    board: str
    street: str
    pot: float
    stack: float
    solver: str
    iterations: int
    exploitability: float
    percent_of_pot: float
    converged: bool
    ev: Both
    locks: int
    bytes: int


class SolutionList(BaseModel):
    count: int
    solutions: list[SolutionItem]


class SolutionFacts(SolutionItem):
    """A solution with its spot."""

    toml: str
    spot: dict[str, Any]
    decisions: dict[str, int]
    lock_lines: list[str]
    part_of: str | None = Field(description="The dial whose response this is.")


class Naming(Strict):
    name: str | None = Field(default=None, max_length=200)
    notes: str | None = Field(default=None, max_length=4000)


class Decision(BaseModel):
    """One card of the line: who had which choice, how often each is taken, and what was chosen."""

    line: str
    kind: Literal["decision", "deal", "over"]
    player: Player | None
    board: str
    pot: float
    actions: list[str]
    labels: list[str]
    colours: list[str]
    frequencies: list[float | None]
    chosen: str | None


class Node(BaseModel):
    """A place in a solution; lists over hands are in the order of `hands`."""

    line: str
    kind: Literal["decision", "deal", "over"]
    board: str
    pot: float
    stacks: Both
    player: Player | None
    actions: list[str]
    labels: list[str]
    colours: list[str]
    frequencies: list[float | None]
    ev: dict[str, float | None]
    equity: dict[str, float | None]
    eqr: dict[str, float | None]
    hands_of: Player
    hands: list[str]
    weight: list[float]
    hand_equity: list[float | None]
    hand_ev: list[float | None]
    hand_eqr: list[float | None]
    strategy: list[list[float]]
    ev_by_action: list[list[float | None]]
    path: list[Decision]
    locked: bool
    resolve: dict[str, Any] | None
