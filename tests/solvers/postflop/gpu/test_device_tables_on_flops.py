"""Flops inside tables on a device: the same regrets and values as on the CPU, with sampled turns and rivers, too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from equilibrist.games.tables.table import Table
from equilibrist.solvers.postflop.gpu import street_shape
from equilibrist.solvers.tables.solve_table import solve_table
from reference.emulated_device import COMPILER, use_emulation

TABLE = Table(
    stacks={"SB": 6, "BB": 6},
    blinds=[0.5, 1],
    menu={"open": "2x, a", "3bet": "a", "limp": True},
    range={"SB": "AA,KQs,65s", "BB": "QQ,AJs,T9s"},
    leaves={"flops": ["Td9d6h:3", "8d8c5c:2"], "turns": 2, "rivers": 2, "reach": 0},
)


def compare(iterations: int) -> None:
    cpu, gpu = (solve_table(TABLE, iterations=iterations, device=device, threads=2) for device in ("cpu", "cuda"))
    assert gpu.strategy == pytest.approx(cpu.strategy, abs=1e-4)
    assert gpu.state["flop_worth"] == pytest.approx(cpu.state["flop_worth"], abs=1e-5)
    assert list(gpu.gains.values()) == pytest.approx(list(cpu.gains.values()), abs=1e-5)
    further = solve_table(TABLE, iterations=iterations + 1, resume=gpu)  # goes on on the CPU
    assert np.isfinite(further.strategy).all()


@pytest.mark.gpu
def test_flops_on_a_device() -> None:
    compare(4)


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="g++ is not installed")
def test_flops_on_an_emulated_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_emulation(monkeypatch, tmp_path)
    monkeypatch.setattr(street_shape, "LAST_THREADS", (64,))
    monkeypatch.setattr(street_shape, "UPPER_THREADS", 64)
    compare(2)
