"""Spot: a situation after the flop for two players, as people describe it in TOML or in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.ranges import Range
from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.reading import parse_toml, read_text
from equilibrist.core.units import UNITS, smallest_unit
from equilibrist.games.spots.locks import Lock, read_locks
from equilibrist.games.spots.opening import Opening, play_line, read_line
from equilibrist.games.spots.spot_values import (
    DEEPEST,
    LIMIT,
    NO_LIMIT,
    Betting,
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
    PLAYERS,
    Menus,
    StreetMenus,
    Thresholds,
    check_keys,
    menus_table,
    read_menus,
    read_number,
)
from equilibrist.games.spots.toml_text import plain, toml_text

_KEYS = ("board", "pot", "stack", "stacks", "chip", "range", "bets", "thresholds", "rake", "betting", "line", "lock")


@dataclass(frozen=True, init=False)
class Spot:
    """Board, ranges, pot, stacks and betting; the keywords are the keys of a spot file."""

    board: tuple[int, ...]
    pot: float
    stacks: tuple[float, float]  # behind: oop, ip
    chip: float  # sizes are rounded to multiples of it; 0: not at all
    ranges: tuple[Range, Range]  # as given; `weights` leaves out what the board rules out
    menus: StreetMenus  # [street from the spot's own on][player]
    thresholds: Thresholds
    rake: Rake
    betting: Betting
    line: tuple[str, ...]  # what was done on this street before the spot begins; pot and stacks are those before it
    locks: tuple[Lock, ...]

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
        line: str = "",
        lock: Sequence[Lock | Table] = (),
    ) -> None:
        refuse_three_ranges(range)

        def keep(**values: object) -> None:
            for name, value in values.items():
                object.__setattr__(self, name, value)

        keep(board=read_board(board), pot=read_number(pot, "pot", above=0.0))
        keep(betting=read_betting({} if betting is None else betting, self.street))
        keep(stacks=_read_stacks(stack, stacks, self.betting))
        _check_depth(self)
        keep(
            thresholds=read_thresholds({} if thresholds is None else thresholds),
            rake=read_rake({} if rake is None else rake),
        )
        keep(menus=read_menus({} if bets is None else bets, self.street), line=read_line(line))
        keep(chip=self._usual_chip() if chip is None else read_number(chip, "chip"))
        _check_menus(self)
        _check_line(self)
        keep(ranges=_read_ranges(range), locks=read_locks(lock))
        _check_hands(self)

    def _usual_chip(self) -> float:
        """What the amounts need: 1 where all of them are whole, else cents, else 0.0001."""
        named = [size.amount for both in self.menus for one in both for size in one.sizes if size.unit in "c*"]
        made = [float(action[1:]) for action in self.line if action[1:].replace(".", "", 1).isdecimal()]
        amounts = [self.pot, *self.stacks, *self.betting.size, *named, *made]
        return smallest_unit(amounts, otherwise=UNITS[-1])

    @classmethod
    def from_toml(cls, path: str | Path) -> Spot:
        """Read a spot file; range files (`@name`) are looked for beside it."""
        text = read_text(path, "The spot file", 'expected TOML such as board = "Td9d6h"')
        return cls.from_text(text, folder=Path(path).parent)

    @classmethod
    def from_text(cls, text: str, folder: Path | None = None, chip: float | None = None) -> Spot:
        """A spot from TOML; range files are looked for in `folder`, and `chip` holds where the text names none."""
        table = parse_toml(text, "The spot", "expected lines such as pot = 200")
        return cls.from_table(table if chip is None else {"chip": chip, **table}, folder)

    @classmethod
    def from_table(cls, table: Any, folder: Path | None = None) -> Spot:
        """A spot from the keys of a spot file and their values, as `table` gives them; range files are looked for in `folder`."""
        if isinstance(table, Mapping) and "blinds" in table:
            raise ParameterError(
                "A spot after the flop was expected, but blinds describe a table before it; 'equilibrist solve' takes tables one at a time."
            )
        if isinstance(table, Mapping):
            refuse_three_ranges(table.get("range"))
        return cls(**read_keys(table, _KEYS, folder))

    @property
    def stack(self) -> float:
        """Effective: what can be won or lost on top of the pot."""
        return min(self.stacks)

    @property
    def street(self) -> int:
        """0 flop, 1 turn, 2 river."""
        return len(self.board) - 3

    @property
    def opening(self) -> Opening:
        """Where the betting stands when the spot begins."""
        return play_line(self.line, self.stack, self.chip)

    @property
    def board_text(self) -> str:
        return "".join(STANDARD.label(card) for card in self.board)

    def weights(self, player: int) -> NDArray[np.float64]:
        """Weights [1326] of a player's range without the hands the board rules out."""
        return self.ranges[player].without(self.board).weights

    def changed(self, **changes: Any) -> Spot:
        """The same spot with other values for some keys: `spot.changed(pot=300)`."""
        table = self._entries(dict(zip(PLAYERS, self.ranges, strict=True)))
        if "stack" in changes or "stacks" in changes:
            table = {key: value for key, value in table.items() if key not in ("stack", "stacks")}
        if not changes.keys() & {"pot", "stack", "stacks", "bets", "betting"}:
            table["chip"] = self.chip  # a line played here makes no smaller chips
        return Spot(**{**table, **changes})

    def on_board(self, board: str) -> Spot:
        """The same spot on a board of as many other cards; quicker than `changed`, for many boards."""
        cards = read_board(board)
        if len(cards) != len(self.board):
            raise ParameterError(
                f"'board' must have {len(self.board)} cards as {self.board_text} has, but '{board}' has {len(cards)}."
            )
        other = self.with_cards(cards, self.ranges)
        _check_hands(other)
        return other

    def with_cards(self, board: Sequence[int], ranges: tuple[Range, Range]) -> Spot:
        """The same spot on a board of as many cards with other ranges, which are not looked at again."""
        other = copy(self)
        object.__setattr__(other, "board", tuple(board))
        object.__setattr__(other, "ranges", ranges)
        return other

    def with_amounts(self, *, pot: float | None = None, stack: float | None = None) -> Spot:
        """As `changed` with another pot and stack, for many of them: nothing else is read again."""
        other = copy(self)
        if pot is not None:
            object.__setattr__(other, "pot", read_number(pot, "pot", above=0.0))
        if stack is not None:
            object.__setattr__(other, "stacks", _read_stacks(stack, None, self.betting))
        _check_depth(other)
        if (self.chip, self._usual_chip()) == (1.0, 1.0):
            object.__setattr__(other, "chip", other._usual_chip())
        _check_line(other)
        return other

    def without_bets(self) -> Spot:
        """The same spot where everybody checks until cards are shown."""
        other = copy(self)
        object.__setattr__(other, "menus", tuple((Menus(), Menus()) for _ in self.menus))
        object.__setattr__(other, "thresholds", Thresholds())
        return other

    @property
    def asked(self) -> Spot:
        """As it was asked for: locks by frequency without the strategies that were made for them."""
        made = any(lock.asked != lock for lock in self.locks)
        return self.changed(lock=[lock.asked for lock in self.locks]) if made else self

    def table(self) -> dict[str, Any]:
        """The keys of a spot file and their values; what is as by default is left out."""
        return self._entries({name: str(one) for name, one in zip(PLAYERS, self.ranges, strict=True)})

    def _entries(self, ranges: Table) -> dict[str, Any]:
        oop, ip = self.stacks
        entries = {
            "board": self.board_text,
            "pot": plain(self.pot),
            "stack": plain(oop) if oop == ip else None,
            "stacks": {"oop": plain(oop), "ip": plain(ip)} if oop != ip else None,
            "chip": plain(self.chip) if (self.chip, self._usual_chip()) != (1.0, 1.0) else None,
            "range": ranges,
            "bets": menus_table(self.menus) if self.betting.kind == NO_LIMIT else None,
            "thresholds": thresholds_table(self.thresholds),
            "rake": rake_table(self.rake),
            "betting": _betting_table(self.betting, self.street),
            "line": ":".join(self.line),
            "lock": [lock.table() for lock in self.locks],
        }
        return {key: value for key, value in entries.items() if value not in (None, {}, [], "")}

    def to_toml(self) -> str:
        """A spot file that `from_text` reads back as this spot."""
        return toml_text(self.table())

    def __repr__(self) -> str:
        return f"Spot({self.board_text}, pot {plain(self.pot)}, stack {plain(self.stack)})"


