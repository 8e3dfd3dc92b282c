"""What several requests and answers share: identities, lines, amounts, refusals."""

from __future__ import annotations

from typing import Annotated, Any, Literal

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


_REASONS = {
    400: "The request cannot be read.",
    401: "A token is needed.",
    403: "From elsewhere.",
    404: "There is no such thing.",
    408: "The request did not arrive in time.",
    409: "Not possible now, or not sensible.",
    413: "Too large.",
    422: "Something that was given is wrong.",
    503: "It would take too long; or the server is busy, or its disk is full.",
}
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": why} for status, why in _REASONS.items()
}
# the same for routes whose answers are not JSON, while their refusals are
JSON_REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {
        "description": why,
        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{Problem.__name__}"}}},
    }
    for status, why in _REASONS.items()
}
