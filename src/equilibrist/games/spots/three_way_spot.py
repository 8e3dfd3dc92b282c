"""ThreeWaySpot: a river or turn with three players, as people describe it in TOML or in Python."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.ranges import Range
from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.errors import ParameterError
from equilibrist.core.reading import parse_json, parse_toml, read_text
from equilibrist.core.units import UNITS, smallest_unit
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_values import (
    DEEPEST,
    MOST_PLAYERS,
    NO_LIMIT,
    PREFIX,
    Rake,
    Table,
    check_holdings,
    has_three_ranges,
    rake_table,
    read_betting,
    read_board,
    read_keys,
    read_rake,
    read_range,
    read_thresholds,
    thresholds_table,
)
from equilibrist.games.spots.street_menus import (
    KINDS,
    MenusBySeat,
    Thresholds,
    check_keys,
    menus_table,
    read_number,
    read_seat_menus,
)
from equilibrist.games.spots.toml_text import plain, toml_text

SEATS = MOST_PLAYERS
POSITIONS = ("sb", "bb", "utg", "mp", "lj", "hj", "co", "btn")  # in order of action after the flop
_KEYS = ("board", "pot", "stack", "stacks", "chip", "range", "bets", "thresholds", "rake", "betting")
_TWO_ONLY = ("line", "lock")
_NAME = re.compile(r"[a-z][a-z0-9_+-]{0,15}", re.IGNORECASE)


@dataclass(frozen=True, init=False)
class ThreeWaySpot:
    """Board, three ranges in order of action, pot, stacks and betting; the keywords are the keys of a spot file."""

    board: tuple[int, ...]
    pot: float
    seats: tuple[str, str, str]  # in order of action on every street
    stacks: tuple[float, float, float]  # behind
    chip: float  # sizes are rounded to multiples of it; 0: not at all
    ranges: tuple[Range, Range, Range]  # as given; `weights` leaves out what the board rules out
    menus: MenusBySeat  # [street from the spot's own on][seat]
    thresholds: Thresholds
    rake: Rake
    caps: tuple[int, ...]  # bets and raises on a street; 0 is no cap

    def __init__(
        self,
        *,
        board: str,
        pot: float,
        range: Table,
        stack: float | None = None,
        stacks: Table | None = None,
        chip: float | None = None,
        bets: Table | None = None,
        thresholds: Table | None = None,
        rake: Table | None = None,
        betting: Table | None = None,
    ) -> None:
        def keep(**values: object) -> None:
            for name, value in values.items():
                object.__setattr__(self, name, value)

        keep(board=_read_late_board(board), pot=read_number(pot, "pot", above=0.0), seats=_read_seats(range))
        keep(stacks=_read_stacks(stack, stacks, self.seats), caps=_read_caps(betting or {}, self.street))
        _check_depth(self)
        keep(thresholds=_read_thresholds(thresholds or {}), rake=read_rake(rake or {}))
        keep(menus=read_seat_menus(bets or {}, self.street, self.seats))
        keep(chip=self._usual_chip() if chip is None else read_number(chip, "chip"))
        if not any(one.bet for street in self.menus for one in street) and not self.thresholds.add_allin:
            raise ParameterError("'bets' offers no opening bet to anybody; expected a menu such as bet = \"60%, a\".")
        keep(ranges=tuple(read_range(range[name], f"range.{name}") for name in self.seats))
        _check_hands(self)

    def _usual_chip(self) -> float:
        """What the amounts need: 1 where all of them are whole, else cents, else 0.0001."""
        named = [size.amount for street in self.menus for one in street for size in one.sizes if size.unit in "c*"]
        return smallest_unit([self.pot, *self.stacks, *named], otherwise=UNITS[-1])

    @classmethod
    def from_toml(cls, path: str | Path) -> ThreeWaySpot:
        """Read a spot file; range files (`@name`) are looked for beside it."""
        text = read_text(path, "The spot file", 'expected TOML such as board = "Td9d6hQc2s"')
        return cls.from_text(text, folder=Path(path).parent)

    @classmethod
    def from_text(cls, text: str, folder: Path | None = None) -> ThreeWaySpot:
        """A spot from TOML; range files are looked for in `folder`."""
        return cls.from_table(parse_toml(text, "The spot", "expected lines such as pot = 200"), folder)

    @classmethod
    def from_table(cls, table: Any, folder: Path | None = None) -> ThreeWaySpot:
        """A spot from the keys of a spot file and their values; range files are looked for in `folder`."""
        for key in _TWO_ONLY:
            if isinstance(table, Mapping) and key in table:
                raise ParameterError(
                    f"'{key}' is for spots of two players, but this one has three ranges; leave it out."
                )
        return cls(**read_keys(table, _KEYS, folder))

    @property
    def street(self) -> int:
        """1 turn, 2 river."""
        return len(self.board) - 3

    @property
    def board_text(self) -> str:
        return "".join(STANDARD.label(card) for card in self.board)

    def weights(self, seat: int) -> NDArray[np.float64]:
        """Weights [1326] of a seat's range without the hands the board rules out."""
        return self.ranges[seat].without(self.board).weights

    def table(self) -> dict[str, Any]:
        """The keys of a spot file and their values; what is as by default is left out."""
        stacks = [plain(stack) for stack in self.stacks]
        same, streets = len(set(stacks)) == 1, POSTFLOP_STREETS[self.street :]
        caps: Any = self.caps[0] if len(set(self.caps)) == 1 else dict(zip(streets, self.caps, strict=True))
        entries = {
            "board": self.board_text,
            "pot": plain(self.pot),
            "stack": stacks[0] if same else None,
            "chip": plain(self.chip) if (self.chip, self._usual_chip()) != (1.0, 1.0) else None,
            "stacks": None if same else dict(zip(self.seats, stacks, strict=True)),
            "range": {name: str(one) for name, one in zip(self.seats, self.ranges, strict=True)},
            "bets": menus_table(self.menus, self.seats),
            "thresholds": thresholds_table(self.thresholds),
            "rake": rake_table(self.rake),
            "betting": {"cap": caps} if any(self.caps) else None,
        }
        return {key: value for key, value in entries.items() if value not in (None, {}, "")}

    def to_toml(self) -> str:
        """A spot file that `from_text` reads back as this spot."""
        return toml_text(self.table())

    def __repr__(self) -> str:
        stacks = "/".join(f"{plain(stack)}" for stack in self.stacks)
        return f"ThreeWaySpot({self.board_text}, pot {plain(self.pot)}, stacks {stacks})"


