"""ICM: printed values, exact fractions, three routes, and what must hold of any field."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.core.errors import EquilibristError, ParameterError, TooLargeError
from equilibrist.games.tournaments.arrival_times import integrate_places
from equilibrist.games.tournaments.fields import make_field
from equilibrist.games.tournaments.icm import icm, icm_many, placing_probabilities
from equilibrist.games.tournaments.sampled_icm import sample_icm
from reference.naive_icm import naive_icm, naive_places

THREE = [50.0, 30.0, 20.0]


@st.composite
def stacks(draw: st.DrawFn, most: int = 9, ratio: float = 9.0) -> list[float]:
    """Stacks from one chip to many, ratios of up to 1e9."""
    size = draw(st.integers(1, most))
    return [10.0 ** draw(st.floats(0.0, ratio)) for _ in range(size)]


payouts = st.lists(st.floats(0.0, 1000.0), min_size=1, max_size=12).map(lambda given: sorted(given, reverse=True))


def close(found: np.ndarray, expected: np.ndarray, prizes: list[float]) -> bool:
    """Within 1e-12 of what is played for."""
    return bool(np.abs(found - expected).max() <= 1e-12 * max(sum(prizes), 1e-300))


@pytest.mark.parametrize("route", ["recursion", "quadrature"])
class TestPrintedValues:
    def test_of_the_worst_state_in_the_thesis(self, route):
        """[Ganzfried15, §9.8.3]: 22.96, 48.19 and 28.848 at (300, 12300, 900)."""
        assert icm([300, 12300, 900], THREE, route=route) == pytest.approx([22.960, 48.191, 28.848], abs=5e-4)

    def test_of_two_players_chips_are_money(self, route):
        """[Ganzfried15, §9.8.1]: P2 + (P1 - P2) s / S."""
        assert icm([3000, 1000], [70, 30], route=route) == pytest.approx([60, 40], abs=1e-12)

    def test_of_a_coin_flip_for_all_chips(self, route):
        """[Ganzfried15, §9.8.2]: at 5000, 4900 and 100 folding is worth $40, a coin flip for all chips $35 (as printed, to the dollar)."""
        folds = icm([5000, 4900, 100], THREE, route=route)[1]
        calls = [icm(after, THREE, route=route)[1] for after in ([100, 9800, 100], [9900, 0, 100])]
        assert (round(folds), round(np.mean(calls)), round(folds - np.mean(calls))) == (40, 35, 5)

    def test_of_equal_stacks(self, route):
        assert icm([7.0] * 9, THREE, route=route) == pytest.approx([100 / 9] * 9, abs=1e-13)


def test_fractions_by_hand():
    """5000, 3000, 2000: 1/2 + 3/10 · 5/7 · 0.6 + …"""
    assert icm([5000, 3000, 2000], THREE) == pytest.approx([1075 / 28, 32.75, 202 / 7], abs=1e-13)


@settings(max_examples=25, deadline=None)
@given(stacks(most=5), payouts)
def test_both_routes_are_the_sum_over_all_finish_orders(chips, prizes):
    exact = np.array([float(value) for value in naive_icm(chips, prizes)])
    assert close(icm(chips, prizes, route="recursion"), exact, prizes)
    assert close(icm(chips, prizes, route="quadrature"), exact, prizes)


@settings(max_examples=150, deadline=None)
@given(stacks(), payouts)
def test_quadrature_agrees_with_the_recursion(chips, prizes):
    """Each equity above the least prize to 1e-12 of itself, however small the stack."""
    recursion, quadrature = (icm(chips, prizes, route=route) for route in ("recursion", "quadrature"))
    assert close(quadrature, recursion, prizes)
    least = [prize - prizes[-1] for prize in prizes] if len(prizes) <= len(chips) else [0.0]
    if least[0] > 0.0 and len(prizes) < len(chips):
        one, other = (icm(chips, least, route=route) for route in ("recursion", "quadrature"))
        assert other == pytest.approx(one, rel=1e-12, abs=0.0)


@pytest.mark.parametrize(("players", "places"), [(11, 4), (14, 14), (20, 3)])
def test_larger_fields_agree_too(players, places):
    chips = np.random.default_rng(players).lognormal(0.0, 1.5, players)
    prizes = 0.7 ** np.arange(places)
    assert close(icm(chips, prizes), icm(chips, prizes, route="recursion"), prizes)


@settings(max_examples=60, deadline=None)
@given(stacks(most=40), payouts)
def test_prize_money_is_conserved_and_bounded(chips, prizes):
    found = icm(chips, prizes)
    pool = sum(prizes[: len(chips)])
    assert found.sum() == pytest.approx(pool, rel=1e-12)
    assert (found <= prizes[0] * (1 + 1e-12)).all()
    if len(prizes) >= len(chips):
        assert (found >= prizes[len(chips) - 1] * (1 - 1e-12)).all()


@settings(max_examples=60, deadline=None)
@given(stacks(most=14), payouts, st.randoms(use_true_random=False), st.floats(1e-6, 1e6))
def test_names_and_units_do_not_matter(chips, prizes, rng, scale):
    order = list(range(len(chips)))
    rng.shuffle(order)
    found = icm(chips, prizes)
    assert close(icm([chips[i] for i in order], prizes), found[order], prizes)
    assert close(icm([scale * stack for stack in chips], prizes), found, prizes)


@settings(max_examples=60, deadline=None)
@given(stacks(most=14), payouts, st.integers(0, 13), st.floats(1.0, 100.0))
def test_more_chips_are_never_worth_less(chips, prizes, player, times):
    player %= len(chips)
    before, after = icm(chips, prizes), icm([s * times if i == player else s for i, s in enumerate(chips)], prizes)
    room = 1e-12 * sum(prizes)
    assert after[player] >= before[player] - room
    assert (np.delete(after, player) <= np.delete(before, player) + room).all()
    order = np.argsort(chips)
    assert (np.diff(before[order]) >= -room).all()


@settings(max_examples=20, deadline=None)
@given(stacks(most=5))
def test_places(chips):
    exact = np.array([[float(chance) for chance in row] for row in naive_places(chips)])
    found = placing_probabilities(chips)
    assert found == pytest.approx(exact, abs=1e-13)
    assert found.sum(axis=0) == pytest.approx(1.0, abs=1e-13)
    assert found.sum(axis=1) == pytest.approx(1.0, abs=1e-13)


def test_places_of_many_players_give_their_equities():
    chips = np.random.default_rng(3).lognormal(0.0, 1.0, 60)
    prizes = 1.0 / np.arange(1, 13)
    assert placing_probabilities(chips, 12) @ prizes == pytest.approx(icm(chips, prizes), rel=1e-12)
    whole = integrate_places(make_field(chips, prizes), 60)
    assert whole.sum(axis=0) == pytest.approx(1.0, abs=1e-13)


def test_large_fields_conserve_the_pool():
    """300 players with 45 prizes, and a satellite of 150 seats among 1,000."""
    rng = np.random.default_rng(5)
    prizes = 1.0 / np.arange(1, 46)
    assert icm(rng.lognormal(0.0, 1.0, 300), prizes).sum() == pytest.approx(prizes.sum(), rel=1e-13)
    seats = icm(rng.lognormal(0.0, 1.0, 1000), [1.0] * 150)
    assert seats.sum() == pytest.approx(150.0, rel=1e-13)
    assert seats.max() < 1.0


class TestEdges:
    def test_one_player_has_the_first_prize(self):
        assert icm([3.0], THREE) == pytest.approx([50.0])
        assert icm([0, 3.0, 0], THREE) == pytest.approx([25.0, 50.0, 25.0])

    def test_more_prizes_than_players_are_not_played_for(self):
        assert icm([1, 3], THREE).sum() == pytest.approx(80.0)

    def test_satellites(self):
        """Equal prizes for all: nothing is left to play for, exactly."""
        assert (icm([1, 5, 1e9], [7.0] * 3, route="quadrature") == 7.0).all()
        assert (icm([1, 5, 1e9], [7.0] * 3, route="recursion") == 7.0).all()

    def test_players_without_chips_have_the_last_places(self):
        assert icm([0, 8, 0, 2], [50, 30, 15, 5]) == pytest.approx([10, 46, 10, 34])
        assert icm([0, 8, 0, 2], [50, 30, 15, 5], before=[3, 5, 1, 1]) == pytest.approx([15, 46, 5, 34])
        assert placing_probabilities([0, 8, 0, 2])[0] == pytest.approx([0, 0, 0.5, 0.5])

    def test_a_stack_that_vanishes_has_the_last_place(self):
        assert icm([1e-60, 6, 4], THREE, route="quadrature") == pytest.approx(icm([0, 6, 4], THREE), abs=1e-12)

    def test_stacks_of_one_to_a_billion(self):
        found = icm([1.0, 1e9], [1.0], route="quadrature")
        assert found == pytest.approx([1 / (1e9 + 1), 1e9 / (1e9 + 1)], rel=1e-13)

    def test_the_largest_and_smallest_numbers(self):
        assert icm([1e-300, 3e-300], [80, 20]) == pytest.approx([35, 65])
        assert icm([1e307, 3e307], [8e306, 2e306]) == pytest.approx([3.5e306, 6.5e306])


class TestMany:
    def test_fields_are_those_one_by_one(self):
        rng = np.random.default_rng(8)
        fields = rng.integers(0, 4, (200, 5)) * 300.0
        fields = fields[fields.any(axis=1)]
        before = [900, 300, 600, 300, 0]
        for given_before in (None, before):
            expected = [icm(row, THREE, before=given_before) for row in fields]
            assert icm_many(fields, THREE, before=given_before) == pytest.approx(np.array(expected), abs=1e-12)

    def test_larger_tables(self):
        fields = np.random.default_rng(9).integers(1, 90, (3, 12)).astype(float)
        assert icm_many(fields, THREE) == pytest.approx(np.array([icm(row, THREE) for row in fields]), abs=1e-12)

    def test_none(self):
        assert icm_many(np.zeros((0, 3)), THREE).shape == (0, 3)
        with pytest.raises(ParameterError, match="field, player"):
            icm_many([1.0, 2.0], THREE)


class TestSampled:
    def test_it_agrees_within_its_error(self):
        chips = np.random.default_rng(2).lognormal(0.0, 1.0, 40)
        prizes = 1.0 / np.arange(1, 8)
        found = sample_icm(chips, prizes, samples=40_000, seed=1)
        assert found.equity.sum() == pytest.approx(prizes.sum(), rel=1e-12)
        deviations = (found.equity - icm(chips, prizes)) / found.standard_error
        assert np.abs(deviations).max() < 4.5
        assert 0.5 < np.sqrt((deviations**2).mean()) < 1.5

    def test_ties_are_shared_and_earlier_stacks_rank(self):
        found = sample_icm([0, 8, 0, 2], [50, 30, 15, 5], samples=20_000)
        assert found.equity == pytest.approx([10, 46, 10, 34], abs=0.5)
        ranked = sample_icm([0, 8, 0, 2], [50, 30, 15, 5], before=[3, 5, 1, 1], samples=100)
        assert ranked.equity[[0, 2]] == pytest.approx([15, 5])
        assert ranked.standard_error[[0, 2]] == pytest.approx([0, 0], abs=1e-7)


@pytest.mark.parametrize(
    ("chips", "prizes", "told"),
    [
        ([], THREE, "list of numbers"),
        ([1, 2], [], "list of numbers"),
        (5, THREE, "list of numbers"),
        ("5,3", THREE, "list of numbers"),
        ([[1, 2]], THREE, "list of numbers"),
        ([[1], [2, 3]], THREE, "list of numbers"),
        ([True, False], THREE, "list of numbers"),
        ([1, -2], THREE, "zero or more, but -2"),
        ([1, math.nan], THREE, "finite numbers, but nan"),
        ([1, math.inf], THREE, "finite numbers, but inf"),
        ([0, 0], THREE, "nobody is left"),
        ([1, 2], [30, 50], "place 1 pays 30 and place 2 pays 50"),
        ([1, 2], [30, -1], "zero or more, but -1"),
        ([1, 2], [math.nan], "finite"),
        ([1e-200, 1.0], THREE, "less than 1e-100 of the largest"),
        ([1e308, 1e308], THREE, "too large to be added up"),
        ([1, 2], [1e308, 1e308], "too large to be added up"),
        ([1.0] * 20_001, THREE, "at most 20,000 players"),
    ],
)  # fmt: skip
def test_bad_fields_are_refused_in_a_sentence(chips, prizes, told):
    for function in (icm, sample_icm):
        with pytest.raises(EquilibristError, match=told) as refused:
            function(chips, prizes)
        assert str(refused.value).endswith(".")


def test_bad_routes_are_refused():
    with pytest.raises(ParameterError, match="one of auto, recursion, quadrature"):
        icm([1, 2], THREE, route="guess")
    with pytest.raises(TooLargeError, match="at most 20 players"):
        icm([1.0] * 21, THREE, route="recursion")
    with pytest.raises(TooLargeError, match="more than can be integrated"):
        icm(np.arange(1.0, 20_001.0), np.arange(20_000.0, 0.0, -1.0))
    with pytest.raises(TooLargeError, match="more than can be integrated"):
        placing_probabilities([1.0] * 20_000)
    with pytest.raises(ParameterError, match="'before'"):
        icm([1, 2], THREE, before=[1])
    with pytest.raises(ParameterError, match="at most 2"):
        placing_probabilities([1, 2], places=3)
    with pytest.raises(ParameterError, match="'samples'"):
        sample_icm([1, 2], THREE, samples=1)
