"""Table: two to nine seats before the flop, as people describe them in TOML or in Python."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from equilibrist.cards.allins.classes import class_weights, split_class
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.ranges import Range, load_range, parse_range
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import EquilibristError, ParameterError
from equilibrist.core.reading import parse_toml, read_text
from equilibrist.core.units import UNITS, smallest_unit
from equilibrist.games.spots.locks import Lock, read_locks
from equilibrist.games.spots.spot_values import Rake
from equilibrist.games.spots.street_menus import StreetMenus, check_keys, read_number
from equilibrist.games.spots.street_menus import menus_table as bets_table
from equilibrist.games.spots.toml_text import beside, plain, toml_text
from equilibrist.games.tables.flop_leaves import (
    CHECK_DOWN,
    FlopLeaves,
    Leaves,
    read_leaves,
    read_postflop,
)
from equilibrist.games.tables.seat_menus import JAM_FOLD, JAM_OR_FOLD, SeatMenus, check_menus, menus_table, read_menus
from equilibrist.games.tournaments.standings import make_standings

MOST_SEATS = 9
USUAL_TO_FLOP = 3
MOST_DEPTH, MOST_IN_FUTURES = 4, 3  # of future-game simulation: hands to come, and players who are all-in in one
EVERY_HAND = "random"
ALWAYS_FREE = 16 * 51  # hands of a range that the cards of eight others cannot block
MOST_TRIES = 100_000  # of deals, before ranges are taken to fit
THREE_BY_PRODUCTS, THREE_BY_ODDS, THREE_BY_TABLE, THREE_BY_WHAT_THERE_IS = "products", "odds", "table", "auto"
ANTES = ("each", "big_blind", "button")
_NAMES = ("UTG", "UTG1", "UTG2", "LJ", "HJ", "CO", "BTN", "SB", "BB")
_POSITIONS = ("UTG", "UTG1", "UTG+1", "UTG2", "UTG+2", "MP", "LJ", "HJ", "CO", "BU", "BTN", "SB", "BB")
_FIRST = {7: ("UTG", "LJ"), 8: ("UTG", "UTG1", "LJ")}  # seats before the hijack
_KEYS = (
    "seats", "stack", "stacks", "names", "blinds", "ante", "straddle", "rake", "payouts", "bounties", "progressive", "fgs",
    "menu", "postflop", "players_to_flop", "leaves", "three_way", "bunching", "chip", "range", "lock",
)  # fmt: skip
EXPECTED = 'expected lines such as stacks = { BTN = 20, SB = 20, BB = 20 }, blinds = [0.5, 1] and menu = "jam-fold"'

Keys = Mapping[str, Any]


@dataclass(frozen=True)
class Ante:
    """Chips that are dead before the cards come: from every seat, or from one for all."""

    kind: str = "each"
    amount: float = 0.0


@dataclass(frozen=True)
class FutureGames:
    """Future-game simulation: how many hands of jam or fold come after this one before prize money is that of ICM."""

    depth: int = 0
    players: int = 2  # the most who are all-in in one of them


@dataclass(frozen=True, init=False)
class Table:
    """Seats in the order in which they act before the flop, the blinds last; the keywords are the keys of a table file."""

    names: tuple[str, ...]
    stacks: tuple[float, ...]
    blinds: tuple[float, float]  # small, big
    ante: Ante
    straddles: tuple[float, ...]  # of the first seats in turn
    rake: Rake
    no_flop_no_drop: bool
    payouts: tuple[float, ...]  # empty: chips are what is played for
    bounties: tuple[float, ...]
    progressive: float
    fgs: FutureGames
    menus: tuple[SeatMenus, ...]
    players_to_flop: int
    postflop: StreetMenus | None  # bet sizes after the flop, where they are given
    leaves: Leaves  # what happens after the flop
    three_way: str  # how three hands that show are compared
    bunching: bool  # what others have done counts for the hands that are left
    chip: float
    ranges: tuple[Range, ...]
    locks: tuple[Lock, ...]

    def __init__(
        self,
        *,
        blinds: Sequence[float],
        seats: int | None = None,
        stack: float | None = None,
        stacks: Sequence[float] | Keys | None = None,
        names: Sequence[str] = (),
        ante: float | Keys = 0.0,
        straddle: float | Sequence[float] = (),
        rake: Keys | None = None,
        payouts: Sequence[float] = (),
        bounties: Sequence[float] | Keys = (),
        progressive: float = 0.0,
        fgs: int | Keys = 0,
        menu: object = JAM_FOLD,
        players_to_flop: int | None = None,
        postflop: Keys | None = None,
        leaves: str | Keys | FlopLeaves = CHECK_DOWN,
        three_way: str = THREE_BY_WHAT_THERE_IS,
        bunching: bool = False,
        chip: float | None = None,
        range: Keys | None = None,
        lock: Sequence[Lock | Keys] = (),
    ) -> None:
        def keep(**values: object) -> None:
            for name, value in values.items():
                object.__setattr__(self, name, value)

        given = _read_seats(seats, stack, stacks, names)
        standings = make_standings(
            given, payouts if np.size(payouts) else [0.0], bounties=bounties, progressive=progressive
        )
        keep(
            names=standings.names,
            stacks=standings.stacks,
            payouts=standings.payouts if np.size(payouts) else (),
            bounties=standings.bounties,
            progressive=standings.progressive,
            blinds=read_blinds(blinds),
            ante=read_ante(ante),
        )
        _check_prizes(self)
        keep(fgs=_read_futures(fgs, self))
        keep(straddles=_read_straddles(straddle, self))
        keep(
            rake=_read_rake({} if rake is None else rake),
            no_flop_no_drop=_no_drop({} if rake is None else rake),
            menus=read_menus(menu, self.names),
            postflop=None if postflop is None else read_postflop(postflop),
            leaves=read_leaves(leaves),
            three_way=_read_three_way(three_way),
            bunching=_read_bunching(bunching),
        )
        if self.rake.rate and self.payouts:
            raise ParameterError(
                "Tournaments take no rake from a pot, but both 'rake' and 'payouts' were given; leave one out."
            )
        if self.straddles and self.fgs.depth:
            raise ParameterError("Hands to come ('fgs') have no straddles; leave 'straddle' or 'fgs' out.")
        check_menus(self.menus)
        _check_leaves(self)
        keep(players_to_flop=_read_flop(players_to_flop, len(self.names)))
        keep(chip=self._usual_chip() if chip is None else read_number(chip, "chip"))
        keep(ranges=_read_ranges({} if range is None else range, self.names), locks=read_locks(lock))
        _check_forced(self)
        _check_hands(self)

    def _usual_chip(self) -> float:
        amounts = [*self.stacks, *self.blinds, self.ante.amount, *self.straddles]
        return smallest_unit(amounts, otherwise=UNITS[-1])

    @classmethod
    def from_toml(cls, path: str | Path) -> Table:
        """Read a table file; range files (`@name`) are looked for beside it."""
        return cls.from_text(read_text(path, "The table file", EXPECTED), folder=Path(path).parent)

    @classmethod
    def from_text(cls, text: str, folder: Path | None = None) -> Table:
        """A table from TOML."""
        return cls.from_table(parse_toml(text, "The table", EXPECTED), folder)

    @classmethod
    def from_table(cls, table: Any, folder: Path | None = None) -> Table:
        """A table from the keys of a table file and their values."""
        check_keys(table, _KEYS, "table")
        if folder is not None and isinstance(table.get("range"), dict):
            table = {**table, "range": {key: beside(value, folder) for key, value in table["range"].items()}}
        if "blinds" not in table:
            raise ParameterError(f"The table has no 'blinds'; {EXPECTED}.")
        return cls(**table)

    @property
    def seats(self) -> int:
        return len(self.names)

    @property
    def big_blind(self) -> float:
        return self.blinds[1]

    @property
    def prize_pool(self) -> float:
        """What all places pay, and what lies on all heads; 0 where chips are played for."""
        return float(sum(self.payouts[: self.seats]) + sum(self.bounties))

    @property
    def unit(self) -> str:
        """What a payoff of 1 is called."""
        return "prize money" if self.payouts else "bb"

    @property
    def jam_fold(self) -> bool:
        return all(one == JAM_OR_FOLD for one in self.menus)

    def seat(self, name: str) -> int:
        """A seat by its name or by its number from 1."""
        if name in self.names:
            return self.names.index(name)
        if name.isascii() and name.isdigit() and 1 <= int(name[:9]) <= self.seats:
            return int(name) - 1
        raise ParameterError(f"There is no seat '{name[:40]}'; the seats are {', '.join(self.names)}.")

    def weights(self, seat: int) -> Floats:
        """[class] weights of a seat's range."""
        return class_weights(self.ranges[seat].weights)

    def changed(self, **changes: Any) -> Table:
        """The same table with other values for some keys: `table.changed(menu="jam-fold")`."""
        return Table.from_table({**self.table(), **changes})

    def table(self) -> dict[str, Any]:
        """The keys of a table file and their values; what is as by default is left out."""
        rake: dict[str, Any] = {"rate": self.rake.rate}
        rake |= {"cap": plain(self.rake.cap)} if math.isfinite(self.rake.cap) else {}
        ranges = {n: str(r) for n, r in zip(self.names, self.ranges, strict=True) if r != parse_range(EVERY_HAND)}
        heads = {n: plain(b) for n, b in zip(self.names, self.bounties, strict=True)} if self.bounties else {}
        entries = {
            "stacks": {name: plain(stack) for name, stack in zip(self.names, self.stacks, strict=True)},
            "blinds": [plain(blind) for blind in self.blinds],
            "ante": {self.ante.kind: plain(self.ante.amount)} if self.ante.amount else None,
            "straddle": [plain(amount) for amount in self.straddles],
            "rake": rake | {"no_flop_no_drop": self.no_flop_no_drop} if self.rake.rate else None,
            "payouts": [plain(prize) for prize in self.payouts],
            "bounties": heads,
            "progressive": self.progressive or None,
            "fgs": _futures_table(self.fgs),
            "menu": menus_table(self.menus, self.names),
            "players_to_flop": self.players_to_flop,
            "postflop": None if self.postflop is None else bets_table(self.postflop),
            "leaves": self.leaves.table() if isinstance(self.leaves, FlopLeaves) else self.leaves,
            "three_way": self.three_way if self.three_way != THREE_BY_WHAT_THERE_IS else None,
            "bunching": self.bunching or None,
            "chip": plain(self.chip) if self.chip != self._usual_chip() else None,
            "range": ranges,
            "lock": [lock.table() for lock in self.locks],
        }
        return {key: value for key, value in entries.items() if value not in (None, {}, [], "", CHECK_DOWN)}

    def to_toml(self) -> str:
        """A table file that `from_text` reads back as this table."""
        return toml_text(self.table())

    def __repr__(self) -> str:
        deep = f"{min(self.stacks) / self.big_blind:.4g} to {max(self.stacks) / self.big_blind:.4g} bb"
        return f"Table({self.seats} seats, {deep})"


