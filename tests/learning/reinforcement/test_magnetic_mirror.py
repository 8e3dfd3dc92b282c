"""Magnetic mirror descent by exact values: its step, and the quantal response equilibria that it comes to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.core.policy import InfosetIndex, TabularPolicy, normalise
from equilibrist.forms.compiled import compiled
from equilibrist.learning.reinforcement.magnetic_mirror import action_values, magnetic_descent, magnetic_step
from equilibrist.solvers.responses.best_response import evaluate_policy
from reference import naive_quantal


def drawn_policy(name: str, seed: int) -> TabularPolicy:
    infosets = compiled(name).infosets
    return normalise(infosets, np.random.default_rng(seed).random(infosets.slots) + 0.05)


def as_rows(policy: TabularPolicy) -> naive_quantal.Strategy:
    index = policy.infosets
    return {(int(index.player[i]), key.split("|")[-1]): policy.row(i).tolist() for i, key in enumerate(index.keys)}


@pytest.mark.parametrize("name", ["kuhn", "kuhn(players=3)", "leduc(ranks=2,cap=1,suits=merged)"])
def test_action_values_by_plain_recursion(name: str) -> None:
    policy = drawn_policy(name, 5)
    plain = naive_quantal.action_values(compiled(name).game, as_rows(policy))
    found = as_rows(TabularPolicy(policy.infosets, action_values(compiled(name), policy)))
    assert found.keys() == plain.keys()
    for key, row in plain.items():
        assert found[key] == pytest.approx(row, abs=1e-12)


@settings(max_examples=30)
@given(
    st.lists(st.floats(-3.0, 3.0), min_size=2, max_size=5),
    st.floats(0.01, 2.0),
    st.floats(0.01, 5.0),
    st.integers(0, 99),
)
def test_a_step_maximises_its_objective(values: list[float], temperature: float, step: float, seed: int) -> None:
    """No strategy nearby, and none of a thousand others, has more of value + temperature x entropy - KL / step."""
    random, worth = np.random.default_rng(seed), np.array(values)
    index = InfosetIndex(("here",), np.zeros(1, dtype=np.int32), (tuple(map(str, range(len(values)))),))
    old = normalise(index, random.random(len(values)) + 0.05)

    def objective(new: np.ndarray) -> np.ndarray:
        entropy = -(new * np.log(new)).sum(axis=-1)
        divergence = (new * np.log(new / old.probabilities)).sum(axis=-1)
        return new @ worth + temperature * entropy - divergence / step

    best = magnetic_step(old, worth, temperature, step).probabilities
    others = np.concatenate(
        [
            random.dirichlet(np.ones(len(values)), size=1000),
            best + 1e-4 * best * (random.random((50, len(values))) - 0.5),
        ]
    ).clip(1e-12)
    others /= others.sum(axis=1, keepdims=True)
    assert best.sum() == pytest.approx(1.0)
    assert (objective(others) <= objective(best) + 1e-9).all()


@pytest.mark.parametrize("temperature", [0.5, 0.1])
def test_it_comes_to_the_quantal_response_equilibrium(temperature: float) -> None:
    """On Kuhn poker, from an independent solution of the equations ([McKelvey98]: the agent form)."""
    game = compiled("kuhn")
    wanted = naive_quantal.quantal_response(game.game, temperature)
    found = as_rows(magnetic_descent(game, temperature=temperature, step=0.1, iterations=3000))
    for key, row in wanted.items():
        assert found[key] == pytest.approx(row, abs=1e-7)


def test_less_temperature_less_exploitability() -> None:
    game = compiled("kuhn")
    found = [
        evaluate_policy(game, magnetic_descent(game, temperature=t, step=0.1, iterations=4000)).exploitability
        for t in (0.5, 0.2, 0.05)
    ]
    assert found == sorted(found, reverse=True)
    assert found[-1] < 0.05
