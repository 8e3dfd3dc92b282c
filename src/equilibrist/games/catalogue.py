"""The catalogue: every family of games by the name people type, and `load_game`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from equilibrist.core.catalogue import Makers, signature_parameters, summary_of
from equilibrist.core.errors import FormatError
from equilibrist.games.rules import Game, GameEntry

IN_PYTHON = ".py:"  # a game of a user's own file: path.py:Class


def plugged_game(name: str, found: Any) -> GameEntry:
    """A game of a plug-in: an entry, or a class or function that makes the game."""
    if isinstance(found, GameEntry):
        return found
    if not callable(found):
        raise FormatError(
            f"The game '{name}' of a plug-in is {found!r}; it must name a Game class, a function or a GameEntry."
        )

    @functools.wraps(found)
    def make(**parameters: Any) -> Game:
        from equilibrist.games.user_files import with_name

        return with_name(found(**parameters), entry, parameters)  # its solutions record the name it was found by

    summary, parameters = summary_of(found), signature_parameters(found)
    entry = GameEntry(name, summary, make, parameters, source="plug-in", status="plug-in")
    return entry


GAMES: Makers[GameEntry, Game] = Makers(
    kind="game",
    package="equilibrist.games",
    table={
        "poker.family": (
            "kuhn", "one-card-poker", "nolimit-kuhn", "leduc", "leduc-5", "bl26", "nolimit-leduc", "continuous-leduc",
            "rhode-island", "limit-holdem", "flop-holdem", "nolimit-holdem", "nolimit-flop-holdem", "turn-endgame-holdem",
        ),
        "poker.abstracted_holdem": (
            "small-nolimit-flop-holdem", "large-nolimit-flop-holdem", "nested-nolimit-flop-holdem", "nolimit-turn-holdem",
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
        "library.tic_tac_toe": ("tic-tac-toe",),
        "library.phantom": ("phantom-tic-tac-toe",),
        "library.two_stage": ("two-stage",),
        "library.repeated": ("repeated",),
        "library.jacks_and_kings": ("jacks-and-kings",),
        "library.lemonade": ("lemonade",),
    },
    hint="'equilibrist games' lists all of them.",
    group="equilibrist.games",
    adapt=plugged_game,
)  # fmt: skip


def list_games() -> list[str]:
    """Names of all games; `load_game` takes them, with parameters in brackets."""
    return GAMES.names()


def load_game(text: str) -> Game:
    """A game by name: `leduc`, `leduc(ranks=5)`, `openspiel:goofspiel(num_cards=4)`, `path/to/game.efg` or `my_game.py:MyGame`.

    `nolimit-leduc(sizes=fcpa)+x:50%` is a game with one more action: a bet of half the pot after a check. A Python file is run; where
    the text comes from a file or a request instead of a person, ask `recorded_game`.
    """
    if IN_PYTHON in text:
        from equilibrist.games.user_files import load_user_game

        return load_user_game(text)
    if text.startswith("openspiel:"):
        from equilibrist.games.formats.openspiel import load_openspiel

        return load_openspiel(text.removeprefix("openspiel:"))
    if text.endswith(".efg"):
        from equilibrist.games.formats.efg.reader import load_efg

        return load_efg(text)
    if text.startswith("table:") or text.endswith(".toml"):
        from equilibrist.games.tables.table_names import named_table

        table = named_table(text)
        if table is not None:
            from equilibrist.games.tables.table_game import TableGame

            return TableGame(table)
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
    return GAMES.make(text)


def recorded_game(name: str) -> Game:
    """The game that a saved file or a request names; code in a Python file is never run because of it."""
    if IN_PYTHON in name:
        from equilibrist.games.user_files import named_game

        return named_game(name)
    return load_game(name)


def _split_added(text: str) -> list[str]:
    """`game(…)+line:action+…`: the game, and the actions that `with_action` added to it."""
    end = text.rfind(")") + 1
    first, *added = text[end:].split("+")
    return [text[:end] + first, *added]


def make_game(entry: GameEntry, parameters: Mapping[str, Any]) -> Game:
    """Build a game, checking the kind of each parameter against its default."""
    return GAMES.build(entry, parameters)