def seat_names(count: int) -> tuple[str, ...]:
    """The usual names of so many seats, the first to act first."""
    if count in _FIRST:
        return (*_FIRST[count], *_NAMES[4:])
    return ("UTG", *_NAMES[4:]) if count == 6 else _NAMES[MOST_SEATS - count :]


def _read_seats(
    seats: object, stack: object, stacks: Sequence[float] | Keys | None, names: Sequence[str]
) -> dict[str, float]:
    """Stacks by name, in order."""
    if (stacks is None) == (stack is None):
        raise ParameterError("A table has either 'stacks' or 'seats' and one 'stack' for all; expected one of the two.")
    if stacks is None:
        if isinstance(seats, bool) or not isinstance(seats, int) or not 2 <= seats <= MOST_SEATS:
            raise ParameterError(f"'seats' must be a number of seats from 2 to {MOST_SEATS}, but {seats!r} was given.")
        stacks = [read_number(stack, "stack", above=0.0)] * seats
    if not isinstance(stacks, Mapping | Sequence) or isinstance(stacks, str):
        raise ParameterError(f"'stacks' must be a list or a table of names and chips, but {stacks!r} was given.")
    if not 2 <= len(stacks) <= MOST_SEATS:
        raise ParameterError(f"A table has 2 to {MOST_SEATS} seats, but {len(stacks)} stacks were given.")
    if seats is not None and seats != len(stacks):
        raise ParameterError(f"'seats' says {seats!r}, but {len(stacks)} stacks were given; leave 'seats' out.")
    if isinstance(stacks, Mapping):
        if len(names):
            raise ParameterError("The stacks have names already; leave 'names' out.")
        names, stacks = tuple(stacks), tuple(stacks.values())
    called = tuple(names) or seat_names(len(stacks))
    if not isinstance(names, Sequence) or isinstance(names, str) or not all(isinstance(name, str) for name in called):
        raise ParameterError(f"'names' must be a list of texts, one for each seat, but {names!r} was given.")
    if len(called) != len(stacks):
        raise ParameterError(f"{len(called)} names were given for {len(stacks)} stacks; give one for each.")
    twice = [name for number, name in enumerate(called) if name in called[:number]]
    if twice:
        raise ParameterError(f"Two seats are called '{twice[0][:40]}'; give each a name of its own.")
    known = [_POSITIONS.index(name.upper()) for name in called if name.upper() in _POSITIONS]
    if known != sorted(known):
        order = ", ".join(_POSITIONS[place] for place in sorted(known))
        raise ParameterError(
            f"Seats are listed in the order in which they act before the flop, the blinds last, but have the order "
            f"{', '.join(called)[:80]}; expected {order}."
        )
    return {
        name: read_number(chips, f"stacks.{name[:40]}", above=0.0) for name, chips in zip(called, stacks, strict=True)
    }


