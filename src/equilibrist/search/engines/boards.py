"""Boards as an `Engine`: the vector CFR of spots and poker games below some betting lines, with a faster run on one board."""

from __future__ import annotations

from typing import Any

import numpy as np

from equilibrist.compute.bundles import bundle
from equilibrist.core.arrays import Bools, Floats, Longs
from equilibrist.search._kernels.entry_run import Entrant, Sums, learn_with_entry
from equilibrist.search.gadget_run import GadgetRun, kept_count
from equilibrist.solvers.cfr.schedules import discount_factors, factors_of
from equilibrist.solvers.postflop.batches.device_batch import DeviceBatch
from equilibrist.solvers.postflop.gpu.cuda_device import cupy
from equilibrist.solvers.postflop.gpu.device_cfr import DeviceCFR
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

SINGLE = 2e-6  # relative rounding of sums in single precision


class BoardEngine:
    """All boards below the first street of a run."""

    xp: Any = np
    precision = SINGLE
    simultaneous = False

    def __init__(self, run: BoardCFR) -> None:
        self.run = run

    @property
    def iteration(self) -> int:
        return self.run.iteration

    @iteration.setter
    def iteration(self, t: int) -> None:
        self.run.iteration = t

    def keep(self, t: int) -> float:
        return float(factors_of(self.run.schedule, np.array([float(t)])).keep[0])

    def learn(self, player: int, reach: Floats) -> Floats:
        return self.run.learn(player, reach)

    def values(self, player: int, *, respond: bool = False, reach: Floats | None = None) -> Floats:
        return self.run.values(player, respond=respond, reach=reach)

    def range_of(self, player: int) -> Floats:
        """The run's own range at all roots, end to end."""
        own = self.run.streets[0].boards.player[player]
        held = self.run.root_weights[player].reshape(self.run.roots, -1)[:, : own.count[0]]
        return held.ravel().astype(np.float64)


class OneBoardEngine(BoardEngine):
    """Where no card is to come, whole iterations run in one call: many boards may then be searched side by side by threads."""

    def advance_gadget(self, gadget: GadgetRun, iterations: int) -> None:
        run, own, other = self.run, gadget.searcher, gadget.opponent
        factors = discount_factors(run.schedule, run.iteration, iterations)
        worker, entry = run.worker, gadget.entry
        street, *packed = worker.packed(0)
        sides = [
            bundle(Entrant(packed[p][0], np.zeros_like(run.root_weights[p]), np.zeros_like(run.root_weights[p])))
            for p in (own, other)
        ]
        learn_with_entry(
            run.iteration, factors.astype(np.float32), own, street, *sides, entry.kind, entry.door, entry.memory,
            gadget.held, Sums(gadget.entered, gadget.stayed), np.zeros_like(gadget.entered), worker.nothing,
        )  # fmt: skip
        gadget.counted = kept_count(factors[:, 2], gadget.counted)
        run.iteration += iterations


class DeviceEngine(BoardEngine):
    """Tables and vectors stay on a GPU."""

    def __init__(self, run: DeviceCFR) -> None:
        super().__init__(run)
        self.xp, self.device_run = cupy(), run

    def learn(self, player: int, reach: Any) -> Any:
        return self.device_run.learn_there(player, reach)

    def values(self, player: int, *, respond: bool = False, reach: Any = None) -> Any:
        return self.device_run.values_there(player, respond=respond, reach=reach)


class BatchEngine:
    """Games of one shape side by side on a GPU: vectors hold the hands of all games, game by game."""

    precision = SINGLE
    simultaneous = False

    def __init__(self, batch: DeviceBatch) -> None:
        self.xp, self.batch = cupy(), batch
        places = [np.nonzero(self._filled(p)) for p in range(2)]
        self.owner: tuple[Longs, Longs] = (places[0][0], places[1][0])
        self._at = [tuple(map(self.xp.asarray, each)) for each in places]

    @property
    def iteration(self) -> int:
        return self.batch.iteration

    @iteration.setter
    def iteration(self, t: int) -> None:
        self.batch.iteration = t

    def keep(self, t: int) -> float:
        return float(factors_of(self.batch.passes.schedule, np.array([float(t)])).keep[0])

    def hands(self, player: int) -> Longs:
        """Number of each hand of a vector; `owner` has the game of each."""
        pair = self.batch.layout.boards[0].player[player].pair
        return pair[pair >= 0].astype(np.int64)

    def range_of(self, player: int) -> Floats:
        """The games' own ranges, end to end."""
        return self.batch.layout.rows[player][self._filled(player)].astype(np.float64)

    def learn(self, player: int, reach: Any) -> Any:
        row = discount_factors(self.batch.passes.schedule, self.iteration)[0]
        self._set(1 - player, reach)
        self.batch.passes.learn(player, row.tolist(), self.iteration)
        return self._found(player)

    def values(self, player: int, *, respond: bool = False, reach: Any = None) -> Any:
        self._set(1 - player, self.xp.asarray(self.range_of(1 - player)) if reach is None else reach)
        self.batch.passes.launch("respond" if respond else "value", player)
        return self._found(player)

    def select(self, games: Longs) -> None:
        """Only these go on; the others stay as they are."""
        self.batch.passes.select(games)

    def _set(self, player: int, reach: Any) -> None:
        self.batch.passes.root[player][:, 0][self._at[player]] = reach

    def _found(self, player: int) -> Any:
        return self.batch.passes.root_values(player)[:, 0][self._at[player]].astype(np.float64)

    def _filled(self, player: int) -> Bools:
        """[game, place] whether a hand lies there."""
        count, rows = self.batch.layout.boards[0].player[player].count, self.batch.layout.rows[player]
        return np.asarray(np.arange(rows.shape[1]) < count[:, None])


def board_engine(run: BoardCFR) -> BoardEngine:
    """The engine of a run that is right and fastest."""
    if isinstance(run, DeviceCFR):
        return DeviceEngine(run)
    return OneBoardEngine(run) if len(run.streets) == 1 else BoardEngine(run)
