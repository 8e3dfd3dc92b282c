"""Derivatives, bubble factors and risk premiums against ICM computed again after chips have moved."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.core.errors import ParameterError, TooLargeError
from equilibrist.games.tournaments.bubble_factors import bubble_factors, icm_derivatives
from equilibrist.games.tournaments.icm import icm

THREE = [50.0, 30.0, 20.0]
fields = st.lists(st.floats(1.0, 1e6), min_size=2, max_size=8)
payouts = st.lists(st.floats(0.0, 1000.0), min_size=1, max_size=9).map(lambda given: sorted(given, reverse=True))


def moved(chips, giver, taker, amount):
    out = np.array(chips, float)
    out[giver] -= amount
    out[taker] += amount
    return out


@settings(max_examples=40, deadline=None)
@given(fields, payouts, st.floats(0.01, 1.0))
def test_equities_after_chips_have_moved(chips, prizes, part):
    amounts = np.minimum.outer(chips, chips) * part
    found = bubble_factors(chips, prizes, at_risk=amounts)
    room = 1e-12 * max(sum(prizes), 1.0)
    assert found.equity == pytest.approx(icm(chips, prizes), abs=room)
    for a in range(len(chips)):
        for b in range(len(chips)):
            if a != b:
                won, lost = (icm(moved(chips, *who, amounts[a, b]), prizes)[a] for who in ((b, a), (a, b)))
                assert found.equity_won[a, b] == pytest.approx(won, abs=room)
                assert found.equity_lost[a, b] == pytest.approx(lost, abs=room)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(1.0, 100.0), min_size=2, max_size=7), payouts)
def test_derivatives_are_limits_of_differences(chips, prizes):
    found = icm_derivatives(chips, prizes)
    for b in range(len(chips)):
        step = 1e-4 * chips[b]
        up, down = (icm([s + (i == b) * sign * step for i, s in enumerate(chips)], prizes) for sign in (1, -1))
        assert found[:, b] == pytest.approx((up - down) / (2 * step), abs=1e-6 * max(prizes[0], 1e-9) / min(chips))
    assert found.sum(axis=0) == pytest.approx(0.0, abs=1e-11 * max(prizes[0], 1e-9))  # prize money is conserved
    assert found @ chips == pytest.approx(0.0, abs=1e-10 * max(prizes[0], 1e-9))  # units of chips do not matter


def test_a_table_by_hand():
    """5000 against 3000 of three: 46 or 29.5 from 38.393."""
    found = bubble_factors([5000, 3000, 2000], THREE)
    equity = 1075 / 28
    assert found.factor[0, 1] == pytest.approx((equity - 29.5) / (46 - equity), rel=1e-12)
    assert found.required_equity[0, 1] == pytest.approx((equity - 29.5) / 16.5, rel=1e-12)
    assert found.risk_premium[1, 0] == pytest.approx(found.factor[1, 0] / (1 + found.factor[1, 0]) - 0.5, rel=1e-12)
    assert np.isnan(found.factor.diagonal()).all()


def test_winner_takes_all_and_small_wagers_cost_nothing():
    assert bubble_factors([5, 3, 2, 9], [10.0]).factor[0, 1:] == pytest.approx(1.0, rel=1e-11)
    tiny = bubble_factors([5000, 3000, 2000], THREE, at_risk=1e-3)
    assert tiny.factor[~np.eye(3, dtype=bool)] == pytest.approx(1.0, abs=1e-6)


def test_satellites_cost_most_on_the_bubble():
    """Two seats for three players: the two large stacks have little to win from each other and much to lose."""
    found = bubble_factors([1000, 1000, 10], [1, 1])
    assert found.factor[0, 1] > 50
    assert found.factor[0, 1] > 10 * found.factor[0, 2]
    decided = bubble_factors([5, 3], [1, 1])
    assert np.isnan(decided.factor).all()  # nothing is at stake
    assert bubble_factors([5, 3], [1, 1]).risk_premium.shape == (2, 2)


@pytest.mark.parametrize("chips", [[10.0, 10.0], [10.0, 10.0, 10.0], [10.0, 1e-3, 10.0, 4.0]])
@pytest.mark.parametrize("prizes", [[1.0], THREE, [5.0, 4.0, 3.0, 2.0]])
def test_a_wager_that_leaves_a_crumb(chips, prizes):
    amounts = np.minimum.outer(chips, chips) * (1 - 1e-9)
    found = bubble_factors(chips, prizes, at_risk=amounts)
    for a, b in ((0, len(chips) - 1), (len(chips) - 1, 0), (0, 1), (1, 0)):
        won, lost = (icm(moved(chips, *who, amounts[a, b]), prizes)[a] for who in ((b, a), (a, b)))
        assert found.equity_won[a, b] == pytest.approx(won, abs=1e-12 * sum(prizes))
        assert found.equity_lost[a, b] == pytest.approx(lost, abs=1e-12 * sum(prizes))


def test_some_seats_of_a_large_field():
    chips = np.random.default_rng(1).lognormal(9.0, 1.0, 120)
    prizes = 1.0 / np.arange(1, 19)
    seats = [40, 3, 77]
    found = bubble_factors(chips, prizes, seats=seats)
    assert found.seats.tolist() == [3, 40, 77]
    amount = min(chips[3], chips[77])
    assert found.equity_won[0, 2] == pytest.approx(icm(moved(chips, 77, 3, amount), prizes)[3], rel=1e-11)
    assert found.equity_lost[2, 0] == pytest.approx(icm(moved(chips, 77, 3, amount), prizes)[77], rel=1e-11, abs=1e-12)
    slopes = icm_derivatives(chips, prizes, seats=seats)
    up, down = (icm(chips + sign * np.eye(120)[40], prizes)[[3, 40, 77]] for sign in (1, -1))
    assert slopes[:, 1] == pytest.approx((up - down) / 2, rel=1e-5)


def test_players_without_chips_stay_out():
    found = bubble_factors([5000, 0, 3000, 2000], THREE)
    assert found.seats.tolist() == [0, 2, 3]
    assert found.factor == pytest.approx(bubble_factors([5000, 3000, 2000], THREE).factor, nan_ok=True)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"at_risk": 0}, "0 chips cannot be at risk"),
        ({"at_risk": 2001}, "2001 chips cannot be at risk between stacks of 5000 and 2000"),
        ({"at_risk": float("nan")}, "nan chips cannot"),
        ({"at_risk": [1, 2]}, "one number of chips"),
        ({"at_risk": "all"}, "one number of chips"),
        ({"seats": [0]}, "two or more players"),
        ({"seats": [0, 0]}, "different numbers"),
        ({"seats": [0, 9]}, "from 0 to 3"),
        ({"seats": [0, 3]}, "Player 3 has no chips"),
        ({"seats": ["a", "b"]}, "different numbers"),
    ],
)
def test_bad_wagers_are_refused(more, told):
    with pytest.raises(ParameterError, match=told):
        bubble_factors([5000, 3000, 2000, 0], THREE, **more)


def test_too_many_pairs_are_refused():
    with pytest.raises(TooLargeError, match="at most 64"):
        bubble_factors([1.0] * 65, THREE)
