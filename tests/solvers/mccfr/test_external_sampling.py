"""External sampling in the space of plans, and Monte Carlo CFR on forms that know their histories."""

import numpy as np
import pytest

from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.compiled import compiled
from equilibrist.forms.form import trees_of
from equilibrist.forms.sequence_form.operator_form import OperatorForm
from equilibrist.solvers.mccfr._kernels.packing import random_state
from equilibrist.solvers.mccfr._kernels.pure_plans import draw_pure
from equilibrist.solvers.mccfr.external_sampling import ExternalSamplingRun
from equilibrist.solvers.plan_space.field import Field
from equilibrist.solvers.registry import make_solver
from equilibrist.solvers.solve import solve
from equilibrist.testing import check_solver

BUCKETS = "bucket-holdem(buckets=2,boards=200,rounds=2)"


def bare(game):
    form = compiled(game).sequence_form
    return OperatorForm(game, *trees_of(form), form.payoff)


class OnPlans:
    """Sampling on plans, also where a form knows its histories."""

    def __init__(self, name):
        self.name, self.settings = name, make_solver(name)

    def on(self, form):
        return ExternalSamplingRun(self.settings, Field(form))


@pytest.mark.parametrize("name", ["es-mccfr", "es-mccfr(traversals=4)", "es-mccfr(weighting=linear,period=5000)"])
def test_it_keeps_the_rules_of_solvers(name):
    check_solver(OnPlans(name), iterations=2000)
    check_solver(OnPlans(name), "leduc", iterations=2000)


@pytest.mark.parametrize("name", ["es-mccfr", "es-mccfr(traversals=4)"])
def test_both_routes_find_the_value(name):
    run = make_solver(name).on(bare("leduc"))
    run.advance(4000)
    low, high = run.evaluate().value_bounds
    assert low <= -0.0856064 <= high < low + 0.08
    walked = make_solver(name).on(compiled("leduc").sequence_form)
    walked.advance(200_000)
    assert walked.evaluate().value[0] == pytest.approx(run.evaluate().value[0], abs=0.02)


def test_drawn_plans_are_pure_and_on_average_the_strategy():
    form = compiled("leduc").sequence_form
    field, generator = Field(form), np.random.default_rng(3)
    strategy, random, plan = (
        field.behaviour(generator.exponential(size=field.sequences)),
        random_state(1),
        np.zeros(field.sequences),
    )
    mean, draws = np.zeros(field.sequences), 4000
    for _ in range(draws):
        for player in range(2):
            draw_pure(player, field.trees, strategy, random, plan)
        mean += plan / draws
    assert set(np.unique(plan)) == {0.0, 1.0}
    expected = field.plan(strategy)
    assert np.abs(mean - expected).max() < 5.0 * np.sqrt(0.25 / draws)


@pytest.mark.parametrize("name", ["es-mccfr", "os-mccfr", "cs-mccfr", "pcs-mccfr"])
def test_forms_that_know_their_histories_are_walked(name):
    game = compiled("leduc")
    on_form, on_game = make_solver(name).on(game.sequence_form, seed=5), make_solver(name).start(game, 5)
    for run in (on_form, on_game):
        run.advance(300)
    assert np.array_equal(on_form.average().probabilities, on_game.average().probabilities)


@pytest.mark.parametrize("name", ["os-mccfr", "cs-mccfr", "pcs-mccfr"])
def test_what_needs_histories_says_so(name):
    with pytest.raises(NotApplicableError, match="walks histories, which 'kuhn' does not have; use es-mccfr"):
        make_solver(name).on(bare("kuhn"))


def test_runs_go_on_as_if_never_interrupted():
    solver = make_solver("es-mccfr(weighting=linear,period=5000)")
    whole, part, again = (solver.on(bare("leduc"), seed=2) for _ in range(3))
    whole.advance(90)
    part.advance(31)
    again.restore(part.state())
    again.advance(59)
    assert np.array_equal(whole.answer, again.answer)
    assert whole.nodes_touched == again.nodes_touched


def test_seeds_reach_games_of_buckets():
    found = [solve(BUCKETS, "es-mccfr", on="buckets", iterations=50, seed=seed) for seed in (0, 0, 1)]
    assert found[0].exploitability == found[1].exploitability != found[2].exploitability
    assert found[2].settings["seed"] == 1


def test_forms_are_asked_at_plans_only():
    class Watched:
        """Products of Leduc, refused where what is given is no plan."""

        def gradient(self, player, plan):
            assert plan[0] == 1.0
            return compiled_form.payoff.gradient(player, plan)

    compiled_form = compiled("leduc").sequence_form
    make_solver("es-mccfr(traversals=3)").on(OperatorForm("watched", *trees_of(compiled_form), Watched())).advance(5)
