"""Bet menus: `50%` of the pot, `12c` chips, `2.5x` the last bet, `a` all-in, `*` every multiple of a step.

A menu answers with raise amounts: chips put in on top of a call. Pot shares count the pot after the call.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from equilibrist.core.errors import ParameterError

_TOKEN = re.compile(r"(?:(\d+(?:\.\d+)?(?:e-?\d+)?)(%|c|x)|(a)|(\*)(\d+(?:\.\d+)?)?)\Z")
_TINY = 1e-9


@dataclass(frozen=True)
class Spot:
    """What a menu may look at: all amounts in chips."""

    pot_after_call: float
    facing: float  # the bet to be called, 0 when opening
    remaining: float  # behind after calling
    minimum: float  # smallest legal raise, short of all-in


@dataclass(frozen=True)
class Menu:
    """Bet sizes as tokens; the same tokens serve opening bets and raises."""

    tokens: tuple[str, ...]

    def __post_init__(self) -> None:
        for token in self.tokens:
            if not _TOKEN.match(token):
                raise ParameterError(
                    f"Cannot read the bet size '{token}': expected such as 50%, 12c, 2.5x, a (all-in) or * (any)."
                )

    def raises(self, spot: Spot) -> list[float]:
        """Raise amounts in increasing order, without duplicates, never more than what is behind."""
        found: set[float] = set()
        for token in self.tokens:
            for amount in _amounts(token, spot):
                if amount >= spot.remaining - _TINY:
                    amount = spot.remaining
                elif amount < spot.minimum - _TINY:
                    continue
                if amount > _TINY:
                    found.add(round(amount, 9))
        return sorted(found)


def _amounts(token: str, spot: Spot) -> list[float]:
    match = _TOKEN.match(token)
    if match is None:
        raise ParameterError(f"Cannot read the bet size '{token}'.")
    number, unit, allin, every, step = match.groups()
    if allin:
        return [spot.remaining] if math.isfinite(spot.remaining) else []
    if every:
        size = float(step or 1)
        if not math.isfinite(spot.remaining):
            raise ParameterError("A menu with '*' needs a finite stack.")
        return [size * k for k in range(1, int(spot.remaining / size + _TINY) + 1)]
    amount = float(number)
    if unit == "%":
        return [amount / 100.0 * spot.pot_after_call]
    if unit == "c":
        return [amount]
    return [(amount - 1.0) * spot.facing] if spot.facing > 0 else []
