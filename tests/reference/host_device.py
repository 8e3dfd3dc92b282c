"""NumPy in the place of CuPy: what is laid out for a device can be looked at without one. Kernels are launched, but do nothing."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from equilibrist.solvers.postflop.batches import device_batch
from equilibrist.solvers.postflop.bucket_walks import device_stream, device_walks
from equilibrist.solvers.postflop.gpu import (
    cuda_device,
    device_boards,
    device_cfr,
    device_passes,
    device_rounds,
    device_street,
    device_tables,
    games,
)

H200 = {
    "MultiProcessorCount": 132,
    "MaxSharedMemoryPerBlockOptin": 232_448,
    "MaxSharedMemoryPerMultiprocessor": 233_472,
    "MaxRegistersPerMultiprocessor": 65_536,
    "MaxThreadsPerMultiProcessor": 2048,
}


class HostArray(np.ndarray):
    """With an address where CuPy has it."""

    @property
    def data(self) -> Any:  # type: ignore[override]
        return SimpleNamespace(ptr=self.ctypes.data)

    def set(self, given: Any) -> None:
        self[...] = given

    def get(self, stream: Any = None) -> np.ndarray:
        return np.array(self)


class HostModule:
    """CuPy's names; `taken` are the bytes of arrays that were made, in the pieces that CuPy takes."""

    def __init__(self) -> None:
        self.taken = 0
        event = SimpleNamespace(record=lambda: None, wait_event=lambda event: None, synchronize=lambda: None)
        self.get_default_memory_pool = lambda: SimpleNamespace(
            total_bytes=lambda: 0, used_bytes=lambda: 0, free_all_blocks=lambda: None
        )
        driver = SimpleNamespace(funcSetAttribute=lambda *_: None, funcGetAttribute=lambda *_: 64)
        self.cuda = SimpleNamespace(
            Device=lambda: SimpleNamespace(attributes=H200, mem_info=(2**37, 2**37), synchronize=lambda: None),
            Stream=lambda **_: event,
            driver=driver,
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def _counted(self, array: np.ndarray) -> Any:
        self.taken += -(-max(array.nbytes, 1) // 512) * 512
        return array.view(HostArray)

    def zeros(self, shape: Any, dtype: Any = float) -> Any:
        assert math.prod(np.atleast_1d(shape)) < 2**28
        return self._counted(np.zeros(shape, dtype))

    def asarray(self, given: Any, dtype: Any = None) -> Any:
        return given if isinstance(given, HostArray) else self._counted(np.array(given, dtype))

    @staticmethod
    def ascontiguousarray(given: Any) -> Any:
        return np.ascontiguousarray(given).view(HostArray)

    @staticmethod
    def asnumpy(given: Any) -> np.ndarray:
        return np.array(given)


def use_host(monkeypatch: pytest.MonkeyPatch, device: HostModule | None = None) -> HostModule:
    """Devices are the host from here on."""
    host = device or HostModule()
    homes = (cuda_device, device_batch, device_boards, device_cfr, device_passes, device_street, device_tables, games)
    for module in (*homes, device_stream, device_walks):
        monkeypatch.setattr(module, "cupy", lambda: host)
    kernel = lambda *_, **__: None  # noqa: E731
    kernel.ptr = 0  # type: ignore[attr-defined]
    loaded = SimpleNamespace(get_function=lambda name: kernel)
    monkeypatch.setattr(cuda_device, "_failures", lambda: (FileNotFoundError,))
    for module in (device_street, device_rounds):
        monkeypatch.setattr(module, "fill_constant", lambda *_: None)
    monkeypatch.setattr(device_passes, "compile_all", lambda wanted: [b""] * len(wanted))
    for module in (device_street, device_passes, device_rounds):
        monkeypatch.setattr(module, "load_module", lambda binary: loaded)
    return host
