"""Which device is taken, and what is said where it cannot be."""

from __future__ import annotations

import builtins
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.compute.kernel import private_folder
from equilibrist.core.errors import NotApplicableError, TooLargeError, UnknownNameError
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.postflop.bucket_walks import device_stream, device_walks
from equilibrist.solvers.postflop.gpu import cuda_device
from equilibrist.solvers.postflop.gpu.devices import wants_gpu
from equilibrist.solvers.postflop.gpu.hand_tables import PER_LANE, per_lane

RIVER = Spot(board="Td9d6hQc2s", pot=100, stack=300, range={"oop": "AA", "ip": "KK"}, bets={"bet": "a"})


@pytest.fixture
def no_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name, *rest, **named):
        if name == "cupy":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", absent)


@pytest.mark.usefixtures("no_cupy")
def test_without_the_extra_cuda_is_refused_and_auto_stays_on_the_cpu() -> None:
    with pytest.raises(NotApplicableError, match=r"pip install 'equilibrist\[gpu\]'"):
        eq.solve(RIVER, iterations=1, device="cuda")
    assert not wants_gpu("auto", None, streets=3)


def test_what_cannot_run_there_says_why() -> None:
    for device in ("gpu", "", "CUDA"):
        with pytest.raises(UnknownNameError, match="expected cpu, cuda, auto"):
            eq.solve(RIVER, iterations=1, device=device)
    with pytest.raises(NotApplicableError, match="solved on the CPU"):
        eq.solve("kuhn", iterations=1, device="cuda")
    assert eq.solve("kuhn", iterations=1, device="auto").iterations == 1


@pytest.mark.usefixtures("no_cupy")
@pytest.mark.parametrize(
    ("solver", "why"), [("cfr(pruning=rbp)", "no pruning"), ("fp", "CFR family"), ("cfr(minimiser=hedge)", "matching")]
)
def test_obstacles_stay_on_the_cpu(solver: str, why: str) -> None:
    from equilibrist.solvers.postflop.solve_spot import start_spot

    with pytest.raises(NotApplicableError, match=why):
        start_spot(RIVER, solver, device="cuda")
    assert start_spot(RIVER, solver, device="auto").device == "cpu"


def test_sums_have_room_for_one_hand_more() -> None:
    assert list(PER_LANE) == sorted(PER_LANE)
    for count in (1, 31, 32, 33, 250, 1081, 1326, 2652):
        assert 32 * per_lane(count) > count


class LostError(Exception):
    """As CuPy's, which need a device."""


@pytest.mark.parametrize(
    ("raised", "wanted", "why"),
    [
        (MemoryError("Out of memory allocating 5 bytes"), TooLargeError, "too little memory left .Out of memory allocating 5"),
        (LostError("cudaErrorLaunchFailure"), NotApplicableError, "gave up .* .cudaErrorLaunchFailure.; what was saved"),
        (ValueError("a mistake of ours"), ValueError, "a mistake"),
    ],
)  # fmt: skip
def test_what_fails_on_the_device_is_said(
    raised: Exception, wanted: type[Exception], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda_device, "_failures", lambda: (LostError,))

    @cuda_device.on_device
    def work() -> None:
        raise raised

    with pytest.raises(wanted, match=why):
        work()


def test_what_finished_runs_left_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """CuPy keeps memory for the next array, and the driver does not count it as free."""
    left = SimpleNamespace(free=3.0, kept=6.0)

    def free_all_blocks() -> None:
        left.free, left.kept = left.free + left.kept, 0.0

    pool = SimpleNamespace(free_all_blocks=free_all_blocks)
    device = SimpleNamespace(Device=lambda: SimpleNamespace(mem_info=(left.free * 1e9, 12e9)))
    module = SimpleNamespace(cuda=device, get_default_memory_pool=lambda: pool)
    monkeypatch.setattr(cuda_device, "cupy", lambda: module)
    there = object.__new__(cuda_device.Properties)
    there.refuse_what_does_not_fit(int(2e9), "use less")
    assert left.kept  # nobody needed it
    there.refuse_what_does_not_fit(int(8e9), "use less")
    with pytest.raises(TooLargeError, match=r"takes 10\.0 GB on the device, which has 9\.0 GB free; use less\."):
        there.refuse_what_does_not_fit(int(10e9), "use less")


def test_what_lies_idle_is_given_back() -> None:
    freed = list[float]()
    pool = SimpleNamespace(total_bytes=lambda: 5e9, used_bytes=lambda: 3e9, free_all_blocks=lambda: freed.append(1.0))
    device = SimpleNamespace(Device=lambda: SimpleNamespace(mem_info=(1e9, 12e9)))
    there = object.__new__(cuda_device.Properties)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuda_device, "cupy", lambda: SimpleNamespace(cuda=device, get_default_memory_pool=lambda: pool))
        there.give_back(0.2)  # 2 GB lie idle, of 12
        assert not freed
        there.give_back(0.1)
    assert freed


def test_walks_that_fail_on_the_device_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost() -> Any:
        raise LostError("cudaErrorLaunchFailure")

    for module in (device_walks, device_stream):
        monkeypatch.setattr(module, "cupy", lost)
    monkeypatch.setattr(cuda_device, "_failures", lambda: (LostError,))
    walks, stream = object.__new__(device_walks.DeviceWalks), object.__new__(device_stream.DeviceStream)
    walks._root = [SimpleNamespace(set=lambda rows: lost())]
    nothing: Any = None
    for work in (
        lambda: device_walks.DeviceWalks([]),
        lambda: walks.load([]),
        lambda: walks.play([], 0, np.zeros((1, 1), dtype=np.float32)),
        lambda: device_stream.DeviceStream(nothing),
        lambda: stream.pass_over(0, 0, nothing, nothing),
    ):
        with pytest.raises(NotApplicableError, match="gave up in the middle"):
            work()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no owners here")
def test_kernels_are_kept_where_nobody_else_can_write(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EQUILIBRIST_CACHE", str(tmp_path / "cache"))
    made = list[str]()

    def make() -> bytes:
        made.append("once")
        return b"code"

    assert [cuda_device.kept_binary("walk.cubin", make) for _ in range(2)] == [b"code", b"code"]
    assert len(made) == 1
    folder = tmp_path / "cache" / "gpu"
    assert [file.name for file in folder.iterdir()] == ["walk.cubin"]
    (folder / "walk.cubin").write_bytes(b"somebody else's")
    folder.chmod(0o777)
    private_folder.cache_clear()
    assert cuda_device.kept_binary("walk.cubin", make) == b"code"
    assert (folder / "walk.cubin").read_bytes() == b"somebody else's"
