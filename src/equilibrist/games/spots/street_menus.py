"""Bet sizes of a spot: menus by street, player and kind of bet, and the rules that turn them into chips.

All amounts that leave are street totals ("bet 120", "raise to 300"), rounded to chips, halves upwards. The tokens are those of
`games/poker/bet_sizes.py`; `x` multiplies the bettor's total of the street.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.errors import ParameterError, suggest
from equilibrist.core.units import nearest_multiple
from equilibrist.games.poker.bet_sizes import BetSize, BettingSituation, Menu, parse_menu

PLAYERS = ("oop", "ip")  # out of position acts first on every street
KINDS = ("bet", "raise", "donk")
NOTHING = Menu(multiple="bet")  # an empty menu

_DIGITS = 9  # of chips; keeps sums of fractions of chips equal to what they are meant to be
_LEAST = 1e-9  # smallest bet where chips are not rounded
LARGEST = 1e12  # of any number in a spot: beyond it double precision no longer knows thousandths of a chip


def round_chips(amount: float, chip: float) -> float:
    """The nearest multiple of a chip, halves upwards; `chip` 0 leaves fractions alone."""
    return round(nearest_multiple(amount, chip), _DIGITS)


def chips_text(amount: float) -> str:
    """`120` or `97.5`."""
    return f"{amount:.12g}"


@dataclass(frozen=True)
class Thresholds:
    """Rules that tidy a menu up; 0 turns each off."""

    add_allin: float = 0.0  # offer all-in where it is at most this many pots
    force_allin: float = 0.0  # a bet becomes all-in where, once called, stack / pot would be at most this
    merge: float = 0.0  # of two sizes X > Y (shares of the pot) drop Y if (1 + X) / (1 + Y) < 1 + merge
    commit_allin: float = 0.0  # a bet becomes all-in where more than this share of half the pot and the stack is in


def street_totals(menu: Menu, here: BettingSituation, thresholds: Thresholds, chip: float) -> tuple[float, ...]:
    """Street totals on offer, smallest first; the last may be all-in."""
    # a raise adds at least what is owed, as at the table; the stack may forbid even that
    smallest, limit = here.bet + max(here.facing, chip, _LEAST), _all_in(here)
    found = set()
    for asked in (total for size in menu.sizes for total in _totals(size, here, chip)):
        amount = round(min(max(asked, smallest), limit), _DIGITS)
        found.add(limit if _is_allin(amount, here, thresholds, chip) else amount)
    if limit <= _raised_by(here, thresholds.add_allin, chip):
        found.add(limit)
    return _merged(sorted(found), here, thresholds.merge)


def _all_in(here: BettingSituation) -> float:
    """This street's total when all-in."""
    return round(here.bet + here.remaining, _DIGITS)


def _raised_by(here: BettingSituation, share: float, chip: float) -> float:
    """The street total of a bet or raise by a share of the pot."""
    return here.bet + round_chips(share * here.pot_after_call, chip)


def _totals(size: BetSize, here: BettingSituation, chip: float) -> list[float]:
    """The street totals that a size asks for: shares are rounded as raises, multiples as totals, chips not at all."""
    if size.unit == "a" or (size.unit == "e" and (size.amount or here.rounds) == 1 and math.isinf(size.limit)):
        return [_all_in(here)]
    if size.unit in "%e":
        return [_raised_by(here, size.share(here), chip)]
    if size.unit == "x":
        return [round_chips(size.amount * here.bet, chip)]
    return [here.bet + amount for amount in size.amounts(here, "bet")]


def _is_allin(amount: float, here: BettingSituation, thresholds: Thresholds, chip: float) -> bool:
    pot, limit = here.pot_after_call, _all_in(here)
    left_over = round_chips(thresholds.force_allin * (pot + 2.0 * (amount - here.bet)), chip)
    if limit <= amount + left_over:
        return True
    half = pot / 2.0 - here.bet  # of the pot when the street began
    return thresholds.commit_allin > 0.0 and half + amount > thresholds.commit_allin * (half + limit)


def _merged(amounts: list[float], here: BettingSituation, merge: float) -> tuple[float, ...]:
    """From the largest down, each size that is kept swallows the smaller ones close to it."""
    kept: list[float] = []
    for amount in reversed(amounts):
        grown = here.pot_after_call + amount - here.bet
        if not kept or (here.pot_after_call + kept[-1] - here.bet) / grown >= 1.0 + merge:
            kept.append(amount)
    return tuple(reversed(kept))


@dataclass(frozen=True)
class Menus:
    """One player's menus on one street; `donk` opens after having called on the street before."""

    bet: Menu = NOTHING
    raises: Menu = NOTHING
    donk: Menu = NOTHING

    @property
    def sizes(self) -> tuple[BetSize, ...]:
        """All that may be bet."""
        return (*self.bet.sizes, *self.raises.sizes, *self.donk.sizes)


StreetMenus = tuple[tuple[Menus, Menus], ...]  # [street][player]
MenusBySeat = tuple[tuple[Menus, ...], ...]  # [street][seat], for any number of them


