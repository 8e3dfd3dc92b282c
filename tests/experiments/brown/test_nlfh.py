"""Columns of the flop hold'em tables on a tiny deck: the same code as the whole game, interrupted and taken up again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from equilibrist.experiments.brown.subgames import large_nlfh_subgames, nlfh, nlfh_subgames, turn_holdem_subgames
from equilibrist.experiments.brown.subgames.nlfh import NAMES, ColumnSetting, ColumnWork, even_pieces, pieces_of
from equilibrist.experiments.brown.subgames.nlfh_table import plan
from equilibrist.experiments.findings import Request
from reference.emulated_device import COMPILER, use_emulation
from reference.plain_boards_apart import PlainBoards

TINY = ColumnSetting(4, ranks=4, suits=2, blueprint=20, search=20, scaled=True, step=8)
TURN = ColumnSetting(4, game="turn", stack=600, ranks=4, suits=2, blueprint=3, search=3, step=8)


def silent(doing: str, share: float | None) -> None:
    """Nobody listens."""


@pytest.mark.slow
def test_an_interrupted_column_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ColumnWork(TINY, None, 1, silent).column()
    assert set(NAMES) < set(whole.searched)
    assert whole.searched["gifts times 10"] > 0

    def stop(doing: str, share: float | None) -> None:
        if doing.endswith("boards"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ColumnWork(TINY, tmp_path, 1, stop).column()
    assert list(tmp_path.rglob("boards-*"))
    resumed = ColumnWork(TINY, tmp_path, 1, silent).column()
    assert resumed.searched == pytest.approx(whole.searched, rel=1e-6)
    assert not list(tmp_path.rglob("boards-*"))
    assert ColumnWork(TINY, tmp_path, 1, silent).column() == resumed  # read, not worked out


def test_pieces_of_a_gpu_go_on_after_the_last_technique(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of the CPU in the place of a GPU that holds ten boards."""
    tiny = replace(TINY, blueprint=2, search=2, scaled=False)
    one_by_one = ColumnWork(tiny, None, 1, silent).column()
    monkeypatch.setattr(nlfh, "wants_gpu", lambda *_, **__: True)
    monkeypatch.setattr(nlfh, "most_boards", lambda *_: 10)
    monkeypatch.setattr(nlfh, "boards_on_gpu", PlainBoards)
    asked: list[str] = []

    def stop(doing: str, share: float | None) -> None:
        asked.append(doing)
        if doing.endswith("maxmargin"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ColumnWork(tiny, tmp_path, 1, stop).column()
    assert [doing.split(": ")[1] for doing in asked if "flops" in doing] == ["unsafe", "resolve", "maxmargin"]
    later: list[str] = []
    resumed = ColumnWork(tiny, tmp_path, 1, lambda doing, share: later.append(doing)).column()
    begun = [doing for doing in later if "flops 1 to" in doing]
    assert "maxmargin" in begun[0]  # what came before is not done again
    assert resumed.searched == ColumnWork(tiny, None, 1, silent).column().searched  # bit for bit
    assert resumed.searched == pytest.approx(one_by_one.searched, rel=1e-3)


def test_turn_boards_of_one_flop_stay_in_one_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the CPU in pieces, side by side in others, and all at once: sums differ in their last digits."""
    some = replace(TURN, names=("unsafe", "reach-maxmargin", "estimate-distributional"))
    whole = ColumnWork(some, None, 1, silent).column()
    in_two = ColumnWork(replace(some, step=1000), tmp_path, 2, silent).column()
    assert in_two.searched == pytest.approx(whole.searched, rel=1e-6)
    monkeypatch.setattr(nlfh, "wants_gpu", lambda *_, **__: True)
    monkeypatch.setattr(nlfh, "most_boards", lambda *_: 50)
    monkeypatch.setattr(nlfh, "boards_on_gpu", PlainBoards)
    side_by_side = ColumnWork(some, None, 1, silent).column()
    assert side_by_side.searched == pytest.approx(whole.searched, rel=1e-3)
    assert 0.0 < whole.searched["reach-maxmargin"] < whole.trunk


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="g++ is not installed")
def test_a_column_runs_on_a_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the kernels of a GPU, compiled for the host; rounding decides between equal actions, so little is learned first."""
    some = replace(TURN, blueprint=1, search=2, names=("reach-maxmargin-unsplit",))
    cpu = ColumnWork(some, None, 1, silent).column()
    use_emulation(monkeypatch, tmp_path)
    monkeypatch.setattr(nlfh, "most_boards", lambda *_: 100)
    gpu = ColumnWork(some, None, 1, silent, "cuda").column()
    assert gpu.trunk == pytest.approx(cpu.trunk, rel=1e-3)
    assert gpu.inside == pytest.approx(cpu.inside, rel=1e-3)
    assert gpu.searched == pytest.approx(cpu.searched, rel=0.01)


@pytest.mark.gpu
@pytest.mark.parametrize("setting", [replace(TINY, scaled=False), TURN], ids=["flop", "turn"])
def test_columns_on_a_gpu_are_those_of_the_cpu(setting: ColumnSetting) -> None:
    """Which of equal actions is played, rounding decides; what safe searches leave does not depend on it much."""
    some = replace(setting, blueprint=60, search=100, names=("resolve", "maxmargin", "reach-maxmargin"))
    cpu, gpu = (ColumnWork(some, None, 1, silent, device).column() for device in ("cpu", "cuda"))
    assert gpu.trunk == pytest.approx(cpu.trunk, rel=0.1)
    assert gpu.searched == pytest.approx(cpu.searched, rel=0.15)


def test_more_techniques_leave_those_that_are_known(tmp_path: Path) -> None:
    some = replace(TINY, blueprint=2, search=2, scaled=False, names=("resolve", "maxmargin"))
    first = ColumnWork(some, tmp_path, 1, silent).column()
    more = ColumnWork(replace(some, names=("unsafe", "maxmargin", "resolve")), tmp_path, 1, silent).column()
    assert list(more.searched) == ["unsafe", "maxmargin", "resolve"]
    assert {name: more.searched[name] for name in first.searched} == first.searched
    assert more.margins["resolve"] == first.margins["resolve"]


def test_pieces_are_few_and_even() -> None:
    every = np.arange(1756)
    assert [len(piece) for piece in even_pieces(every, 1300)] == [878, 877]
    assert [len(piece) for piece in even_pieces(every, 1755)] == [1755]
    assert even_pieces(every[:8], 3) == [range(3), range(3, 6), range(6, 7)]


def test_pieces_keep_the_boards_after_one_board_together() -> None:
    borders = np.array([0, 4, 5, 12, 14])
    assert pieces_of(borders, 6) == [range(5), range(5, 12), range(12, 14)]
    assert pieces_of(borders, 1) == [range(4), range(4, 5), range(5, 12), range(12, 14)]
    assert even_pieces(borders, 14) == [range(14)]


def test_an_interrupt_says_where_the_work_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(doing: str, share: float | None) -> None:
        if share is not None:
            raise KeyboardInterrupt

    monkeypatch.setattr(nlfh_subgames, "QUICK", (TINY,))
    with pytest.raises(KeyboardInterrupt, match="goes on from there"):
        nlfh_subgames.run(Request(data=str(tmp_path), progress=stop))


def test_the_plan_says_time_and_memory() -> None:
    for table in (nlfh_subgames, turn_holdem_subgames):
        assert "minutes on 16 threads" in plan(table.FULL, 16)
    assert memory_of(plan(turn_holdem_subgames.FULL, 16)) > 10.0 * memory_of(plan(nlfh_subgames.FULL[:1], 16))


def memory_of(text: str) -> float:
    return float(text.split(", ")[1].split()[0])


@pytest.mark.sampled(1)
@pytest.mark.parametrize("table", [nlfh_subgames, large_nlfh_subgames, turn_holdem_subgames])
def test_a_tiny_deck_runs_as_the_whole_does(table: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    large = replace(TINY, game="large", stack=800, blueprint=5, search=5, scaled=False)
    tiny = {large_nlfh_subgames: large, turn_holdem_subgames: TURN}.get(table, TINY)
    monkeypatch.setattr(table, "QUICK", (tiny,))
    found = table.run(Request())
    assert found.measured["4 buckets"]["trunk"] > 0
    assert all(name in found.measured["4 buckets"] for name in NAMES)
