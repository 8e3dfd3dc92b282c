"""Discounts by periods of nodes touched."""

from __future__ import annotations

import pytest

from equilibrist.solvers.mccfr.period_discounts import NO_LIMIT, PERIOD, PeriodDiscounts


def test_linear_periods_give_the_findings_of_period_n_the_weight_n() -> None:
    discounts, weight = PeriodDiscounts("linear", 100), 1.0
    for touched in (40, 130, 199, 460, 1000):
        weight *= discounts.factor(touched)
    assert discounts.number == 11  # ten periods are over
    assert weight == pytest.approx(1 / 11)
    assert discounts.limit == 1100


def test_an_initial_discount_happens_once() -> None:
    discounts = PeriodDiscounts("initial")
    assert discounts.limit == PERIOD
    assert discounts.factor(int(PERIOD) - 1) == 1.0
    assert discounts.factor(int(5 * PERIOD)) == 0.1
    assert (discounts.number, discounts.limit) == (2, NO_LIMIT)
    assert discounts.factor(int(50 * PERIOD)) == 1.0


def test_without_weighting_nothing_is_discounted() -> None:
    assert PeriodDiscounts("none").limit == NO_LIMIT
    assert PeriodDiscounts("none").factor(10**12) == 1.0