def read_menus(table: Mapping[str, Any], first: int) -> StreetMenus:
    """Menus of both players on the streets from `first` on; where it begins nobody donks, since who bet before is unknown."""
    found = []
    for number, both in enumerate(read_seat_menus(table, first, PLAYERS)):
        oop, ip = (Menus(menus.bet, menus.raises, menus.bet) for menus in both) if number == 0 else both
        found.append((oop, ip))
    return tuple(found)


def read_seat_menus(table: Mapping[str, Any], first: int, seats: Sequence[str]) -> MenusBySeat:
    """Menus of the streets from `first` on, out of `[bets]`, `[bets.river]`, `[bets.river.oop]`: the narrowest entry wins."""
    kinds = _kinds(seats)
    check_keys(table, (*kinds, *POSTFLOP_STREETS), "bets")
    found = []
    for street in POSTFLOP_STREETS:
        on_street = table.get(street, {})
        check_keys(on_street, (*kinds, *seats), f"bets.{street}")
        scopes = [("bets", table), (f"bets.{street}", on_street)]
        found.append(
            tuple(
                _read_seat(scopes, on_street.get(seat, {}), street, seat, kinds if seat == seats[0] else KINDS[:2])
                for seat in seats
            )
        )
    return tuple(found[first:])


def _kinds(seats: Sequence[str]) -> tuple[str, ...]:
    """Of two players the one who acts first may donk; of three nobody has a menu of its own for that."""
    return KINDS if len(seats) == 2 else KINDS[:2]


def _read_seat(
    scopes: list[tuple[str, Mapping[str, Any]]], own: Any, street: str, seat: str, kinds: tuple[str, ...]
) -> Menus:
    check_keys(own, kinds, f"bets.{street}.{seat}")
    menus: dict[str, Menu] = {}
    for where, table in (*scopes, (f"bets.{street}.{seat}", own)):
        for kind in (kind for kind in kinds if kind in table):
            text, name = table[kind], f"{where}.{kind}"
            if not isinstance(text, str):
                raise ParameterError(f"'{name}' must be text such as \"60%, a\", but {text!r} was given.")
            menus[kind] = parse_menu(text, opening=kind != "raise", where=name, multiple="bet")
    bet = menus.get("bet", NOTHING)
    return Menus(bet, menus.get("raise", NOTHING), menus.get("donk", bet))


def menus_table(menus: MenusBySeat, seats: Sequence[str] = PLAYERS) -> dict[str, Any]:
    """A short `[bets]` table that `read_seat_menus` reads back as these menus."""
    streets = POSTFLOP_STREETS[len(POSTFLOP_STREETS) - len(menus) :]
    table: dict[str, Any] = {}
    for kind, field in (("bet", "bet"), ("raise", "raises")):
        texts = [[getattr(one, field).exact for one in each] for each in menus]
        table[kind] = usual = Counter(text for each in texts for text in each).most_common(1)[0][0]
        for street, each in zip(streets, texts, strict=True):
            if len(set(each)) == 1 and each[0] != usual:
                table.setdefault(street, {})[kind] = each[0]
                continue
            for seat, text in zip(seats, each, strict=True):
                if text != usual:
                    table.setdefault(street, {}).setdefault(seat, {})[kind] = text
    for street, (oop, *_) in zip(streets, menus, strict=True):
        if oop.donk != oop.bet:
            table.setdefault(street, {})["donk"] = oop.donk.exact
    return table


def check_keys(table: Any, keys: tuple[str, ...], where: str) -> None:
    """Refuses what is no table, and keys that do not exist."""
    if not isinstance(table, Mapping):
        raise ParameterError(f"'{where}' must be a table with the keys {', '.join(keys)}, but {table!r} was given.")
    for key in table:
        if key not in keys:
            hint = suggest(str(key), keys)
            raise ParameterError(f"Unknown key '{key}' in '{where}'; expected {', '.join(keys)}.{hint}")


def read_number(value: object, name: str, *, above: float | None = None, top: float = LARGEST) -> float:
    """A number: above `above`, or where that is not given at least 0; and at most `top`."""
    if value is None:
        raise ParameterError(f"'{name}' is missing; expected a number.")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ParameterError(f"'{name}' must be a number, but {value!r} was given.")
    number = round(
        float(min(max(value, -2.0 * LARGEST), 2.0 * LARGEST)), _DIGITS
    )  # whole numbers may be too long for a float
    if not (number <= top and (number >= 0.0 if above is None else number > above)):
        bound = "at least 0" if above is None else f"above {above:g}"
        bound += f" and at most {top:g}" if top < LARGEST or top < value < math.inf else ""
        long = isinstance(value, int) and abs(value) > LARGEST
        given = f"a number of {int(0.30103 * int(value).bit_length()) + 1} digits" if long else f"{value:g}"
        raise ParameterError(f"'{name}' must be {bound}, but {given} was given.")
    return number
