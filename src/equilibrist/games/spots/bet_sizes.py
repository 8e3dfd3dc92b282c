"""Bet sizes: menus as text, `60%, 2.5x, 100c, e, 3e200%, a`, and the rules that turn a menu into chips.

All amounts that leave are street totals ("bet 120", "raise to 300"). Shares are of the pot once the bet faced has been called.
Sizes are rounded to whole chips, halves upwards.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equilibrist.core.errors import ParameterError, suggest

STREETS = ("flop", "turn", "river")
PLAYERS = ("oop", "ip")  # out of position acts first on every street
KINDS = ("bet", "raise", "donk")

_SIZE = re.compile(
    r"(?P<number>\d+(?:\.\d*)?|\.\d+)?\s*(?P<unit>[%xcea])(?:(?P<limit>\d+(?:\.\d*)?|\.\d+)\s*%)?", re.IGNORECASE
)
_EXPECTED = "60% (of the pot), 2.5x (the bet faced), 100c (chips), e, 2e or 3e200% (geometric), or a (all-in)"
_DIGITS = 9  # of chips; keeps sums of fractions of chips equal to what they are meant to be
_LEAST = 1e-9  # smallest bet where chips are not rounded


def round_chips(amount: float, chip: float) -> float:
    """The nearest multiple of a chip, halves upwards; `chip` 0 leaves fractions alone."""
    return round(math.floor(amount / chip + 0.5) * chip if chip else amount, _DIGITS)


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


@dataclass(frozen=True)
class Turn:
    """What a player who may bet or raise looks at, in chips."""

    pot: float  # once the bet faced has been called
    facing: float  # the opponent's total of this street; 0 where nothing was bet
    owed: float  # what a call costs
    limit: float  # this street's total when all-in
    streets: int  # betting rounds left, this one included

    def raise_by(self, share: float, chip: float) -> float:
        """The street total of a bet or raise by a share of the pot."""
        return self.facing + round_chips(share * self.pot, chip)


@dataclass(frozen=True)
class Size:
    """One size of a menu."""

    unit: str  # one of % x c e a
    amount: float = 0.0  # per cent, factor, chips, or streets (0: as many as are left)
    limit: float = math.inf  # geometric sizes: at most this per cent of the pot

    def total(self, turn: Turn, chip: float) -> float:
        """The street total this size asks for, before any threshold."""
        if self.unit == "a":
            return turn.limit
        if self.unit == "%":
            return turn.raise_by(self.amount / 100.0, chip)
        if self.unit == "x":
            return round_chips(self.amount * turn.facing, chip)
        if self.unit == "c":
            return turn.facing + self.amount
        return self._geometric(turn, chip)

    def _geometric(self, turn: Turn, chip: float) -> float:
        """The share of the pot that, bet on each of the streets, is all-in on the last."""
        streets = self.amount or turn.streets
        if streets == 1 and math.isinf(self.limit):
            return turn.limit
        stack_to_pot = (turn.limit - turn.facing) / turn.pot
        share = ((2.0 * stack_to_pot + 1.0) ** (1.0 / streets) - 1.0) / 2.0
        return turn.raise_by(min(share, self.limit / 100.0), chip)

    def __str__(self) -> str:
        limit = "" if math.isinf(self.limit) else f"{chips_text(self.limit)}%"
        return f"{chips_text(self.amount) if self.amount else ''}{self.unit}{limit}"


@dataclass(frozen=True)
class Menu:
    """The sizes on offer; none at all means check, or fold and call, only."""

    sizes: tuple[Size, ...] = ()

    def totals(self, turn: Turn, thresholds: Thresholds, chip: float) -> tuple[float, ...]:
        """Street totals on offer, smallest first; the last may be all-in (`turn.limit`)."""
        # a raise adds at least what is owed, as at the table; the stack may forbid even that
        smallest = turn.facing + max(turn.owed, chip, _LEAST)
        found = set()
        for size in self.sizes:
            amount = round(min(max(size.total(turn, chip), smallest), turn.limit), _DIGITS)
            found.add(turn.limit if _is_allin(amount, turn, thresholds, chip) else amount)
        if turn.limit <= turn.raise_by(thresholds.add_allin, chip):
            found.add(turn.limit)
        return _merged(sorted(found), turn, thresholds.merge)

    def __bool__(self) -> bool:
        return bool(self.sizes)

    def __str__(self) -> str:
        return ", ".join(str(size) for size in self.sizes)


def _is_allin(amount: float, turn: Turn, thresholds: Thresholds, chip: float) -> bool:
    left_over = round_chips(thresholds.force_allin * (turn.pot + 2.0 * (amount - turn.facing)), chip)
    if turn.limit <= amount + left_over:
        return True
    half = turn.pot / 2.0 - turn.facing  # of the pot when the street began
    return thresholds.commit_allin > 0.0 and half + amount > thresholds.commit_allin * (half + turn.limit)


def _merged(amounts: list[float], turn: Turn, merge: float) -> tuple[float, ...]:
    """From the largest down, each size that is kept swallows the smaller ones close to it."""
    kept: list[float] = []
    for amount in reversed(amounts):
        grown = turn.pot + amount - turn.facing
        if not kept or (turn.pot + kept[-1] - turn.facing) / grown >= 1.0 + merge:
            kept.append(amount)
    return tuple(reversed(kept))


def parse_menu(text: str, *, opening: bool, where: str = "the menu") -> Menu:
    """A menu from text; `opening` menus face no bet, so `2.5x` is refused there."""
    sizes: list[Size] = []
    position = 0
    for piece in text.split(",") if text.strip() else ():
        start = position + len(piece) - len(piece.lstrip())
        size = _parse_size(piece.strip(), start, opening, where)
        if size not in sizes:
            sizes.append(size)
        position += len(piece) + 1
    return Menu(tuple(sizes))


def _parse_size(word: str, start: int, opening: bool, where: str) -> Size:
    found = _SIZE.fullmatch(word)
    problem = ""
    if found is None:
        problem = f"expected sizes separated by commas, such as {_EXPECTED}"
        if re.fullmatch(r"[\d.]+", word):
            problem = f"expected a unit after the number; did you mean '{word}%'"
        raise _refusal(word, start, where, problem)
    unit, number = found["unit"].lower(), found["number"]
    amount = float(number) if number else 0.0
    if unit == "a" and number:
        problem = "all-in takes no number; expected 'a'"
    elif unit in "%xc" and not amount > 0.0:
        problem = "expected a number above 0 before the unit"
    elif unit == "e" and number and amount not in (1.0, 2.0, 3.0):
        problem = "expected 1, 2 or 3 streets before the 'e'"
    elif found["limit"] and (unit != "e" or not float(found["limit"]) > 0.0):
        problem = "only a geometric size takes a limit, and it must be above 0, as in 3e200%"
    elif unit == "x" and opening:
        problem = "an opening bet has no bet to multiply; give a share of the pot such as 60%"
    elif unit == "x" and amount <= 1.0:
        problem = "a raise must be more than the bet it answers; expected a factor above 1"
    if problem:
        raise _refusal(word, start, where, problem)
    return Size(unit, amount, float(found["limit"]) if found["limit"] else math.inf)


def _refusal(word: str, start: int, where: str, problem: str) -> ParameterError:
    return ParameterError(f"The bet size '{word}' at character {start + 1} of {where} cannot be read: {problem}.")


@dataclass(frozen=True)
class Menus:
    """One player's menus on one street; `donk` opens after having called on the street before."""

    bet: Menu = Menu()
    raises: Menu = Menu()
    donk: Menu = Menu()