def read_blinds(blinds: object) -> tuple[float, float]:
    """The small and the big blind."""
    if not isinstance(blinds, Sequence) or isinstance(blinds, str) or len(blinds) != 2:
        raise ParameterError(f"'blinds' must be the small and the big blind, as in [0.5, 1], but {blinds!r} was given.")
    small, big = read_number(blinds[0], "blinds[0]"), read_number(blinds[1], "blinds[1]", above=0.0)
    if small > big:
        raise ParameterError(f"'blinds' must be the small one first, but {blinds!r} was given.")
    return small, big


def read_ante(ante: object) -> Ante:
    """A number that each pays, or one kind with its amount."""
    if not isinstance(ante, Mapping):
        return Ante("each", read_number(ante, "ante"))
    check_keys(ante, ANTES, "ante")
    if len(ante) > 1:
        raise ParameterError(f"'ante' must be of one kind ({', '.join(ANTES)}), but {len(ante)} were given.")
    return next((Ante(kind, read_number(amount, f"ante.{kind}")) for kind, amount in ante.items()), Ante())


def _read_straddles(straddle: object, table: Table) -> tuple[float, ...]:
    several = [straddle] if not isinstance(straddle, Sequence) else list(straddle)
    found = [read_number(amount, "straddle", above=table.big_blind) for amount in several]
    if len(found) > max(0, table.seats - 2):
        raise ParameterError(
            f"{len(found)} straddles were given, but {max(0, table.seats - 2)} of {table.seats} seats post no blind."
        )
    if any(later <= before for before, later in pairwise(found)):
        raise ParameterError(f"Each straddle must be larger than the one before, but {found} was given.")
    return tuple(found)


