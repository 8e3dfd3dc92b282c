"""CUDA kernels compiled for the host by a C++ compiler and run thread by thread: a GPU for tests on machines that have none."""

from __future__ import annotations

import ctypes
import hashlib
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from equilibrist.solvers.postflop.bucket_walks import device_stream
from equilibrist.solvers.postflop.gpu import cuda_device, device_passes, device_rounds, device_street
from reference.host_device import HostArray, HostModule, use_host

COMPILER = shutil.which("g++")
HEADER = Path(__file__).with_name("emulated_cuda.h")
NAMES = {
    "deals.cu": ("gather_deals", "allin_matrix", "allin_values", "weigh", "count_iteration"),
    "showdowns_of_three.cu": ("showdowns_of_three",),
    "board_rounds.cu": ("rounds",),
}
STREETS = {  # by whether cards follow, or it is the last street
    "board_passes.cu": (("down", "up"), ("down",)),
    "bucket_walks.cu": (
        ("respond", "respond_and_value", "reach_deals", "over_suits"),
        ("respond", "respond_and_value", "learn", "collect"),
    ),
}
SHARED = "alignas(16) float shared[1 << 17]; alignas(16) float whole[1 << 13]; alignas(16) float row[1 << 13];\n"


def translated(source: str, kernels: tuple[str, ...]) -> str:
    """C++ for the host."""
    text = re.sub(r"extern __shared__", "extern", source)
    text = re.sub(r"__shared__", "static", text)
    text = re.sub(r"^(namespace \w+ {)$", lambda found: f"{found[1]}\n{SHARED}", text, flags=re.MULTILINE)
    text = re.sub(r'asm volatile\("bar\.sync.*?;\n', "team_barrier(team + 1, LANES);\n", text)
    return f'#include "{HEADER}"\n{SHARED}{text}\n' + "".join(f"EMULATE({name})\n" for name in kernels)


def build(name: str, sizes: dict[str, int], folder: Path) -> Path:
    kernels = NAMES.get(name) or STREETS[name][sizes["LAST"]]
    text = translated(cuda_device.source_of(name), kernels)
    defined = [f"-D{key}={number}" for key, number in sorted(sizes.items())]
    key = hashlib.sha256(repr((text, defined, HEADER.read_text())).encode()).hexdigest()[:16]
    made, source = folder / f"{key}.so", folder / f"{key}.cpp"
    if not made.exists():
        source.write_text(text)
        assert COMPILER is not None
        flags = ["-std=c++17", "-O0", "-shared", "-fPIC", "-w", "-ffp-contract=off", *defined]
        subprocess.run([COMPILER, *flags, str(source), "-o", str(made)], check=True, capture_output=True)
    return made


class Kernel:
    """A launch runs at once, or is written down while a graph is captured."""

    ptr = 0

    def __init__(self, device: EmulatedModule, function: Any) -> None:
        self.device, self.function = device, function

    def __call__(self, grid: Any, block: Any, arguments: Any, shared_mem: int = 0) -> None:
        held = [each if isinstance(each, np.ndarray) else np.asarray(each) for each in arguments]
        values = [np.array(each.ctypes.data, dtype=np.uint64) if isinstance(each, HostArray) else each for each in held]
        places = (ctypes.c_void_p * len(values))(*(each.ctypes.data for each in values))
        width, height = (*block, 1)[:2]

        def run(kept: Any = (held, values, places)) -> None:
            self.function(int(grid[0]), int(width), int(height), kept[2])

        self.device.do(run)


class EmulatedModule(HostModule):
    """CuPy with kernels that run."""

    def __init__(self) -> None:
        super().__init__()
        self.captured: list[Callable[[], None]] | None = None
        device = self

        class Stream:
            def __init__(self, **_: Any) -> None:
                pass

            def __enter__(self) -> Stream:
                return self

            def __exit__(self, *_: object) -> None:
                pass

            def begin_capture(self) -> None:
                device.captured = []

            def end_capture(self) -> Any:
                steps, device.captured = device.captured or [], None
                return SimpleNamespace(launch=lambda stream: [step() for step in steps])

            def record(self) -> None:
                pass

            def wait_event(self, event: Any) -> None:
                pass

            def synchronize(self) -> None:
                pass

        self.cuda.Stream = Stream
        self.cuda.Stream.null = Stream()  # type: ignore[attr-defined]
        self.cuda.get_current_stream = Stream

    def do(self, step: Callable[[], None]) -> None:
        if self.captured is None:
            step()
        else:
            self.captured.append(step)


class Loaded:
    """A module: kernels by name, and its constant memory."""

    def __init__(self, device: EmulatedModule, file: str) -> None:
        # a copy of its own, so that two programs do not share constant memory
        self.device, self.library = device, _own_copy(Path(file))

    def get_function(self, name: str) -> Kernel:
        return Kernel(self.device, getattr(self.library, f"emulate_{name}"))


_copies = [0]


def _own_copy(file: Path) -> ctypes.CDLL:
    _copies[0] += 1
    copy = file.with_name(f"{file.stem}-{_copies[0]}.so")
    shutil.copy(file, copy)
    return ctypes.CDLL(str(copy))


def _fill(module: Loaded, name: str, words: Any) -> None:
    there = (ctypes.c_int * len(words)).in_dll(module.library, name)
    there[:] = np.asarray(words).tolist()


def use_emulation(monkeypatch: pytest.MonkeyPatch, folder: Path) -> EmulatedModule:
    """Devices are emulated from here on; what is compiled is kept in a folder."""
    device = EmulatedModule()
    use_host(monkeypatch, device)
    for module in (device_street, device_rounds):
        monkeypatch.setattr(module, "fill_constant", _fill)
    for module in (device_passes, device_stream):
        monkeypatch.setattr(
            module, "compile_all", lambda wanted: [str(build(name, dict(sizes), folder)) for name, sizes in wanted]
        )
    for module in (device_street, device_passes, device_rounds, device_stream):
        monkeypatch.setattr(module, "load_module", lambda file: Loaded(device, file))
    return device
