"""Bet sizes chosen while solving."""

from itertools import pairwise

import pytest

import equilibrist as eq
from equilibrist.core.errors import ParameterError
from equilibrist.forms.history_tree.parameters import family_of
from equilibrist.solvers.bet_sizing.parameter_optimisation import (
    OptimiserSettings,
    ParameterSearch,
    optimise_parameters,
)

PUBLISHED = OptimiserSettings(rate=50.0, patience=100, radius=1.0, largest_step=0.5, scale=5.0)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("start", [7.0, 12.0])
def test_the_second_bet_of_leduc(start):
    """[Brown20, Figure 4.6]: 9.75 +- 0.1 for the player who acts second, value 0.1607 +- 0.001."""
    family = family_of("leduc(suits=merged)", "bets[2]")
    found = optimise_parameters(family, player=1, start=[start], iterations=30_000, settings=PUBLISHED)
    assert found.theta[0] == pytest.approx(9.75, abs=0.1)
    assert found.value == pytest.approx(0.1607, abs=0.001)
    exact = eq.solve(f"leduc(suits=merged,bets=[2,{found.theta[0]}])", "lp").value[1]
    assert found.value == pytest.approx(exact, abs=5e-4)


def test_the_bet_of_kuhn():
    """The value of player 2 has its maximum, a kink, at a bet of 1: 1/18 there (linear programs)."""
    found = optimise_parameters("kuhn(bet=1.5)", "bet", player=1, iterations=40_000)
    assert found.theta[0] == pytest.approx(1.0, abs=0.12)
    assert found.names == ("bet",)


def test_iterations_follow_the_formula():
    """ceil(K s - w K (s - 1)) iterations at step s, and the past counts as K s of them then (4.56)."""
    search = ParameterSearch(family_of("kuhn", "bet").tree([1.5]), 1, OptimiserSettings(patience=40))
    steps = [search.step() for _ in range(12)]
    for before, after in pairwise(steps):
        expected = 40 * after.number - before.weight * 40 * before.number
        assert after.iterations - before.iterations == pytest.approx(expected, abs=2)
    assert all(0.0 < step.weight <= 1.0 for step in steps)


def test_bounds_and_seeds_hold():
    box = [(1.2, 1.4)]
    first, again = (
        optimise_parameters(
            "kuhn(bet=1.3)", "bet", player=1, box=box, iterations=1500, settings=OptimiserSettings(sampling="chance")
        )
        for _ in range(2)
    )
    assert first.theta == again.theta
    assert all(1.2 <= step.theta[0] <= 1.4 for step in first.steps)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"game": "kuhn"}, "Name the parameters"),
        ({"game": "kuhn", "vary": "bet", "player": 2}, "player 3 was named"),
        ({"game": "kuhn", "vary": "bet", "iterations": 0}, "at least 1"),
        ({"game": "kuhn", "vary": "bet", "box": [(2.0, 1.0)]}, "Lower bounds"),
        ({"game": "kuhn", "vary": "bet", "start": [1.0, 2.0]}, "1 parameters"),
        ({"game": lambda x: eq.load_game("kuhn")}, "needs 'start'"),
    ],
)
def test_bad_requests_are_refused(arguments, words):
    with pytest.raises(ParameterError, match=words):
        optimise_parameters(**arguments)


def test_bad_settings_are_refused():
    for settings in ({"rate": 0.0}, {"decay": 0.2}, {"sampling": "some"}):
        with pytest.raises(ParameterError):
            OptimiserSettings(**settings)
