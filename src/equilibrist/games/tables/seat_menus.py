"""Menus of a seat before the flop: what it opens, isolates, 3-bets and so on, whether it limps and calls cold.

Sizes are those of `games/poker/bet_sizes.py`; `2.5x` raises to 2.5 times the bet faced (the big blind, where nobody raised).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from equilibrist.core.errors import ParameterError
from equilibrist.games.poker.bet_sizes import Menu, parse_menu
from equilibrist.games.spots.street_menus import check_keys

JAM_FOLD = "jam-fold"
ALL_IN = Menu(("a",), multiple="bet")
NOTHING = Menu(multiple="bet")
SIZES = {"open": "opens", "isolate": "isolates", "3bet": "third_bet", "4bet": "fourth_bet", "5bet": "later_bets"}
SWITCHES = ("limp", "call", "fold")
KEYS = (*SIZES, *SWITCHES, "cold_call")
MOST_COLD = 9


@dataclass(frozen=True)
class SeatMenus:
    """What one seat considers; calls that are all-in are always on offer."""

    opens: Menu = NOTHING  # the first raise, nobody having limped
    isolates: Menu = NOTHING  # the first raise, after limpers
    third_bet: Menu = NOTHING
    fourth_bet: Menu = NOTHING
    later_bets: Menu = NOTHING  # the fifth bet and all after it
    limp: bool = False
    call: bool = True  # False: all-in or fold
    fold: bool = True  # False: never folds where it may call or raise
    cold_call: int = 1  # how many raises may be called by a seat without chips in; 0: none

    def raises(self, number: int, limped: bool) -> Menu:
        """The menu after so many raises."""
        kinds = (self.isolates if limped else self.opens, self.third_bet, self.fourth_bet)
        return kinds[number] if number < len(kinds) else self.later_bets

    def table(self) -> dict[str, Any]:
        """The keys of a `[menu]` and their values."""
        sizes = {key: getattr(self, name).exact for key, name in SIZES.items() if getattr(self, name)}
        kept = {"limp": self.limp, "call": self.call, "cold_call": self.cold_call}
        return sizes | kept | ({} if self.fold else {"fold": False})


JAM_OR_FOLD = SeatMenus(ALL_IN, ALL_IN, ALL_IN, ALL_IN, ALL_IN, call=False, cold_call=0)


def read_menus(given: object, names: Sequence[str]) -> tuple[SeatMenus, ...]:
    """Menus of every seat: `jam-fold`, or a table for all of them with tables for some below it."""
    if isinstance(given, str) or not isinstance(given, Mapping):
        return (_read_one(given, {}, "menu"),) * len(names)
    check_keys(given, (*KEYS, *names), "menu")
    common = {key: value for key, value in given.items() if key in KEYS}
    return tuple(_read_one(given.get(name, {}), common, f"menu.{name}") for name in names)


def menus_table(menus: Sequence[SeatMenus], names: Sequence[str]) -> Any:
    """What `read_menus` reads back as these menus."""
    if all(one == JAM_OR_FOLD for one in menus):
        return JAM_FOLD
    tables = [one.table() for one in menus]
    usual = max(tables, key=tables.count)
    silent: dict[str, Any] = dict.fromkeys((*SIZES,), "") | {"fold": True}
    own = {
        name: {key: value for key, value in (silent | one).items() if (silent | usual)[key] != value}
        for name, one in zip(names, tables, strict=True)
    }
    return usual | {name: table for name, table in own.items() if table}


def _read_one(own: object, common: Mapping[str, Any], where: str) -> SeatMenus:
    if isinstance(own, SeatMenus):
        return own
    if own == JAM_FOLD:
        return JAM_OR_FOLD
    if isinstance(own, str):
        raise ParameterError(
            f"'{where}' must be \"{JAM_FOLD}\" or a table with {', '.join(KEYS)}, but {own!r} was given."
        )
    check_keys(own, KEYS, where)
    assert isinstance(own, Mapping)
    given = {**common, **own}
    found: dict[str, Any] = {}
    for key in (key for key in SIZES if key in given):
        if not isinstance(given[key], str):
            raise ParameterError(f"'{where}.{key}' must be text such as \"2.5x, a\", but {given[key]!r} was given.")
        found[SIZES[key]] = parse_menu(given[key], where=f"{where}.{key}", multiple="bet")
    if "isolate" not in given and "opens" in found:
        found["isolates"] = found["opens"]
    for key in (key for key in SWITCHES if key in given):
        if not isinstance(given[key], bool):
            raise ParameterError(f"'{where}.{key}' must be true or false, but {given[key]!r} was given.")
        found[key] = given[key]
    if "cold_call" in given:
        cold = given["cold_call"]
        if not isinstance(cold, int) or not 0 <= cold <= MOST_COLD:
            raise ParameterError(
                f"'{where}.cold_call' must be true, false or how many raises may be called cold (0 to {MOST_COLD}), but {cold!r} was given."
            )
        found["cold_call"] = int(cold)
    return SeatMenus(**found)


def check_menus(menus: Sequence[SeatMenus]) -> None:
    """Somebody must be able to put chips in."""
    sizes = [getattr(one, field.name) for one in menus for field in fields(one)][:]
    if not any(isinstance(each, Menu) and each for each in sizes) and not any(one.limp for one in menus):
        raise ParameterError('\'menu\' lets nobody raise or limp; expected menu = "jam-fold" or open = "2.5x".')