StreetMenus = tuple[tuple[Menus, Menus], ...]  # [street][player]


def read_menus(table: Mapping[str, Any], first: int) -> StreetMenus:
    """Menus of the streets from `first` on, out of `[bets]`, `[bets.river]`, `[bets.river.oop]`: the narrowest entry wins."""
    check_keys(table, (*KINDS, *STREETS), "bets")
    found = []
    for number, street in enumerate(STREETS):
        on_street = table.get(street, {})
        check_keys(on_street, (*KINDS, *PLAYERS), f"bets.{street}")
        both = [
            _read_player([("bets", table), (f"bets.{street}", on_street)], on_street.get(player, {}), street, player)
            for player in PLAYERS
        ]
        if number == first:  # whoever bet before the spot began is unknown, so nobody donks
            both = [Menus(menus.bet, menus.raises, menus.bet) for menus in both]
        found.append((both[0], both[1]))
    return tuple(found[first:])


def _read_player(scopes: list[tuple[str, Mapping[str, Any]]], own: Any, street: str, player: str) -> Menus:
    kinds = KINDS if player == "oop" else KINDS[:2]  # the player who acts last never donks
    check_keys(own, kinds, f"bets.{street}.{player}")
    menus: dict[str, Menu] = {}
    for where, table in (*scopes, (f"bets.{street}.{player}", own)):
        for kind in (kind for kind in kinds if kind in table):
            text, name = table[kind], f"{where}.{kind}"
            if not isinstance(text, str):
                raise ParameterError(f"'{name}' must be text such as \"60%, a\", but {text!r} was given.")
            menus[kind] = parse_menu(text, opening=kind != "raise", where=name)
    bet = menus.get("bet", Menu())
    return Menus(bet, menus.get("raise", Menu()), menus.get("donk", bet))


