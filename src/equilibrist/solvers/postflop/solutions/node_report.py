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


def node_report(node: SpotNode, seat: int) -> dict[str, Any]:
    """Everything about a place, with one player's hands by name."""
    facts = {
        "line": node.line,
        "board": node.board,
        "pot": node.pot,
        "stacks": dict(zip(PLAYERS, node.stacks, strict=True)),
        **node.summary(),
        "labels": list(node.labels),
        "ev": {name: _plain(node.range_ev(name)) for name in PLAYERS},
        "equity": {name: _plain(node.range_equity(name)) for name in PLAYERS},
        "eqr": {name: _plain(node.range_eqr(name)) for name in PLAYERS},
        "hands_of": PLAYERS[seat],
        "hands": {row.pop("hand"): row for row in _rows(node, seat)},
    }
    return facts if node.resolve is None else facts | {"resolve": node.resolve.to_json()}


def _rows(node: SpotNode, seat: int) -> list[dict[str, Any]]:
    """One entry per hand, best cards first."""
    columns = dict(zip(_COLUMNS, (node.reach(seat), node.equity(seat), node.ev(seat), node.eqr(seat)), strict=True))
    if seat == node.kind:
        columns |= {"ev_by_action": node.ev_by_action, "strategy": node.strategy}
    hands = node.hands_of(seat)
    return [
        {"hand": hand_name(int(hands[i])), **{name: _plain(column[i].tolist()) for name, column in columns.items()}}
        for i in range(len(hands) - 1, -1, -1)
    ]


def write_csv(node: SpotNode, path: str | os.PathLike[str], seat: int) -> None:
    """One row per hand of a player; for the one who acts with frequency and ev of each action."""
    header = ["hand", *_COLUMNS]
    if seat == node.kind:
        header += [*node.actions, *(f"ev {name}" for name in node.actions)]
    try:
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(header)
            for row in _rows(node, seat):
                mixed = [*row.get("strategy", ()), *row.get("ev_by_action", ())]
                out.writerow([row["hand"], *(row[name] for name in _COLUMNS), *mixed])
    except OSError as error:
        raise FormatError(f"Cannot write '{path}': {error.strerror}; choose a folder that is writable.") from None


def _plain(value: Any) -> Any:
    """JSON has no nan."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return None if math.isnan(value) else value
