"""The CUDA device: whether there is one, what it holds, and kernels compiled for sizes.

Kernels are CUDA C, compiled by NVRTC through CuPy (the extra `gpu`): no compiler is needed. A binary serves all spots of the same sizes and
is kept in CuPy's cache.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, wraps
from importlib import resources
from typing import Any, ParamSpec, TypeVar

from equilibrist.compute.kernel import cache_folder, private_folder
from equilibrist.compute.machine import cores
from equilibrist.core.errors import CannotWriteError, NotApplicableError, TooLargeError
from equilibrist.core.writing import whole_file

P = ParamSpec("P")
R = TypeVar("R")

_device_wide = threading.RLock()  # around captures and around waiting for the whole device

CONSTANT_WORDS = 16_128  # of a program in constant memory; longer ones lie in global memory


def cupy() -> Any:
    """The module, if it is installed and sees a device."""
    try:
        import cupy as module
    except ImportError as error:
        raise NotApplicableError(
            "--device cuda needs CuPy; install it with: pip install 'equilibrist[gpu]', or leave --device out."
        ) from error
    try:
        devices = module.cuda.runtime.getDeviceCount()
    except module.cuda.runtime.CUDARuntimeError as error:
        raise NotApplicableError(
            f"No CUDA device can be used ({error}); install NVIDIA's driver, or leave --device out."
        ) from error
    if not devices:
        raise NotApplicableError("This machine has no CUDA device; leave --device out.")
    return module


def _failures() -> tuple[type[Exception], ...]:
    module = cupy()
    return module.cuda.runtime.CUDARuntimeError, module.cuda.driver.CUDADriverError


def on_device(work: Callable[P, R]) -> Callable[P, R]:
    """Work on the device; what goes wrong there in the middle is said in one sentence."""

    @wraps(work)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return work(*args, **kwargs)
        except MemoryError as error:
            raise TooLargeError(
                f"The device has too little memory left ({error}); close other programs that use it, or leave --device out. "
                "What was saved before is whole."
            ) from error
        except _failures() as error:
            raise NotApplicableError(
                f"The device gave up in the middle of the work ({error}); what was saved before is whole: resume from it, here "
                "or without --device."
            ) from error

    return run


def captured(stream: Any, work: Callable[[], None]) -> Any:
    """Work on a stream as a CUDA graph; no other thread waits for the device meanwhile, which CUDA forbids."""
    with _device_wide, stream:
        stream.begin_capture()
        work()
        return stream.end_capture()


def wait_for_device() -> None:
    """For all of its streams, once no thread captures a graph."""
    with _device_wide:
        cupy().cuda.Device().synchronize()


@cache
def source_of(name: str) -> str:
    """A source file with the sources that it includes."""
    text = resources.files("equilibrist.solvers.postflop.gpu").joinpath(name).read_text(encoding="utf-8")
    return re.sub(r'^#include "(.+)"$', lambda found: source_of(found[1]), text, flags=re.MULTILINE)


def load_module(binary: bytes) -> Any:
    """A module of its own, with its own constant memory."""
    module = cupy().cuda.function.Module()
    module.load(binary)
    return module


def compile_all(wanted: Sequence[tuple[str, Mapping[str, int]]]) -> list[bytes]:
    """Machine code for source files and sizes; what is not kept is compiled side by side."""
    keys = [(name, tuple(sorted(sizes.items()))) for name, sizes in wanted]
    different = list(dict.fromkeys(keys))
    with ThreadPoolExecutor(max(1, min(len(different), cores()))) as pool:
        made = dict(zip(different, pool.map(lambda key: compile_binary(*key), different), strict=True))
    return [made[key] for key in keys]


def compile_binary(name: str, sizes: tuple[tuple[str, int], ...]) -> bytes:
    """Machine code for this device, from the folder of compiled kernels if it is there.

    CuPy's `RawModule` would hand out one module for equal sources, and with it one constant memory for two programs.
    """
    nvrtc = cupy().cuda.nvrtc
    version, arch = nvrtc.getVersion(), cupy().cuda.Device().compute_capability
    options = (
        f"--gpu-architecture=sm_{arch}",
        "-std=c++17",
        "--use_fast_math",
        *(f"-D{key}={number}" for key, number in sizes),
    )
    key = hashlib.sha256(repr((source_of(name), options, version)).encode()).hexdigest()[:24]

    def compiled() -> bytes:
        program = nvrtc.createProgram(source_of(name), name, (), ())
        try:
            nvrtc.compileProgram(program, options)
        except nvrtc.NVRTCError as error:
            log = nvrtc.getProgramLog(program)
            raise RuntimeError(f"{name} does not compile for {dict(sizes)}: {log}") from error
        made = bytes(nvrtc.getCUBIN(program))
        nvrtc.destroyProgram(program)
        return made

    return kept_binary(f"{name.removesuffix('.cu')}-{key}.cubin", compiled)


def kept_binary(file: str, make: Callable[[], bytes]) -> bytes:
    """From a folder of the cache that nobody else can write to, since it runs as code; else made, and kept there if there is room."""
    folder = cache_folder() / "gpu"
    with contextlib.suppress(OSError):
        if private_folder(folder):
            return (folder / file).read_bytes()
    made = make()
    with contextlib.suppress(OSError, CannotWriteError):
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        if private_folder(folder):
            with whole_file(folder / file) as out:
                out.write(made)
    return made


class Properties:
    """What bounds a launch on this device."""

    def __init__(self) -> None:
        module = cupy()
        attributes = module.cuda.Device().attributes
        self.multiprocessors = int(attributes["MultiProcessorCount"])
        self.shared_per_block = int(attributes["MaxSharedMemoryPerBlockOptin"])
        self.shared_per_multiprocessor = int(attributes["MaxSharedMemoryPerMultiprocessor"])
        self.registers = int(attributes["MaxRegistersPerMultiprocessor"])
        self.threads = int(attributes["MaxThreadsPerMultiProcessor"])

    def free_bytes(self) -> int:
        return int(cupy().cuda.Device().mem_info[0])

    def reclaimed_bytes(self) -> int:
        """Free when what runs that are over have left with CuPy is given back."""
        gc.collect()  # runs may point at themselves
        cupy().get_default_memory_pool().free_all_blocks()
        return self.free_bytes()

    def give_back(self, most: float) -> None:
        """What CuPy keeps unused, where that is more than a share of the device's memory: others may want it."""
        pool = cupy().get_default_memory_pool()
        if pool.total_bytes() - pool.used_bytes() > most * int(cupy().cuda.Device().mem_info[1]):
            pool.free_all_blocks()

    def refuse_what_does_not_fit(self, need: int, advice: str) -> None:
        """Before memory is taken."""
        if need > self.free_bytes() and need > (free := self.reclaimed_bytes()):
            raise TooLargeError(
                f"This takes {need / 1e9:.1f} GB on the device, which has {free / 1e9:.1f} GB free; {advice}."
            )
