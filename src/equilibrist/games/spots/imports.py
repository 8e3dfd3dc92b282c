"""Spots written for other programs: TexasSolver command files and the Libratus subgames of [Brown20, §3.1.3]."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from equilibrist.cards.ranges import FAINTEST, from_lexicographic_shdc
from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.errors import EquilibristError, FormatError, NotApplicableError, suggest
from equilibrist.core.reading import read_text
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import PLAYERS, chips_text

# settings of TexasSolver's run, not of the spot
IGNORED_COMMANDS = (
    "build_tree",
    "dump_result",
    "set_accuracy",
    "set_algorithm",
    "set_dump_rounds",
    "set_max_iteration",
    "set_print_interval",
    "set_thread_num",
    "set_use_halffloats",
    "set_use_isomorphism",
    "start_solve",
)
_VALUES = {
    "set_pot": "pot",
    "set_effective_stack": "stack",
    "set_allin_threshold": "commit_allin",
    "set_raise_limit": "cap",
}
_TEXTS = {"set_board": "board", "set_range_oop": "oop", "set_range_ip": "ip"}
_SIZES = "set_bet_sizes"
_BET_TYPES = ("bet", "raise", "donk", "allin")
_DEFAULTS: dict[str, Any] = {"commit_allin": 0.67, "cap": 4}  # TexasSolver's own, where a file does not set them

_SUBGAME_KEYS = ("round", "board", "pot", "reach")
_SUBGAME_ROUNDS = {"2": 3, "3": 4, "4": 5}  # betting round -> cards on the board
_PAIRS = 1326
LIBRATUS_STACK = 20_000.0  # chips of each player before the hand
LIBRATUS_BETS = {"bet": "50%, 100%, a", "raise": "100%, a"}
LARGEST_FILE = 4_000_000  # bytes; the published subgames have 60,000


def load_foreign_spot(path: str | Path, *, stack: float | None = None) -> Spot:
    """The spot of another program's file: Libratus subgames begin with `-round` and the like, TexasSolver files with commands."""
    text = _read(path)
    if text.lstrip().startswith("-"):
        return spot_from_subgame(path, stack=LIBRATUS_STACK if stack is None else stack)
    if stack is not None:
        raise NotApplicableError("TexasSolver files say how deep the stacks are; leave 'stack' out.")
    try:
        return spot_from_texas_solver(text)
    except EquilibristError as error:
        raise FormatError(f"In the TexasSolver file '{path}': {error}") from None


def _read(path: str | Path) -> str:
    """The text of a file that may be anything."""
    return read_text(path, "The spot file", "expected lines such as -round 3 or set_pot 50", most=LARGEST_FILE)


def spot_from_texas_solver(text: str) -> Spot:
    """The spot of a TexasSolver command file; all-in is offered where the file says so, donk bets only where it gives sizes."""
    found: dict[str, Any] = dict(_DEFAULTS)
    sizes: dict[tuple[str, str, str], list[float]] = {}
    for number, command, rest in _commands(text):
        if command in _VALUES:
            found[_VALUES[command]] = _value(rest, command, number)
        elif command in _TEXTS:
            found[_TEXTS[command]] = rest
        elif command == _SIZES:
            street, player, kind, amounts = _bet_sizes(rest, number)
            sizes[street, player, kind] = amounts
        elif command not in IGNORED_COMMANDS:
            known = (*_VALUES, *_TEXTS, _SIZES, *IGNORED_COMMANDS)
            hint = suggest(command, known)
            raise FormatError(
                f"Line {number} has the unknown command '{command}'; expected one of TexasSolver's.{hint}"
            )
    for command, key in (("set_pot", "pot"), ("set_effective_stack", "stack"), *_TEXTS.items()):
        if key not in found:
            raise FormatError(f"The TexasSolver file has no '{command}'; expected one line of it.")
    return Spot(
        board=found["board"],
        pot=found["pot"],
        stack=found["stack"],
        chip=1.0,  # as TexasSolver rounds, whatever the amounts
        range={player: found[player] for player in PLAYERS},
        bets=_texas_bets(sizes),
        thresholds={"commit_allin": found["commit_allin"] if found["commit_allin"] < 1.0 else 0.0},
        betting={"cap": found["cap"]},
    )


def _commands(text: str) -> Iterator[tuple[int, str, str]]:
    """Line number, command and what follows it."""
    for number, line in enumerate(text.splitlines(), start=1):
        command, _, rest = line.strip().partition(" ")
        if command and not command.startswith("#"):
            yield number, command, rest.strip()


