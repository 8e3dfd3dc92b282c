"""Hands of any poker game as lines of JSON: the game first, then one hand a line with players, cards and betting."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from equilibrist.core.errors import EquilibristError, FormatError
from equilibrist.core.reading import HAND_BYTES, MOST_BYTES, parse_json, read_text
from equilibrist.games.catalogue import recorded_game
from equilibrist.games.poker.game import Poker
from equilibrist.interfaces.protocols.hands import PlayedHand
from equilibrist.interfaces.protocols.hands_read import HandsRead, read_each


def write_hand_lines(game: Poker, records: Iterable[tuple[Sequence[str], Sequence[Sequence[int]], str]]) -> str:
    """Players, hole cards and public line of each hand."""
    lines = [json.dumps({"game": game.name})]
    lines += [
        json.dumps({"players": list(names), "hole": [list(map(int, cards)) for cards in hole], "line": line})
        for names, hole, line in records
    ]
    return "\n".join(lines) + "\n"


def read_hand_lines(path: str | Path) -> HandsRead:
    """All hands of a file, each played again under the rules; those that cannot be read are left out, with the reason."""
    text = read_text(path, "The file of hands", "expected a game and hands, one JSON object a line", most=HAND_BYTES)
    lines = enumerate(filter(str.strip, io.StringIO(text)), start=1)
    first = next(lines, None)
    if first is None:
        raise FormatError(f"'{path}' is empty; expected a game and hands, one JSON object a line.")
    game = _game(_object(first[1], path, 1), path)
    return read_each(path, ((f"line {number}", partial(_hand, game, line, path, number)) for number, line in lines))


def _object(line: str, path: str | Path, number: int) -> dict[str, Any]:
    if len(line) > MOST_BYTES:
        raise FormatError(
            f"Line {number} of '{path}' has more than {MOST_BYTES:,} characters; expected one hand a line."
        )
    found = parse_json(line, f"Line {number} of '{path}'", "expected one hand a line")
    if not isinstance(found, dict):
        raise FormatError(f"Line {number} of '{path}' is no JSON object; expected one hand a line.")
    return found


def _game(first: dict[str, Any], path: str | Path) -> Poker:
    name = first.get("game")
    try:
        game = recorded_game(str(name))
    except EquilibristError as error:
        raise FormatError(f"'{path}' does not begin with its game: {error}") from None
    if not isinstance(game, Poker):
        raise FormatError(f"'{path}' is about '{name}', but hands are those of poker games.")
    return game


def _hand(game: Poker, line: str, path: str | Path, number: int) -> PlayedHand:
    found = _object(line, path, number)
    try:
        tokens = [token for token in str(found["line"]).split(":") if token]
        actions = tuple(token for token in tokens if token[0] in "fcxbr")
        hole = tuple(tuple(int(card) for card in cards) for cards in found.get("hole", ()))
        hand = PlayedHand(game, hole, (), actions, tuple(str(name) for name in found.get("players", ())))
        hand.nodes()
    except (KeyError, TypeError, ValueError, FormatError) as error:
        raise FormatError(f"Line {number} of '{path}' is no hand of '{game.name}' ({error}).") from None
    return hand
