"""Every form of regret matching equals the naive one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilibrist.solvers.cfr._kernels.matching import draw_whole, match_lanes, match_pair, match_row
from equilibrist.solvers.cfr.matching import match_slots
from reference.naive_matching import matched

amounts = st.floats(-1e6, 1e6, allow_nan=False, width=32).map(lambda x: 0.0 if abs(x) < 1e-6 else x)
rows = st.lists(amounts, min_size=1, max_size=6)


@given(rows, st.sampled_from([np.float32, np.float64]), st.integers(0, 3), st.integers(0, 3))
def test_a_row_is_matched_where_it_stands(regrets: list[float], kind: type, before: int, shift: int) -> None:
    table = np.full(before + len(regrets) + 2, -7.0)
    table[before : before + len(regrets)] = regrets
    out = np.full(shift + len(regrets) + 2, 5.0, dtype=kind)
    match_row(table, before, len(regrets), out, shift)
    assert out[shift : shift + len(regrets)] == pytest.approx(
        matched(regrets), abs=1e-6 if kind is np.float32 else 1e-13
    )
    assert (out[:shift] == 5.0).all()
    assert (out[shift + len(regrets) :] == 5.0).all()


@given(amounts, amounts)
def test_a_pair_is_a_row_of_two(first: float, second: float) -> None:
    assert match_pair(first, second) == pytest.approx(matched([first, second])[0], abs=1e-13)


@given(st.lists(st.lists(amounts, min_size=6, max_size=6), min_size=1, max_size=5))
def test_lanes_are_rows_side_by_side(lanes: list[list[float]]) -> None:
    """Two groups: three actions of all lanes, then two, with a free column between them and one left over."""
    table, n = np.array(lanes), len(lanes)
    groups = np.array([[0, n, 3, -1, 0], [3 * n + 1, n, 2, -1, n]], dtype=np.int32)
    regret = np.full(5 * n + 1, -3.0)
    regret[: 3 * n], regret[3 * n + 1 :] = table[:, :3].T.ravel(), table[:, 3:5].T.ravel()
    out, scratch = np.full(5 * n + 1, 9.0), np.zeros(n + 1)
    match_lanes(groups, regret, out, scratch)
    for lane, row in enumerate(table):
        assert out[[lane + a * n for a in range(3)]] == pytest.approx(matched(row[:3].tolist()), abs=1e-13)
        assert out[[3 * n + 1 + lane + a * n for a in range(2)]] == pytest.approx(matched(row[3:5].tolist()), abs=1e-13)
    assert out[3 * n] == 9.0


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=6))
def test_whole_regrets_are_drawn_in_proportion(regrets: list[int]) -> None:
    table, total = np.array([99, *regrets, 99]), sum(max(r, 0) for r in regrets)
    parts = total or len(regrets)
    drawn = [draw_whole(table, 1, len(regrets), (k + 0.5) / parts) for k in range(parts)]
    assert [drawn.count(a) / parts for a in range(len(regrets))] == pytest.approx(matched(regrets))


@given(st.lists(st.lists(amounts, min_size=5, max_size=5), min_size=1, max_size=4))
def test_arrays_are_rows_side_by_side(lanes: list[list[float]]) -> None:
    """Two nodes of three and two slots; every lane is a hand."""
    weights = np.maximum(np.array(lanes).T, 0.0)
    found = match_slots(weights, np.array([0, 3], dtype=np.int32), np.array([3, 2], dtype=np.int32))
    for lane, row in enumerate(lanes):
        assert found[:3, lane] == pytest.approx(matched(row[:3]), abs=1e-13)
        assert found[3:, lane] == pytest.approx(matched(row[3:]), abs=1e-13)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_the_smallest_regrets_there_are_give_probabilities(kind: type) -> None:
    """Regrets fade to where their inverse is infinite."""
    least = np.finfo(kind).smallest_subnormal
    out = np.zeros(3, dtype=kind)
    match_row(np.array([0.0, least, -1.0], dtype=kind), 0, 3, out, 0)
    assert np.isfinite(out).all()
    assert out.sum() == pytest.approx(1.0)