def three_way_name(spot: ThreeWaySpot) -> str:
    """The name of a three-way spot, in the form that spots of two players have, too."""
    return PREFIX + json.dumps(spot.table(), separators=(",", ":"))


def load_spot(text: str | Path) -> Spot | ThreeWaySpot:
    """The spot of a file (`river.toml`) or of a name, for two players or for three: as many as it has ranges."""
    given = str(text)
    if given.startswith(PREFIX):
        expected, folder = "give a spot file (.toml) instead of its name", None
        table = parse_json(given.removeprefix(PREFIX), f"The spot in '{given[:60]}'", expected)
    else:
        file, folder = read_text(text, "The spot file", 'expected TOML such as board = "Td9d6h"'), Path(text).parent
        table = parse_toml(file, "The spot", "expected lines such as pot = 200")
    three = isinstance(table, Mapping) and has_three_ranges(table.get("range"))
    kind: type[Spot] | type[ThreeWaySpot] = ThreeWaySpot if three else Spot
    return kind.from_table(table, folder)


def _read_late_board(board: object) -> tuple[int, ...]:
    cards = read_board(board)
    if len(cards) == 3:
        raise ParameterError(
            f"Three players are solved on turns and rivers, but 'board' is the flop '{board}'; give 4 or 5 cards."
        )
    return cards


