"""What happens after the flop at a table: `check-down`, `realised` equity, or `{ flops = 25 }`: heads-up pots are played on flops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equilibrist.cards.board_sample import BoardSample
from equilibrist.core.errors import EquilibristError, ParameterError
from equilibrist.games.spots.flops import FLOPS, WeightedFlop, read_flops
from equilibrist.games.spots.street_menus import StreetMenus, check_keys, read_menus, read_number

CHECK_DOWN, REALISED = "check-down", "realised"
ALL = "all"
KEYS = ("flops", "turns", "rivers", "reach")
TURNS, RIVERS, REACH = 8, 4, 0.005  # by default
MOST_CARDS = 52


@dataclass(frozen=True)
class FlopLeaves:
    """Flops that stand for all, how many cards may follow, and how often a line must come to be played on them."""

    given: int | str | tuple[str, ...]  # flops as the file names them
    turns: int | None = TURNS  # None: all
    rivers: int | None = RIVERS
    reach: float = REACH  # lines that come less often are checked down

    @property
    def flops(self) -> list[WeightedFlop]:
        """Flops and weights, which add up to 22,100."""
        found = read_flops(list(self.given) if isinstance(self.given, tuple) else self.given)
        total = sum(weight for _, weight in found)
        return [(flop, weight * FLOPS / total) for flop, weight in found]

    def sample(self, number: int) -> BoardSample | None:
        """Which turns and rivers come after the flop of a number; None: all."""
        if self.turns is None and self.rivers is None:
            return None
        return BoardSample((self.turns or MOST_CARDS, self.rivers or MOST_CARDS), seed=number)

    def table(self) -> dict[str, Any]:
        """The keys of `leaves` and their values."""
        given = list(self.given) if isinstance(self.given, tuple) else self.given
        cards = {"turns": (self.turns, TURNS), "rivers": (self.rivers, RIVERS)}
        out: dict[str, Any] = {"flops": given}
        out |= {key: ALL if kept is None else kept for key, (kept, usual) in cards.items() if kept != usual}
        return out if self.reach == REACH else out | {"reach": self.reach}

    @property
    def cards_text(self) -> str:
        """`8 turns with 4 rivers each`."""
        if self.turns is None and self.rivers is None:
            return "all turns and rivers"
        turns, rivers = (ALL if kept is None else str(kept) for kept in (self.turns, self.rivers))
        return f"{turns} sampled turns with {rivers} sampled rivers each"


Leaves = str | FlopLeaves


def read_leaves(given: object) -> Leaves:
    """`check-down`, `realised`, or a table with flops."""
    if isinstance(given, FlopLeaves):
        return given
    if given in (CHECK_DOWN, REALISED):
        return str(given)
    if not isinstance(given, Mapping):
        raise ParameterError(
            f"'leaves' must be {CHECK_DOWN!r}, {REALISED!r} or {{ flops = 25 }}, but {given!r} was given."
        )
    check_keys(given, KEYS, "leaves")
    if "flops" not in given:
        raise ParameterError("'leaves' names no flops; expected { flops = 25 }, 47, 95, 184, 1755 or a list of flops.")
    flops = given["flops"]
    found = FlopLeaves(
        tuple(flops) if isinstance(flops, list | tuple) else flops,
        _read_cards(given.get("turns", TURNS), "turns"),
        _read_cards(given.get("rivers", RIVERS), "rivers"),
        read_number(given.get("reach", REACH), "leaves.reach", top=1.0),
    )
    _ = found.flops
    return found


def _read_cards(given: object, name: str) -> int | None:
    if given == ALL:
        return None
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= MOST_CARDS:
        raise ParameterError(
            f"'leaves.{name}' must be how many cards are sampled (1 to {MOST_CARDS}) or {ALL!r}, but {given!r} was given."
        )
    return given


def read_postflop(given: object) -> StreetMenus:
    """Bet sizes after the flop, with the keys of `[bets]` of a spot."""
    if not isinstance(given, Mapping):
        raise ParameterError(
            f'\'postflop\' must be a table such as {{ bet = "66%", raise = "a" }}, but {given!r} was given.'
        )
    try:
        return read_menus(given, 0)
    except EquilibristError as error:
        raise ParameterError(f"In 'postflop': {error}") from None
