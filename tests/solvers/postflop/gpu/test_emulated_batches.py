"""A batch of turns by the kernels compiled for the host, against the CPU: boards dealt at once, in groups that fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.solvers.postflop.batches import device_groups, solve_batch
from reference.emulated_device import COMPILER, use_emulation

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")


@pytest.mark.slow
def test_turns_dealt_at_once_are_solved_as_on_the_cpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(3)
    boards = draw.random((2, 52)).argsort(axis=1)[:, :4]
    ranges = np.where(draw.random((2, 2, 1326)) < 0.02, draw.random((2, 2, 1326)), 0.0)
    spot = eq.Spot(board="2c3d4h5s", pot=10, stack=20, range={"oop": "AA", "ip": "KK"}, bets={"bet": "a"})
    given = {"boards": boards, "ranges": ranges}
    cpu = eq.solve_batch(spot, iterations=1, **given)
    use_emulation(monkeypatch, tmp_path)
    monkeypatch.setattr(solve_batch, "wants_gpu", lambda *_, **__: True)
    dealt, deal = list[int](), device_groups.deal_turns
    monkeypatch.setattr(device_groups, "deal_turns", lambda *each: dealt.append(len(each[0])) or deal(*each))
    how = {"strategies": False, "device": "cuda", **given}
    once = eq.solve_batch(spot, iterations=1, **how)
    at_once = eq.solve_batch(spot, iterations=20, **how)
    assert max(dealt) == 2
    for p in range(2):  # of later iterations rounding decides between actions that are worth the same
        assert once.by_hand[p] == pytest.approx(cpu.by_hand[p], abs=1e-4, nan_ok=True)
    dealt.clear()
    monkeypatch.setattr(device_groups, "suits_merge", lambda boards, weights: np.ones(len(boards), dtype=bool))
    joined = eq.solve_batch(spot, iterations=20, **how)
    assert not dealt
    for p in range(2):
        assert np.array_equal(joined.by_hand[p], at_once.by_hand[p], equal_nan=True)
    assert (joined.exploitability == at_once.exploitability).all()