def _read_rake(table: Any) -> Rake:
    check_keys(table, ("rate", "cap", "no_flop_no_drop"), "rake")
    rate = read_number(table.get("rate", 0.0), "rake.rate", top=1.0)
    cap = read_number(table["cap"], "rake.cap", above=0.0 if rate else None) if "cap" in table else math.inf
    return Rake(rate, cap) if rate else Rake()


def _no_drop(table: Any) -> bool:
    given = table.get("no_flop_no_drop", True)
    if not isinstance(given, bool):
        raise ParameterError(f"'rake.no_flop_no_drop' must be true or false, but {given!r} was given.")
    return given


def _check_prizes(table: Table) -> None:
    if table.bounties and not table.payouts:
        raise ParameterError("'bounties' are prize money, but the table has no 'payouts'; give both.")
    if table.payouts and not table.payouts[0] > 0.0:
        raise ParameterError("'payouts' pay nobody anything; expected prizes such as [50, 30, 20], or none for chips.")


def _read_futures(given: object, table: Table) -> FutureGames:
    """A depth, or { depth = 2, players = 3 }."""
    keys = given if isinstance(given, Mapping) else {"depth": given}
    check_keys(keys, ("depth", "players"), "fgs")
    found = FutureGames(
        _read_whole(keys.get("depth", 1), "fgs.depth", 0, MOST_DEPTH),
        _read_whole(keys.get("players", 2), "fgs.players", 2, MOST_IN_FUTURES),
    )
    if not found.depth:
        return FutureGames()
    if not table.payouts:
        raise ParameterError("'fgs' values prizes after hands to come, but the table has no 'payouts'; give both.")
    if table.bounties:
        raise ParameterError("'fgs' does not know bounties; leave one of the two out.")
    return found


