"""CFR on all boards of a spot or game, on a GPU: the same run as `BoardCFR`, its tables on the device between iterations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats, Floats32
from equilibrist.solvers.cfr.schedules import discount_factors
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.gpu.cuda_device import cupy, on_device
from equilibrist.solvers.postflop.gpu.device_passes import DevicePasses
from equilibrist.solvers.postflop.gpu.device_street import MODES
from equilibrist.solvers.postflop.gpu.synced_street import SyncedStreet
from equilibrist.solvers.postflop.tables import table_names
from equilibrist.solvers.postflop.vector_cfr import BoardCFR


class DeviceCFR(BoardCFR):
    """`BoardCFR` on a CUDA device; what reads tables on the host gets them from there."""

    device = "cuda"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        cupy()
        super().__init__(*args, **kwargs)
        self.stale: set[int] = set()  # streets whose tables on the host are older than those of the device
        self._synced = [SyncedStreet.of(street) for street in self.streets]
        self.streets[:] = self._synced  # in place: the workers of the host look at the same list
        self.passes = DevicePasses(self._synced, [(forest,) for forest in self.forests], self.schedule)
        for p in range(2):
            self.passes.set_ranges(p, self._root_rows(p, self.root_weights[p]))
        for depth, synced in enumerate(self._synced):
            synced.fetch = partial(self.fetch, depth)

    @property
    def memory_bytes(self) -> int:
        return sum(
            getattr(tables, name).nbytes
            for street in self._synced
            for tables in street.held
            for name in table_names(self.bits, tables.predictive)
        )

    def _root_rows(self, player: int, weights: Floats32) -> Floats32:
        """[game, root, place] of the hands that are there."""
        return weights.reshape(1, self.roots, -1)[:, :, : self.streets[0].boards.player[player].count[0]]

    def advance(self, iterations: int) -> None:
        self.passes.advance(self.iteration, iterations)
        self.iteration += iterations
        self._mark_stale()

    @property
    def checks_itself(self) -> bool:
        return False

    @property
    def exact(self) -> bool:
        """In double precision stated values are found on the host, from the tables fetched."""
        return self.precision.needs_double

    @on_device
    def _pass(self, mode: int, me: int, weights: Any, given: Floats32 | None = None) -> Floats32:
        reach = None if given is None else cupy().asarray(self._root_rows(1 - me, given))
        values = cupy().asnumpy(self._pass_there(mode, me, weights, reach))
        own = self.streets[0].boards.player[me]
        out = np.zeros((self.roots, own.places + 1), dtype=np.float32)
        out[:, : own.count[0]] = values
        return out.ravel()

    def _pass_there(self, mode: int, me: int, weights: Any, reach: Any) -> Any:
        """[root, hand] values of my hands on the device; `reach`, if given, are the opponent's weights there for this pass."""
        held = self.passes.root[1 - me]
        if reach is not None:
            count = int(self.streets[0].boards.player[1 - me].count[0])
            kept = held.copy()
            held[0, :, :count] = reach.reshape(self.roots, count)
        if mode == kernels.LEARN:
            self.passes.learn(me, weights, self.iteration)
            self._mark_stale()
        else:
            self.passes.launch(MODES[mode], me)
        if reach is not None:
            held[:] = kept
        return self.passes.root_values(me)[0, :, : int(self.streets[0].boards.player[me].count[0])]

    def learn_there(self, me: int, reach: Any) -> Any:
        """As `learn`, with vectors that stay on the device."""
        row = kernels.Weights(*discount_factors(self.schedule, self.iteration)[0].astype(np.float32))
        return self._pass_there(kernels.LEARN, me, row, reach).ravel().astype(np.float64)

    def values_there(self, me: int, *, respond: bool = False, reach: Any = None) -> Any:
        """As `values`, with vectors that stay on the device."""
        mode = kernels.RESPOND if respond else kernels.VALUE
        return self._pass_there(mode, me, None, reach).ravel().astype(np.float64)

    def _best_responses(self) -> tuple[float, float]:
        oop, ip = self.passes.weighed("respond")[0] / self.normaliser
        return float(oop), float(ip)

    @on_device
    def value_at(
        self, path: Sequence[int], me: int, *, below: Floats32 | None = None, respond: bool = False
    ) -> Floats32 | Floats:
        """As on the host; on the first board the device says what hands are worth where a card comes, so that later streets stay there."""
        if not path and below is None and not self.exact and len(self.streets) > 1:
            self.passes.launch(MODES[kernels.RESPOND if respond else kernels.VALUE], me)
            worth = cupy().asnumpy(self.passes.streets[0].value_below[me][0])
            own = self.streets[0].boards.player[me]
            below = np.zeros((len(worth), own.places), dtype=np.float32)
            below[:, : own.count[0]] = worth[:, : own.count[0]]
        return super().value_at(path, me, below=below, respond=respond)

    def _mark_stale(self) -> None:
        self.stale = set(range(len(self.passes.streets)))

    def fetch(self, depth: int) -> None:
        """A street's tables of the device into those of the host, if they have changed."""
        if depth in self.stale:
            self.stale.remove(depth)
            self.passes.streets[depth].download()

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        super().restore(state)
        for street in self.passes.streets:
            street.upload()
        self.stale = set()
        self.passes.load_weights(self.iteration)
