"""What several requests and answers share: identities, lines, amounts, refusals."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Identity = Annotated[str, Field(pattern=r"^[0-9a-f]{12}$", description="Twelve hex digits.", examples=["0123456789ab"])]
Line = Annotated[
    str, Field(max_length=400, description="Actions and cards from the spot on.", examples=["x:b120:c:8h"])
]
RangeText = Annotated[str, Field(max_length=40_000, examples=["TT+,AKs,QJo:0.5"])]
MenuText = Annotated[str, Field(max_length=200, examples=["33%, 75%, a"])]
Chips = Annotated[float, Field(ge=0.0, le=1e12)]
Player = Literal["oop", "ip"]


class Strict(BaseModel):
    """Unknown keys and numbers that are none are refused."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, populate_by_name=True)


class Problem(BaseModel):
    """Why a request was refused: one sentence for people."""

    error: str
    message: str
