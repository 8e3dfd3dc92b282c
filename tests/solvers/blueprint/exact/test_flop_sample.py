"""Intervals from samples of flops beside all flops."""

import numpy as np
import pytest

from equilibrist.core.errors import ParameterError
from equilibrist.solvers.blueprint.exact.exact_exploitability import ExactRun
from equilibrist.solvers.blueprint.exact.flop_sample import FlopSample, Judge, textures
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from random_blueprint import random_blueprint

TWELVE_CARDS = BlueprintPlan(
    "nolimit-holdem(stack=400,ranks=4,suits=3)",
    {"menu": {"bet": "a", "raise": "a", "turn": {"bet": "", "raise": ""}, "river": {"bet": "", "raise": ""}}},
    "ehs-equal(sizes=all/3/1/1, sample=1000)",
)


@pytest.fixture(scope="module")
def judge():
    run = ExactRun(random_blueprint(TWELVE_CARDS))
    numbers = list(range(len(run.copies)))
    return Judge(run.trunk, run.look_at(numbers, _nothing_kept(), lambda progress: None), run.error)


def _nothing_kept():
    from equilibrist.compute.checkpoints import Checkpoints

    return Checkpoints(None, "")


def drawn(judge, flops, seed):
    order = textures(judge.cards, judge.trunk.streets.deal.deck)
    return FlopSample.draw(judge.copies, order, flops, seed)


def test_a_flop_is_drawn_as_often_as_it_has_copies(judge):
    counts = np.zeros(len(judge.copies))
    for seed in range(2000):
        np.add.at(counts, drawn(judge, 12, seed).draws.ravel(), 1.0)
    assert counts / counts.sum() == pytest.approx(judge.copies / judge.copies.sum(), abs=0.006)


def test_halves_are_alike_and_strata_are_kept(judge):
    order = textures(judge.cards, judge.trunk.streets.deal.deck)
    sample = drawn(judge, 23, 5)
    assert sample.draws.shape == (2, 5, 2)
    place = np.argsort(order)[sample.draws]
    assert (place.max(axis=(0, 2))[:-1] <= place.min(axis=(0, 2))[1:]).all()
    assert np.array_equal(sample.draws, drawn(judge, 23, 5).draws)
    assert not np.array_equal(sample.draws, drawn(judge, 23, 6).draws)


def test_seeds_begin_at_0():
    with pytest.raises(ParameterError, match="seed.*but -1"):
        FlopSample.draw(np.ones(16, np.int64), np.arange(16), 8, -1)


def test_intervals_hold_what_all_flops_say(judge):
    """Of 400 samples of a quarter of the flops."""
    whole, missed = judge.exactly(), np.zeros(4)
    least, most, value = [], [], []
    for seed in range(400):
        found = judge.estimated(drawn(judge, 12, seed))
        pairs = [(found.value, whole.value), (found.exploitability, whole.exploitability)]
        pairs += list(zip(found.gain, whole.gain, strict=True))
        missed += [not told.low <= true.least <= told.high for told, true in pairs]
        least.append(found.exploitability.least)
        most.append(found.exploitability.most)
        value.append(found.value.least)
    assert (missed / 400 <= 0.06).all()
    doubt = 3.0 / np.sqrt(400)
    assert np.mean(value) == pytest.approx(whole.value.least, abs=doubt * np.std(value))
    assert np.mean(least) <= whole.exploitability.least + doubt * np.std(least)
    assert np.mean(most) >= whole.exploitability.least - doubt * np.std(most)


def test_more_flops_say_more(judge):
    """Both bounds come closer to each other, and to the truth."""
    gaps = [
        np.mean([judge.estimated(drawn(judge, n, seed)).exploitability.high for seed in range(30)])
        - np.mean([judge.estimated(drawn(judge, n, seed)).exploitability.low for seed in range(30)])
        for n in (12, 48)
    ]
    assert gaps[1] < 0.6 * gaps[0]


def test_all_flops_leave_rounding_alone(judge):
    whole = judge.exactly()
    assert whole.exploitability.least == whole.exploitability.most
    assert whole.exploitability.high - whole.exploitability.low == pytest.approx(2.0 * judge.error)
    assert whole.exploitability.least == pytest.approx((whole.gain[0].least + whole.gain[1].least) / 2.0)
