"""Solves: what is asked for, and how far it is."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from equilibrist.interfaces.web.data.store import JobKind, JobStatus
from equilibrist.interfaces.web.models.common import Identity, Line, Strict
from equilibrist.interfaces.web.models.spots import LockModel, SpotModel


class JobRequest(Strict):
    """A solve: a spot, or a solution of the library with other locks, and when to stop."""

    spot: SpotModel | None = None
    solution: Identity | None = Field(default=None, description="Instead of a spot: the one of a solution.")
    lock: list[LockModel] = Field(default=[], max_length=50, description="Locks in addition to those of the spot.")
    unlock: list[Line] = Field(default=[], max_length=50, description="Lines whose locks are taken away.")
    name: str = Field(default="", max_length=200)
    until: str | None = Field(default="0.3%", max_length=20, description="Chips, or a share of the pot.")
    iterations: int | None = Field(default=None, ge=1, le=1_000_000)
    seconds: float | None = Field(default=None, gt=0.0, le=86_400.0)
    solver: str = Field(default="dcfr(gamma=3)", max_length=80)
    bits: Literal[16, 32] = 32


class JobGoal(Strict):
    until: str | None = Field(default=None, max_length=20)


class Point(BaseModel):
    iteration: int
    seconds: float
    exploitability: float


class Job(BaseModel):
    """A solve or a dial and how far it has come; its solution (its dial), once saved, has the same id."""

    id: str
    kind: JobKind
    created: float
    name: str
    board: str
    pot: float
    solver: str
    until: str | None
    status: JobStatus
    message: str
    iteration: int
    elapsed: float
    exploitability: float | None = Field(description="Chips.")
    percent_of_pot: float | None
    fraction: float | None
    seconds_left: float | None
    saved: bool
    need_bytes: int
    curve: list[Point]
