"""Spots, ranges and bet sizes as requests give them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from equilibrist.interfaces.web.models.common import Chips, Line, MenuText, Player, RangeText, Strict


class PlayerMenus(Strict):
    bet: MenuText | None = None
    raises: MenuText | None = Field(default=None, alias="raise")
    donk: MenuText | None = None


class StreetMenus(PlayerMenus):
    oop: PlayerMenus | None = None
    ip: PlayerMenus | None = None


class Bets(PlayerMenus):
    """Menus; the narrowest entry wins."""

    flop: StreetMenus | None = None
    turn: StreetMenus | None = None
    river: StreetMenus | None = None


class Both(Strict):
    oop: float
    ip: float


class Stacks(Strict):
    oop: Chips
    ip: Chips


class Ranges(Strict):
    oop: RangeText
    ip: RangeText


class SpotThresholdsModel(Strict):
    add_allin: Chips = 0.0
    force_allin: Chips = 0.0
    merge: Chips = 0.0
    commit_allin: Chips = 0.0


class SpotRakeModel(Strict):
    rate: float = Field(default=0.0, ge=0.0, le=1.0)
    cap: Chips | None = None


class ByStreet(Strict):
    flop: Chips | None = None
    turn: Chips | None = None
    river: Chips | None = None


class SpotBettingModel(Strict):
    kind: Literal["nolimit", "limit"] = "nolimit"
    size: Chips | ByStreet | None = None
    cap: Chips | ByStreet | None = None


class LockModel(Strict):
    """What a player does at one place: probabilities (or ranges) by action, or how often the range takes an action."""

    line: Line = ""
    hands: RangeText = "random"
    strategy: dict[Annotated[str, Field(max_length=20)], float | RangeText] = Field(default={}, max_length=20)
    frequency: dict[Annotated[str, Field(max_length=20)], float] | None = Field(default=None, max_length=20)
    weight: float = Field(default=1.0, ge=0.0, le=1.0)


class SpotModel(Strict):
    """A spot: the keys of a spot file."""

    board: str = Field(max_length=20, examples=["Td9d6hQc2s"])
    pot: Chips = Field(examples=[200])
    stack: Chips | None = Field(default=None, examples=[900])
    stacks: Stacks | None = None
    chip: Chips | None = Field(
        default=None,
        description="Bets are rounded to multiples of it, 0: not at all. Left out: 1, or 0.01 where pot or stacks have decimals or are "
        "below 50.",
    )
    range: Ranges
    bets: Bets | None = None
    thresholds: SpotThresholdsModel | None = None
    rake: SpotRakeModel | None = None
    betting: SpotBettingModel | None = None
    line: Line = ""
    lock: list[LockModel] = Field(default=[], max_length=50)


class SpotText(Strict):
    """A spot file as text."""

    toml: str = Field(max_length=200_000)


class OpeningBet(BaseModel):
    """What one size of the first street becomes where nobody has bet."""

    player: Player
    size: str = Field(examples=["33%"])
    chips: float
    rounded: bool = Field(description="Rounding to chips moved it by more than a fiftieth of what was asked for.")


class SpotCheck(BaseModel):
    """A spot that can be solved: how large it is, how it is written, and what its first bets are in chips."""

    toml: str
    spot: dict[str, Any]
    decisions: dict[str, int]
    hands: Both
    table_bytes: int
    memory_bytes: int = Field(description="Available to solves.")
    fits: bool
    sentence: str
    opening_bets: list[OpeningBet] = Field(description="Empty where the spot begins after a bet.")
    silent_streets: list[str] = Field(description="Streets on which nobody may bet.")


class RangeRequest(Strict):
    """A range as text, or as 1,326 weights in pair order."""

    text: RangeText | None = None
    weights: list[Annotated[float, Field(ge=0.0, le=1.0)]] | None = Field(
        default=None, min_length=1326, max_length=1326
    )


class RangeFacts(BaseModel):
    text: str
    combos: float
    weights: list[float]


class PresetItem(BaseModel):
    name: str
    group: str
    text: str
