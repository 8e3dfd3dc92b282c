"""Samples of deals, and the excessive gap technique on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.solution import Evaluation
from equilibrist.forms.sequence_form.chance_samples import DealSampler
from equilibrist.forms.sequence_form.sequence_form import sequence_form
from equilibrist.solvers.first_order.sampling import sampled_egt
from equilibrist.solvers.registry import make_solver
from random_games import random_policy


def sampler_of(name):
    game = eq.compiled(name)
    return DealSampler(game.tree, game.sequence_form)


def test_a_sample_of_everything_is_the_game():
    sampler = sampler_of("leduc")
    assert sampler.deals == 6 * 5 * 4  # ordered deals of two hands and a board
    whole = sampler.sample(1.0, np.random.default_rng(0)).payoff
    assert np.array_equal(whole.column, sampler.form.payoff.column)
    assert whole.value == pytest.approx(sampler.form.payoff.value, abs=1e-15)


@pytest.mark.parametrize("name", ["leduc", "leduc(suits=merged)", "liars-dice(faces=4)"])
def test_samples_are_consistent_between_rounds(name):
    """Where every end is worth 1, so is every pair of plans: fold ends of the first round carry the deals of the second."""
    tree = eq.compiled(name).tree
    tree = replace(tree, payoff=np.tile([[[1.0], [-1.0]]], (len(tree.payoff), 1, 1)))
    form = sequence_form(tree)
    sample = DealSampler(tree, form).sample(0.3, np.random.default_rng(1))
    plan = form.plan(form.strategy(random_policy(form.infosets)))
    own, other = plan[: form.sequences[0]], plan[form.sequences[0] :]
    assert own @ sample.payoff.gradient(0, other) == pytest.approx(1.0)
    assert other @ sample.payoff.gradient(1, own) == pytest.approx(-1.0)
    assert sample.payoff.nonzeros < form.payoff.nonzeros
    assert "deals" in sample.name


def test_samples_average_to_the_game():
    sampler = sampler_of("leduc")  # all deals are equally likely, so that scaling up adds no bias
    rng = np.random.default_rng(0)
    plan = rng.random(sampler.form.sequences[1])
    exact = sampler.form.payoff.gradient(0, plan)
    drawn = np.array([sampler.sample(0.2, rng).payoff.gradient(0, plan) for _ in range(1000)])
    error = drawn.std(axis=0) / np.sqrt(len(drawn))
    assert (np.abs(drawn.mean(axis=0) - exact) <= 5 * error + 1e-12).all()


def test_fixed_samples_are_overfitted():
    """[Gilpin09, §9.3]: the sampled gap goes to 0, the true one does not."""
    run = sampled_egt(share=0.2, dynamic=False).start(eq.compiled("leduc"))
    run.advance(500)
    assert run.sampled_evaluation().nash_conv < 0.05
    assert run.evaluate().nash_conv > 0.5


def test_dynamic_samples_grow_to_the_whole_game():
    run = sampled_egt(share=0.1).start(eq.compiled("leduc"))
    shares = [run.share]
    while run.share < 1.0 and run.iteration < 3000:
        run.advance(50)
        shares.append(run.share)
    assert run.share == 1.0
    assert sorted(set(shares)) == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.0])
    run.advance(1000)
    assert run.evaluate().nash_conv < 0.1


def test_samples_grow_only_when_the_true_gap_has_risen(monkeypatch):
    run = sampled_egt(share=0.1, check=5).start(eq.compiled("leduc(suits=merged)"))
    gaps = iter([3.0, 2.0, 1.0, 1.5, 4.0, 3.0])  # the first gap of a new sample starts a new comparison
    monkeypatch.setattr(run, "evaluate", lambda: Evaluation((0.0, 0.0), (next(gaps), 0.0)))
    shares = []
    for _ in range(6):
        run.advance(5)
        shares.append(run.share)
    assert shares == [0.1, 0.1, 0.1, 0.2, 0.2, 0.2]


@pytest.mark.parametrize("name", ["sampled-egt(share=0.2)", "sampled-egt(share=0.2,dynamic=false,weights=growing)"])
def test_sampled_runs_resume_exactly(name, tmp_path):
    whole = eq.solve("leduc", name, iterations=330, seed=5)
    eq.solve("leduc", name, iterations=170, seed=5).save(tmp_path / "part.eqb")
    rest = eq.solve("leduc", name, iterations=330, seed=5, resume=eq.load_solution(tmp_path / "part.eqb"))
    assert np.array_equal(whole.policy.probabilities, rest.policy.probabilities)
    other = eq.solve("leduc", name, iterations=330, seed=6)
    assert not np.array_equal(whole.policy.probabilities, other.policy.probabilities)


def test_whole_share_is_plain_egt():
    sampled, plain = (make_solver(name).start(eq.compiled("kuhn")) for name in ("sampled-egt(share=1)", "egt"))
    for run in (sampled, plain):
        run.advance(70)
    assert np.array_equal(sampled.answer, plain.answer)


def test_games_without_deals_are_refused():
    with pytest.raises(NotApplicableError, match="has no chance moves"):
        eq.solve("rps", "sampled-egt")
    with pytest.raises(NotApplicableError, match="needs a sampler of its deals"):
        sampled_egt().on(eq.compiled("kuhn").sequence_form)
    with pytest.raises(ParameterError, match="'share' is above 0"):
        make_solver("sampled-egt(share=0)")
    with pytest.raises(ParameterError, match="'dynamic' of 'sampled-egt' takes true or false"):
        make_solver("sampled-egt(dynamic=2)")
    with pytest.raises(ParameterError, match="'check' is a number of iterations"):
        make_solver("sampled-egt(check=0)")
