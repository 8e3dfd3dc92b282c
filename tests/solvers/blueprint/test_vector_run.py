"""Blueprints trained over all boards instead of sampled deals: measured by another route, resumed, refused."""

from pathlib import Path

import numpy as np
import pytest

from equilibrist import load_blueprint
from equilibrist.core.errors import EquilibristError
from equilibrist.solvers.blueprint.exact.exact_exploitability import exact_exploitability
from equilibrist.solvers.blueprint.folder import STATE, TrainingOrder, resume_training, start_training
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.training import PruneRule, Training
from equilibrist.solvers.blueprint.values.flop_values import flop_values
from equilibrist.solvers.blueprint.vector_run import VectorRun

SMALL = "nolimit-flop-holdem(stack=400,ranks=4,suits=3,sizes=fcpa)"
CARDS = "ehs-equal(sizes=all/6, sample=1000)"


def order(iterations, game=SMALL, cards=CARDS, **training):
    return TrainingOrder(BlueprintPlan(game, {}, cards), Training(**({"method": "dcfr"} | training)), iterations)


def test_the_blueprint_is_as_good_as_the_run_says_it_is(tmp_path):
    """Two routes: responses of the streamed boards, and the walk over flops with the strategy that was written."""
    made = start_training(tmp_path / "run", order(150))
    walked = flop_values([made])
    assert made.provenance["exploitability"] == pytest.approx(walked.exploitability(0), abs=0.02)  # a byte an action
    assert walked.exploitability(0) < 0.1 * flop_values([start_training(tmp_path / "begun", order(1))]).exploitability(
        0
    )
    assert made.solver == "blueprint-dcfr"
    again = load_blueprint(tmp_path / "run" / "blueprint.eqb")
    assert np.array_equal(again.packed, made.packed)


def test_with_two_deals_too(tmp_path):
    """Buckets on the turn, flops hand by hand; the other route is the walk over flops that exact_exploitability makes."""
    turn = {
        "game": "nolimit-turn-holdem(stack=300,ranks=4,suits=2)",
        "cards": "ehs-equal(sizes=all/all/6, sample=1000)",
    }
    made = start_training(tmp_path / "run", order(60, **turn))
    exact = exact_exploitability(made).judgement.exploitability.least
    assert made.provenance["exploitability"] == pytest.approx(exact, abs=0.05)  # chips; a byte an action
    begun = start_training(tmp_path / "begun", order(20, **turn))
    assert exact < 0.5 * begun.provenance["exploitability"]
    resumed = resume_training(tmp_path / "begun", iterations=60)
    assert np.array_equal(resumed.packed, made.packed)
    coarse = BlueprintPlan(turn["game"], {}, "ehs-equal(sizes=all/4/6, sample=1000)")
    with pytest.raises(EquilibristError, match="sizes=all/all/50"):
        VectorRun(coarse.game(), "dcfr")


def test_sampling_comes_close_to_it(tmp_path):
    exact = flop_values([start_training(tmp_path / "exact", order(150))])
    sampled = flop_values([start_training(tmp_path / "sampled", order(400_000, method="mccfr"))])
    assert sampled.value[0, 0] == pytest.approx(exact.value[0, 0], abs=1.0)
    assert sampled.exploitability(0) < exact.exploitability(0) + 3.0


def test_a_training_goes_on_where_it_stopped(tmp_path):
    whole = start_training(tmp_path / "whole", order(30), threads=2)
    start_training(tmp_path / "cut", order(12))
    cut = resume_training(tmp_path / "cut", iterations=30)
    assert np.array_equal(cut.packed, whole.packed)
    run = VectorRun(whole.abstract, "dcfr")
    with pytest.raises(ValueError, match="instead of"):
        run.restore({name: array[:1] for name, array in run.state().items()})
    assert (tmp_path / "cut" / STATE).exists()


@pytest.mark.parametrize("method", ["pcfr+", "cfr(minimiser=hedge)", "cfr(updates=simultaneous)"])
def test_any_minimiser_trains_and_goes_on(tmp_path, method):
    """By its own rule: none of them ends where the schedule alone, with regret matching, would have led."""
    whole = start_training(tmp_path / "whole", order(20, method=method))
    start_training(tmp_path / "cut", order(8, method=method))
    cut = resume_training(tmp_path / "cut", iterations=20)
    assert np.array_equal(cut.packed, whole.packed)
    run = VectorRun(whole.abstract, method)
    run.advance(20)
    plain = VectorRun(whole.abstract, "cfr+" if method == "pcfr+" else "cfr")
    plain.advance(20)
    assert run.health().exploitability != pytest.approx(plain.health().exploitability, rel=1e-3)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"method": "lp"}, "but 'lp' was given"),
        ({"method": "cfr(pruning=rbp)"}, "trained by mccfr"),
        (
            {"game": "nolimit-holdem(stack=400,ranks=4,suits=3)", "cards": "ehs-equal(sizes=all/2/2/2, sample=1000)"},
            "one or two deals of board cards",
        ),
        ({"prune": PruneRule("fading")}, "leave them out"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_anything_is_written(tmp_path, change, sentence):
    with pytest.raises(EquilibristError, match=sentence):
        start_training(tmp_path / "run", order(10, **change))
    assert not Path(tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("cards", "sentence"), [("exact", "exact cards"), ("ehs-equal(sizes=3/6, sample=1000)", "'all'")]
)
def test_buckets_that_do_not_fit_are_refused(cards, sentence):
    plan = BlueprintPlan(SMALL, {}, cards)
    with pytest.raises(EquilibristError, match=sentence):
        VectorRun(plan.game(), "dcfr")
