"""Many boards solved one after another."""

from __future__ import annotations

from pydantic import BaseModel, Field

from equilibrist.interfaces.web.data.store import JobStatus
from equilibrist.interfaces.web.models.common import Strict
from equilibrist.interfaces.web.models.reports import ReportRow
from equilibrist.interfaces.web.models.spots import SpotModel


class WeightedBoard(Strict):
    board: str = Field(max_length=20, examples=["Td9d6h"])
    weight: float = Field(default=1.0, gt=0.0, le=1e9, description="How much the board counts in means.")


class BatchRequest(Strict):
    """One spot on many boards of as many cards as its own has, since bet sizes go by street; which cards those are does not count."""

    spot: SpotModel
    boards: list[WeightedBoard] = Field(min_length=1, max_length=200)
    until: str = Field(default="0.3%", max_length=20, description="Chips, or a share of the pot.")
    name: str = Field(default="", max_length=120)


class BatchItem(BaseModel):
    id: str
    created: float
    name: str
    boards: int
    solved: int
    active: int = Field(description="Boards that wait or are being solved.")


class BatchRow(BaseModel):
    """One board; `report` once there is a solution, even an unfinished one."""

    id: str
    board: str
    weight: float
    status: JobStatus
    percent_of_pot: float | None
    report: ReportRow | None


class Batch(BatchItem):
    """All boards at one line, and their weighted means; no actions where boards offer different ones."""

    line: str
    rows: list[BatchRow]
    labels: list[str]
    actions: list[str]
    colours: list[str]
    frequencies: list[float | None]
    ev: dict[str, float | None]
    equity: dict[str, float | None]