def menus_table(menus: StreetMenus) -> dict[str, Any]:
    """A short `[bets]` table that `read_menus` reads back as these menus."""
    streets = STREETS[len(STREETS) - len(menus) :]
    table: dict[str, Any] = {}
    for kind, field in (("bet", "bet"), ("raise", "raises")):
        texts = [[str(getattr(one, field)) for one in both] for both in menus]
        table[kind] = usual = Counter(text for both in texts for text in both).most_common(1)[0][0]
        for street, both in zip(streets, texts, strict=True):
            if both[0] == both[1] != usual:
                table.setdefault(street, {})[kind] = both[0]
                continue
            for player, text in zip(PLAYERS, both, strict=True):
                if text != usual:
                    table.setdefault(street, {}).setdefault(player, {})[kind] = text
    for street, (oop, _) in zip(streets, menus, strict=True):
        if oop.donk != oop.bet:
            table.setdefault(street, {})["donk"] = str(oop.donk)
    return table


def check_keys(table: Any, keys: tuple[str, ...], where: str) -> None:
    """Refuses what is no table, and keys that do not exist."""
    if not isinstance(table, Mapping):
        raise ParameterError(f"'{where}' must be a table with the keys {', '.join(keys)}, but {table!r} was given.")
    for key in table:
        if key not in keys:
            hint = suggest(str(key), keys)
            raise ParameterError(f"Unknown key '{key}' in '{where}'; expected {', '.join(keys)}.{hint}")


def read_number(value: object, name: str, *, above: float | None = None, top: float = math.inf) -> float:
    """A finite number: above `above`, or where that is not given at least 0; and at most `top`."""
    if value is None:
        raise ParameterError(f"'{name}' is missing; expected a number.")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ParameterError(f"'{name}' must be a number, but {value!r} was given.")
    value = round(float(value), _DIGITS)
    if not (math.isfinite(value) and value <= top and (value >= 0.0 if above is None else value > above)):
        bound = "at least 0" if above is None else f"above {above:g}"
        bound += "" if math.isinf(top) else f" and at most {top:g}"
        raise ParameterError(f"'{name}' must be {bound}, but {value:g} was given.")
    return value
