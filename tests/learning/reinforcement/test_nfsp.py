"""NFSP: kernels beside a plain version, memories, units, going on, and how far it comes on Kuhn poker."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.learning.encoders.infosets import encode
from equilibrist.learning.reinforcement._kernels import fictitious as kernels
from equilibrist.learning.reinforcement.nfsp import NFSP, NFSPLearner, rows_of
from equilibrist.solvers.responses.best_response import evaluate_policy

SMALL = NFSP(rounds=40, steps=20, batch=16, ring=150, reservoir=60, width=8, depth=2, refit=7, anticipation=0.4)


def started(settings: NFSP = SMALL, name: str = "kuhn", seed: int = 3) -> NFSPLearner:
    return settings.start(compiled(name), seed=seed, device="cpu")


def scaled(name: str, factor: float) -> Compiled:
    """The same game with all payoffs times a factor."""
    game = compiled(name)
    return Compiled(game.game, replace(game.tree, payoff=game.tree.payoff * factor))


@pytest.mark.parametrize("depth", [1, 3])
def test_kernels_do_what_the_plain_version_does(depth: int) -> None:
    """Memories entry by entry, and nets up to rounding: 25 rounds in which the ring, the reservoir and targets all turn over."""
    pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")
    from reference.naive_nfsp import NaiveNFSP, torch_net

    settings = replace(SMALL, rounds=25, depth=depth, ring=90, reservoir=40, rate_q=0.05, rate_average=0.05)
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
    other = SMALL.start(scaled("leduc", factor), seed=1)
    for each in (usual, other):
        each.advance()
        each.advance()
    assert np.array_equal(usual.policy().probabilities, other.policy().probabilities)


def test_it_goes_on_bit_for_bit() -> None:
    learner = started()
    even = compiled("kuhn").infosets.uniform().probabilities
    assert np.allclose(learner.policy().probabilities, even), "untrained nets play evenly"
    learner.advance()
    assert not np.allclose(learner.policy().probabilities, even)
    small, memories = learner.small_state(), learner.memories()
    again = started(seed=99)
    again.restore(small, memories)
    refilled = started(seed=98)
    refilled.restore(small, None)
    for each in (learner, again, refilled):
        each.advance()
    assert np.array_equal(learner.policy().probabilities, again.policy().probabilities)
    for mine, theirs in (
        (learner.small_state(), again.small_state()),
        (learner.memories(), again.memories()),
    ):
        assert mine.keys() == theirs.keys()
        assert all(np.array_equal(mine[key], theirs[key]) for key in mine)
    assert refilled.iteration == 2
    assert np.isfinite(refilled.policy().probabilities).all()


def test_states_of_other_games_are_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        started(name="leduc").restore(started().small_state(), None)


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
    pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")
    from equilibrist.learning.catalogue import load_method

    assert load_method("nfsp(width=32)") == NFSP(width=32)
    for wrong in ("nfsp(anticipation=1.5)", "nfsp(batch=0)", "nfsp(speed=3)"):
        with pytest.raises(ParameterError):
            load_method(wrong)


def test_it_learns_kuhn_poker() -> None:
    """From 458 thousandths of an ante to below 40, on the way to 0."""
    learner = started(replace(NFSP(), rounds=6000, rate_average=0.02), seed=0)
    learner.advance()
    assert evaluate_policy(learner.game, learner.policy()).exploitability < 0.04
