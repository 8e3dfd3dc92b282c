"""Who sits where at a table whose seats have names: `final.eqb BB=always-call` is one in the big blind, another everywhere else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from equilibrist.games.rules import Game

_SEATED = re.compile(r"([^=()/.\s]+)=(.+)", re.DOTALL)  # brackets and dots belong to names and files of players


@dataclass(frozen=True)
class SeatedName:
    """A player as it was typed, and the seat it was typed for."""

    player: str
    seat: str | None = None


def read_seated(words: Sequence[str]) -> list[SeatedName]:
    """Players, each with its seat where one is said."""
    found = [(_SEATED.fullmatch(word), word) for word in words]
    return [SeatedName(match[2], match[1]) if match else SeatedName(word) for match, word in found]


def seat_all(given: Sequence[SeatedName], game: Game, taken: Sequence[str] = ()) -> list[str]:
    """A player for every seat but those `taken`, in the order of the seats; one without a seat sits wherever nobody else does."""
    from equilibrist.core.errors import ParameterError, suggest

    names = game.seat_names
    for each in given:
        if each.seat is not None and each.seat not in names:
            known = f"the seats are {', '.join(names)}" if names else "seats have no names in this game"
            raise ParameterError(f"There is no seat '{each.seat[:40]}': {known}.{suggest(each.seat[:40], names)}")
    if not names:
        return [each.player for each in given]
    named = {each.seat: each.player for each in given if each.seat is not None}
    others = [each.player for each in given if each.seat is None]
    twice = len(named) + len(others) < len(given) or any(seat in taken for seat in named)
    if twice:
        raise ParameterError("Two players were given for one seat; name each seat once.")
    free = [name for name in names if name not in named and name not in taken]
    if len(others) == 1 and free:
        others = others * len(free)
    if len(others) != len(free):
        raise ParameterError(
            f"{len(others)} players were given for {len(free)} seats ({', '.join(free)}); name one for each of them, or one for all."
        )
    filled = named | dict(zip(free, others, strict=True))
    return [filled[name] for name in names if name not in taken]
