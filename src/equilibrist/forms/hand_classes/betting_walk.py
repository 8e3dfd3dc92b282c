"""BettingWalk: the betting of a game of classes as one tree to walk down, for methods that play sample hands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equilibrist.core.arrays import Longs
from equilibrist.forms.hand_classes.betting_rounds import PASSIVE
from equilibrist.forms.hand_classes.kronecker import KroneckerForm
from equilibrist.games.poker.betting import BettingNode, first_node
from equilibrist.games.poker.game import settle
from equilibrist.games.rules import CHANCE, TERMINAL


@dataclass(frozen=True, eq=False)
class BettingWalk:
    """N situations, the first is the start; A actions at most. Folding comes first, then checking or calling, then bets."""

    player: Longs  # [N] who acts, -1 at the end of a hand
    round: Longs  # [N] of the form's rounds
    actions: Longs  # [N]
    calls: Longs  # [N] which action checks or calls
    column: Longs  # [N, A] lane column of each action in its round
    child: Longs  # [N, A]
    payoff: NDArray[np.float64]  # [N] at an end: to the first player, at a showdown if it wins
    shown: NDArray[np.bool_]  # [N] at an end: cards are shown


@dataclass(frozen=True)
class _Situation:
    """One row of the walk."""

    player: int
    round: int
    calls: int
    columns: list[int]
    children: list[int]
    payoff: float = 0.0
    shown: bool = False


def betting_walk(form: KroneckerForm) -> BettingWalk:
    """All betting of a form, history by history."""
    places = [[columns_by_line(form, round, p) for p in range(2)] for round in range(len(form.rounds))]
    number = {betting.number: round for round, betting in enumerate(form.rounds)}
    rows: list[_Situation] = []

    def visit(node: BettingNode) -> int:
        while node.player == CHANCE:
            node = node.after_deal
        at, round = len(rows), number.get(node.round, len(form.rounds) - 1)
        if node.player == TERMINAL:
            rows.append(_Situation(-1, round, 0, [], [], settle(node, (1, 0))[0], not any(node.folded)))
            return at
        columns = places[round][node.player][node.line]
        calls = next(i for i, label in enumerate(node.labels) if label in PASSIVE)
        rows.append(_Situation(node.player, round, calls, columns, []))
        rows[at].children.extend(visit(node.after(action)) for action in range(len(columns)))
        return at

    visit(first_node(form.rules))
    return BettingWalk(
        player=np.array([row.player for row in rows], np.int64),
        round=np.array([row.round for row in rows], np.int64),
        actions=np.array([len(row.columns) for row in rows], np.int64),
        calls=np.array([row.calls for row in rows], np.int64),
        column=_padded([row.columns for row in rows]),
        child=_padded([row.children for row in rows]),
        payoff=np.array([row.payoff for row in rows], np.float64),
        shown=np.array([row.shown for row in rows], np.bool_),
    )


def _padded(rows: list[list[int]]) -> Longs:
    widest = max(map(len, rows))
    return np.array([row + [0] * (widest - len(row)) for row in rows], np.int64)


def columns_by_line(form: KroneckerForm, round: int, player: int) -> dict[str, list[int]]:
    """Lane columns of each infoset's actions, by betting line."""
    columns = form.rounds[round].columns[player]
    own = np.flatnonzero(columns.place[:, 0] == round)
    lane = np.empty(columns.count, np.int64)
    lane[columns.place[own, 1]] = own
    return {
        line: lane[first : first + actions].tolist()
        for line, first, actions in zip(columns.labels, columns.first, columns.actions, strict=True)
    }
