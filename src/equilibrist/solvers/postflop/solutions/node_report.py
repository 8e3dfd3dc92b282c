"""A place of a solved spot as plain values: hands in columns, by name, and as a table in a file."""

from __future__ import annotations

import csv
import io
import os
from typing import Any, Protocol

import numpy as np

from equilibrist.cards.range_text import hand_name
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.writing import plain, write_text

_COLUMNS = ("weight", "equity", "ev", "eqr")


class SolvedNode(Protocol):
    """A place of a solved spot, of two players or of three; every number by hand is in the order of `hands_of`."""

    @property
    def line(self) -> str: ...
    @property
    def board(self) -> str: ...
    @property
    def cards(self) -> tuple[int, ...]: ...
    @property
    def pot(self) -> float: ...
    @property
    def stacks(self) -> tuple[float, ...]: ...
    @property
    def players(self) -> tuple[str, ...]: ...
    @property
    def player(self) -> str | None: ...
    @property
    def kind(self) -> int:
        """The number of the player who acts; larger ones where nobody does."""

    @property
    def is_over(self) -> bool: ...
    @property
    def next_cards(self) -> tuple[str, ...]: ...
    @property
    def labels(self) -> tuple[str, ...]: ...
    @property
    def actions(self) -> tuple[str, ...]: ...
    @property
    def hands(self) -> Longs: ...
    def hands_of(self, player: int | str | None = None) -> Longs: ...
    @property
    def strategy(self) -> Floats: ...
    @property
    def frequencies(self) -> Floats: ...
    @property
    def ev_by_action(self) -> Floats: ...
    @property
    def resolve(self) -> Any:
        """How a street that was not in the file was solved again, if it was."""

    def reach(self, player: int | str | None = None) -> Floats: ...
    def ev(self, player: int | str | None = None) -> Floats: ...
    def equity(self, player: int | str | None = None) -> Floats: ...
    def eqr(self, player: int | str | None = None) -> Floats: ...
    def range_ev(self, player: int | str | None = None) -> float: ...
    def range_equity(self, player: int | str | None = None) -> float: ...
    def range_eqr(self, player: int | str | None = None) -> float: ...
    def summary(self) -> dict[str, Any]: ...
    def to_json(self, player: int | str | None = None) -> dict[str, Any]: ...
    def to_csv(self, path: str | os.PathLike[str], player: int | str | None = None) -> None: ...


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """Over hands (nan without weight); hands of weight 0 count nothing even where they are nan."""
    held = weights > 0
    if not held.any():
        return np.full(values.shape[1:], np.nan)
    mean: Floats = np.asarray(weights[held] @ values[held] / weights[held].sum())
    return mean


def node_columns(node: SolvedNode, seat: int) -> dict[str, Any]:
    """Everything about a node with one player's hands in columns, best cards first; numbers that are not known are nan."""
    hands = node.hands_of(seat)
    order = np.argsort(-hands)
    acts = seat == node.kind
    return {
        "line": node.line,
        "board": node.board,
        "pot": node.pot,
        "stacks": dict(zip(node.players, node.stacks, strict=True)),
        **node.summary(),
        "labels": list(node.labels),
        "ev": {name: node.range_ev(name) for name in node.players},
        "equity": {name: node.range_equity(name) for name in node.players},
        "eqr": {name: node.range_eqr(name) for name in node.players},
        "hands_of": node.players[seat],
        "hands": [hand_name(int(number)) for number in hands[order]],
        "weight": node.reach(seat)[order].tolist(),
        "hand_equity": node.equity(seat)[order].tolist(),
        "hand_ev": node.ev(seat)[order].tolist(),
        "hand_eqr": node.eqr(seat)[order].tolist(),
        "strategy": node.strategy[order].tolist() if acts else [],
        "ev_by_action": node.ev_by_action[order].tolist() if acts else [],
        "resolve": node.resolve.to_json() if node.resolve else None,
    }


def node_report(node: SolvedNode, seat: int) -> dict[str, Any]:
    """The same with the hands by name, as `show --json` prints it."""
    told = node_columns(node, seat)
    columns = {name: told.pop(f"hand_{name}" if name != "weight" else name) for name in _COLUMNS}
    columns |= {name: column for name in ("ev_by_action", "strategy") if (column := told.pop(name))}
    hands, resolve = told.pop("hands"), told.pop("resolve")
    told |= {name: plain(told[name]) for name in ("ev", "equity", "eqr")}
    told["hands"] = {hand: {name: plain(column[i]) for name, column in columns.items()} for i, hand in enumerate(hands)}
    return told if resolve is None else told | {"resolve": resolve}


def write_csv(node: SolvedNode, path: str | os.PathLike[str], seat: int) -> None:
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
