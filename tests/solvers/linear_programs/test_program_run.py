"""Linear programs on any form: payoffs found by products, the same equilibria as the sequence form's own program."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.abstraction.information.gameshrink import shrink
from equilibrist.compute.time_limit import working_until
from equilibrist.core.errors import NotApplicableError, TooLargeError
from equilibrist.forms.compiled import compiled
from equilibrist.forms.contract import random_plan
from equilibrist.forms.hand_classes.kronecker import kronecker_form
from equilibrist.games.catalogue import load_game
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.linear_programs import written_form
from equilibrist.solvers.linear_programs.plan_program import PlanProgram
from equilibrist.solvers.linear_programs.written_form import write_out
from equilibrist.solvers.postflop.solve_spot import solve_spot
from equilibrist.solvers.registry import make_solver
from equilibrist.solvers.solve import solve
from equilibrist.testing import check_form, check_solver
from random_games import RandomGame


class OwnForm:
    """A form as a user writes it: five arrays and a gradient."""

    def __init__(self, form):
        self.name = "own"
        self.offset, self.first_infoset, self.first_sequence = form.offset, form.first_infoset, form.first_sequence
        self.actions, self.parent = form.actions, form.parent
        self.payoff_of_the_game = form.payoff

    def gradient(self, player, plan, out):
        other = slice(self.offset[1 - player], self.offset[2 - player])
        assert np.all(plan >= 0.0)
        assert plan.shape == (other.stop - other.start,)
        out[:] = self.payoff_of_the_game.gradient(player, plan)


def own_form(game):
    return OwnForm(compiled(game).sequence_form)


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_payoffs_found_by_products_are_those_of_the_form(seed):
    form = compiled(RandomGame(players=2, depth=4, signals=2, seed=seed, zero_sum=True)).sequence_form
    written = write_out(OwnForm(form))
    generator = np.random.default_rng(seed)
    for _ in range(3):
        plan = random_plan(form, generator)
        for player in range(2):
            own, other = (plan[form.offset[p] : form.offset[p + 1]] for p in (player, 1 - player))
            assert own @ written.payoff.gradient(player, other) == pytest.approx(
                own @ form.payoff.gradient(player, other), abs=1e-12
            )


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(["lp", "lp(eliminate=true)", "lp(method=dual)", "lp(method=ipm)"]))
def test_own_forms_have_the_value_of_the_game(seed, name):
    game = compiled(RandomGame(players=2, depth=3, signals=2, seed=seed, zero_sum=True))
    run = make_solver(name).on(OwnForm(game.sequence_form))
    run.advance(1)
    assert run.evaluate().exploitability < 1e-8
    assert run.evaluate().value[0] == pytest.approx(solve(game, "lp").value[0], abs=1e-8)


@pytest.mark.parametrize("name", ["lp", "lp(eliminate=true)", "lp(method=primal)", "lp(method=dual)"])
def test_programs_keep_the_rules_of_solvers(name):
    check_solver(make_solver(name))
    check_solver(make_solver(name), "leduc")


def test_leduc_by_products_alone():
    form = own_form("leduc")
    check_form(form, "leduc")
    run = make_solver("lp").on(form)
    before = run.evaluate().exploitability
    run.advance(0)
    assert run.evaluate().exploitability == before > 1.0  # nothing asked, nothing solved
    run.advance(1)
    assert run.evaluate().exploitability < 1e-9
    assert run.evaluate().value[0] == pytest.approx(solve("leduc", "lp").value[0], abs=1e-9)


def test_few_more_payoffs_are_written_down_than_there_are():
    form = compiled("leduc").sequence_form
    assert write_out(OwnForm(form)).payoff.nonzeros < 1.5 * form.payoff.nonzeros


def test_games_of_classes_are_solved_as_by_their_own_payoffs():
    rules = load_game("leduc").rules
    form = kronecker_form(rules, shrink(rules))
    run = make_solver("lp").on(form)
    run.advance(1)
    assert run.evaluate().exploitability < 1e-9
    assert run.evaluate().value[0] == pytest.approx(PlanProgram(form, 1).maximise().guarantee * -1.0, abs=1e-9)
    solved = solve("bucket-holdem(buckets=2,boards=200,rounds=2)", "lp", on="buckets", iterations=1)
    assert solved.exploitability < 1e-9
    low, high = solve(
        "bucket-holdem(buckets=2,boards=200,rounds=2)", "dcfr", on="buckets", until=1e-3
    ).evaluation.value_bounds
    assert low <= solved.value[0] <= high


SPOT = """
board = "KhTd7c4s2h"
pot = 60
stack = 90
[range]
oop = "AA,KQs,T9s"
ip = "KK,JTs,A5s,98s"
[bets]
bet = "50%,a"
raise = "a"
"""


def test_rivers_are_worth_what_vector_cfr_finds():
    by_program = solve_spot(Spot.from_text(SPOT), "lp", iterations=1)
    by_cfr = solve_spot(Spot.from_text(SPOT), "dcfr", until=1e-3)
    assert by_program.exploitability < 1e-4
    assert by_program.value[0] == pytest.approx(by_cfr.value[0], abs=2e-3)


def test_programs_that_would_be_too_large_are_refused(monkeypatch):
    monkeypatch.setattr(written_form, "MOST_PRODUCTS", 100)
    with pytest.raises(TooLargeError, match="would take .* products to write down, more than 100"):
        make_solver("lp").on(own_form("leduc")).advance(1)
    make_solver("lp").on(compiled("leduc").sequence_form).advance(1)  # written down already


def test_time_that_is_over_leaves_a_profile_that_is_measured():
    run = make_solver("lp").on(own_form("leduc"))
    with working_until(time.perf_counter()):
        run.advance(1)
    assert run.evaluate().exploitability > 1e-3
    run.advance(1)
    assert run.evaluate().exploitability < 1e-9


def test_payoffs_that_do_not_sum_to_zero_are_refused():
    with pytest.raises(NotApplicableError, match="not those of one zero-sum matrix"):
        make_solver("lp").on(compiled(RandomGame(players=2, depth=2, signals=1, seed=1, zero_sum=False)).sequence_form)
