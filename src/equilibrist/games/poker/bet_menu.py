"""Bet menus: `50%` of the pot, `12c` chips, `2.5x` the last bet, `a` all-in, `*` every multiple of a step.

A menu answers with raise amounts: chips put in on top of a call. Pot shares count the pot after the call.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from equilibrist.core.errors import ParameterError

_TOKEN = re.compile(r"(?:(\d+(?:\.\d+)?(?:e-?\d+)?)(%|c|x)|(a)|(\*)(\d+(?:\.\d+)?)?)\Z")
_TINY = 1e-9


@dataclass(frozen=True)
class BettingSituation:
    """What a menu may look at: all amounts in chips."""

    pot_after_call: float
    facing: float  # the bet to be called, 0 when opening
    remaining: float  # behind after calling
    minimum: float  # smallest legal raise, short of all-in
    player: int = 0
    bets: int = 0  # in this round so far; a blind is a bet
    paid: float = 0.0  # by this player, in the whole hand
    stack: float = math.inf  # of this player at the start of the hand


class BetMenu(Protocol):
    """Bets and raises on offer in one round; kinds that look at the situation fulfil the same protocol."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """Every size that is on offer somewhere in the round."""

    @property
    def open_step(self) -> float | None:
        """The step where every multiple of it may be bet and nothing else is on the menu."""

    def raises(self, spot: BettingSituation) -> list[float]:
        """Raise amounts in increasing order, without duplicates, never more than what is behind."""


@dataclass(frozen=True)
class Menu:
    """Bet sizes as tokens; the same tokens serve opening bets and raises."""

    tokens: tuple[str, ...]
    lift: bool = False  # an opening bet below the smallest legal one is lifted to it, not left out

    def __post_init__(self) -> None:
        for token in self.tokens:
            if not _TOKEN.match(token):
                raise ParameterError(
                    f"Cannot read the bet size '{token}': expected such as 50%, 12c, 2.5x, a (all-in) or * (any)."
                )

    @cached_property
    def open_step(self) -> float | None:
        """The step where every multiple of it may be bet and nothing else is on the menu."""
        unit, step = size_of(self.tokens[0]) if len(self.tokens) == 1 else ("", 0.0)
        return step if unit == "*" else None

    def raises(self, spot: BettingSituation) -> list[float]:
        """Raise amounts in increasing order, without duplicates, never more than what is behind."""
        found: set[float] = set()
        for token in self.tokens:
            for amount in _amounts(token, spot):
                if amount >= spot.remaining - _TINY:
                    amount = spot.remaining
                elif amount < spot.minimum - _TINY:
                    if not self.lift or spot.facing > _TINY:
                        continue
                    amount = min(spot.minimum, spot.remaining)
                if amount > _TINY:
                    found.add(round(amount, 9))
        return sorted(found)


def size_of(token: str) -> tuple[str, float]:
    """Unit and number of a token: `%`, `c`, `x`, `a` (no number) or `*` (the step)."""
    match = _TOKEN.match(token)
    if match is None:
        raise ParameterError(f"Cannot read the bet size '{token}'.")
    number, unit, allin, every, step = match.groups()
    if allin:
        return "a", 0.0
    return ("*", float(step or 1)) if every else (unit, float(number))


def _amounts(token: str, spot: BettingSituation) -> list[float]:
    unit, amount = size_of(token)
    if unit == "a":
        return [spot.remaining] if math.isfinite(spot.remaining) else []
    if unit == "*":
        if not math.isfinite(spot.remaining):
            raise ParameterError("A menu with '*' needs a finite stack.")
        return [amount * k for k in range(1, int(spot.remaining / amount + _TINY) + 1)]
    if unit == "%":
        return [amount / 100.0 * spot.pot_after_call]
    if unit == "c":
        return [amount]
    return [(amount - 1.0) * spot.facing] if spot.facing > 0 else []
