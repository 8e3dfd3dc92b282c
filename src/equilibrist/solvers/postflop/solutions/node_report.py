"""A place of a solved spot as plain values: hands in columns, by name, and as a table in a file."""

from __future__ import annotations

import csv
import io
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.cards.range_text import hand_name
from equilibrist.core.writing import plain, write_text
from equilibrist.games.spots.street_menus import PLAYERS

if TYPE_CHECKING:
    from equilibrist.solvers.postflop.solutions.spot_node import SpotNode

_COLUMNS = ("weight", "equity", "ev", "eqr")


def node_columns(node: SpotNode, seat: int) -> dict[str, Any]:
    """Everything about a node with one player's hands in columns, best cards first; numbers that are not known are nan."""
    hands = node.hands_of(seat)
    order = np.argsort(-hands)
    acts = seat == node.kind
    return {
        "line": node.line,
        "board": node.board,
        "pot": node.pot,
        "stacks": dict(zip(PLAYERS, node.stacks, strict=True)),
        **node.summary(),
        "labels": list(node.labels),
        "ev": {name: node.range_ev(name) for name in PLAYERS},
        "equity": {name: node.range_equity(name) for name in PLAYERS},
        "eqr": {name: node.range_eqr(name) for name in PLAYERS},
        "hands_of": PLAYERS[seat],
        "hands": [hand_name(int(number)) for number in hands[order]],
        "weight": node.reach(seat)[order].tolist(),
        "hand_equity": node.equity(seat)[order].tolist(),
        "hand_ev": node.ev(seat)[order].tolist(),
        "hand_eqr": node.eqr(seat)[order].tolist(),
        "strategy": node.strategy[order].tolist() if acts else [],
        "ev_by_action": node.ev_by_action[order].tolist() if acts else [],
        "resolve": node.resolve.to_json() if node.resolve else None,
    }


def node_report(node: SpotNode, seat: int) -> dict[str, Any]:
    """The same with the hands by name, as `show --json` prints it."""
    told = node_columns(node, seat)
    columns = {name: told.pop(f"hand_{name}" if name != "weight" else name) for name in _COLUMNS}
    columns |= {name: column for name in ("ev_by_action", "strategy") if (column := told.pop(name))}
    hands, resolve = told.pop("hands"), told.pop("resolve")
    told |= {name: plain(told[name]) for name in ("ev", "equity", "eqr")}
    told["hands"] = {hand: {name: plain(column[i]) for name, column in columns.items()} for i, hand in enumerate(hands)}
    return told if resolve is None else told | {"resolve": resolve}


def write_csv(node: SpotNode, path: str | os.PathLike[str], seat: int) -> None:
    """One row per hand of a player; for the one who acts with frequency and ev of each action."""
    header = ["hand", *_COLUMNS]
    if seat == node.kind:
        header += [*node.actions, *(f"ev {name}" for name in node.actions)]
    text = io.StringIO()
    out = csv.writer(text)
    out.writerow(header)
    for hand, row in node_report(node, seat)["hands"].items():
        mixed = [*row.get("strategy", ()), *row.get("ev_by_action", ())]
        out.writerow([hand, *(row[name] for name in _COLUMNS), *mixed])
    write_text(path, text.getvalue())
