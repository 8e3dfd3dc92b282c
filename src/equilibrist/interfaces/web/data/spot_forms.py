"""Spots as they come from the page: checked, never reading a file, never larger than a server can write out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from equilibrist.cards.ranges import Range, parse_range
from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.errors import EquilibristError, ParameterError
from equilibrist.games.poker.bet_sizes import BettingSituation, Menu
from equilibrist.games.spots.locks import Lock
from equilibrist.games.spots.spot import Spot, refuse_three_ranges
from equilibrist.games.spots.spot_values import LIMIT
from equilibrist.games.spots.street_menus import PLAYERS, Thresholds, street_totals
from equilibrist.interfaces.web.models.common import Player
from equilibrist.interfaces.web.models.spots import LockModel, OpeningBet, SpotModel

MOST_SIZES = 12  # of one menu
WHOLE_CHIPS = 50.0  # smaller amounts are taken for big blinds
ROUNDED = 0.02  # a size that rounding moves by more is pointed out


def spot_of(model: SpotModel) -> Spot:
    """The spot that a form describes; a chip that fits its amounts where none is stated."""
    table = model.model_dump(exclude_none=True, by_alias=True)
    stacks = table.get("stacks", {}).values()
    amounts = [amount for amount in (table["pot"], table.get("stack"), *stacks) if amount is not None]
    return spot_of_table({"chip": usual_chip(amounts)} | table)


def usual_chip(amounts: Iterable[float]) -> float:
    """Whole chips for large whole amounts; hundredths for cents and big blinds, where rounding to 1 would change the bets."""
    return 1.0 if all(amount >= WHOLE_CHIPS and amount == int(amount) for amount in amounts) else 0.01


def stated(spot: Spot) -> dict[str, Any]:
    """The keys of a spot file with the chip among them, so that a form which reads them back means the same."""
    return spot.table() | {"chip": spot.chip}


def opening_bets(spot: Spot) -> list[OpeningBet]:
    """What every size of the first street becomes where nobody has bet."""
    if spot.line or spot.betting.kind == LIMIT:
        return []
    here = BettingSituation(
        pot_after_call=spot.pot, facing=0.0, remaining=spot.stack, minimum=spot.chip, rounds=len(spot.menus)
    )
    found = []
    for player, menus in zip(PLAYERS, spot.menus[0], strict=True):
        for token in (token for token in menus.bet.tokens if "*" not in token):
            alone = Menu((token,), multiple="bet")
            (chips,), (asked,) = (street_totals(alone, here, Thresholds(), chip) for chip in (spot.chip, 0.0))
            moved = abs(chips - asked) > ROUNDED * asked
            found.append(OpeningBet(player=cast(Player, player), size=token, chips=chips, rounded=moved))
    return found


def silent_streets(spot: Spot) -> list[str]:
    """Streets on which nobody may bet, so that hands are checked down."""
    if spot.betting.kind == LIMIT or spot.thresholds.add_allin:
        return []
    streets = zip(POSTFLOP_STREETS[spot.street :], spot.menus, strict=True)
    return [street for street, both in streets if not any(menus.bet.sizes or menus.donk.sizes for menus in both)]


def spot_of_table(table: Mapping[str, Any]) -> Spot:
    """The same from the keys of a spot file; ranges are text only, `@file` is refused."""
    ranges = table.get("range")
    if not isinstance(ranges, Mapping):
        raise ParameterError("The spot has no [range]; expected the ranges of oop and ip.")
    refuse_three_ranges(ranges)
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
