"""Values of spot files, for two players or three: boards, ranges, rake, thresholds and betting."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equilibrist.cards.ranges import Range, load_range, parse_cards
from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.errors import EquilibristError, ParameterError
from equilibrist.games.spots.street_menus import LARGEST, Thresholds, check_keys, read_number
from equilibrist.games.spots.toml_text import beside, plain

NO_LIMIT, LIMIT = "nolimit", "limit"
LIMIT_CAP = 4  # a bet and three raises
FAINT_RANGE = 1e-3  # largest weight below which a range is scaled up: only ratios count, and products must not vanish
DEEPEST = 10_000.0  # stacks in pots, and pots in stacks: solvers learn in single precision (docs/reliability.md)

MOST_PLAYERS = 3
PREFIX = "spot:"  # of the name of a spot's game

Table = Mapping[str, Any]


@dataclass(frozen=True)
class Rake:
    """What the house takes from a pot."""

    rate: float = 0.0
    cap: float = math.inf  # chips

    def of(self, pot: NDArray[np.float64]) -> NDArray[np.float64]:
        """Chips taken from each pot."""
        return np.minimum(self.rate * pot, self.cap)


@dataclass(frozen=True)
class Betting:
    """No-limit or fixed limit; entries are for the streets from the spot's own on."""

    kind: str
    size: tuple[float, ...]  # chips of a bet or raise; fixed limit only
    cap: tuple[int, ...]  # bets and raises on a street; 0 is no cap


def has_three_ranges(ranges: Any) -> bool:
    """Whether the ranges of a spot are those of three players, or of more, which nobody solves."""
    return isinstance(ranges, Mapping) and len(ranges) >= MOST_PLAYERS


def read_keys(table: Any, keys: tuple[str, ...], folder: Path | None) -> Table:
    """The keys of a spot file and their values, none unknown or missing; range files are looked for in `folder`."""
    check_keys(table, keys, "spot")
    if folder is not None and isinstance(table.get("range"), dict):
        table = {**table, "range": {key: beside(value, folder) for key, value in table["range"].items()}}
    for key in ("board", "pot", "range"):
        if key not in table:
            raise ParameterError(f"The spot has no '{key}'; expected board, pot, stack, [range] and [bets].")
    found: Table = table
    return found


def read_board(board: object) -> tuple[int, ...]:
    if not isinstance(board, str):
        raise ParameterError(f"'board' must be text such as \"Td9d6h\", but {board!r} was given.")
    try:
        cards = parse_cards(board)
    except EquilibristError as error:
        raise ParameterError(f"In 'board': {error}") from None
    if not 3 <= len(cards) <= 5:
        raise ParameterError(f"'board' must have 3 to 5 cards, but '{board}' has {len(cards)}.")
    return cards


def read_thresholds(table: Any) -> Thresholds:
    names = tuple(field.name for field in fields(Thresholds))
    check_keys(table, names, "thresholds")
    tops = {"commit_allin": 1.0}
    return Thresholds(
        **{key: read_number(value, f"thresholds.{key}", top=tops.get(key, LARGEST)) for key, value in table.items()}
    )


def thresholds_table(thresholds: Thresholds) -> dict[str, float]:
    """The `[thresholds]` table, empty where it is as by default."""
    values = {field.name: plain(getattr(thresholds, field.name)) for field in fields(Thresholds)}
    return {name: value for name, value in values.items() if value}


def read_rake(table: Any) -> Rake:
    check_keys(table, ("rate", "cap"), "rake")
    rate = read_number(table.get("rate", 0.0), "rake.rate", top=1.0)
    cap = read_number(table["cap"], "rake.cap", above=0.0 if rate else None) if "cap" in table else math.inf
    return Rake(rate, cap) if rate else Rake()


def rake_table(rake: Rake) -> dict[str, float]:
    """The `[rake]` table, empty where there is none."""
    cap = {"cap": plain(rake.cap)} if math.isfinite(rake.cap) else {}
    return {"rate": rake.rate} | cap if rake.rate else {}


def read_betting(table: Any, street: int) -> Betting:
    check_keys(table, ("kind", "size", "cap"), "betting")
    kind = table.get("kind", NO_LIMIT)
    if kind not in (NO_LIMIT, LIMIT):
        raise ParameterError(f'\'betting.kind\' must be "{NO_LIMIT}" or "{LIMIT}", but {kind!r} was given.')
    caps = _by_street(table.get("cap", LIMIT_CAP if kind == LIMIT else 0), "betting.cap", street)
    for cap in caps:
        if cap != int(cap) or (kind == LIMIT and cap < 1):
            raise ParameterError(f"'betting.cap' must be a whole number of bets and raises, but {cap:g} was given.")
    if kind == NO_LIMIT and "size" in table:
        raise ParameterError("'betting.size' is for kind = \"limit\"; with no limit give sizes in [bets].")
    if kind == LIMIT and "size" not in table:
        raise ParameterError("'betting.size' is missing; expected chips, or {flop = 2, turn = 4, river = 4}.")
    sizes = _by_street(table["size"], "betting.size", street, above=0.0) if kind == LIMIT else ()
    return Betting(kind, sizes, tuple(int(cap) for cap in caps))


def _by_street(value: Any, name: str, first: int, above: float | None = None) -> tuple[float, ...]:
    """One number for every street, or a table with one for each."""
    streets = POSTFLOP_STREETS[first:]
    if not isinstance(value, Mapping):
        return (read_number(value, name, above=above),) * len(streets)
    check_keys(value, POSTFLOP_STREETS, name)
    return tuple(read_number(value.get(street), f"{name}.{street}", above=above) for street in streets)


def read_range(value: object, where: str) -> Range:
    """With weights that solvers can work with, whatever they are multiplied by."""
    found = _given_range(value, where)
    try:
        scaled = found.scaled()
    except ParameterError as error:
        raise ParameterError(f"In '{where}': {error}") from None
    return scaled if found.weights.max(initial=0.0) < FAINT_RANGE else found


def _given_range(value: object, where: str) -> Range:
    if isinstance(value, Range):
        return value
    if value is None:
        raise ParameterError(f'\'{where}\' is missing; expected a range such as "TT+,AKs" or "@file".')
    if not isinstance(value, str):
        raise ParameterError(f'\'{where}\' must be a range such as "TT+,AKs" or "@file", but {value!r} was given.')
    try:
        return load_range(value)
    except EquilibristError as error:
        raise ParameterError(f"In '{where}': {error}") from None


def check_holdings(names: Sequence[str], weights: Sequence[NDArray[np.float64]], board: str) -> None:
    """Everybody must hold something that the board leaves."""
    for name, each in zip(names, weights, strict=True):
        if not (each > 0.0).any():
            raise ParameterError(
                f"'range.{name}' has no hand left on the board {board}; add hands without those cards."
            )
