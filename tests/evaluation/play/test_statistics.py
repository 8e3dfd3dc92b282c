"""Match statistics against published numbers."""

import numpy as np
import pytest

from equilibrist.evaluation.play.statistics import Estimate, estimate, one_tailed_t
from equilibrist.experiments.ganzfried.endgame_statistics import endgame_difference, per_hand_effect
from equilibrist.experiments.gilpin.gs.sign_test import sign_test


@pytest.mark.parametrize(
    ("wins", "probability"), [(38, 3.06e-4), (28, 0.480), (32, 0.0649), (48, 2.27e-12), (35, 6.60e-3), (44, 3.24e-8)]
)
def test_sign_test(wins, probability):
    """[Gilpin09, Table 6.1], 50 series."""
    assert sign_test(wins, 50) == pytest.approx(probability, rel=2e-3)


def test_interval():
    """[Gilpin09, Table 6.2]: 0.532 with deviation 4.843 over 50,000 hands gives [0.490, 0.575]."""
    low, high = Estimate(0.532, 4.843, 50_000).interval
    assert (round(low, 3), round(high, 3)) == pytest.approx((0.490, 0.574), abs=1.1e-3)


def test_intervals_cover():
    """95 % of intervals hold the true mean: 400 repetitions, five standard deviations of a binomial allowed."""
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(400):
        low, high = estimate(rng.normal(0.3, 2.0, size=200)).interval
        covered += low <= 0.3 <= high
    assert abs(covered / 400 - 0.95) < 5 * (0.95 * 0.05 / 400) ** 0.5


def test_endgames_both_reach_any_but_not_the_same_one():
    """[Ganzfried15, §10.6]: lines with chances 0.99 and 0.01 into two endgames worth 0 and 1 more to the second player.

    Keeping deals on which both reach some endgame gives 0.01; keeping those with the same one would give 0.0001 / 0.9802.
    """
    rng = np.random.default_rng(2)
    deals = 400_000
    lines = rng.random((2, deals)) < 0.01  # which endgame each player arrives at, independently
    reached = rng.random((2, deals)) < 0.7
    first, second = np.zeros(deals), np.where(lines[1], 1.0, 0.0)
    found = endgame_difference(first, second, reached[0], reached[1])
    assert found.mean == pytest.approx(0.01, abs=4 * found.error)
    same = reached.all(axis=0) & (lines[0] == lines[1])
    assert second[same].mean() == pytest.approx(0.0001 / 0.9802, abs=1e-4)  # the biased way
    effect = per_hand_effect(found, int(reached.all(axis=0).sum()), deals)
    assert effect.mean == pytest.approx(0.0049, abs=4 * effect.error)


def test_one_tailed_t():
    assert one_tailed_t(Estimate(0.0, 1.0, 10)) == pytest.approx(0.5)
    assert one_tailed_t(Estimate(1.645, 100.0, 10_000)) == pytest.approx(0.05, abs=1e-3)
