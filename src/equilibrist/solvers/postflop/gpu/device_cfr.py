"""CFR on all boards of a spot or game, on a GPU: the same run as `BoardCFR`, its tables on the device between iterations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats32
from equilibrist.core.errors import TooLargeError
from equilibrist.solvers.cfr.schedules import discount_factors
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.gpu.cuda_device import Properties, compile_all, cupy, load_module
from equilibrist.solvers.postflop.gpu.device_street import MODES, DeviceStreet, device_bytes
from equilibrist.solvers.postflop.gpu.devices import obstacle_on_gpu, refuse_obstacle
from equilibrist.solvers.postflop.gpu.synced_street import SyncedStreet
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

WINDOW = 4096  # iterations whose weights lie on the device at a time
IN_GRAPH = 10  # iterations in one CUDA graph


class DeviceCFR(BoardCFR):
    """`BoardCFR` on a CUDA device; what reads tables on the host gets them from there."""

    device = "cuda"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        refuse_obstacle(obstacle_on_gpu(kwargs.get("bits", 32), kwargs.get("locks")))
        cp = cupy()
        super().__init__(*args, **kwargs)
        self.dirty = False
        self._synced = [SyncedStreet.of(street) for street in self.streets]
        self.streets = list(self._synced)
        device = Properties()
        need = device_bytes(self._synced, self.forests)
        if need > device.free_bytes():
            raise TooLargeError(
                f"This takes {need / 1e9:.1f} GB on the device, which has {device.free_bytes() / 1e9:.1f} GB free; "
                "use fewer bet sizes, narrower ranges, or the CPU."
            )
        self._window = 0
        self._weights = cp.zeros((WINDOW + 1, 4), cp.float32)
        self._count = cp.zeros(1, cp.int32)
        self._device: list[DeviceStreet] = []
        for depth, street in enumerate(self._synced):
            above = self._device[-1] if self._device else None
            self._device.append(
                DeviceStreet(street, self.forests[depth], above, depth + 1 == len(self.streets), device)
            )
        first = self._device[0]
        self._root = [self._root_rows(p, self.root_weights[p]) for p in range(2)]
        self._own = [cp.ascontiguousarray(self._root[p][:, : first.places[p]]) for p in range(2)]
        passes = [(each, me) for each in self._device for me in range(2)]
        binaries = compile_all([("deals.cu", {}), *(("board_passes.cu", each.shape[me].sizes) for each, me in passes)])
        self._between = load_module(binaries[0])
        for (each, me), binary in zip(passes, binaries[1:], strict=True):
            each.prepare(me, binary, self._between, self._root, self._weights, self._count)
        self._gap = cp.zeros(2, cp.float64)
        self._stream = cp.cuda.Stream(non_blocking=True)
        self._graphs: dict[int, Any] = {}
        self._load_window(0)
        for synced in self._synced:
            synced.fetch = self.fetch

    @property
    def memory_bytes(self) -> int:
        return sum(
            getattr(tables, name).nbytes
            for street in self._synced
            for tables in street.held
            for name in (("regret", "average", "basis") if tables.predictive else ("regret", "average"))
        )

    def _root_rows(self, player: int, weights: Floats32) -> Any:
        """[root, places + 4] of the device from [root, places + 1] of the host."""
        width, count = self._device[0].places[player], int(self.streets[0].boards.player[player].count[0])
        rows = np.zeros((self.roots, width + 4), dtype=np.float32)
        rows[:, :count] = weights.reshape(self.roots, -1)[:, :count]
        return cupy().asarray(rows)

    def _load_window(self, first: int) -> None:
        """Weights of the iterations from `first` + 1 on."""
        rows = np.zeros((WINDOW + 1, 4), dtype=np.float32)
        rows[:-1, :3] = discount_factors(self.schedule, first, WINDOW)
        self._weights.set(rows)
        self._window = first
        self._count.fill(self.iteration - first)
        cupy().cuda.Device().synchronize()  # iterations run on another stream

    def _launch(self, mode: str, me: int) -> None:
        for street in self._device:
            street.pass_down(mode, me)
        for above, below in zip(reversed(self._device[:-1]), reversed(self._device[1:]), strict=True):
            above.gather(me, below)
            above.pass_up(mode, me)

    def _iterate(self) -> None:
        for me in range(2):
            self._launch("learn", me)
        self._between.get_function("count_iteration")((1,), (1,), (self._count,))

    def _graph(self, iterations: int) -> Any:
        if iterations not in self._graphs:
            with self._stream:
                self._stream.begin_capture()
                for _ in range(iterations):
                    self._iterate()
                self._graphs[iterations] = self._stream.end_capture()
        return self._graphs[iterations]

    def advance(self, iterations: int) -> None:
        left = iterations
        while left:
            if self.iteration - self._window >= WINDOW:
                self._stream.synchronize()
                self._load_window(self.iteration)
            step = IN_GRAPH if min(left, WINDOW - (self.iteration - self._window)) >= IN_GRAPH else 1
            self._graph(step).launch(self._stream)
            self.iteration += step
            left -= step
        self._stream.synchronize()
        self.dirty = True

    @property
    def checks_itself(self) -> bool:
        return False

    @property
    def exact(self) -> bool:
        """In double precision stated values are found on the host, from the tables fetched."""
        return self.precision.needs_double

    def _pass(self, mode: int, me: int, weights: Any, given: Floats32 | None = None) -> Floats32:
        first = self._device[0]
        if given is not None:
            kept = self._root[1 - me].copy()
            self._root[1 - me][:] = self._root_rows(1 - me, given)
        if mode == kernels.LEARN:
            self._weights[WINDOW, :3] = cupy().asarray(np.array(weights, dtype=np.float32))
            self._count.fill(WINDOW)
            self.dirty = True
        self._launch(MODES[mode], me)
        if mode == kernels.LEARN:
            self._count.fill(self.iteration - self._window)
        if given is not None:
            self._root[1 - me][:] = kept
        values = cupy().asnumpy(first.value_above[me])[0]
        own = self.streets[0].boards.player[me]
        out = np.zeros((self.roots, own.places + 1), dtype=np.float32)
        out[:, : own.count[0]] = values[:, : own.count[0]]
        return out.ravel()

    def _best_responses(self) -> tuple[float, float]:
        first = self._device[0]
        for me in range(2):
            self._launch("respond", me)
        sizes = [np.int32(own.size) for own in self._own]
        self._between.get_function("weigh")(
            (2,), (256,), (self._own[0], first.value_above[0], sizes[0], self._own[1], first.value_above[1], sizes[1], self._gap)
        )  # fmt: skip
        best = cupy().asnumpy(self._gap) / self.normaliser
        return float(best[0]), float(best[1])

    def fetch(self) -> None:
        """Tables of the device into those of the host, if they have changed."""
        if self.dirty:
            self.dirty = False
            for street in self._device:
                street.download()

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        super().restore(state)
        for street in self._device:
            street.upload()
        self.dirty = False
        self._load_window(self.iteration)
