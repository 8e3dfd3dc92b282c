"""NFSP with fitted nets: hands beside a plain version, what each net is fitted to, going on, and how far it comes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

import torch

from equilibrist.core.errors import ParameterError
from equilibrist.forms.compiled import compiled
from equilibrist.learning.catalogue import load_method
from equilibrist.learning.encoders.infosets import encode
from equilibrist.learning.outcome_sampling.fitting import RowNet
from equilibrist.learning.regression.fitting import FitPlan
from equilibrist.learning.reinforcement.fitted_nfsp import FittedNFSP, FittedNFSPLearner
from equilibrist.learning.reinforcement.played_hands import PlayedHands
from equilibrist.solvers.responses.best_response import best_response, evaluate_policy
from learning.contract import check_learner, scaled
from reference.naive_played_hands import NaiveHands

SMALL = FittedNFSP(decisions=500, ring=300, anticipation=0.4, steps=6, refit=3, average_steps=4, width=8, depth=2)


def started(settings: FittedNFSP = SMALL, name: str = "kuhn", seed: int = 3) -> FittedNFSPLearner:
    return settings.start(compiled(name), seed=seed, device="cpu")


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_hands_are_those_of_the_plain_version(name: str) -> None:
    """Four tables of strategies, one after the other, and a ring that turns over several times."""
    game, ring = compiled(name), 400
    encoding = encode(game)
    played = PlayedHands(game, encoding, ring, seed=5)
    naive = NaiveHands(game, encoding, [int(word) for word in played.random])
    random = np.random.default_rng(2)
    for k in range(1, 5):
        average, response = (
            encoding.by_slot(table / table.sum(axis=1, keepdims=True))
            for table in (random.random(encoding.legal.shape) ** 3 * encoding.legal for _ in range(2))
        )
        for each in (played, naive):
            each.play(average, response, 700 * k, anticipation=0.3, weight=float(k))
        q = random.normal(size=encoding.legal.shape)
        assert np.array_equal(played.moves, naive.counted(ring))
        assert np.array_equal(played.imitated, naive.imitated())
        np.testing.assert_allclose(played.wanted(q), naive.wanted(ring, q), atol=1e-6)
    assert (played.ring.offered > 2 * ring).all(), "moves were forgotten"
    assert [int(word) for word in played.random] == naive.stream.words
    assert played.tally[1] == naive.decisions


def test_values_that_are_fitted_to_themselves_are_those_of_a_best_response() -> None:
    """With all moves of even play remembered, reward + the largest next value, again and again, comes to exact best responses."""
    game = compiled("leduc")
    encoding = encode(game)
    played = PlayedHands(game, encoding, 10**6, seed=0)
    even = game.infosets.uniform()
    played.play(even.probabilities, even.probabilities, 2 * 10**6, anticipation=0.0)
    q = np.zeros(encoding.legal.shape)
    for _ in range(5):
        q = played.wanted(q)
    greedy = np.where(encoding.legal, q, -np.inf)
    probabilities = encoding.by_slot((greedy == greedy.max(axis=1, keepdims=True)).astype(float))
    for player in range(2):
        own = np.repeat(game.infosets.player == player, np.diff(game.infosets.first_slot))
        mixed = replace(even, probabilities=np.where(own, probabilities, even.probabilities))
        exact = best_response(game, even, player).value
        assert evaluate_policy(game, mixed).value[player] == pytest.approx(exact, abs=0.05)


def test_the_average_net_is_fitted_to_all_moves_of_best_responses() -> None:
    learner = started(replace(SMALL, decisions=5000, average_steps=1500, width=32, rate=3e-3))
    learner.advance()
    imitated = learner.played.imitated
    mass = imitated.sum(axis=1)
    assert (mass > 30).any()
    wanted = imitated[mass > 30] / mass[mass > 30, None]
    assert np.abs(learner.average_table[mass > 30] - wanted).max() < 0.02


def test_cross_entropy_leaves_out_what_is_no_action() -> None:
    features = np.random.default_rng(0).normal(size=(40, 6)).astype(np.float32)
    weight = np.ones((40, 3)) * [1.0, 0.0, 1.0]
    for batch in (64, 16):
        net = RowNet(features, 3, 16, 2, torch.device("cpu"), 3)
        wanted = np.full((40, 3), 0.5) * [1.6, 0.0, 0.4]
        net.fit(wanted, weight, FitPlan(200, batch, 1e-2, True), 4, shares=True, entropy=True)
        assert (net.table()[:, 1] == 0.0).all(), "an output that is never an action is never moved"
        assert np.abs(net.shares(weight > 0.0)[:, 0] - 0.8).max() < 0.05


@pytest.mark.parametrize("batch", [64, 8])
def test_cross_entropy_weighs_rows(batch: int) -> None:
    """Rows that a net cannot tell apart: it finds their weighted shares."""
    wanted = np.repeat([[1.0, 0.0], [0.0, 1.0]], 10, axis=0)
    weight = np.repeat([[1.0, 1.0], [3.0, 3.0]], 10, axis=0)
    net = RowNet(np.ones((20, 2), dtype=np.float32), 2, 8, 1, torch.device("cpu"), 0)
    net.fit(wanted, weight, FitPlan(800, batch, 1e-2, True), 0, shares=True, entropy=True)
    assert net.shares(weight > 0.0)[0, 0] == pytest.approx(0.25, abs=0.04)


def test_responses_take_the_largest_legal_value_and_explore() -> None:
    learner = started(name="leduc")
    learner.iteration = 4
    learner.q_table[:] = np.where(
        learner.encoding.legal, np.random.default_rng(0).normal(size=learner.q_table.shape), 1e6
    )
    found = learner.responses()
    assert not found[~learner.encoding.legal].any()
    assert np.allclose(found.sum(axis=1), 1.0)
    explored = learner.settings.exploration / 2
    assert np.allclose(found.max(axis=1), 1 - explored + explored / learner.encoding.legal.sum(axis=1))


@pytest.mark.parametrize("factor", [0.25, 1024.0])
def test_the_unit_of_payoffs_changes_nothing(factor: float) -> None:
    usual = SMALL.start(compiled("leduc"), seed=1)
    other = SMALL.start(scaled(compiled("leduc"), factor), seed=1)
    for each in (usual, other):
        each.advance()
        each.advance()
    assert np.array_equal(usual.policy().probabilities, other.policy().probabilities)


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_the_contract_of_learners(name: str) -> None:
    check_learner(SMALL, name)


def test_without_memories_the_average_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of the average are small where infosets are few; elsewhere the net tells them again."""
    for most in (500_000, 0):
        monkeypatch.setattr("equilibrist.learning.reinforcement.fitted_nfsp.SMALL_CELLS", most)
        learner, other = started(), started(seed=9)
        for _ in range(3):
            learner.advance()
        other.restore(learner.small_state(), None)
        assert not other.played.moves.any()
        assert np.array_equal(other.policy().probabilities, learner.policy().probabilities)
        mass = learner.played.imitated.sum(axis=1)
        np.testing.assert_allclose(other.played.imitated.sum(axis=1), mass, rtol=1e-5)
        if most:
            assert np.array_equal(other.played.imitated, learner.played.imitated)


def test_three_players_play_too() -> None:
    learner = started(name="kuhn(players=3)")
    learner.advance()
    assert learner.policy().probabilities.min() >= 0.0


def test_parameters_are_checked() -> None:
    assert load_method("fitted-nfsp(width=32)") == FittedNFSP(width=32)
    assert repr(load_method("fitted-nfsp(ring=10,width=32)")) == "fitted-nfsp(ring=10,width=32)"
    for wrong in ("fitted-nfsp(anticipation=1.5)", "fitted-nfsp(batch=0)", "fitted-nfsp(speed=3)"):
        with pytest.raises(ParameterError):
            load_method(wrong)


def test_it_learns_kuhn_poker() -> None:
    """From 458 thousandths of an ante to below 15 in a few seconds."""
    learner = started(FittedNFSP(decisions=20_000, ring=100_000, width=32), seed=0)
    for _ in range(250):
        learner.advance()
    assert evaluate_policy(learner.game, learner.policy()).exploitability < 0.015
