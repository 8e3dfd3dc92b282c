"""Plays of outcome sampling: kernels equal their naive twins, and sampled regrets are unbiased whatever the values of histories."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.core.errors import NotApplicableError  # noqa: E402
from equilibrist.forms.compiled import Compiled, compiled  # noqa: E402
from equilibrist.games.rules import CHANCE, TERMINAL  # noqa: E402
from equilibrist.learning.outcome_sampling.plays import Plays  # noqa: E402
from reference.naive_mccfr import Stream, outcomes_of  # noqa: E402
from reference.naive_outcome_sampling import (  # noqa: E402
    Play,
    counterfactual_regrets,
    reach_of,
    slots,
    value_of,
)

Floats = npt.NDArray[np.float64]
KUHN = compiled("kuhn")


def random_strategy(game: Compiled, seed: int) -> Floats:
    random, first = np.random.default_rng(seed), game.infosets.first_slot
    weights = random.random(game.infosets.slots) + 0.05
    totals: Floats = np.add.reduceat(weights, first[:-1])
    return np.asarray(weights / np.repeat(totals, np.diff(first)))


def random_values(game: Compiled, seed: int) -> Floats:
    return np.random.default_rng(seed).normal(size=game.tree.histories) * 2.0


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
@pytest.mark.parametrize("importance", [False, True])
@pytest.mark.parametrize("player", [0, 1])
def test_plays_equal_their_naive_twin(name: str, importance: bool, player: int) -> None:
    game = compiled(name)
    plays = Plays(game, 1000, 5)
    strategy, q = random_strategy(game, 1), random_values(game, 2)
    stream = Stream([int(word) for word in plays.random])
    found = plays.play(
        player, 60, strategy=strategy, q=q, exploration=0.4, weight=1.0, importance=importance, meetings=True
    )
    naive = [Play(game.tree, player, strategy, q * plays.scale, 0.4, importance, stream) for _ in range(60)]
    np.testing.assert_allclose(found.total * plays.scale, sum(play.total for play in naive), atol=1e-9)
    np.testing.assert_allclose(found.weight, sum(play.weight for play in naive))
    own = [n for play in naive for n in play.own]
    np.testing.assert_array_equal(found.visits, np.bincount(own, minlength=game.tree.histories))
    landed = [n for play in naive for n in play.landed]
    assert plays.landed[: plays.steps].tolist() == landed
    assert found.met[: found.count[1]].tolist() == [i for play in naive for i in play.met]
    assert plays.tally[1] == 60


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("player", [0, 1])
def test_sampled_regrets_are_unbiased_with_any_baseline(seed: int, player: int) -> None:
    tree, strategy, q = KUHN.tree, random_strategy(KUHN, seed), random_values(KUHN, seed + 50)
    found = list(outcomes_of(lambda draws: Play(tree, player, strategy, q, 0.5, True, draws)))
    assert sum(p for p, _ in found) == pytest.approx(1.0)
    mean = sum(p * play.total for p, play in found)
    np.testing.assert_allclose(mean, counterfactual_regrets(tree, strategy, player), atol=1e-12)


@pytest.mark.parametrize("player", [0, 1])
def test_without_importance_the_mean_sample_of_an_infoset_is_its_advantage(player: int) -> None:
    tree, strategy, q = KUHN.tree, random_strategy(KUHN, 7), random_values(KUHN, 8)
    found = list(outcomes_of(lambda draws: Play(tree, player, strategy, q, 0.6, False, draws)))
    total = sum(p * play.total for p, play in found)
    weight = np.asarray(sum(p * play.weight for p, play in found))
    regrets = counterfactual_regrets(tree, strategy, player)
    for n in np.flatnonzero(tree.player == player):
        here, infoset = slots(tree, n), tree.infoset[n]
        alike = np.flatnonzero(tree.infoset == infoset)
        others = sum(reach_of(tree, m, strategy, {CHANCE, 1 - player}) for m in alike)
        np.testing.assert_allclose(total[here] / weight[infoset], regrets[here] / others, atol=1e-12)


def test_true_values_leave_nothing_to_chance_but_the_way() -> None:
    """With exact values of histories every sample at a history is the same."""
    tree, strategy = KUHN.tree, random_strategy(KUHN, 3)
    q = Plays(KUHN, 1, 0).exact(strategy) * 2.0
    for _, play in outcomes_of(lambda draws: Play(tree, 0, strategy, q, 0.5, False, draws)):
        for n in play.own:
            gains = [
                value_of(tree, c, strategy) - value_of(tree, n, strategy)
                for c in (tree.first_child[n], tree.first_child[n] + 1)
            ]
            if play.own.count(n) == 1 and sum(tree.infoset[m] == tree.infoset[n] for m in play.own) == 1:
                np.testing.assert_allclose(play.total[slots(tree, n)], gains, atol=1e-12)


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_exact_values_equal_their_naive_twin(name: str) -> None:
    game = compiled(name)
    strategy = random_strategy(game, 4)
    plays = Plays(game, 1, 0)
    exact = plays.exact(strategy) * plays.scale
    for n in [0, 1, *np.random.default_rng(0).integers(0, game.tree.histories, 30)]:
        assert exact[n] == pytest.approx(value_of(game.tree, int(n), strategy), abs=1e-9)


def test_values_pass_up_one_step() -> None:
    """Exact values of steps give exact values of the histories above them."""
    strategy = random_strategy(KUHN, 9)
    plays = Plays(KUHN, 1, 0)
    exact = plays.exact(strategy)
    decided = KUHN.tree.player != CHANCE
    np.testing.assert_allclose(plays.expected(strategy, exact)[decided], exact[decided], atol=1e-12)


def test_entries_lie_below_the_last_decision() -> None:
    game = compiled("leduc")
    tree, entry = game.tree, Plays(game, 1, 0).entry
    for n in np.random.default_rng(1).integers(0, tree.histories, 200):
        m = int(n)
        while m > 0 and tree.player[tree.parent[m]] == CHANCE:
            m = int(tree.parent[m])
        assert entry[n] == (m if m > 0 else -1)


def test_the_newest_steps_are_remembered() -> None:
    long, short = Plays(KUHN, 1000, 3), Plays(KUHN, 10, 3)
    strategy, q = random_strategy(KUHN, 1), np.zeros(KUHN.tree.histories)
    for plays in (long, short):
        plays.play(0, 40, strategy=strategy, q=q, exploration=0.5)
    np.testing.assert_array_equal(
        short.steps_taken(), np.bincount(long.landed[: long.steps][-10:], minlength=KUHN.tree.histories)
    )
    assert long.steps_taken().sum() == long.steps
    assert (KUHN.tree.player[long.landed[: long.steps]] >= TERMINAL).all()


def test_three_players_are_refused() -> None:
    with pytest.raises(NotApplicableError, match="sd-cfr"):
        Plays(compiled("kuhn(players=3)"), 10, 0)
