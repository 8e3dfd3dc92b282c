"""Passes over all boards by the kernels of a GPU, on one (`-m gpu`) or compiled for the host, against the CPU: one deal, and two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.postflop._kernels import layout
from equilibrist.solvers.postflop.bucket_walks.device_stream import DeviceStream
from equilibrist.solvers.postflop.streamed_buckets.board_stream import BoardStream
from equilibrist.solvers.postflop.streamed_buckets.bucketed_cfr import BucketedCFR
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedGame
from equilibrist.solvers.postflop.streamed_buckets.bucketed_responses import respond_fully, respond_in_buckets
from equilibrist.solvers.postflop.streamed_buckets.earlier_streets import on_host
from reference.emulated_device import COMPILER, use_emulation
from streamed_games import StrengthBuckets, small_game
from streamed_turns import turn_game_in_buckets


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture(params=["emulated", pytest.param("real", marks=pytest.mark.gpu)])
def device(request: pytest.FixtureRequest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of its arrays."""
    if request.param == "real":
        return pytest.importorskip("cupy")
    if COMPILER is None:
        pytest.skip("g++ is not installed")
    return use_emulation(monkeypatch, folder)


def games() -> list[BucketedGame]:
    return [BucketedGame.of(small_game(), StrengthBuckets(small_game())), turn_game_in_buckets()]


def some_play(game: BucketedGame) -> tuple[list[Any], Any]:
    """Rows with many zeros, and reach that some lines have none of."""
    rng = np.random.default_rng(3)
    rows = []
    for p in range(2):
        shape = (game.last.slots[p], game.buckets)
        rows.append(game.rows_matched(p, rng.random(shape) * (rng.random(shape) > 0.3)))
    reach = rng.random((game.roots, *game.earlier.last.lanes))
    reach[0] = 0.0
    return rows, reach


@pytest.mark.parametrize("deals", [1, 2])
@pytest.mark.parametrize("part_bytes", [1 << 30, 1 << 18])
def test_kernels_pass_as_the_cpu_does(deals: int, part_bytes: int, device: Any) -> None:
    game = games()[deals - 1]
    stream, cpu = DeviceStream(game, part_bytes), BoardStream(game)
    assert (len(stream.parts) > 1) == (part_bytes < 1 << 20)
    rows, reach = some_play(game)
    for me in range(2):
        for mode in (layout.LEARN, layout.VALUE, layout.RESPOND):
            found, wanted = stream.pass_over(mode, me, reach, rows), cpu.pass_over(mode, me, reach, rows)
            there = stream.pass_over(mode, me, device.asarray(reach), rows)  # values stay there, bit for bit
            assert all(np.array_equal(on_host(a), b) for a, b in zip(there, found, strict=True))
            for mine, other in zip(found, wanted, strict=True):
                scale = np.abs(other).max(initial=1e-9)
                assert mine / scale == pytest.approx(other / scale, abs=1e-5)


def test_a_run_on_a_device_is_that_of_the_cpu(device: Any) -> None:
    """Earlier streets, rows and responses; from the same tables each time, since rounding decides between equal actions."""
    game = turn_game_in_buckets()
    cpu, gpu = BucketedCFR(game, CFR()), BucketedCFR(game, CFR(), device="cuda")
    for _ in range(2):
        cpu.advance(1)
        gpu.advance(1)
        found = gpu.state()
        for name, table in cpu.state().items():
            scale = max(np.abs(table).max(), 1e-9)
            assert found[name] / scale == pytest.approx(table / scale, abs=1e-5), name
        gpu.restore({name: table.copy() for name, table in cpu.state().items()})
    for me in range(2):
        best = [respond_fully(run.stream, cpu.profile(), me).average for run in (cpu, gpu)]
        assert best[1] == pytest.approx(best[0], rel=1e-5)
        inside = [respond_in_buckets(run.stream, cpu.profile(), me)[1].average for run in (cpu, gpu)]
        assert inside[1] == pytest.approx(inside[0], rel=1e-5)


@pytest.mark.skipif(COMPILER is None, reason="g++ is not installed")
@pytest.mark.parametrize("deals", [1, 2])
def test_no_more_memory_is_taken_than_was_planned(deals: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of the last street, and streets before it with what passes and iterations hold at a time."""
    device, game = use_emulation(monkeypatch, folder), games()[deals - 1]
    run = BucketedCFR(game, CFR(), device="cuda")
    stream = run.stream
    assert isinstance(stream, DeviceStream)
    planned = stream.memory_bytes(stream._learned[0].shape[1])
    small = 512 * 80  # the device gives out memory in pieces of 512 bytes
    assert device.taken < planned + small
    between = sum(stream._between_bytes(depth) for depth in range(1, deals))
    street = stream.earlier.last
    lanes = int(np.prod(street.lanes))
    held = (
        8 * lanes * (2 * len(street.forest) + 4 * sum(street.forest.slots))
    )  # reach and values; four tables of both players
    assert deals == 1 or held < between < planned
