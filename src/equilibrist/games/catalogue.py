"""The catalogue: every family of games by the name people type, and `load_game`."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Mapping
from typing import Any

from equilibrist.core.errors import ParameterError, UnknownNameError, suggest
from equilibrist.core.names import parse_name
from equilibrist.games.rules import Game, GameEntry

# where each family lives, so that asking for one does not import the others
MODULES: Mapping[str, tuple[str, ...]] = {
    "poker.family": (
        "kuhn", "one-card-poker", "nolimit-kuhn", "leduc", "leduc-5", "bl26", "nolimit-leduc", "continuous-leduc",
        "rhode-island", "limit-holdem", "flop-holdem", "nolimit-holdem", "nolimit-flop-holdem", "turn-endgame-holdem",
    ),
    "poker.bucket_game": ("bucket-holdem",),
    "library.matrix": (
        "rps", "rpst", "rps-plus", "matching-pennies", "gift-game", "no-gift-game", "purification-game", "slow-cfr-plus",
        "random-matrix", "matrix", "bandit",
    ),
    "library.coin_toss": ("coin-toss",),
    "library.clairvoyance": ("clairvoyance",),
    "library.liars_dice": ("liars-dice",),
    "library.goofspiel": ("goofspiel",),
    "library.phantom": ("phantom-tic-tac-toe",),
    "library.two_stage": ("two-stage",),
    "library.repeated": ("repeated",),
    "library.lemonade": ("lemonade",),
}  # fmt: skip


@functools.cache
def _entries(module: str) -> dict[str, GameEntry]:
    return {entry.name: entry for entry in importlib.import_module(f"equilibrist.games.{module}").ENTRIES}


def catalogue() -> dict[str, GameEntry]:
    """All families by name."""
    return {name: entry for module in MODULES for name, entry in _entries(module).items()}


def find_game(name: str) -> GameEntry:
    """The entry of a family; only its own module is imported."""
    for module, names in MODULES.items():
        if name in names:
            return _entries(module)[name]
    known = [other for names in MODULES.values() for other in names]
    raise UnknownNameError(f"There is no game '{name}'.{suggest(name, known)} 'equilibrist games' lists all of them.")


def load_game(text: str) -> Game:
    """A game by name: `leduc`, `leduc(ranks=5)`, `openspiel:goofspiel(num_cards=4)` or `path/to/game.efg`.

    `nolimit-leduc(sizes=fcpa)+x:50%` is a game with one more action: a bet of half the pot after a check. A spot file
    (`turn.toml`) gives the spot as a game.
    """
    if text.startswith("openspiel:"):
        from equilibrist.games.formats.openspiel import load_openspiel

        return load_openspiel(text.removeprefix("openspiel:"))
    if text.endswith(".efg"):
        from equilibrist.games.formats.efg.reader import load_efg

        return load_efg(text)
    if text.startswith("spot:") or text.endswith(".toml"):
        from equilibrist.games.spots.spot_game import load_spot_game

        return load_spot_game(text)
    text, *added = _split_added(text)
    if added:
        game = load_game(text)
        for place in added:
            line, _, action = place.rpartition(":")
            game = game.with_action(line, action)
        return game
    name = parse_name(text)
    entry = find_game(name.base.lower())
    known = entry.parameters
    for key in name.parameters:
        if key not in known:
            options = ", ".join(known) or "none"
            raise ParameterError(
                f"The game '{entry.name}' has no parameter '{key}' (it has: {options}).{suggest(key, known)}"
            )
    return make_game(entry, dict(name.parameters))


def _split_added(text: str) -> list[str]:
    """`game(…)+line:action+…`: the game, and the actions that `with_action` added to it."""
    end = text.rfind(")") + 1
    first, *added = text[end:].split("+")
    return [text[:end] + first, *added]


def make_game(entry: GameEntry, parameters: dict[str, Any]) -> Game:
    """Build a game, checking the kind of each parameter against its default."""
    for key, value in parameters.items():
        default = entry.parameters[key]
        if value in entry.words.get(key, ()):
            continue
        if isinstance(default, bool) != isinstance(value, bool) or (
            isinstance(default, int | float) and not isinstance(default, bool) and not isinstance(value, int | float)
        ):
            kind = "true or false" if isinstance(default, bool) else f"a value such as {default!r}"
            raise ParameterError(f"The parameter '{key}' of '{entry.name}' takes {kind}, but {value!r} was given.")
        if isinstance(default, int) and not isinstance(default, bool) and isinstance(value, float):
            raise ParameterError(f"The parameter '{key}' of '{entry.name}' is a whole number, but {value} was given.")
    try:
        inspect.signature(entry.make).bind(**parameters)
    except TypeError as error:
        raise ParameterError(f"The game '{entry.name}' cannot be made from these parameters: {error}.") from None
    game: Game = entry.make(**parameters)
    return game
