"""Passes over all boards with rows of buckets: as plain steps without a device, and by the kernels with one (`-m gpu`)."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

import numpy as np
import pytest

from equilibrist.core.errors import NotApplicableError, TooLargeError
from equilibrist.games.poker.family import flop_holdem
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.blueprint.folder import TrainingOrder, resume_training, start_training
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.training import Training
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.postflop._kernels import layout
from equilibrist.solvers.postflop.bucket_walks.device_stream import DeviceStream, parts_of
from equilibrist.solvers.postflop.gpu.cuda_device import Properties
from equilibrist.solvers.postflop.streamed_buckets.bucketed_cfr import BucketedCFR
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedGame
from equilibrist.solvers.postflop.streamed_buckets.bucketed_responses import respond_fully
from equilibrist.solvers.registry import make_solver
from reference.plain_walk import PlainStream

NEEDS_CUPY = pytest.mark.skipif(
    importlib.util.find_spec("cupy") is None, reason="the extra 'gpu' (CuPy) is not installed"
)
SMALL = BlueprintPlan(
    "nolimit-flop-holdem(stack=400,ranks=4,suits=3,sizes=fcpa)", {}, "ehs-equal(sizes=all/6, sample=1000)"
)
SOLVERS = ("dcfr", "cfr+", "pcfr+", "cfr(updates=simultaneous)")


def abstract() -> BucketedGame:
    game = SMALL.game()
    return BucketedGame.of(Poker("small", game.rules), game.buckets)


def passes_alike(mine: Any, other: Any, rows: Any, reach: Any, tolerance: float) -> None:
    for me in range(2):
        for mode in (layout.LEARN, layout.VALUE, layout.RESPOND):
            for found, wanted in zip(
                mine.pass_over(mode, me, reach, rows), other.pass_over(mode, me, reach, rows), strict=True
            ):
                if wanted.size:
                    scale = np.abs(wanted).max()
                    assert found / scale == pytest.approx(wanted / scale, abs=tolerance)


def some_play(game: BucketedGame) -> tuple[Any, Any]:
    """Rows with many zeros, and reach that some lines have none of."""
    rng = np.random.default_rng(3)
    shapes = [(slots, game.buckets) for slots in game.forests[1].slots]
    rows = [game.rows_matched(p, rng.random(shapes[p]) * (rng.random(shapes[p]) > 0.3)) for p in range(2)]
    reach = rng.random((game.roots, game.first.hands))
    reach[0] = 0.0
    return rows, reach


@pytest.mark.parametrize(("boards", "spans"), [(1000, 4), (7, 3), (1, 1)])
def test_steps_and_sums_are_those_of_the_cpu(boards: int, spans: int) -> None:
    game = abstract()
    cpu = BucketedCFR(game, CFR()).stream
    passes_alike(PlainStream(game, boards, spans), cpu, *some_play(game), 1e-5)


def test_parts_have_every_hand_once_in_order_of_buckets() -> None:
    rng = np.random.default_rng(0)
    bucket, count = rng.integers(5, size=(37, 8)).astype(np.int32), rng.integers(1, 9, size=37).astype(np.int32)
    seen = []
    parent = np.repeat(np.arange(5), [12, 3, 1, 20, 1]).astype(np.int32)
    for part in parts_of(bucket, count, parent, 6, 10, 4):
        board, place = part.first + part.members // 8, part.members % 8
        assert (place < count[board]).all()
        assert np.array_equal(np.repeat(np.arange(6), np.diff(part.begin)), bucket[board, place])
        assert (np.diff(part.spans) > 0).all()
        assert np.array_equal(np.repeat(part.parent, np.diff(part.spans)), parent[part.first : part.last])
        seen += list(zip(board.tolist(), place.tolist(), strict=True))
    assert len(set(seen)) == len(seen) == count.sum()


def order(iterations: int, method: str) -> TrainingOrder:
    return TrainingOrder(SMALL, Training(method=method), iterations)


def test_without_a_device_nothing_is_begun(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(NotApplicableError, match="leave --device out"):
        start_training(tmp_path / "run", order(3, "dcfr"), device="cuda")
    with pytest.raises(NotApplicableError, match="on the CPU alone"):
        start_training(tmp_path / "run", order(3, "mccfr"), device="cuda")
    assert not (tmp_path / "run").exists()
    start_training(tmp_path / "run", order(3, "dcfr"), device="auto")
    with pytest.raises(NotApplicableError, match="leave --device out"):
        resume_training(tmp_path / "run", iterations=5, device="cuda")


@pytest.mark.gpu
@NEEDS_CUPY
@pytest.mark.parametrize("part_bytes", [1 << 30, 1 << 20, 1])
def test_passes_are_those_of_the_cpu(part_bytes: int) -> None:
    for game in (abstract(), BucketedGame.of(flop_holdem(ranks=13, suits=2), HighCard())):
        stream = DeviceStream(game, part_bytes)
        passes_alike(stream, BucketedCFR(game, CFR()).stream, *some_play(game), 1e-5)
        rows, reach = some_play(game)
        one, two = (stream.pass_over(layout.LEARN, 0, reach, rows) for _ in range(2))
        assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))  # bit for bit


class HighCard:
    """Three buckets by the highest card of the hand."""

    sizes = (1326, 3)
    hash = "high card"

    def bucket(self, round: int, cards: Any) -> Any:
        return cards[:, :2].max(axis=1).astype(np.int64) * 3 // 52

    def strength(self, cards: Any) -> Any:
        raise NotImplementedError


@pytest.mark.gpu
@NEEDS_CUPY
@pytest.mark.parametrize("solver", SOLVERS)
def test_iterations_are_those_of_the_cpu(solver: str) -> None:
    """From the same tables each time: where actions are exactly equal, rounding decides what comes next."""
    game, made = abstract(), make_solver(solver)
    assert isinstance(made, CFR)
    cpu, gpu = BucketedCFR(game, made), BucketedCFR(game, made, device="cuda")
    for _ in range(3):
        cpu.advance(1)
        gpu.advance(1)
        for name, table in cpu.state().items():
            scale = max(np.abs(table).max(), 1e-9)
            assert gpu.state()[name] / scale == pytest.approx(table / scale, abs=1e-5), name
        for me in range(2):
            best = [respond_fully(run.stream, cpu.profile(), me).average for run in (cpu, gpu)]
            assert best[1] == pytest.approx(best[0], abs=1e-5, rel=1e-5)
        gpu.restore({name: table.copy() for name, table in cpu.state().items()})


@pytest.mark.gpu
@NEEDS_CUPY
def test_trainings_go_on_on_either(tmp_path: Any) -> None:
    whole = start_training(tmp_path / "whole", order(60, "dcfr"))
    start_training(tmp_path / "cut", order(30, "dcfr"), device="cuda")
    cut = resume_training(tmp_path / "cut", iterations=60)
    again = start_training(tmp_path / "there", order(60, "dcfr"), device="cuda")
    for made in (cut, again):
        assert made.provenance["exploitability"] == pytest.approx(whole.provenance["exploitability"], rel=0.02)


@pytest.mark.gpu
@NEEDS_CUPY
def test_what_does_not_fit_on_the_device_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Properties, "free_bytes", lambda self: 1000)
    with pytest.raises(TooLargeError, match="on the device"):
        DeviceStream(abstract())
