"""Columns of the flop hold'em tables on a tiny deck: the same code as the whole game, interrupted and taken up again."""

from __future__ import annotations

from pathlib import Path

import pytest

from equilibrist.experiments.brown.subgames import nlfh_subgames
from equilibrist.experiments.brown.subgames.nlfh import NAMES, ColumnSetting, ColumnWork, small_nlfh
from equilibrist.experiments.findings import Request
from equilibrist.forms.boards.poker_streets import betting_streets

TINY = ColumnSetting(4, ranks=4, suits=2, blueprint=20, search=20, scaled=True, step=8)


def silent(doing: str, share: float | None) -> None:
    """Nobody listens."""


def test_the_game_is_the_one_of_the_specification() -> None:
    """Five lines lead to the flop, each with ten decisions."""
    before, flop = betting_streets(small_nlfh().rules)
    assert flop.roots == 5
    assert flop.counts[0] == 50
    assert before.paid.max() == 900.0  # two raises of the pot: 300, 900


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
    assert "minutes on 16 threads" in nlfh_subgames.plan(nlfh_subgames.FULL, 16)


def test_a_tiny_deck_runs_as_the_whole_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nlfh_subgames, "QUICK", (TINY,))
    found = nlfh_subgames.run(Request())
    assert found.measured["4 buckets"]["trunk"] > 0
    assert all(name in found.measured["4 buckets"] for name in NAMES)
