"""What every method of learning must fulfil."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equilibrist.forms.compiled import Compiled, compiled

MOST_BYTES = 15e6  # of a small state


def scaled(game: Compiled, factor: float) -> Compiled:
    """The same game with all payoffs times a factor."""
    return Compiled(game.game, replace(game.tree, payoff=game.tree.payoff * factor))


def same(one: dict, other: dict) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)


def check_learner(method, name: str, iterations: int = 3) -> None:
    """Even play before learning, looking changes nothing, one seed one result, going on is bit for bit, another game is refused."""
    game = compiled(name)
    learner = method.start(game, seed=7, device="cpu")
    even = game.infosets.uniform().probabilities
    assert np.allclose(learner.policy().probabilities, even), "untrained nets play evenly"
    for _ in range(iterations):
        learner.advance()
    assert learner.iteration == iterations
    before = learner.small_state() | learner.memories()
    looked = [learner.policy().probabilities for _ in range(2)]
    assert np.array_equal(*looked), "asking twice gives one answer"
    assert same(before, learner.small_state() | learner.memories()), "asking changes nothing that is learned"
    assert not np.allclose(looked[0], even), "something was learned"
    assert all(isinstance(value, int) for value in learner.counts().values())
    small, memories = learner.small_state(), learner.memories()
    assert sum(array.nbytes for array in small.values()) <= MOST_BYTES
    goes_on = method.start(game, seed=99, device="cpu")
    goes_on.restore(small, memories)
    for each in (learner, goes_on):
        for _ in range(2):
            each.advance()
    assert np.array_equal(learner.policy().probabilities, goes_on.policy().probabilities), "going on is bit for bit"
    assert same(learner.small_state(), goes_on.small_state())
    again = method.start(game, seed=7, device="cpu")
    for _ in range(iterations):
        again.advance()
    assert np.array_equal(again.policy().probabilities, looked[0]), "one seed gives one result"
    refilled = method.start(game, seed=99, device="cpu")
    refilled.restore(small, None)
    refilled.advance()
    assert refilled.iteration == iterations + 1
    probabilities = refilled.policy().probabilities
    assert np.isfinite(probabilities).all()
    other = method.start(compiled("leduc" if name == "kuhn" else "kuhn"), seed=7, device="cpu")
    try:
        other.restore(small, memories)
    except (ValueError, KeyError, RuntimeError):
        return
    raise AssertionError("the state of another game is refused")
