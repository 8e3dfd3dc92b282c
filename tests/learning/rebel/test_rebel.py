"""The learner: it learns, goes on bit for bit, and refuses what is not its own."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.core.errors import ParameterError  # noqa: E402
from equilibrist.forms.compiled import compiled  # noqa: E402
from equilibrist.learning.catalogue import load_method  # noqa: E402
from equilibrist.learning.rebel.rebel import ReBeL, huber  # noqa: E402
from equilibrist.solvers.responses.best_response import evaluate_policy  # noqa: E402
from learning.contract import check_learner  # noqa: E402

DICE = "liars-dice(faces=2)"
SMALL = ReBeL(inside=16, hands=16, width=16, batch=32, memory=300, reuse=4.0, throughs=8)


def made(name: str = DICE, settings: ReBeL = SMALL, seed: int = 0):
    return settings.start(compiled(name), seed=seed, device="cpu")


def same(first, second) -> bool:
    return first.keys() == second.keys() and all(np.array_equal(first[key], second[key]) for key in first)


@pytest.mark.parametrize("name", ["kuhn", DICE])
def test_it_fulfils_what_every_learner_must(name: str) -> None:
    check_learner(SMALL, name)


def test_with_mean_weights_it_fulfils_it_too() -> None:
    check_learner(dataclasses.replace(SMALL, averaged=0.8, asked="averaged"), "kuhn")


@pytest.mark.parametrize(
    "settings",
    [
        SMALL,
        dataclasses.replace(SMALL, random_beliefs=True, solver="fp"),
        dataclasses.replace(SMALL, solver="modified-cfr-avg", weights="plain"),
        dataclasses.replace(SMALL, solver="flop"),
        dataclasses.replace(SMALL, averaged=0.8),
        dataclasses.replace(SMALL, averaged=0.8, asked="averaged"),
    ],
)
def test_going_on_is_bit_for_bit_what_was_not_stopped(settings: ReBeL) -> None:
    whole = made(settings=settings)
    for _ in range(3):
        whole.advance()
    small, memories = whole.small_state(), whole.memories()
    again = made(settings=settings)
    again.restore(small, memories)
    for learner in (whole, again):
        learner.advance()
        learner.advance()
    assert same(whole.small_state(), again.small_state())
    assert same(whole.memories(), again.memories())
    assert np.array_equal(whole.policy().probabilities, again.policy().probabilities)


def test_without_memories_it_goes_on_with_an_empty_ring() -> None:
    first, again = made(), made()
    first.advance()
    again.restore(first.small_state(), None)
    again.advance()
    assert again.iteration == 2
    assert 0 < len(again.memory) < again.memory.capacity


def test_a_state_of_another_game_or_network_is_refused() -> None:
    state = made().small_state()
    with pytest.raises(ValueError, match="liars-dice"):
        made("kuhn").restore(state, None)
    with pytest.raises(ValueError, match="layers of 16"):
        made(settings=dataclasses.replace(SMALL, width=8)).restore(state, None)


def test_asking_for_a_policy_changes_nothing() -> None:
    learner = made("kuhn")
    learner.advance()
    before = learner.small_state()
    first, second = learner.policy(), learner.policy()
    assert np.array_equal(first.probabilities, second.probabilities)
    assert same(before, learner.small_state())


def test_payoffs_in_another_unit_change_nothing() -> None:
    learners = [made(f"leduc{text}") for text in ("", "(ante=8,bets=[16,32])")]
    for learner in learners:
        learner.advance()
    assert learners[1].beliefs.unit == 8 * learners[0].beliefs.unit
    first, second = ({k: v for k, v in learner.small_state().items() if k != "of"} for learner in learners)
    assert same(first, second)
    assert np.array_equal(learners[0].policy().probabilities, learners[1].policy().probabilities)


def test_values_of_impossible_hands_reach_no_gradient() -> None:
    found = torch.zeros((2, 3), requires_grad=True)
    asked = torch.tensor([[True, False, True], [True, True, True]])
    huber(found, torch.full((2, 3), 9.0), asked).backward()
    assert found.grad is not None
    assert found.grad[0, 1] == 0.0
    assert (found.grad[asked] != 0.0).all()


def test_the_ring_holds_two_examples_of_each_search() -> None:
    learner = made("kuhn")
    learner.advance()
    assert learner.counts()["samples"] == 2 * learner.searches
    assert len(learner.memory) == min(300, 2 * learner.searches)
    np.testing.assert_allclose(learner.memory["beliefs"].reshape(-1, 2, 3).sum(axis=2), 1.0, atol=1e-6)
    assert ReBeL(memory=300).memory_bytes(compiled("kuhn")) == learner.memory.nbytes


def test_no_more_examples_are_trained_than_reuse_allows() -> None:
    learner = made()
    learner.advance()
    assert learner.steps * 32 <= 4 * 2 * learner.searches


def test_states_stay_small() -> None:
    learner = ReBeL().start(compiled(DICE), seed=0, device="cpu")
    learner.advance()
    assert sum(array.nbytes for array in learner.small_state().values()) < 15_000_000


def test_unknown_words_are_refused() -> None:
    with pytest.raises(ParameterError, match="averages"):
        ReBeL(playing="averages of averages")
    with pytest.raises(ParameterError, match="modified-cfr-avg"):
        load_method("rebel(solver=cfr-avg)")
    with pytest.raises(ParameterError, match="plain"):
        load_method("rebel(solver=flop,weights=plain)")
    assert repr(load_method("rebel(inside=64,solver=fp)")) == "rebel(solver=fp,inside=64)"


def test_it_learns_liars_dice() -> None:
    """An untrained network is worth more than 0.3 here; a dozen seconds' training reaches a few hundredths."""
    settings = ReBeL(inside=48, hands=48, width=32, rate=2e-3, batch=128, halve=3, reuse=40, throughs=32)
    learner = settings.start(compiled("liars-dice(faces=3)"), seed=0, device="cpu")
    before = learner.playing().play_throughs(32, np.random.default_rng(0))
    for _ in range(24):
        learner.advance()
    before, after = (evaluate_policy(learner.game, policy).exploitability for policy in (before, learner.policy()))
    assert before > 0.3
    assert after < 0.06