def _futures_table(futures: FutureGames) -> Any:
    if futures == FutureGames(futures.depth):
        return futures.depth or None
    return {"depth": futures.depth, "players": futures.players}


def _read_whole(given: object, where: str, least: int, most: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
        raise ParameterError(f"'{where}' must be a whole number from {least} to {most}, but {given!r} was given.")
    return given


def _check_leaves(table: Table) -> None:
    """What is won on flops is chips, hand against hand."""
    if table.leaves == CHECK_DOWN:
        return
    if table.payouts:
        raise ParameterError(
            "Flops are played for chips, but the table has 'payouts'; give leaves = \"check-down\", or no payouts."
        )
    if table.bunching:
        raise ParameterError("Flops are played without 'bunching'; leave it out, or give leaves = \"check-down\".")


def _read_three_way(given: object) -> str:
    known = (THREE_BY_WHAT_THERE_IS, THREE_BY_PRODUCTS, THREE_BY_ODDS, THREE_BY_TABLE)
    if given not in known:
        raise ParameterError(f"'three_way' must be {', '.join(map(repr, known))}, but {given!r} was given.")
    return str(given)


def _read_bunching(given: object) -> bool:
    if not isinstance(given, bool):
        raise ParameterError(f"'bunching' must be true or false, but {given!r} was given.")
    return given


def _read_flop(given: object, seats: int) -> int:
    if given is None:
        return min(seats, USUAL_TO_FLOP)
    if isinstance(given, bool) or not isinstance(given, int) or not 2 <= given <= seats:
        raise ParameterError(
            f"'players_to_flop' must be the most players who see a flop, from 2 to {seats} here, but {given!r} was given."
        )
    return given


def _read_ranges(table: Any, names: Sequence[str]) -> tuple[Range, ...]:
    check_keys(table, tuple(names), "range")
    found = [_read_range(table.get(name, EVERY_HAND), f"range.{name}") for name in names]
    return tuple(found)


def _read_range(value: object, where: str) -> Range:
    if not isinstance(value, str | Range):
        raise ParameterError(f'\'{where}\' must be a range such as "TT+,AKs" or "@file", but {value!r} was given.')
    try:
        found = (value if isinstance(value, Range) else load_range(value)).scaled()
    except EquilibristError as error:
        raise ParameterError(f"In '{where}': {error}") from None
    if not found.weights.any():
        raise ParameterError(f"'{where}' has no hand; give at least one a weight above 0.")
    split = split_class(found.weights)
    if split:
        raise ParameterError(
            f"'{where}' has some suits of {split} and not others, but tables are solved over the 169 classes of hands; give whole "
            f"classes with a weight, such as {split}:0.5."
        )
    return found


def _check_hands(table: Table) -> None:
    """All seats must be able to hold hands at once."""
    hands = hands_of(STANDARD)
    bits = [(1 << int(low)) | (1 << int(high)) for low, high in zip(hands.low, hands.high, strict=True)]
    held = sorted(([bits[hand] for hand in each.hands] for each in table.ranges), key=len)
    tries = [MOST_TRIES]

    def fits(seat: int, taken: int) -> bool:
        if seat == len(held) or len(held[seat]) > ALWAYS_FREE or tries[0] <= 0:
            return True
        tries[0] -= 1
        return any(not taken & hand and fits(seat + 1, taken | hand) for hand in held[seat])

    if not fits(0, 0):
        raise ParameterError("The ranges collide: no deal gives every seat a hand of its range; widen one of them.")


def _check_forced(table: Table) -> None:
    """Blinds and antes may put seats all-in, but not more of them than may see a flop."""
    from equilibrist.games.tables.betting import first_situation

    start = first_situation(table)
    forced = [name for name, left in zip(table.names, start.behind, strict=True) if left <= 0.0]
    if len(forced) >= table.players_to_flop and len(forced) > 1:
        raise ParameterError(
            f"Blinds and antes put {len(forced)} seats all-in ({', '.join(forced)}), but {table.players_to_flop} players see a flop at "
            "the most; give them deeper stacks or take them out."
        )
