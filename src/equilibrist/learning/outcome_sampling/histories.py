"""Histories as rows of numbers: what both players have seen, and whose turn it is. Histories with equal numbers share a row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Ints
from equilibrist.core.policy import InfosetIndex
from equilibrist.forms.compiled import Compiled
from equilibrist.games.rules import State
from equilibrist.learning.encoders.infosets import Encoding, encode


class Observations(Compiled):
    """A game whose 'infosets' are all that its players have seen at any decision, their own or not."""

    def __init__(self, game: Compiled, seen: InfosetIndex) -> None:
        super().__init__(game.game)
        self._seen = seen

    @property
    def infosets(self) -> InfosetIndex:
        return self._seen


@dataclass(frozen=True, repr=False)
class HistoryRows:
    """H rows with F numbers for the decisions of a game."""

    features: npt.NDArray[np.float32]  # [H, F]
    row: Ints  # [N], -1 where nobody decides

    def __repr__(self) -> str:
        return f"<HistoryRows: {int((self.row >= 0).sum()):,} in {len(self.features):,} rows of {self.features.shape[1]} numbers>"


def read_histories(game: Compiled) -> HistoryRows:
    """Rows for every decision, from the rules."""
    tree = game.tree
    decisions = np.flatnonzero(tree.player >= 0)
    number: dict[tuple[int, str], int] = {}
    seen = np.zeros((tree.histories, tree.players), dtype=np.int64)
    waiting: list[tuple[int, State]] = [(0, game.game.start())]
    while waiting:
        n, state = waiting.pop()
        if tree.player[n] >= 0:
            for player in range(tree.players):
                seen[n, player] = number.setdefault((player, state.infoset(player)), len(number))
        for k in range(tree.children[n]):
            if tree.terminal[tree.first_child[n] + k] < 0:
                waiting.append((int(tree.first_child[n]) + k, state.child(k)))
    encoding = _encode(game, list(number))
    parts = [encoding.features[encoding.row[seen[decisions, player]]] for player in range(tree.players)]
    turns = np.eye(tree.players, dtype=np.float32)[tree.player[decisions]]
    table = np.concatenate([*parts, turns], axis=1)
    features, row = np.unique(table[:, np.ptp(table, axis=0) > 0.0], axis=0, return_inverse=True)
    out = np.full(tree.histories, -1, dtype=np.int32)
    out[decisions] = row.reshape(-1)
    return HistoryRows(features, out)


def _encode(game: Compiled, seen: list[tuple[int, str]]) -> Encoding:
    index = InfosetIndex(
        keys=tuple(f"{player + 1}|{text}" for player, text in seen),
        player=np.array([player for player, _ in seen], dtype=np.int32),
        actions=(("-",),) * len(seen),
        public=("",) * len(seen),
    )
    return encode(Observations(game, index))
