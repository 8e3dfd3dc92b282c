"""Slumbot's action strings: `b300c/kk/kb450f`; k checks, c calls, f folds, b bets to a total of the street's chips."""

from __future__ import annotations

import re

from equilibrist.core.errors import FormatError
from equilibrist.games.poker.betting import chip_text
from equilibrist.games.poker.game import Poker
from equilibrist.games.rules import CHANCE
from equilibrist.interfaces.protocols.hands import raise_label

_ACTION = re.compile(r"k|c|f|b\d+")


def read_actions(text: str, game: Poker) -> tuple[str, ...]:
    """Labels of an action string."""
    node, labels, place = game.first, [], 0
    while place < len(text):
        if text[place] == "/":
            if node.player != CHANCE:
                raise FormatError(f"The street of '{text}' is not over where a slash stands (character {place + 1}).")
            node, place = node.after_deal, place + 1
            continue
        found = _ACTION.match(text, place)
        if found is None or node.player < 0:
            raise FormatError(f"Cannot read the actions '{text}' at character {place + 1}.")
        word = found.group()
        label = {"k": "x", "c": "c", "f": "f"}.get(word) or raise_label(node, float(word[1:]))
        if label not in node.labels:
            raise FormatError(f"'{word}' at character {place + 1} of '{text}' is against the rules.")
        labels.append(label)
        node, place = node.play(label), found.end()
    return tuple(labels)


def write_actions(game: Poker, labels: tuple[str, ...]) -> str:
    """The action string of labels; a slash ends a street that more betting or cards follow."""
    node, out = game.first, []
    for label in labels:
        while node.player == CHANCE:
            out.append("/")
            node = node.after_deal
        after = node.play(label)
        total = after.paid[node.player] - max(node.at_start)
        out.append({"x": "k", "c": "c", "f": "f"}.get(label, f"b{chip_text(total)}"))
        node = after
    while node.player == CHANCE:
        out.append("/")
        node = node.after_deal
    return "".join(out)
