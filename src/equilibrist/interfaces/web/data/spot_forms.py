"""Spots as they come from the page: checked, never reading a file, never larger than a server can write out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equilibrist.cards.ranges import Range, parse_range
from equilibrist.core.errors import EquilibristError, ParameterError
from equilibrist.games.spots.locks import Lock
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.interfaces.web.models.spots import LockModel, SpotModel

MOST_SIZES = 12  # of one menu


def spot_of(model: SpotModel) -> Spot:
    """The spot that a form describes."""
    return spot_of_table(model.model_dump(exclude_none=True, by_alias=True))


def spot_of_table(table: Mapping[str, Any]) -> Spot:
    """The same from the keys of a spot file; ranges are text only, `@file` is refused."""
    ranges = table.get("range")
    if not isinstance(ranges, Mapping):
        raise ParameterError("The spot has no [range]; expected the ranges of oop and ip.")
    for menu in _menus(table.get("bets", {})):
        if menu.count(",") >= MOST_SIZES:
            raise ParameterError(f"A menu has at most {MOST_SIZES} sizes, but '{menu[:40]}…' has more; leave some out.")
    read = {name: _range(name, ranges.get(name)) for name in PLAYERS}
    others = {key: value for key, value in table.items() if key != "range"}
    if "board" not in others or "pot" not in others:
        raise ParameterError("The spot has no 'board' or no 'pot'; expected board, pot, stack, [range] and [bets].")
    try:
        return Spot(range=read, **others)
    except TypeError as error:
        raise ParameterError(f"The spot has a key that is not known ({error}); see the spot file format.") from None


def locks_of(models: list[LockModel]) -> list[dict[str, Any]]:
    """Lock tables as a spot file has them."""
    return [{key: value for key, value in lock.model_dump().items() if value not in (None, {})} for lock in models]


def with_locks(spot: Spot, added: list[LockModel], removed: list[str]) -> Spot:
    """A spot with some locks more and some fewer; a lock replaces one at the same place for the same hands."""
    new = locks_of(added)
    replaced = {(lock["line"], lock.get("hands", "random")) for lock in new}
    kept: list[Lock] = [
        lock.asked for lock in spot.locks if lock.line not in removed and (lock.line, lock.hands) not in replaced
    ]
    return spot.changed(lock=[*kept, *new])


def _range(name: str, text: object) -> Range:
    if not isinstance(text, str):
        raise ParameterError(f"The range of {name} is missing; expected text such as TT+,AKs.")
    try:
        return parse_range(text)
    except EquilibristError as error:
        raise ParameterError(f"In the range of {name}: {error}") from None


def _menus(table: object) -> list[str]:
    """Every menu of a [bets] table, however deep."""
    if isinstance(table, str):
        return [table]
    return [menu for value in table.values() for menu in _menus(value)] if isinstance(table, Mapping) else []