def refuse_three_ranges(ranges: object) -> None:
    """Spots of two players do not leave a third range unread."""
    if has_three_ranges(ranges):
        raise NotApplicableError(
            "This spot has three or more ranges; three players are solved, shown and verified (`equilibrist solve`, `show`, `verify`; "
            "`ThreeWaySpot` in Python), all else is for spots of two."
        )


def _read_stacks(stack: object, stacks: Any, betting: Betting) -> tuple[float, float]:
    if stack is not None and stacks is not None:
        raise ParameterError("Both 'stack' and 'stacks' were given; expected only one of them.")
    if stacks is not None:
        check_keys(stacks, PLAYERS, "stacks")
        oop, ip = (read_number(stacks.get(name), f"stacks.{name}", above=0.0) for name in PLAYERS)
        return oop, ip
    if stack is None and betting.kind == LIMIT:  # deep enough for every bet, so that none is an all-in
        stack = sum(size * (cap + 1) for size, cap in zip(betting.size, betting.cap, strict=True))
    if stack is None:
        raise ParameterError("The spot has no 'stack'; expected the chips behind, or stacks = {oop = 900, ip = 1200}.")
    both = read_number(stack, "stack", above=0.0)
    return both, both


def _check_depth(spot: Spot) -> None:
    """Values are guaranteed as shares of the pot, which one amount far beyond the other does not allow."""
    ratio = spot.stack / spot.pot
    if not 1.0 / DEEPEST <= ratio <= DEEPEST:
        raise ParameterError(
            f"The effective stack of {spot.stack:g} chips is {ratio:g} times the pot of {spot.pot:g}, but values are guaranteed from "
            f"1/{DEEPEST:,.0f} to {DEEPEST:,.0f} times the pot only; change 'stack' or 'pot'."
        )


