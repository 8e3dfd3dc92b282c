"""Experiments about bots: what needs no training at once, the quick settings with the slow tests."""

import pytest

from equilibrist.experiments import run_experiment
from equilibrist.experiments.brown import pluribus_lite
from equilibrist.experiments.findings import Request
from equilibrist.experiments.gilpin import gs_bots


def test_programs_and_series_come_out_to_the_unit():
    assert [check.name for check in gs_bots.tables() if not check.passed] == []
    assert gs_bots.program((169, 2465), 3) == (243_938, 244_107)  # gilpin H12


def test_varied_and_packed_strategies_are_exact():
    assert [check.name for check in pluribus_lite.exact_parts(Request()) if not check.passed] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "brown/modicum-lite",
        "ganzfried/flop-duel",
        "ganzfried/river-solving",
        "ganzfried/tartanian",
        "gilpin/gs-bots",
        "lu/endgame-agent",
    ],
)
def test_quick_settings_keep_their_patterns(name):
    result = run_experiment(name)
    assert [check.name for check in result.checks if not check.passed and check.kind == "pattern"] == []
