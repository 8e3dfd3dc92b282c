"""Many runs on boards as one engine: what `BatchEngine` does on a GPU, run after run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.search.engines.boards import SINGLE, BoardEngine
from equilibrist.solvers.postflop.vector_cfr import BoardCFR


class JoinedEngine:
    xp = np
    precision = SINGLE
    simultaneous = False

    def __init__(self, runs: Sequence[BoardCFR]) -> None:
        self.engines, self.left, self._t = [BoardEngine(run) for run in runs], np.arange(len(runs)), 0
        self.selected = list[list[int]]()
        self.last = [[np.zeros_like(each.range_of(p)) for p in range(2)] for each in self.engines]
        numbers = [[np.full(len(row[p]), k) for k, row in enumerate(self.last)] for p in range(2)]
        self.owner = (np.concatenate(numbers[0]), np.concatenate(numbers[1]))

    @property
    def iteration(self) -> int:
        return self._t

    @iteration.setter
    def iteration(self, t: int) -> None:
        self._t = t
        for k in self.left.tolist():
            self.engines[k].iteration = t

    def keep(self, t: int) -> float:
        return self.engines[0].keep(t)

    def hands(self, player: int) -> Longs:
        own = [each.run.streets[0].boards.player[player] for each in self.engines]
        return np.concatenate([each.pair[0, : each.count[0]] for each in own]).astype(np.int64)

    def range_of(self, player: int) -> Floats:
        return np.concatenate([each.range_of(player) for each in self.engines])

    def select(self, games: Longs) -> None:
        self.left = games
        self.selected.append(games.tolist())

    def learn(self, player: int, reach: Floats) -> Floats:
        for k in self.left.tolist():
            own = reach[self.owner[1 - player] == k]
            self.last[k][player] = np.asarray(self.engines[k].learn(player, own), dtype=np.float64)
        return np.concatenate([row[player] for row in self.last])

    def values(self, player: int, *, respond: bool = False, reach: Floats | None = None) -> Floats:
        for k in self.left.tolist():
            own = None if reach is None else reach[self.owner[1 - player] == k]
            found = self.engines[k].values(player, respond=respond, reach=own)
            self.last[k][player] = np.asarray(found, dtype=np.float64)
        return np.concatenate([row[player] for row in self.last])
