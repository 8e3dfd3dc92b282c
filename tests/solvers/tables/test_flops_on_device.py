"""Flops inside tables on a GPU: lines side by side are the CPU's line for line, in files too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from equilibrist.games.tables.table import Table
from equilibrist.solvers.postflop.gpu import street_plan, street_shape
from equilibrist.solvers.tables.on_device import checked_down, device_flops, lines_together
from equilibrist.solvers.tables.solve_table import solve_table
from reference.emulated_device import COMPILER, use_emulation

TWO = {
    "stacks": {"SB": 6, "BB": 6},
    "blinds": [0.5, 1],
    "menu": {"open": "2x", "3bet": "a", "limp": True},
    "range": {"SB": "AA,KQs,65s", "BB": "QQ,AJs,T9s"},
    "leaves": {"flops": ["Td9d6h:3", "8d8c5c:2"], "turns": 2, "rivers": 2, "reach": 0},
}
THREE = {
    "stacks": {"BTN": 7, "SB": 5, "BB": 6},
    "blinds": [0.5, 1],
    "menu": {"open": "2x", "3bet": "a", "limp": False},
    "range": {"BTN": "AA,76s", "SB": "QQ,AJs", "BB": "JJ,AKs"},
    "leaves": {"flops": ["Td9d6h:3"], "turns": 2, "rivers": 1, "reach": 0},
    "three_way": "products",
}


def start_emulation(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    device = use_emulation(monkeypatch, folder)
    for module in (checked_down, device_flops, lines_together):
        monkeypatch.setattr(module, "cupy", lambda: device)
    monkeypatch.setattr(street_shape, "LAST_THREADS", (64,))
    monkeypatch.setattr(street_shape, "UPPER_THREADS", 64)


def compare(table: Table, iterations: int) -> None:
    cpu, gpu = (solve_table(table, iterations=iterations, device=device, threads=2) for device in ("cpu", "cuda"))
    assert gpu.strategy == pytest.approx(cpu.strategy, abs=1e-4)
    largest = np.abs(cpu.state["flop_worth"]).max()
    assert gpu.state["flop_worth"] == pytest.approx(cpu.state["flop_worth"], abs=1e-5 * largest)
    assert list(gpu.gains.values()) == pytest.approx(list(cpu.gains.values()), abs=1e-5)
    assert {name: array.shape for name, array in gpu.state.items()} == {
        name: array.shape for name, array in cpu.state.items()
    }


if __name__ == "__main__":
    import sys, time
    mp = pytest.MonkeyPatch()
    Path("/tmp/tables/k").mkdir(exist_ok=True)
    start_emulation(mp, Path("/tmp/tables/k"))
    for t in (Table(**TWO), ):
        b = time.perf_counter()
        compare(t, 2)
        print(time.perf_counter() - b)
