"""What has been done on a spot's first street before the spot begins: `b66` (a bet of 66 is faced), `x:b150:r400`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from equilibrist.core.errors import ParameterError
from equilibrist.games.spots.street_menus import chips_text

_BET = re.compile(r"([br])([0-9]+(?:\.[0-9]+)?)")


@dataclass(frozen=True)
class Opening:
    """Where the betting stands: who acts (0 out of position, 1 in position), what both have put in on this street, bets so far."""

    player: int = 0
    paid: tuple[float, float] = (0.0, 0.0)
    bets: int = 0

    @property
    def facing(self) -> float:
        return self.paid[1 - self.player]

    def bet(self, total: float) -> Opening:
        """The acting player raises its total of this street."""
        paid = (total, self.paid[1]) if self.player == 0 else (self.paid[0], total)
        return Opening(1 - self.player, paid, self.bets + 1)


def read_line(line: object) -> tuple[str, ...]:
    """Actions of a line, as they are written in a spot file."""
    if not isinstance(line, str):
        raise ParameterError(f"'line' must be text such as \"x:b150\", but {line!r} was given.")
    return tuple(part.strip().lower() for part in line.split(":")) if line.strip() else ()


def play_line(line: tuple[str, ...], stack: float, chip: float) -> Opening:
    """Replay a line by the rules of the table; sizes need not be on any menu."""
    place = Opening()
    for done, action in enumerate(line):
        before = ":".join(line[:done]) or "the start"
        if action == "x" and not place.facing and place.player == 0:
            place = Opening(1, place.paid, place.bets)
            continue
        if action in ("x", "c", "f"):
            raise ParameterError(
                f"'{action}' after {before} ends the street or is not allowed there; 'line' takes the bets that are still open, such as "
                '"b66" or "x:b150", and the next street is a spot of its own.'
            )
        place = place.bet(_total(action, before, place, stack, chip))
    return place


def _total(action: str, before: str, place: Opening, stack: float, chip: float) -> float:
    found = _BET.fullmatch(action)
    letter = "r" if place.facing else "b"
    if not found or found[1] != letter:
        raise ParameterError(
            f"'{action}' cannot be done after {before}: expected {letter} and the player's total on this street, such as {letter}66."
        )
    total = round(float(found[2]), 9)
    least = place.facing + max(place.facing - place.paid[place.player], chip)
    if place.facing >= stack:
        raise ParameterError(f"'{action}' cannot be done after {before}: the opponent is all-in.")
    if total > stack:
        raise ParameterError(f"'{action}' after {before} is more than the {chips_text(stack)} chips there are.")
    if total < min(least, stack) or total <= place.facing:
        raise ParameterError(
            f"'{action}' after {before} is too small: the least {'raise is to' if place.facing else 'bet is'} "
            f"{chips_text(min(least, stack))}."
        )
    return total
