"""Families of games: one game of the catalogue with some of its numbers left open, `leduc` with its `bets`, say.

`vary` names parameters, entries of lists by number from 1: `bets` is both bets of Leduc, `bets[2]` the second alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from equilibrist.core.errors import ParameterError, suggest
from equilibrist.core.names import Value, parse_name, split_top_level
from equilibrist.forms.history_tree.game_tree import GameTree, affine_tree
from equilibrist.games.catalogue import GAMES, make_game
from equilibrist.games.rules import Game

_VARIED = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*(?:\[(\d+)\])?\s*\Z")


@dataclass(frozen=True)
class GameFamily:
    """Games that differ in d numbers; `family(*theta)` is one of them."""

    base: str
    parameters: dict[str, Value]  # as given or by default
    given: tuple[str, ...]  # parameters that were typed
    varied: tuple[tuple[str, int | None], ...]  # parameter and entry, for each number of theta

    @property
    def names(self) -> tuple[str, ...]:
        """What each number of theta is called."""
        return tuple(key if entry is None else f"{key}[{entry + 1}]" for key, entry in self.varied)

    @property
    def start(self) -> tuple[float, ...]:
        """theta of the game that was named."""
        found = (
            self.parameters[key] if entry is None else _entry(self.parameters[key], entry) for key, entry in self.varied
        )
        return tuple(float(value) for value in found)  # type: ignore[arg-type]

    def __call__(self, *theta: float) -> Game:
        values = dict(self.parameters)
        for (key, entry), number in zip(self.varied, theta, strict=True):
            value: Value = float(number)
            if entry is not None:
                items = list(_items(values[key]))
                items[entry] = value
                value = tuple(items)
            values[key] = value
        wanted = {key for key, _ in self.varied} | set(self.given)
        return make_game(GAMES.find(self.base), {key: value for key, value in values.items() if key in wanted})

    def tree(self, theta: Sequence[float] | None = None) -> GameTree:
        """One tree for all members, payoffs affine in theta."""
        return affine_tree(self, self.start if theta is None else theta)


def family_of(game: str, vary: str | Sequence[str]) -> GameFamily:
    """The family of a game of the catalogue: `family_of("leduc", "bets[2]")`."""
    if ":" in game.split("(")[0] or game.endswith(".efg"):
        raise ParameterError(f"Only games of the catalogue have parameters to vary, but '{game}' was given.")
    name = parse_name(game)
    entry = GAMES.find(name.base)
    make_game(entry, dict(name.parameters))  # refuses what is wrong with the game itself
    parameters: dict[str, Value] = {**entry.parameters, **name.parameters}
    asked = split_top_level(vary, vary) if isinstance(vary, str) else list(vary)
    varied: list[tuple[str, int | None]] = []
    for text in asked:
        varied += _varied(entry.name, parameters, str(text))
    if not varied:
        raise ParameterError(f"Nothing to vary in '{game}' was named; it has: {', '.join(parameters) or 'nothing'}.")
    if len(set(varied)) != len(varied):
        raise ParameterError(f"A parameter of '{game}' is varied twice in '{vary}'; name each once.")
    return GameFamily(entry.name, parameters, tuple(name.parameters), tuple(varied))


def _varied(game: str, parameters: dict[str, Value], text: str) -> list[tuple[str, int | None]]:
    match = _VARIED.match(text)
    if match is None or match.group(1) not in parameters:
        known = ", ".join(parameters) or "none"
        raise ParameterError(
            f"The game '{game}' has no parameter '{text.strip()}' to vary (it has: {known}).{suggest(text, parameters)}"
        )
    key, number = match.group(1), match.group(2)
    value = parameters[key]
    if not isinstance(value, tuple):
        if not _is_number(value) or number is not None:
            raise ParameterError(
                f"The parameter '{key}' of '{game}' is {value!r}, so '{text.strip()}' cannot be varied."
            )
        return [(key, None)]
    entries = range(len(value)) if number is None else [int(number) - 1]
    for entry in entries:
        if not 0 <= entry < len(value) or not _is_number(value[entry]):
            raise ParameterError(f"The parameter '{key}' of '{game}' has no number '{text.strip()}': it is {value!r}.")
    return [(key, entry) for entry in entries]


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _items(value: Value) -> tuple[Value, ...]:
    return value if isinstance(value, tuple) else (value,)


def _entry(value: Value, entry: int) -> Value:
    return _items(value)[entry]