def test_mean_weights_play_and_are_those_after_every_iteration() -> None:
    """The first weights are taken as they are; then the share that is kept grows to what was asked for."""
    newest, learner = made(), made(settings=dataclasses.replace(SMALL, averaged=0.1))
    mean: dict[str, np.ndarray] = {}
    for kept in (0.0, 1 / 11, 0.1):
        newest.advance()
        learner.advance()
        weights = newest.nets()["values"]
        mean = {key: kept * mean.get(key, value) + (1.0 - kept) * value for key, value in weights.items()}
        for key, value in learner.nets()["values"].items():
            np.testing.assert_allclose(value, mean[key], atol=1e-6)
    assert same({k: v for k, v in learner.small_state().items() if k.startswith("net")}, newest_net(newest))
    assert not np.array_equal(learner.policy().probabilities, newest.policy().probabilities)
    assert learner.leaf_values().values_of.net is learner.average.net


def newest_net(learner) -> dict[str, np.ndarray]:
    return {key: value for key, value in learner.small_state().items() if key.startswith("net")}


def test_self_play_asks_mean_weights_where_that_is_wanted() -> None:
    newest, averaged = (
        made(settings=dataclasses.replace(SMALL, averaged=0.9, asked=asked)) for asked in ("newest", "averaged")
    )
    for learner in (newest, averaged):
        for _ in range(3):
            learner.advance()
    assert not same(newest_net(newest), newest_net(averaged))


def test_mean_weights_are_told_of() -> None:
    with pytest.raises(ParameterError, match="none are kept"):
        ReBeL(asked="averaged")
    with pytest.raises(ValueError, match="mean weights"):
        made(settings=dataclasses.replace(SMALL, averaged=0.5)).restore(made().small_state(), None)
