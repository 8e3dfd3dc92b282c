"""Kernels of the GPU compile, and their argument is laid out as the host packs it: NVRTC needs no device."""

from __future__ import annotations

import ctypes
import importlib.util
from pathlib import Path

import pytest

from equilibrist.solvers.postflop.bucket_walks.device_walks import WALK
from equilibrist.solvers.postflop.bucket_walks.walk_hands import WalkShape
from equilibrist.solvers.postflop.gpu.cuda_device import source_of
from equilibrist.solvers.postflop.gpu.device_rounds import NAMESPACES, OWN, WORDS
from equilibrist.solvers.postflop.gpu.device_street import ARGUMENT, MODES

SIZES = {
    "ACTIONS": 4, "TEAM": 1, "HAND_SUMS": 9, "ENTRY_SUMS": 17, "THREADS": 192, "BLOCKS": 5, "LAST": 1, "FAR": 0, "LONG": 0, "PREDICTIVE": 0,
    "BATCH": 0, "LOCKED": 0, "MODELLED": 0, "IN_PLACE": 1, "THEIR_PLACES": 256, "MY_PLACES": 192, "WORDS": 16_128, "BITS": 32,
    "THEIR_BLOCK": 128, "MY_BLOCK": 128, "THEIR_TABLE": 256, "MY_TABLE": 192, "STREET_BYTES": ARGUMENT.itemsize, "PASS": 0,
}  # fmt: skip
OTHERS = [
    {},
    {"LAST": 0, "IN_PLACE": 0, "PREDICTIVE": 1, "THREADS": 512, "BLOCKS": 1},
    {"BATCH": 1, "FAR": 1, "IN_PLACE": 0, "ACTIONS": 8, "TEAM": 4, "THREADS": 512, "BLOCKS": 1},
    {"LOCKED": 1, "LONG": 1, "ACTIONS": 2},
    {"BITS": 16, "MY_BLOCK": 96},
    {"MODELLED": 1, "LAST": 0, "IN_PLACE": 0, "THREADS": 512, "BLOCKS": 1},
    {"MODELLED": 1, "FAR": 1},
    {"BITS": 16, "MY_BLOCK": 96, "PREDICTIVE": 1, "LOCKED": 1, "LAST": 0, "IN_PLACE": 0, "THREADS": 512, "BLOCKS": 1},
]


def library() -> ctypes.CDLL | None:
    """NVRTC of the package `nvidia-cuda-nvrtc`, if it is installed."""
    found = importlib.util.find_spec("nvidia")
    for folder in found.submodule_search_locations or () if found else ():
        for path in sorted(Path(folder).glob("*/lib/libnvrtc.so.*")):
            if "builtins" not in path.name:
                return ctypes.CDLL(str(path))
    return None


NVRTC = library()
pytestmark = pytest.mark.skipif(NVRTC is None, reason="NVRTC is not installed; pip install nvidia-cuda-nvrtc")


def errors(name: str, sizes: dict[str, int]) -> str:
    """What the compiler says against a source; nothing if it is in order."""
    assert NVRTC is not None
    options = ["--gpu-architecture=compute_75", "-std=c++17", *(f"-D{key}={number}" for key, number in sizes.items())]
    program = ctypes.c_void_p()
    assert not NVRTC.nvrtcCreateProgram(ctypes.byref(program), source_of(name).encode(), name.encode(), 0, None, None)
    failed = NVRTC.nvrtcCompileProgram(
        program, len(options), (ctypes.c_char_p * len(options))(*map(str.encode, options))
    )
    size = ctypes.c_size_t()
    NVRTC.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    NVRTC.nvrtcGetProgramLog(program, log)
    return log.value.decode() or "failed" if failed else ""


@pytest.mark.sampled(7)
@pytest.mark.parametrize("number", range(len(MODES)), ids=MODES)
@pytest.mark.parametrize("others", OTHERS, ids=lambda others: "-".join(others) or "plain")
def test_passes_compile(others: dict[str, int], number: int) -> None:
    assert errors("board_passes.cu", SIZES | others | {"PASS": number}) == ""


@pytest.mark.parametrize(
    "others", [{}, {"LOCKED": 1}, {"PREDICTIVE": 1}], ids=lambda others: "-".join(others) or "plain"
)
def test_rounds_compile(others: dict[str, int]) -> None:
    sizes = SIZES | others | {"BATCH": 1, "WORDS": WORDS}
    own = {f"{space.upper()}_{name}": sizes[name] for space in NAMESPACES for name in OWN}
    sizes = {name: number for name, number in sizes.items() if name not in OWN}
    assert errors("board_rounds.cu", sizes | own | {"SECOND_TEAM": 4, "SECOND_IN_PLACE": 0}) == ""


@pytest.mark.parametrize("name", ["deals.cu", "showdowns_of_three.cu"])
def test_kernels_without_sizes_compile(name: str) -> None:
    assert errors(name, {}) == ""


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("hands", [15, 1081])
def test_walks_compile(last: int, hands: int) -> None:
    shape = WalkShape(hands)
    sizes = {"THREADS": shape.threads, "ENTRIES": shape.entries, "BLOCKS": 2, "LAST": last}
    assert errors("bucket_walks.cu", sizes | {"WALK_BYTES": WALK.itemsize}) == ""
    assert "other fields" in errors("bucket_walks.cu", sizes | {"WALK_BYTES": WALK.itemsize + 8})


def test_another_argument_is_refused() -> None:
    assert "other fields" in errors("board_passes.cu", SIZES | {"STREET_BYTES": ARGUMENT.itemsize + 8})
