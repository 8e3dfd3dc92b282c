"""Every solver on every form: runs in the space of plans do what fused runs do, and solve what no fused run exists for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.core.errors import NotApplicableError
from equilibrist.core.opponent import Binding
from equilibrist.forms.compiled import compiled
from equilibrist.forms.hand_classes.kronecker import kronecker_form
from equilibrist.forms.sequence_form.operator_form import OperatorForm
from equilibrist.games.catalogue import load_game
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.on_form import fused_run, start_on
from equilibrist.solvers.registry import make_solver
from random_games import RandomGame

SOLVERS = (
    "cfr", "cfr+", "lcfr", "dcfr", "pcfr+", "pdcfr+", "hs-dcfr", "cfr(minimiser=hedge)", "cfr(updates=simultaneous)", "cfr-br",
    "cfr-br(learner=cfr+)", "fp", "linear-fp", "flop",
)  # fmt: skip


@pytest.mark.parametrize("game", ["kuhn", "leduc"])
@pytest.mark.parametrize("name", SOLVERS)
def test_generic_runs_equal_fused_ones(game: str, name: str) -> None:
    form, solver = compiled(game).sequence_form, make_solver(name)
    assert fused_run(solver, form) is not None
    fused, generic = start_on(solver, form), start_on(solver, form, generic=True)
    fused.advance(40)
    generic.advance(40)
    assert np.allclose(fused.evaluate().value, generic.evaluate().value, atol=1e-12)
    assert np.allclose(fused.evaluate().best_response_value, generic.evaluate().best_response_value, atol=1e-12)


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from(SOLVERS))
def test_generic_runs_equal_fused_ones_on_generated_games(seed: int, name: str) -> None:
    game = compiled(RandomGame(players=2, depth=3, signals=2, seed=seed, zero_sum=True))
    solver = make_solver(name)
    fused, generic = (start_on(solver, game.sequence_form, generic=generic) for generic in (False, True))
    for run in (fused, generic):
        run.advance(7)
    assert np.allclose(fused.evaluate().best_response_value, generic.evaluate().best_response_value, atol=1e-11)


@pytest.mark.parametrize("mode", ["per_hand", "per_infoset"])
def test_models_are_followed_in_the_space_of_plans_too(mode: str) -> None:
    game = compiled("leduc")
    solver = CFR(bindings=(Binding(player=1, policy=game.infosets.uniform(), weight=0.4, mode=mode),))
    fused, generic = (start_on(solver, game.sequence_form, generic=generic) for generic in (False, True))
    for run in (fused, generic):
        run.advance(60)
    assert np.allclose(fused.evaluate().value, generic.evaluate().value, atol=1e-12)
    assert np.allclose(fused.evaluate().best_response_value, generic.evaluate().best_response_value, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "gap"),
    [
        ("cfr-br", 0.4),
        ("cfr(updates=simultaneous)", 0.4),
        ("fp", 0.12),
        ("flop", 0.12),
        ("egt", 0.12),
        ("mirror-prox", 0.12),
    ],
)
def test_games_of_classes_are_solved_by_methods_without_a_run_of_their_own(name: str, gap: float) -> None:
    from equilibrist.abstraction.information.gameshrink import shrink

    rules = load_game("leduc").rules  # type: ignore[attr-defined]
    run = make_solver(name).on(kronecker_form(rules, shrink(rules)))
    run.advance(400)
    low, high = run.evaluate().value_bounds
    assert low <= -0.0856064 <= high
    assert high - low < gap


def test_resumed_runs_go_on_as_if_never_interrupted() -> None:
    form = compiled("leduc").sequence_form
    for name in ("cfr(minimiser=hedge)", "flop", "cfr-br"):
        solver = make_solver(name)
        whole, part = start_on(solver, form, generic=True), start_on(solver, form, generic=True)
        whole.advance(30)
        part.advance(11)
        again = start_on(solver, form, generic=True)
        again.restore(part.state())
        again.advance(19)
        assert np.array_equal(whole.answer, again.answer)


def test_forms_that_do_not_know_their_stakes_refuse_hedge() -> None:
    form = compiled("kuhn").sequence_form
    bare = OperatorForm(
        "bare", form.offset, form.first_infoset, form.first_sequence, form.actions, form.parent, form.payoff
    )
    with pytest.raises(NotApplicableError, match="Hedge asks what is at stake"):
        make_solver("cfr(minimiser=hedge)").on(bare)
    make_solver("cfr+").on(bare).advance(3)