def _value(text: str, command: str, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isfinite(value):
        return value
    raise FormatError(f"Line {line}: '{command}' takes a number, but '{text}' was given.")


def _bet_sizes(text: str, line: int) -> tuple[str, str, str, list[float]]:
    """`oop,flop,bet,50,100` or `oop,flop,allin`."""
    words = [word.strip() for word in text.split(",")]
    player, street, kind, amounts = (*(words + [""] * 3)[:3], words[3:])
    for word, known in ((player, PLAYERS), (street, POSTFLOP_STREETS), (kind, _BET_TYPES)):
        if word not in known:
            hint = suggest(word, known)
            raise FormatError(
                f"Line {line}: '{_SIZES} {text}' cannot be read at '{word}'; expected one of {', '.join(known)}.{hint}"
            )
    shares = [_value(amount, _SIZES, line) for amount in amounts]
    if any(share <= 0.0 for share in shares):
        raise FormatError(f"Line {line}: bet sizes are per cent of the pot above 0, but '{_SIZES} {text}' was given.")
    return street, player, kind, shares


def _texas_bets(sizes: dict[tuple[str, str, str], list[float]]) -> dict[str, Any]:
    """The `[bets]` table; `allin` adds all-in to every menu of its player and street."""
    bets: dict[str, Any] = {}
    for street in POSTFLOP_STREETS:
        for player in PLAYERS:
            last = ["a"] if (street, player, "allin") in sizes else []
            for kind in ("bet", "raise", "donk") if player == "oop" else ("bet", "raise"):
                shares = [f"{chips_text(amount)}%" for amount in sizes.get((street, player, kind), [])]
                bets.setdefault(street, {}).setdefault(player, {})[kind] = ", ".join(shares + last)
    return bets


def spot_from_subgame(path: str | Path, *, stack: float = LIBRATUS_STACK) -> Spot:
    """A Libratus subgame ([Brown20, §3.1.3]): `-round`, `-board`, `-pot` and `-reach` with 1,326 weights a player.

    Each player began the hand with `stack` chips and has put half the pot in. Bets are half the pot, the pot and all-in,
    raises the pot and all-in.
    """
    try:
        return _subgame(_sections(_read(path).split()), stack)
    except EquilibristError as error:
        raise FormatError(f"In the subgame file '{path}': {error}") from None


def _sections(words: list[str]) -> dict[str, list[str]]:
    """The words after each `-key`."""
    sections: dict[str, list[str]] = {}
    for word in words:
        if word.startswith("-") and word[1:2].isalpha():
            if word[1:] not in _SUBGAME_KEYS or word[1:] in sections:
                raise FormatError(
                    f"'{word}' is unknown or was given before; expected each of -round, -board, -pot, -reach once."
                )
            sections[word[1:]] = []
        elif not sections:
            raise FormatError(f"It begins with '{word[:20]}'; expected -round, -board, -pot or -reach.")
        else:
            sections[list(sections)[-1]].append(word)
    for key in _SUBGAME_KEYS:
        if not sections.get(key):
            raise FormatError(
                f"'-{key}' is missing or empty; expected -round, -board, -pot and -reach, each with its value."
            )
    return sections


def _subgame(sections: dict[str, list[str]], stack: float) -> Spot:
    pot = _real(sections["pot"][0], "-pot")
    reach = np.array([_real(word, "-reach") for word in sections["reach"]])
    if len(reach) != 2 * _PAIRS:
        raise FormatError(f"'-reach' has {len(reach):,} numbers; expected {2 * _PAIRS:,}, {_PAIRS:,} for each player.")
    if reach.min() < 0.0:
        raise FormatError(f"'-reach' holds {reach.min():g}; expected weights of at least 0.")
    spot = Spot(
        board=" ".join(sections["board"]),
        pot=pot,
        stack=stack - pot / 2.0,
        chip=1.0,  # half a chip behind each is no reason to bet halves
        range={
            player: from_lexicographic_shdc(np.where(half < FAINTEST * half.max(), 0.0, half / max(1.0, half.max())))
            for player, half in zip(PLAYERS, np.split(reach, 2), strict=True)
        },
        bets=LIBRATUS_BETS,
    )
    name = sections["round"][0]
    if _SUBGAME_ROUNDS.get(name) != len(spot.board):
        raise FormatError(
            f"'-round {name}' does not fit a board of {len(spot.board)} cards; expected {len(spot.board) - 1}."
        )
    return spot


def _real(word: str, where: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FormatError(f"'{where}' holds '{word[:20]}'; expected a number.")
    return value
