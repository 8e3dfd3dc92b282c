"""Places of a solution as JSON: the line of decisions, the hands in columns, runouts, kinds of hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from equilibrist.cards.range_text import STANDARD
from equilibrist.core.errors import NotApplicableError
from equilibrist.evaluation.reports.hand_categories import category_report
from equilibrist.evaluation.reports.runouts import runout_report
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.interfaces.pictures.palette import colour_map
from equilibrist.interfaces.web.data.library import OpenSolution
from equilibrist.solvers.postflop.solutions.node_report import node_columns
from equilibrist.solvers.postflop.solutions.spot_node import SpotNode

DIGITS = 5


def node_answer(opened: OpenSolution, line: str, player: str | None) -> bytes:
    """A place with one player's hands."""
    line = opened.at(line).line  # as it is written here: actions may have been given by name
    return opened.answer(("node", line, player or ""), lambda: msgspec.json.encode(_node(opened, line, player)))


def runouts_answer(opened: OpenSolution, line: str) -> bytes:
    """What every next card changes."""
    if opened.solution.missing:
        raise NotApplicableError(
            f"This solution was saved without its {opened.solution.missing[0]}; every card would have to be solved again. "
            "Solve the spot anew for runouts."
        )
    return opened.answer(("runouts", line), lambda: msgspec.json.encode(_runouts(opened.at(line))))


def categories_answer(opened: OpenSolution, line: str, player: str | None) -> bytes:
    """Kinds of hands of one player."""
    return opened.answer(("kinds", line, player or ""), lambda: msgspec.json.encode(_kinds(opened.at(line), player)))


def colours_of(labels: Sequence[str]) -> list[str]:
    """A colour for every action of a decision."""
    return list(colour_map([labels]).values()) if labels else []


def kind_of(node: SpotNode) -> str:
    return "decision" if node.player else "deal" if node.is_deal else "over"


def frequencies_of(node: SpotNode) -> list[float]:
    return _plain(node.frequencies) if node.player else []


def both(values: Sequence[float]) -> dict[str, float | None]:
    """By player; what cannot be said is null."""
    return {name: None if value != value else round(value, DIGITS) for name, value in zip(PLAYERS, values, strict=True)}


def _node(opened: OpenSolution, line: str, player: str | None) -> Mapping[str, Any]:
    """The facts of a node, rounded, with what the page draws beside them."""
    node = opened.at(line)
    seat = PLAYERS.index(player) if player else node.kind if node.player else 0
    told = {name: _rounded(fact) for name, fact in node_columns(node, seat).items()}
    return told | {
        "kind": kind_of(node),
        "pot": node.pot,
        "stacks": dict(zip(PLAYERS, node.stacks, strict=True)),
        "colours": colours_of(node.labels),
        "path": _path(node),
        "locked": any(lock.line == node.line for lock in opened.solution.spot.locks),
        "resolve": node.resolve.to_json() if node.resolve else None,
    }


def _path(node: SpotNode) -> list[Mapping[str, Any]]:
    """The decisions and cards up to a place, itself included."""
    out: list[Mapping[str, Any]] = []
    chosen, here = None, node
    while True:
        out.append(
            {
                "line": here.line,
                "kind": kind_of(here),
                "player": here.player,
                "board": here.board,
                "pot": here.pot,
                "actions": list(here.actions),
                "labels": list(here.labels),
                "colours": colours_of(here.labels),
                "frequencies": frequencies_of(here),
                "chosen": chosen,
            }
        )
        if here.before is None:
            return out[::-1]
        chosen = here.line.rpartition(":")[2]
        here = here.before


def _runouts(node: SpotNode) -> Mapping[str, Any]:
    report = runout_report(node)
    return {
        "line": report.line,
        "board": "".join(STANDARD.label(card) for card in report.cards),
        "pot": report.pot,
        "player": report.player,
        "actions": report.actions,
        "labels": report.labels,
        "colours": colours_of(report.labels),
        "frequencies": report.frequencies,
        "ev": both(report.ev),
        "equity": both(report.equity),
        "cards": [
            {
                "card": row.card,
                "like": row.like,
                "probability": row.probability,
                "frequencies": [round(share, DIGITS) for share in row.frequencies],
                "ev": both(row.ev),
                "equity": both(row.equity),
            }
            for row in report.rows
        ],
    }


def _kinds(node: SpotNode, player: str | None) -> Mapping[str, Any]:
    rows = category_report(node, player)
    return {
        "line": node.line,
        "player": player or node.player,
        "labels": list(node.labels),
        "rows": [
            {
                "name": row.name,
                "combos": row.combos,
                "share": row.share,
                "equity": row.equity,
                "ev": row.ev,
                "frequencies": list(row.frequencies),
            }
            for row in rows
        ],
    }


def _plain(values: npt.NDArray[np.float64]) -> Any:
    return np.round(values, DIGITS).tolist()


def _rounded(fact: Any) -> Any:
    """Numbers with the digits that a page shows."""
    if isinstance(fact, float):
        return None if fact != fact else round(fact, DIGITS)
    if isinstance(fact, Mapping):
        return {name: _rounded(each) for name, each in fact.items()}
    if isinstance(fact, list) and fact and not isinstance(fact[0], str):
        return np.round(np.array(fact), DIGITS).tolist()
    return fact
