"""Experiments about bots: what needs no training at once, the quick settings with the slow tests."""

import pytest

from equilibrist.experiments import trained
from equilibrist.experiments.brown.bots import pluribus_lite
from equilibrist.experiments.findings import Request
from equilibrist.experiments.ganzfried import flop_duel
from equilibrist.experiments.gilpin.gs import gs_bots


def test_programs_and_series_come_out_to_the_unit():
    assert [check.name for check in gs_bots.tables() if not check.passed] == []
    assert gs_bots.program((169, 2465), 3) == (243_938, 244_107)  # [Gilpin09, §6.3.1]


def test_varied_and_packed_strategies_are_exact():
    assert [check.name for check in pluribus_lite.exact_parts(Request()) if not check.passed] == []


def test_the_flop_duel_runs_whole_on_a_small_deck_and_goes_on_where_it_was(monkeypatch, tmp_path):
    """The full setting scaled down: trainings and flops are kept, so a second run works nothing out again."""
    small = flop_duel.DuelSetting("nolimit-holdem(stack=400,ranks=4)", "all/3/4/1", 1000, 8192, 2, 100)
    monkeypatch.setattr(flop_duel, "FULL", small)
    monkeypatch.setattr(flop_duel, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(flop_duel, "cores", lambda: 1)
    first = flop_duel.run(Request(full=True))
    kept = sorted(path.name for path in (tmp_path / "experiments" / "flop-duel").iterdir())
    assert len(kept) == 5  # four trainings, one walk
    monkeypatch.setattr(trained.BlueprintRun, "advance", lambda run, blocks: pytest.fail("trained already"))
    assert flop_duel.run(Request(full=True)).measured == first.measured
    assert next(check for check in first.checks if check.name.startswith("duplicate")).passed
