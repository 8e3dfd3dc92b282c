"""A place of a solved spot as plain values: for JSON, and as a table of hands."""

from __future__ import annotations

import csv
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equilibrist.cards.range_text import hand_name
from equilibrist.core.errors import FormatError
from equilibrist.games.spots.street_menus import PLAYERS

if TYPE_CHECKING:
    from equilibrist.solvers.postflop.solutions.spot_node import SpotNode

_COLUMNS = ("weight", "equity", "ev", "eqr")


def place_facts(cursor: SpotNode, seat: int) -> dict[str, Any]:
    """Everything about a place, with one player's hands by name."""
    facts = {
        "line": cursor.line,
        "board": cursor.board,
        "pot": cursor.pot,
        "stacks": dict(zip(PLAYERS, cursor.stacks, strict=True)),
        **cursor.summary(),
        "labels": list(cursor.labels),
        "ev": {name: _plain(cursor.range_ev(name)) for name in PLAYERS},
        "equity": {name: _plain(cursor.range_equity(name)) for name in PLAYERS},
        "eqr": {name: _plain(cursor.range_eqr(name)) for name in PLAYERS},
        "hands_of": PLAYERS[seat],
        "hands": {row.pop("hand"): row for row in _rows(cursor, seat)},
    }
    return facts if cursor.resolve is None else facts | {"resolve": cursor.resolve.to_json()}


def _rows(cursor: SpotNode, seat: int) -> list[dict[str, Any]]:
    """One entry per hand, best cards first."""
    columns = dict(
        zip(_COLUMNS, (cursor.reach(seat), cursor.equity(seat), cursor.ev(seat), cursor.eqr(seat)), strict=True)
    )
    if seat == cursor.kind:
        columns |= {"ev_by_action": cursor.ev_by_action, "strategy": cursor.strategy}
    hands = cursor.hands_of(seat)
    return [
        {"hand": hand_name(int(hands[i])), **{name: _plain(column[i].tolist()) for name, column in columns.items()}}
        for i in range(len(hands) - 1, -1, -1)
    ]


def write_csv(cursor: SpotNode, path: str | os.PathLike[str], seat: int) -> None:
    """One row per hand of a player; for the one who acts with frequency and ev of each action."""
    header = ["hand", *_COLUMNS]
    if seat == cursor.kind:
        header += [*cursor.actions, *(f"ev {name}" for name in cursor.actions)]
    try:
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(header)
            for row in _rows(cursor, seat):
                mixed = [*row.get("strategy", ()), *row.get("ev_by_action", ())]
                out.writerow([row["hand"], *(row[name] for name in _COLUMNS), *mixed])
    except OSError as error:
        raise FormatError(f"Cannot write '{path}': {error.strerror}; choose a folder that is writable.") from None


def _plain(value: Any) -> Any:
    """JSON has no nan."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return None if math.isnan(value) else value
