"""Tables 6.6 to 6.9 and 7.1 on Rhode Island: what needs no solving at once, quick settings in the slow part."""

from __future__ import annotations

import pytest

from equilibrist.experiments.findings import Request
from equilibrist.experiments.gilpin.abstraction import information_abstraction as information
from equilibrist.experiments.gilpin.abstraction.abstraction_tables import CAPPED_NEMESIS, NEMESIS, ROWS


def test_counts_come_out() -> None:
    assert [check.name for check in information.count_checks() if not check.passed] == []


def test_tables_agree_where_they_meet() -> None:
    """Three bets are the whole game, so Table 7.1 repeats a column of Table 6.8."""
    assert NEMESIS["PA"] == CAPPED_NEMESIS[3]
    assert {len(row) for table in (NEMESIS, CAPPED_NEMESIS) for row in table.values()} == {len(ROWS)}


@pytest.mark.slow
def test_small_game_comes_out() -> None:
    """18 cards, all told apart: EB is ahead in coarse rows, PA in fine ones."""
    reports = information.small_game(1, Request())
    assert [check.name for check in information.small_checks(reports) if not check.passed] == []
    finest = reports[information.SMALL_ROWS[-1]]
    assert finest["EB"].classes == (6, 64, 474)
    assert finest["EB"].head_to_head["PA"] < 0
