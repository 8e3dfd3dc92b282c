"""Asymmetric menus in hold'em: the published table, the checks, and a whole run on few deals that goes on where it stopped."""

from dataclasses import replace

import numpy as np
import pytest

from equilibrist.experiments.findings import Request
from equilibrist.experiments.lu import asymmetric_holdem as module
from equilibrist.experiments.lu.asymmetric_leduc import NAMES
from equilibrist.experiments.lu.cross_table import BlueprintCrossTable
from equilibrist.games.poker.bet_menus import plan_of


def test_the_published_table_adds_up():
    """[Lu16, Table 12]: Avg is the sum of a row over nine, oneself counted as 0; two cells are not antisymmetric."""
    table = module.published_table()
    assert len(table) == 36
    sums = dict.fromkeys(NAMES, 0)
    for (row, column), value in table.items():
        sums[row] += value
        sums[column] -= value
    for name, average in module.AVERAGE.items():
        assert sums[name] / 9 == pytest.approx(average, abs=1.6)


def test_menus_are_those_of_the_two_players():
    plan = plan_of(module.menu_file(1, 2), 2, 4)
    assert plan.round(2).at(0, 0).tokens == ("100%", "a")
    assert plan.round(2).at(1, 3).tokens == ("50%", "100%", "a")


def test_signs_are_judged_where_the_text_is_clear():
    values = np.zeros((9, 9))
    for (row, column), value in module.published_table().items():
        i, j = NAMES.index(row), NAMES.index(column)
        values[i, j], values[j, i] = value, -value
    found = BlueprintCrossTable(tuple(NAMES), values, np.full((9, 9), 0.1))
    checks = module.sign_checks(found)
    assert len(checks) == sum(abs(value) >= 20 for value in module.published_table().values())
    assert all(check.passed for check in checks)
    assert not any(check.passed for check in module.sign_checks(BlueprintCrossTable(found.names, -values, found.error)))
    unclear = BlueprintCrossTable(found.names, -values, np.full((9, 9), 1000.0))
    assert all(check.passed for check in module.sign_checks(unclear))


@pytest.mark.slow
def test_a_short_run_in_full_goes_on_where_it_stopped(tmp_path, monkeypatch):
    monkeypatch.setenv("EQUILIBRIST_CACHE", str(tmp_path))
    few = replace(module.FULL, buckets=10, iterations=dict.fromkeys((1, 2, 4, 8), 8192), learning=8192, deals=8192)
    monkeypatch.setattr(module, "FULL", few)
    found = module.run(Request(full=True))
    assert set(found.measured["exploitability"]) == set(NAMES)
    trained = sorted(path.name for path in (tmp_path / "trainings" / "lu-asymmetric-holdem").iterdir())
    assert len(trained) == 9
    again = module.run(Request(full=True))
    assert again.measured["exploitability"] == found.measured["exploitability"]
