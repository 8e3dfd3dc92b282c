"""Columns of the flop hold'em tables on a tiny deck: the same code as the whole game, interrupted and taken up again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from equilibrist.experiments.brown.subgames import large_nlfh_subgames, nlfh_subgames
from equilibrist.experiments.brown.subgames.nlfh import NAMES, ColumnSetting, ColumnWork
from equilibrist.experiments.brown.subgames.nlfh_table import plan
from equilibrist.experiments.findings import Request

TINY = ColumnSetting(4, ranks=4, suits=2, blueprint=20, search=20, scaled=True, step=8)


def silent(doing: str, share: float | None) -> None:
    """Nobody listens."""


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


def test_an_interrupt_says_where_the_work_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(doing: str, share: float | None) -> None:
        if share is not None:
            raise KeyboardInterrupt

    monkeypatch.setattr(nlfh_subgames, "QUICK", (TINY,))
    with pytest.raises(KeyboardInterrupt, match="goes on from there"):
        nlfh_subgames.run(Request(data=str(tmp_path), progress=stop))


def test_the_plan_says_time_and_memory() -> None:
    assert "minutes on 16 threads" in plan(nlfh_subgames.FULL, 16)


@pytest.mark.parametrize("table", [nlfh_subgames, large_nlfh_subgames])
def test_a_tiny_deck_runs_as_the_whole_does(table: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    large = table is large_nlfh_subgames
    tiny = replace(TINY, game="large", stack=800, blueprint=5, search=5, scaled=False) if large else TINY
    monkeypatch.setattr(table, "QUICK", (tiny,))
    found = table.run(Request())
    assert found.measured["4 buckets"]["trunk"] > 0
    assert all(name in found.measured["4 buckets"] for name in NAMES)
