"""NFSP: kernels beside a plain version, memories, units, going on, and how far it comes on Kuhn poker."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.compiled import compiled
from equilibrist.learning.catalogue import load_method
from equilibrist.learning.encoders.infosets import encode
from equilibrist.learning.reinforcement._kernels import fictitious as kernels
from equilibrist.learning.reinforcement.nfsp import NFSP, NFSPLearner, rows_of
from equilibrist.solvers.responses.best_response import evaluate_policy
from learning.contract import check_learner, scaled
from reference.naive_nfsp import NaiveNFSP, torch_net

SMALL = NFSP(rounds=40, steps=20, batch=16, ring=150, reservoir=60, width=8, depth=2, refit=7, anticipation=0.4)


def started(settings: NFSP = SMALL, name: str = "kuhn", seed: int = 3) -> NFSPLearner:
    return settings.start(compiled(name), seed=seed, device="cpu")


@pytest.mark.parametrize(("depth", "decay"), [(1, 0), (3, 10)])
def test_kernels_do_what_the_plain_version_does(depth: int, decay: int) -> None:
    """Memories entry by entry, and nets up to rounding: 25 rounds in which the ring, the reservoir and targets all turn over."""
    settings = replace(
        SMALL, rounds=25, depth=depth, decay=decay, ring=90, reservoir=40, rate_q=0.05, rate_average=0.05
    )
    learner = started(settings)
    words = [int(word) for word in learner.random]
    naive = NaiveNFSP(settings, learner.game, learner.encoding, words, learner.agents)
    learner.advance()
    for _ in range(settings.rounds):
        naive.round()
    assert learner.moves.offered.tolist() == naive.offered
    assert (learner.moves.offered > [settings.ring, settings.reservoir]).all(), "both memories were full"
    assert learner.counts()["q_updates"] == naive.q_updates > settings.refit
    for p in range(2):
        columns = (learner.moves.row, learner.moves.output, learner.moves.reward, learner.moves.next_row)
        ring = list(zip(*(column[p].tolist() for column in columns), strict=True))
        assert np.allclose(ring, naive.ring[p])
        best = zip(learner.moves.best_row[p].tolist(), learner.moves.best_output[p].tolist(), strict=True)
        assert list(best) == naive.reservoir[p]
        for mine, theirs in ((learner.agents.q, naive.q), (learner.agents.average, naive.average)):
            for ours, plain in zip(torch_net(mine, p).parameters(), theirs[p].parameters(), strict=True):
                assert np.allclose(ours.detach(), plain.detach(), atol=2e-5)
    assert [int(word) for word in learner.random] == naive.stream.words


def test_both_nets_learn_from_all_they_should() -> None:
    """Moves follow one another in the ring: each next row belongs to the same player, and only last moves are paid."""
    learner = started(replace(SMALL, ring=4000, reservoir=4000))
    learner.advance()
    encoding = learner.encoding
    for p in range(2):
        count = learner.moves.offered[p, 0]
        row, after, reward = (
            column[p, :count] for column in (learner.moves.row, learner.moves.next_row, learner.moves.reward)
        )
        assert (encoding.player[row] == p).all()
        assert (encoding.player[after[after >= 0]] == p).all()
        assert not reward[after >= 0].any()
        assert reward[after < 0].all(), "no hand of Kuhn poker ends even"
        assert encoding.legal[row, learner.moves.output[p, :count]].all()
        best = learner.moves.best_row[p, : learner.moves.offered[p, 1]]
        assert (encoding.player[best] == p).all()
        share = learner.moves.offered[p, 1] / count
        assert share == pytest.approx(SMALL.anticipation, abs=0.1), "best responses, and nothing else, are imitated"


def test_a_reservoir_keeps_each_move_with_the_same_chance() -> None:
    kept = np.zeros(50)
    for seed in range(400):
        learner = started(replace(SMALL, reservoir=10), seed=seed)
        for move in range(50):
            kernels.keep_best(learner.moves, 0, move, 0, learner.random)
        kept[learner.moves.best_row[0]] += 1
    assert kept.sum() == 4000
    assert abs(kept - 80).max() < 40  # five standard deviations of 8


def test_the_loss_leaves_out_what_is_no_action() -> None:
    """In Leduc poker a player who faces no bet cannot fold, and one who faces the last raise cannot raise."""
    learner = started(replace(SMALL, rounds=10), "leduc")
    rows = np.flatnonzero(~learner.encoding.legal.all(axis=1))
    assert len(rows)
    table = np.zeros(learner.encoding.legal.shape, dtype=np.float32)
    learner.advance()
    kernels.tabulate(learner.rows, learner.agents.average, learner.encoding.player, learner.scratch.work, table)
    assert not table[~learner.encoding.legal].any()
    assert np.allclose(table.sum(axis=1), 1.0)
    for p in range(2):
        count = learner.moves.offered[p, 0]
        assert learner.encoding.legal[learner.moves.row[p, :count], learner.moves.output[p, :count]].all()


@pytest.mark.parametrize("factor", [0.25, 1000.0])
def test_the_unit_of_payoffs_changes_nothing(factor: float) -> None:
    """Others found that the unit of rewards decides NFSP; ours is set by the largest payoff."""
    usual = SMALL.start(compiled("leduc"), seed=1)
    other = SMALL.start(scaled(compiled("leduc"), factor), seed=1)
    for each in (usual, other):
        each.advance()
        each.advance()
    assert np.array_equal(usual.policy().probabilities, other.policy().probabilities)


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_the_contract_of_learners(name: str) -> None:
    check_learner(SMALL, name)


def test_states_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        started(replace(SMALL, width=9)).restore(started().small_state(), None)


def test_three_players_play_too() -> None:
    learner = started(name="kuhn(players=3)")
    learner.advance()
    assert learner.policy().probabilities.min() >= 0.0


def test_inputs_that_are_zero_are_left_out_and_no_others() -> None:
    encoding = encode(compiled("leduc"))
    rows = rows_of(encoding)
    found = np.zeros_like(encoding.features)
    for k in range(rows.inputs.place.shape[1]):
        found[np.arange(encoding.rows), rows.inputs.place[:, k]] += rows.inputs.value[:, k]
    assert np.array_equal(found, encoding.features)


def test_a_device_it_cannot_use_is_refused() -> None:
    with pytest.raises(NotApplicableError, match="CPU"):
        SMALL.start(compiled("kuhn"), seed=0, device="cuda")


def test_parameters_are_checked() -> None:
    assert load_method("nfsp(width=32)") == NFSP(width=32)
    assert repr(load_method("nfsp(rounds=10,width=32)")) == "nfsp(rounds=10,width=32)"
    for wrong in ("nfsp(anticipation=1.5)", "nfsp(batch=0)", "nfsp(speed=3)"):
        with pytest.raises(ParameterError):
            load_method(wrong)


def test_it_learns_kuhn_poker() -> None:
    """From 458 thousandths of an ante to below 40, on the way to 0; with a ring of 200,000 moves it stays above 80 for as long."""
    quick = replace(NFSP(), rounds=5000, rate_average=0.05)
    recent, old = (started(replace(quick, ring=ring), seed=0) for ring in (10_000, 200_000))
    for learner in (recent, old):
        learner.advance()
    assert evaluate_policy(recent.game, recent.policy()).exploitability < 0.04
    assert evaluate_policy(old.game, old.policy()).exploitability > 0.08, "Q answers opponents of long ago"
