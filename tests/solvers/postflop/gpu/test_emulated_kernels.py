"""The CUDA kernels themselves, compiled for the host and run thread by thread, against the solver of the CPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.schedules import discount_factors
from equilibrist.solvers.postflop._kernels.layout import LEARN, Weights
from equilibrist.solvers.postflop.batches.device_groups import lay_out_group, start_group
from equilibrist.solvers.postflop.batches.grouped_spots import compile_spots, group_spots
from equilibrist.solvers.postflop.gpu import street_shape
from equilibrist.solvers.postflop.restricted_nash import BoardModel, restricted_nash
from equilibrist.solvers.postflop.solve_spot import start_spot
from equilibrist.solvers.registry import make_solver
from reference.device_spots import CALLED, FAR_ROWS, LOCK, RAKED, SMALL, check_pass
from reference.emulated_device import COMPILER, use_emulation

pytestmark = pytest.mark.skipif(COMPILER is None, reason="g++ is not installed")

LOCKS = [
    {"line": "", "hands": "QQ,KQs", "strategy": {"x": 0.25, "b50": 0.75}},
    LOCK,
    {"line": "b50", "hands": "KK,T9s", "strategy": {"c": 1.0}},
]
SPOTS = {
    "river, locked": RAKED.changed(lock=LOCKS),
    "all hands": FAR_ROWS.changed(rake={"rate": 0.05, "cap": 3}),  # four warps to a row
    "turn": SMALL,
    "flop": CALLED,
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("emulated")


def compare(cpu: Any, gpu: Any) -> None:
    """Pass by pass from the same tables, then a whole check."""
    weights = Weights(*discount_factors(cpu.schedule, cpu.iteration)[0].astype(np.float32))
    for me in range(2):
        for run in (cpu, gpu):
            run._pass(LEARN, me, weights)
        check_pass(cpu, gpu, me)
    assert gpu.exploitability() == pytest.approx(cpu.exploitability(), rel=1e-5)


def few_threads(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(street_shape, "LAST_THREADS", (number,))
    monkeypatch.setattr(street_shape, "UPPER_THREADS", number)


@pytest.mark.parametrize(
    ("name", "solver", "bits"),
    [
        ("river, locked", "pcfr+", 16),
        pytest.param("all hands", "dcfr", 16, marks=pytest.mark.slow),
        pytest.param("river, locked", "dcfr", 32, marks=pytest.mark.slow),
        pytest.param("all hands", "pcfr+", 32, marks=pytest.mark.slow),
        pytest.param("turn", "pcfr+", 16, marks=pytest.mark.slow),
        pytest.param("turn", "dcfr", 32, marks=pytest.mark.slow),
        pytest.param("flop", "dcfr", 16, marks=pytest.mark.slow),
    ],
)
def test_kernels_do_what_the_cpu_does(
    name: str, solver: str, bits: int, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cpu = start_spot(SPOTS[name], solver, bits=bits)
    cpu.advance(2)
    use_emulation(monkeypatch, kept)
    few_threads(monkeypatch, 128 if name == "all hands" else 64)
    gpu: Any = start_spot(SPOTS[name], solver, bits=bits, device="cuda")
    assert bool(gpu.passes.plans[-1].called) == (name == "flop")
    assert bool(gpu.passes.plans[-1].far_blocks(0)) == (name == "all hands")
    gpu.restore(cpu.state())
    compare(cpu, gpu)


@pytest.mark.slow
@pytest.mark.parametrize("player", [0, 1])
def test_models_are_met_as_on_the_cpu(player: int, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = start_spot(SMALL, "cfr")
    other.advance(4)
    model = BoardModel.of_run(other, player)
    cpu = restricted_nash(SMALL, model, 0.4, "dcfr")
    cpu.advance(1)
    use_emulation(monkeypatch, kept)
    few_threads(monkeypatch, 64)
    gpu = restricted_nash(SMALL, model, 0.4, "dcfr", device="cuda")
    gpu.restore(cpu.state())
    compare(cpu, gpu)
    assert gpu.payoff() == pytest.approx(cpu.payoff(), abs=1e-5 * SMALL.pot)


def started_batch(spots: list[Spot]) -> Any:
    compiled = compile_spots(spots)
    (group,) = group_spots(compiled)
    return start_group(compiled, group, lay_out_group(compiled, group), cast(CFR, make_solver("dcfr")))


@pytest.mark.parametrize("chosen", [None, [0, 2]], ids=["all", "some"])
def test_rounds_of_a_batch_are_its_passes_one_after_another(
    chosen: list[int] | None, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spots = [
        RAKED.changed(pot=pot, board=board)
        for pot, board in ((100, "Kh9d6c4s2h"), (101, "Kh9d6c4s2c"), (102, "AhAd6c4s2h"))
    ]
    use_emulation(monkeypatch, kept)
    few_threads(monkeypatch, 64)
    whole, parts = started_batch(spots), started_batch(spots)
    assert whole.passes._rounds is not None
    parts.passes._rounds = None
    for batch in (whole, parts):
        batch.passes.advance(0, 1)
        if chosen is not None:
            batch.passes.select(np.array(chosen))
        batch.passes.advance(1, 3)
        batch.passes.learn(0, (0.5, 0.5, 0.5), 4)  # a pass by itself leaves the count where it was
        batch.passes.advance(4, 1)
    for one, other in zip(whole.passes.streets[0].own, parts.passes.streets[0].own, strict=True):
        for name in ("regret", "average"):
            assert np.array_equal(one[name], other[name])
            assert one[name].any()
