"""Treeplex projection against a quadratic program; smoothing and iterated smoothing; condition measures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equilibrist as eq
from equilibrist.core.errors import NotApplicableError
from equilibrist.experiments.gilpin.equilibria.conditioning import EquilibriumSet, estimate_condition
from equilibrist.forms.compiled import Compiled
from equilibrist.solvers.first_order.projection import Projection, spectral_norm, squared_radius
from equilibrist.solvers.first_order.smoothing import iterated_smoothing, smoothing
from equilibrist.solvers.linear_programs.sequence_lp import PlanProgram
from equilibrist.solvers.plan_space.field import Field
from random_games import small_zero_sum_games
from reference.naive_treeplex import Treeplex, nearest_in_simplex, nearest_plan


def field_of(game):
    return Field((eq.compiled(game) if isinstance(game, str) else Compiled(game)).sequence_form)


# --- projection


@settings(max_examples=30, deadline=None)
@given(small_zero_sum_games(), st.integers(0, 999), st.floats(-2, 1.5))
def test_projection_equals_a_quadratic_program_on_random_treeplexes(game, seed, size):
    """To 1e-9."""
    field = field_of(game)
    target = np.random.default_rng(seed).normal(size=field.sequences) * 10**size
    found = Projection(field).nearest(target)
    for player in range(2):
        own = field.own(player)
        assert found[own] == pytest.approx(nearest_plan(field.form, player, target[own]), abs=1e-9)


@pytest.mark.parametrize("name", ["kuhn", "leduc(suits=merged)", "liars-dice(faces=4)", "goofspiel(cards=3)"])
@pytest.mark.parametrize("size", [0.05, 1.0, 20.0])
def test_projection_equals_a_quadratic_program_on_games(name, size):
    field = field_of(name)
    target = np.random.default_rng(1).normal(size=field.sequences) * size
    found = Projection(field).nearest(target)
    for player in range(2):
        own = field.own(player)
        assert found[own] == pytest.approx(nearest_plan(field.form, player, target[own]), abs=1e-9)
        rows = PlanProgram(field.form, player).own
        assert np.abs(rows @ found[own] - np.eye(1, rows.shape[0])[0]).max() < 1e-12
        assert (found[own] >= 0).all()
        # first-order condition: no plan does better along target - found
        pull = target[own] - found[own]
        assert Treeplex(field.form, player).best(pull) == pytest.approx(
            float(pull @ found[own]), abs=1e-9 * max(1, size)
        )


def test_projection_onto_a_simplex_with_ties():
    field = field_of("random-matrix(rows=50,columns=3)")
    target = np.zeros(field.sequences)
    rng = np.random.default_rng(0)
    target[field.own(0)] = np.round(rng.normal(size=51), 1)  # many equal entries
    found = Projection(field).nearest(target)
    assert found[1:51] == pytest.approx(nearest_in_simplex(target[1:51]), abs=1e-12)
    assert found[52:] == pytest.approx(np.full(3, 1 / 3))


def test_a_plan_is_its_own_projection():
    field = field_of("leduc")
    plan = field.plan(field.uniform())
    assert Projection(field).nearest(plan) == pytest.approx(plan, abs=1e-14)


def test_worked_example_of_the_text():
    """[Gilpin09, §8.5.2]: a simplex below the first of two actions."""
    from equilibrist.games.formats.efg.reader import read_efg

    below = 'p "" 1 2 { "c" "d" } 0 t "" 1 "" { 1, -1 } t "" 2 "" { 0, 0 } '
    game = read_efg('EFG 2 R "example" { "1" "2" } p "" 1 1 { "a" "b" } 0 ' + below + 't "" 3 "" { -1, 1 }')
    field = field_of(game)
    found = Projection(field).nearest(np.array([0.0, 0.6, 0.4, 0.5, 0.1, 0.0]))
    # with t on a: (t - .6)^2 + (.6 - t)^2 + min over the simplex; the optimum solves t - .6 + (t - .6)/2 = (1 - t) - .4
    t = 0.6
    assert found == pytest.approx([1.0, t, 1 - t, t / 2 + 0.2, t / 2 - 0.2, 1.0])


# --- constants


@settings(max_examples=10, deadline=None)
@given(small_zero_sum_games())
def test_norm_and_radius_equal_dense_computation(game):
    field = field_of(game)
    assert spectral_norm(field) == pytest.approx(
        np.linalg.norm(PlanProgram(field.form, 0).payoff.toarray(), 2), rel=1e-5
    )
    centre = field.plan(field.uniform())
    far = 0.0
    rng = np.random.default_rng(0)
    for _ in range(50):
        behaviour = np.ones(field.sequences)
        for i, n in enumerate(field.form.actions):
            behaviour[field.form.first_sequence[i] : field.form.first_sequence[i] + n] = np.eye(n)[rng.integers(n)]
        far = max(far, 0.5 * float(np.sum((field.plan(behaviour) - centre) ** 2)))
    assert far <= squared_radius(field, centre) + 1e-12


def test_radius_of_a_simplex():
    """[Gilpin09, §8.4]: D = (1 - 1/m + 1 - 1/n) / 2."""
    field = field_of("random-matrix(rows=10,columns=4)")
    assert squared_radius(field, field.plan(field.uniform())) == pytest.approx(0.5 * (0.9 + 0.75))


# --- the methods


def steps_to(method, game, goal, most=60_000):
    run = method.on(field_of(game).form)
    done = run.reach(goal, most)
    assert run.gap == pytest.approx(run.evaluate().nash_conv, abs=1e-12)
    return done


def test_smoothing_keeps_its_bound():
    """[Gilpin09, Proposition 7]: at most 2 sqrt(2) |A| sqrt(D) dist / eps steps."""
    name, accuracy = "random-matrix(rows=6,columns=5,seed=3)", 0.01
    field = field_of(name)
    plan = field.plan(field.uniform())
    apart = [
        np.linalg.norm(plan[field.own(p)] - EquilibriumSet(field.form, p).nearest(plan[field.own(p)])) for p in range(2)
    ]
    bound = 2 * np.sqrt(2 * squared_radius(field, plan)) * spectral_norm(field) * np.hypot(*apart) / accuracy
    assert steps_to(smoothing(accuracy=accuracy), name, accuracy) <= bound


def test_iterated_smoothing_needs_fewer_steps_at_high_accuracy():
    """Recomputed: 10x10 games at 1e-5, smoothing 42,000 and more, iterated 3,000 to 30,000; equal at 1e-3 and above."""
    rows = []
    for seed in range(3):
        name = f"random-matrix(rows=10,columns=10,seed={seed})"
        rows.append([steps_to(m, name, 1e-5) for m in (smoothing(accuracy=1e-5), iterated_smoothing())])
    plain, iterated = np.mean(rows, axis=0)
    assert iterated * 3 <= plain


def test_lan_lu_monteiro_steps_behave_alike():
    name = "random-matrix(rows=10,columns=10,seed=4)"
    steps = [steps_to(iterated_smoothing(step=step), name, 1e-4) for step in ("nesterov", "lan-lu-monteiro")]
    assert 0.5 < steps[0] / steps[1] < 2


def test_iterated_smoothing_on_kuhn_to_rounding():
    run = iterated_smoothing().start(eq.compiled("kuhn"))
    run.advance(20_000)
    assert run.gap < 1e-8
    assert run.answer.min() >= 0


def test_smoothing_takes_its_accuracy_from_the_goal():
    solution = eq.solve("kuhn", "smoothing", until=0.01)
    assert solution.converged
    assert solution.extra["target"] == pytest.approx(0.02)


# --- condition measures


def test_distance_to_equilibria_of_rock_paper_scissors():
    form = eq.compiled("rps").sequence_form
    plan = np.array([1.0, 1.0, 0.0, 0.0])
    assert EquilibriumSet(form, 0).nearest(plan) == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3], abs=1e-7)


def test_distance_where_equilibria_are_many():
    """Player 1 of Kuhn may bluff with the jack with any probability up to 1/3 and bet the king three times as often."""
    solution = eq.solve("kuhn", "lp")
    form = eq.compiled("kuhn").sequence_form
    plan = form.plan(form.strategy(solution.policy))[: form.sequences[0]]
    assert EquilibriumSet(form, 0).nearest(plan) == pytest.approx(plan, abs=1e-6)


def test_condition_of_kuhn():
    """No published value; every estimate is an upper bound of delta, so more points only lower it."""
    few, more = (estimate_condition(eq.compiled("kuhn"), checks=n) for n in (6, 10))
    assert 0 < more.delta <= few.delta
    assert more.kappa == pytest.approx(more.norm / more.delta)
    assert 5 < more.kappa < 100


def test_condition_of_large_games_is_not_measured():
    with pytest.raises(NotApplicableError, match="up to 400 sequences"):
        estimate_condition(eq.compiled("leduc"))