def _read_seats(ranges: object) -> tuple[str, ...]:
    """Names in order of action, as `[range]` lists them."""
    if not isinstance(ranges, Mapping):
        raise ParameterError(
            f"'range' must be a table of three ranges in order of action, such as sb, bb, btn, but {ranges!r} was given."
        )
    names = tuple(ranges)
    if len(names) != SEATS:
        raise ParameterError(
            f"Spots are for two or three players, but 'range' has {len(names)} ranges ({', '.join(map(str, names))}); "
            "leave out those who have folded."
        )
    for name in names:
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name.lower() in KINDS:
            raise ParameterError(
                f"'{name}' cannot be a seat's name: expected letters and digits, at most 16, such as sb, bb or btn."
            )
    low = [name.lower() for name in names]
    if len(set(low)) < SEATS:
        twice = next(name for name in low if low.count(name) > 1)
        raise ParameterError(f"The seat '{twice}' is named twice in 'range'; each of three seats has its own name.")
    known = [POSITIONS.index(name) for name in low if name in POSITIONS]
    if known != sorted(known):
        order = ", ".join(POSITIONS[place] for place in sorted(known))
        raise ParameterError(
            f"'range' lists seats in order of action, but has {', '.join(names)}; after the flop it is {order}."
        )
    return names


def _read_stacks(stack: object, stacks: Any, seats: tuple[str, ...]) -> tuple[float, ...]:
    if stack is not None and stacks is not None:
        raise ParameterError("Both 'stack' and 'stacks' were given; expected only one of them.")
    if stacks is not None:
        check_keys(stacks, seats, "stacks")
        return tuple(read_number(stacks.get(name), f"stacks.{name}", above=0.0) for name in seats)
    if stack is None:
        several = ", ".join(f"{name} = 900" for name in seats)
        raise ParameterError(f"The spot has no 'stack'; expected the chips behind, or stacks = {{{several}}}.")
    return (read_number(stack, "stack", above=0.0),) * SEATS


def _read_caps(betting: Any, street: int) -> tuple[int, ...]:
    found = read_betting(betting, street)
    if found.kind != NO_LIMIT:
        raise ParameterError('Three players bet without a limit, but betting.kind = "limit" was given; leave it out.')
    return found.cap


def _read_thresholds(table: Any) -> Thresholds:
    found = read_thresholds(table)
    if found.commit_allin:
        raise ParameterError("'thresholds.commit_allin' is for spots of two players; use force_allin instead.")
    return found


def _check_depth(spot: ThreeWaySpot) -> None:
    for name, stack in zip(spot.seats, spot.stacks, strict=True):
        if not 1.0 / DEEPEST <= stack / spot.pot <= DEEPEST:
            raise ParameterError(
                f"The stack of {name}, {stack:g} chips, is {stack / spot.pot:g} times the pot of {spot.pot:g}, but values are guaranteed "
                f"from 1/{DEEPEST:,.0f} to {DEEPEST:,.0f} times the pot only; change 'stacks' or 'pot'."
            )


def _check_hands(spot: ThreeWaySpot) -> None:
    """Everybody must hold something, and all three at once."""
    hands = hands_of(STANDARD)
    weights = [spot.weights(seat) for seat in range(SEATS)]
    check_holdings(spot.seats, weights, spot.board_text)
    held = [np.flatnonzero(each > 0.0) for each in weights]
    masks = [(np.int64(1) << hands.low[each]) | (np.int64(1) << hands.high[each]) for each in held]
    for one in masks[0]:
        second, third = (mask[(mask & one) == 0] for mask in masks[1:])
        if ((second[:, None] & third[None, :]) == 0).any():
            return
    raise ParameterError(
        f"The ranges of {', '.join(spot.seats)} collide: any three hands share a card; widen at least one of them."
    )
