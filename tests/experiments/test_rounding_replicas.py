"""Equivalent runs: the same on paper, apart by rounding, and compared accordingly."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.experiments.findings import Request
from equilibrist.experiments.rounding_replicas import Replica, Spread, exploitability_at, in_unit, run_all, writings
from equilibrist.experiments.tables import PublishedTable, Rerun, fine_steps, rerun, table_checks
from equilibrist.forms.compiled import compiled

LEDUC = "leduc(suits=merged)"
MARKS = (10, 100, 1000)

positive = st.floats(1e-6, 1e6)


def test_units_are_the_same_game_until_rounding_tells() -> None:
    game = compiled(LEDUC)
    plain, doubled, tripled = (
        exploitability_at(Replica("", in_unit(game, u), u), "dcfr", MARKS) for u in (1.0, 2.0, 3.0)
    )
    assert doubled == plain  # a power of two changes no mantissa, so not even rounding differs
    assert tripled[:2] == pytest.approx(plain[:2], rel=5e-3)
    assert tripled[2] != plain[2]


def test_all_writings_agree_at_first() -> None:
    ways = writings(LEDUC, (1.0, 7.0), ("tree", "public")) + writings("leduc", (1.0,))
    found = [exploitability_at(way, "cfr+", (10,))[0] for way in ways]
    assert found == pytest.approx([found[0]] * 5, rel=1e-9)
    assert found[0] == pytest.approx(0.610, rel=2e-3)  # recomputed


@settings(max_examples=50)
@given(st.lists(positive, min_size=1, max_size=10), st.floats(0.0, 0.2))
def test_an_interval_holds_the_centre_and_grows(values: list[float], tolerance: float) -> None:
    spread = Spread(tuple(values))
    low, high = spread.interval(tolerance)
    assert min(values) * (1 - 1e-9) <= spread.centre <= max(values) * (1 + 1e-9)
    assert low <= spread.centre <= high
    wide_low, wide_high = spread.interval(tolerance + 0.1)
    assert wide_low < low
    assert wide_high > high


def test_without_scatter_the_interval_is_the_tolerance() -> None:
    low, high = Spread((2.0, 2.0, 2.0)).interval(0.03)
    assert (low, high) == pytest.approx((2.0 / 1.03, 2.0 * 1.03))


def test_an_interval_is_four_deviations_wide() -> None:
    spread = Spread((1.0, math.e))
    assert spread.deviation == pytest.approx(math.sqrt(0.5))
    assert spread.interval(0.0)[1] == pytest.approx(math.exp(0.5 + 4 * math.sqrt(0.5)))


def test_jobs_give_results_in_order_and_pass_errors_on() -> None:
    assert run_all([lambda i=i: i * i for i in range(20)]) == [i * i for i in range(20)]
    with pytest.raises(ZeroDivisionError):
        run_all([lambda: 1, lambda: 1 // 0])


def steady(published: float, measured: float) -> list[bool]:
    """Outcomes of the checks of a table with one cell that nothing moves."""
    table = PublishedTable("t", (10,), {"cfr": (published,)}, 0.03)
    return [check.passed for check in table_checks([Rerun(table, {"cfr": [Spread((measured,) * 8)]})])]


def test_a_steady_cell_must_agree_within_the_tolerance() -> None:
    assert steady(1.0, 1.029) == [True, True, True]
    assert steady(1.0, 1.04) == [False, False, False]


def test_a_scattered_cell_may_lie_among_its_runs() -> None:
    table = PublishedTable("t", (10,), {"lcfr": (1.0,), "lcfr+": (9.0,)}, 0.03, chaotic=("lcfr+",))
    runs = Spread((0.8, 0.9, 1.1, 1.3))
    cell, overall = table_checks([Rerun(table, {"lcfr": [runs], "lcfr+": [runs]})])
    assert cell.passed
    assert cell.tolerance == list(runs.interval(0.03))
    assert "1 cells" in overall.name
    far = Rerun(PublishedTable("t", (10,), {"lcfr": (4.0,)}, 0.03), {"lcfr": [runs]})
    assert [check.passed for check in table_checks([far])] == [False, False]


def test_rerun_measures_every_cell_and_a_finer_curve() -> None:
    seen: list[str] = []
    request = Request(progress=lambda doing, share: seen.append(doing))
    table = PublishedTable("Leduc", (10, 100), {"cfr": (0.889, 0.0957)}, 0.03)  # recomputed
    found = rerun(table, writings(LEDUC, (1.0, 3.0)), request)
    assert found.at("cfr", 100).centre == pytest.approx(0.0957, rel=0.01)
    assert found.curves["cfr"][0] == fine_steps((10, 100))
    assert found.curves["cfr"][1][-1] == found.at("cfr", 100).values[0]
    assert all(check.passed for check in table_checks([found]))
    assert seen == ["Leduc: cfr"]


def test_fine_steps_hold_the_marks() -> None:
    steps = fine_steps((10, 316, 1000))
    assert {1, 10, 316, 1000} <= set(steps)
    assert steps == sorted(set(steps))
    assert steps[-1] == 1000
