"""One palette for terminal, pictures and pages: fold blue, check and call green, bets amber to red by size.

The hues stay apart for people with the common kinds of colour blindness; numbers and labels always stand beside them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

FOLD = "#0072b2"
CALL = "#009e73"
SMALLEST_BET = "#f0a830"
LARGEST_BET = "#a81e2d"
SAFE = {
    "fold": "#2f4b9a",
    "call": "#b9c6d8",
    "smallest_bet": "#ffd94a",
    "largest_bet": "#6b3300",
}  # blue against yellow and brown, which red-green blindness leaves alone; larger bets are darker
OTHERS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8a7f00", "#7f7f7f")
MANY = ("#3b2f8f", "#2a7fb8", "#2fae8a", "#a8cf45", "#f5d63d")  # dark to light, for long ordered menus

_FOLD = re.compile(r"f\Z|fold\Z", re.IGNORECASE)
_CALL = re.compile(r"[xck]\Z|(?i:check|call|pass)\Z")
_BET = re.compile(r"[bra][0-9.]*\Z|(?i:bet|raise|all-?in).*\Z")
_NAMES = {"f": "fold", "x": "check", "k": "check", "c": "call", "b": "bet", "r": "raise", "a": "all-in"}


def is_betting(actions: Sequence[str]) -> bool:
    """Whether all labels are those of a betting game."""
    known = (_FOLD, _CALL, _BET)
    calls = any(
        _CALL.match(action) for action in actions
    )  # no betting decision is without check or call, but for all-in or fold
    return (calls or set(actions) == {"f", "a"}) and all(
        any(pattern.match(action) for pattern in known) for action in actions
    )


def colour_map(menus: Iterable[Sequence[str]]) -> dict[str, str]:
    """A colour `#rrggbb` for every action of some decisions, the same wherever the action appears."""
    distinct = {tuple(menu): None for menu in menus}
    actions = list({action: None for menu in distinct for action in menu})
    if distinct and all(map(is_betting, distinct)):
        bets = sorted((a for a in actions if not _FOLD.match(a) and not _CALL.match(a)), key=_size)
        sizes = sorted({_size(bet) for bet in bets})
        shades = dict(zip(sizes, _between((SMALLEST_BET, LARGEST_BET), len(sizes)), strict=True))
        return {a: FOLD if _FOLD.match(a) else CALL if _CALL.match(a) else shades[_size(a)] for a in actions}
    colours = OTHERS[: len(actions)] if len(actions) <= len(OTHERS) else _between(MANY, len(actions))
    return dict(zip(actions, colours, strict=True))


def ink_on(colour: str) -> str:
    """Black or white, whichever can be read on a colour."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return "#111111" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.62 else "#ffffff"


def _size(bet: str) -> float:
    """Chips in the label; a bet without a number is smaller than any, all-in larger."""
    if bet == "a" or bet.lower().startswith("all"):
        return math.inf
    number = re.search(r"[0-9]+(?:\.[0-9]+)?", bet)
    return float(number.group()) if number else 0.0


def describe_action(action: str) -> str:
    """`b` is bet, `r8` raise 8; labels of other games stay as they are."""
    if not any(pattern.match(action) for pattern in (_FOLD, _CALL, _BET)):
        return action
    word = _NAMES.get(action[0])
    if word is None or (len(action) > 1 and not action[1:].replace(".", "").isdigit()):
        return action
    return f"{word} {action[1:]}".strip()


def _between(stops: Sequence[str], count: int) -> list[str]:
    """Colours at even distances along a line of stops; a single one is taken from the middle."""
    out = []
    for number in range(count):
        position = (number / (count - 1) if count > 1 else 0.5) * (len(stops) - 1)
        left = min(int(position), len(stops) - 2)
        out.append(_mix(stops[left], stops[left + 1], position - left))
    return out


def _mix(first: str, second: str, share: float) -> str:
    channels = [(int(first[i : i + 2], 16), int(second[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in channels)