def _check_menus(spot: Spot) -> None:
    """A spot needs something to decide, and fixed limit leaves no choice of sizes."""
    menus = [one for street in spot.menus for one in street]
    if spot.betting.kind == LIMIT:
        if any(one != Menus() for one in menus) or spot.thresholds != Thresholds():
            raise ParameterError(
                "'bets' and 'thresholds' are for no-limit betting; fixed limit takes 'betting.size' only."
            )
    elif not any(one.bet for one in menus) and not spot.thresholds.add_allin:
        raise ParameterError("'bets' offers no opening bet to anybody; expected a menu such as bet = \"60%, a\".")


def _check_line(spot: Spot) -> None:
    """The line must be legal; under fixed limit every bet has its size."""
    place = spot.opening
    if spot.betting.kind == LIMIT and any(amount % spot.betting.size[0] for amount in place.paid):
        raise ParameterError(
            f"'line' has a bet that is no multiple of the fixed bet of {plain(spot.betting.size[0])} on this street."
        )


def _read_ranges(table: Any) -> tuple[Range, Range]:
    check_keys(table, PLAYERS, "range")
    oop, ip = (read_range(table.get(name), f"range.{name}") for name in PLAYERS)
    return oop, ip


def _check_hands(spot: Spot) -> None:
    """Both players must hold something, and not the same cards."""
    weights = [spot.weights(player) for player in range(2)]
    check_holdings(PLAYERS, weights, spot.board_text)
    hands = hands_of(STANDARD)
    oop, ip = (each > 0.0 for each in weights)
    with_card = np.bincount(hands.low[ip], minlength=52) + np.bincount(hands.high[ip], minlength=52)
    partners = ip.sum() - with_card[hands.low] - with_card[hands.high] + ip  # a hand itself was taken away twice
    if not (partners[oop] > 0).any():
        raise ParameterError(
            "'range.oop' and 'range.ip' collide: every pair of hands shares a card; widen at least one of them."
        )


def _betting_table(betting: Betting, street: int) -> dict[str, Any]:
    """The `[betting]` table, empty where it is as by default."""
    streets = POSTFLOP_STREETS[street:]

    def entry(values: tuple[float, ...]) -> Any:
        same = len(set(values)) == 1
        return plain(values[0]) if same else {s: plain(v) for s, v in zip(streets, values, strict=True)}

    if betting.kind == LIMIT:
        return {"kind": LIMIT, "size": entry(betting.size), "cap": entry(betting.cap)}
    return {"cap": entry(betting.cap)} if any(betting.cap) else {}
