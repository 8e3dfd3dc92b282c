"""BettingWalk: the betting of a game of classes as one tree to walk down, for methods that play sample hands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equilibrist.games.poker.betting import BettingNode, first_node
from equilibrist.games.poker.betting_rounds import PASSIVE
from equilibrist.games.poker.game import settle
from equilibrist.games.poker.kronecker import KroneckerForm
from equilibrist.games.rules import CHANCE, TERMINAL

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BettingWalk:
    """N situations, the first is the start; A actions at most. Folding comes first, then checking or calling, then bets."""

    player: Ints  # [N] who acts, -1 at the end of a hand
    round: Ints  # [N] of the form's rounds
    actions: Ints  # [N]
    calls: Ints  # [N] which action checks or calls
    column: Ints  # [N, A] lane column of each action in its round
    child: Ints  # [N, A]
    payoff: NDArray[np.float64]  # [N] at an end: to the first player, at a showdown if it wins
    shown: NDArray[np.bool_]  # [N] at an end: cards are shown


def betting_walk(form: KroneckerForm) -> BettingWalk:
    """All betting of a form, history by history."""
    places = [[columns_by_line(form, round, p) for p in range(2)] for round in range(len(form.rounds))]
    number = {betting.number: round for round, betting in enumerate(form.rounds)}
    rows: list[tuple[int, int, int, int, list[int], list[int], float, bool]] = []

    def visit(node: BettingNode) -> int:
        while node.player == CHANCE:
            node = node.after_deal
        at, round = len(rows), number.get(node.round, len(form.rounds) - 1)
        if node.player == TERMINAL:
            shown = not any(node.folded)
            rows.append((-1, round, 0, 0, [], [], settle(node, (1, 0))[0], shown))
            return at
        columns = places[round][node.player][node.line]
        calls = next(i for i, label in enumerate(node.labels) if label in PASSIVE)
        children: list[int] = []
        rows.append((node.player, round, len(columns), calls, columns, children, 0.0, False))
        children.extend(visit(node.after(action)) for action in range(len(columns)))
        return at

    visit(first_node(form.rules))
    widest = max(row[2] for row in rows)
    padded = [[list(row[k]) + [0] * (widest - row[2]) for row in rows] for k in (4, 5)]  # type: ignore[call-overload]
    flat = [np.array([row[k] for row in rows], np.int64) for k in range(4)]
    column, child = (np.array(table, np.int64) for table in padded)
    payoff, shown = np.array([row[6] for row in rows]), np.array([row[7] for row in rows], np.bool_)
    return BettingWalk(*flat, column, child, payoff, shown)


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
