"""Policies of the whole game, and the theorems on values of beliefs ([Brown20, Theorems 23 to 26])."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.forms.compiled import compiled
from equilibrist.learning.rebel._kernels.subgame import walk
from equilibrist.learning.rebel.belief_game import belief_game
from equilibrist.learning.rebel.exact_leaves import ExactLeaves
from equilibrist.learning.rebel.playing import Playing, SearchRoots, spread_iterates, thinner
from equilibrist.learning.rebel.self_play import SelfPlay
from equilibrist.learning.rebel.solving import SubgameSolver, leaf_reach
from equilibrist.learning.rebel.templates import Templates
from equilibrist.solvers.responses.best_response import evaluate_policy
from learning.rebel.oracles import EvenPlay

NONE = np.zeros((1, 0), dtype=np.int32)


def playing(name: str, iterations: int, leaf_iterations: int = 100) -> Playing:
    game = belief_game(compiled(name))
    return Playing(Templates(game), SubgameSolver(ExactLeaves(game, leaf_iterations), iterations))


def exploitability(play: Playing, policy) -> float:
    return evaluate_policy(play.game.game, policy).exploitability


def test_random_iterates_are_safe_where_averages_are_not() -> None:
    """[Brown20, Theorem 26] with exact leaves on Kuhn poker."""
    play = playing("kuhn", 64)
    assert exploitability(play, play.averages()) > 0.03
    assert exploitability(play, play.all_iterates(np.random.default_rng(0))) < 0.01


def test_random_iterates_come_close_to_equilibrium_as_iterations_grow() -> None:
    """[Brown20, Theorem 26] on a game of three searches."""
    found = []
    for iterations in (4, 12, 36):
        play = playing("liars-dice(faces=2)", iterations, 100)
        found.append(exploitability(play, play.play_throughs(64, np.random.default_rng(0))))
    assert found[0] > found[1] > found[2]
    assert found[2] < 0.02


def test_many_play_throughs_come_to_all_iterates() -> None:
    play = playing("kuhn", 12, 20)
    every = play.all_iterates(np.random.default_rng(0)).probabilities
    spread = play.play_throughs(2000, np.random.default_rng(0)).probabilities
    drawn = play.play_throughs(2000, np.random.default_rng(1), iterates_only=True).probabilities
    np.testing.assert_allclose(spread, every, atol=2e-3)
    np.testing.assert_allclose(drawn, every, atol=0.03)


def test_a_game_of_one_search_is_played_by_its_average() -> None:
    game = belief_game(compiled("kuhn"))
    play = Playing(Templates(game, 9), SubgameSolver(EvenPlay(game), 500))
    first = play.averages()
    assert exploitability(play, first) < 1e-3
    assert np.array_equal(first.probabilities, play.play_throughs(3, np.random.default_rng(0)).probabilities)


@pytest.mark.parametrize(("weights", "expected"), [("linear", [0.1, 0.2, 0.3, 0.4]), ("plain", [0.25] * 4)])
def test_iterates_are_drawn_with_their_weights(weights: str, expected: list[float]) -> None:
    solver = SubgameSolver(EvenPlay(belief_game(compiled("kuhn"))), 4, weights=weights)
    drawn = solver.drawn(np.random.default_rng(0), (200_000,))
    np.testing.assert_allclose(np.bincount(drawn)[1:] / 200_000, expected, atol=0.005)
    np.testing.assert_allclose(solver.shares(), expected)


def test_hands_of_self_play_end_as_often_as_strategies_say() -> None:
    """One iteration: everybody plays evenly, so every leaf's chance is known."""
    game = belief_game(compiled("leduc"))
    templates = Templates(game)
    play = SelfPlay(templates, SubgameSolver(EvenPlay(game), 1), exploration=0.5)
    examples = play.play(60_000, np.random.default_rng(0))
    found = {e.future: len(e.values) / 60_000 for e in examples}
    root = templates.of(int(game.future[0]))
    expected: dict[int, float] = {}
    for leaf in root.leaves.tolist():
        chance, node = float(game.weight[root.nodes[leaf]].sum()), leaf
        while node:
            node = int(root.shape.parent[node])
            chance /= float(root.shape.width[node]) if root.shape.player[node] >= 0 else 1.0
        future = int(game.future[root.nodes[leaf]])
        expected[future] = expected.get(future, 0.0) + chance
    assert found.keys() == expected.keys()
    for future, chance in expected.items():
        assert found[future] == pytest.approx(chance, abs=0.006)


def test_one_player_explores_and_the_other_does_not() -> None:
    game = belief_game(compiled("liars-dice(faces=3)"))
    template = Templates(game).of(int(game.future[0]))
    shape, hands = template.shape, 2000
    strategy = np.zeros((hands, template.slots, 3))
    strategy[:, shape.first_slot[shape.player >= 0]] = 1.0  # always the first action
    random = np.random.default_rng(0)
    dice, out = random.random((hands, 1 + 2 * len(template.nodes))), np.zeros(hands, dtype=np.int32)
    for explorer in range(2):
        walk(shape, np.ones((hands, 2, 3)), strategy, np.full(hands, explorer), 0.5, dice, out)
        above = shape.parent[out]
        first = shape.first_child[0] == above, shape.first_child[above] == out
        width = [shape.width[0], shape.width[shape.first_child[0]]]
        assert first[1 - explorer].all()
        assert first[explorer].mean() == pytest.approx(0.5 + 0.5 / width[explorer], abs=0.04)


def test_exchanged_roots_are_played_by_the_right_player() -> None:
    """Reach at leaves is the product of the strategies on the way, as they lie in the policy."""
    play = playing("liars-dice(faces=3)", 3, 3)
    game, templates = play.game, play.templates
    state = next(
        s for s in np.flatnonzero(game.swapped & (game.player >= 0)) if len(templates.of(int(game.future[s])).leaves)
    )
    template, random = templates.of(int(game.future[state])), np.random.default_rng(0)
    roots = SearchRoots(np.array([state], dtype=np.int32), random.random((1, 2, 3)), np.ones(1))
    strategy = random.dirichlet([1.0, 1.0], size=(1, 1, template.slots, 3))[..., 0]
    sums = np.zeros((game.slots, 3))
    play._add(template, roots, strategy, np.ones(1), sums)
    leaves = play._leaves(template, roots, strategy, np.ones(1))
    parent = {child: (s, a) for s, below in enumerate(game.children) for a, child in enumerate(below)}
    for leaf, reach in zip(leaves.state.tolist(), leaves.reach, strict=True):
        steps, at = [], leaf
        while at != state:
            at, action = parent[at]
            steps.append((at, action))
        last = steps[0]
        mover = int(game.player[last[0]])
        np.testing.assert_allclose(reach[mover], sums[game.first_slot[last[0]] + last[1]], atol=1e-12)
        assert {int(game.player[s]) for s, _ in steps} == {0, 1}


@pytest.mark.parametrize("number", [-1, -2])
def test_values_of_hands_are_a_supergradient_of_a_concave_value(number: int) -> None:
    """[Brown20, Theorems 23 and 24]: no belief of the player is worth more than the plane that its hands' values span.

    The mean of two such planes, found in different ways, is one, too.
    """
    game, random = belief_game(compiled("liars-dice(faces=3)")), np.random.default_rng(3)
    template = Templates(game, 100).of(Templates(game, 2).asked[number])
    opponent = random.dirichlet([1.0, 1.0, 1.0])
    solvers = [SubgameSolver(EvenPlay(game), 3000, updates) for updates in ("alternating", "simultaneous")]

    def solved(belief, solver):
        reach = np.stack([belief, opponent]) / template.prior
        return solver.solve(template, reach[None], NONE).root[0, 0]

    at = random.dirichlet([1.0, 1.0, 1.0])
    planes = [solved(at, solver) for solver in solvers]
    planes.append((planes[0] + planes[1]) / 2)
    assert planes[0] @ at == pytest.approx(planes[1] @ at, abs=2e-3)
    for belief in random.dirichlet([1.0, 1.0, 1.0], size=12):
        worth = solved(belief, solvers[0]) @ belief
        for plane in planes:
            assert worth <= plane @ belief + 2e-3


def test_thinned_play_throughs_come_to_all_iterates() -> None:
    play = playing("kuhn", 12, 20)
    every = play.all_iterates(np.random.default_rng(0)).probabilities
    found = play.play_throughs(500, np.random.default_rng(0), thinned=True).probabilities
    np.testing.assert_allclose(found, every, atol=0.01)


def test_thinning_leaves_expected_sums_as_they_are() -> None:
    random = np.random.default_rng(0)
    state = np.repeat([3, 5, 8], [40, 40, 3]).astype(np.int32)
    reach = random.random((83, 2, 3)) * np.repeat([1.0, 0.01, 1.0], [40, 40, 3])[:, None, None]
    reach[:5, 0] = 0.0  # one player never gets there, the other one does
    roots = SearchRoots(state, reach, np.full(83, 1 / 40))

    def sums(held):
        weighed = held.share[:, None, None] * held.reach
        return np.array([weighed[held.state == s].sum(axis=0) for s in (3, 5, 8)])

    drawn = [thinner(roots, 20, random) for _ in range(4000)]
    np.testing.assert_allclose(np.mean([sums(held) for held in drawn], axis=0), sums(roots), rtol=0.04)
    sizes = np.mean([[(held.state == s).sum() for s in (3, 5, 8)] for held in drawn], axis=0)
    assert 11 < sizes[0] < 15  # 20 x 0.5^(2/3)
    assert sizes[1] < 2.0
    assert sizes[2] == 3


def test_iterates_below_one_public_state_are_spread_over_their_distribution() -> None:
    state = np.repeat([4, 7], [5, 1000])
    shares = np.array([0.1, 0.2, 0.3, 0.4])
    found = np.array([spread_iterates(np.random.default_rng(k), shares, state) for k in range(50)])
    counts = np.array([np.bincount(row[5:], minlength=5)[1:] for row in found]) / 1000
    assert np.abs(counts - shares).max() <= 0.002  # drawn one by one they would be off by 0.015
    np.testing.assert_allclose(np.bincount(found[:, :5].ravel())[1:] / 250, shares, atol=0.08)
    assert len({tuple(row) for row in found.tolist()}) == 50


def test_a_class_is_searched_once_in_an_iteration_of_self_play() -> None:
    game = belief_game(compiled("liars-dice(faces=3)"))
    play = SelfPlay(Templates(game), SubgameSolver(EvenPlay(game), 4))
    examples = play.play(200, np.random.default_rng(0))
    futures = [example.future for example in examples]
    assert futures == sorted(set(futures), reverse=True)
    assert len(futures) > 3


def test_in_fictitious_play_the_exploring_player_follows_its_newest_answer() -> None:
    """[Brown20, §5.3.3, footnote 14]: hands end where its answers lead and the other's averages do; beliefs are those of averages."""
    game = belief_game(compiled("liars-dice(faces=3)"))
    templates = Templates(game)
    play = SelfPlay(templates, SubgameSolver(EvenPlay(game), 30, algorithm="fp"), exploration=0.0)
    template, hands = templates.of(int(game.future[0])), 20_000
    wanted = np.full((1, hands), 30, dtype=np.int32)
    found = play.solver.solve(template, np.random.default_rng(0).random((1, 2, 3)), wanted)
    kept, newest = found.kept[0, :1], found.iterates[0, :1]
    assert set(np.unique(newest)) == {0.0, 1.0}
    expected: dict[int, float] = {}
    for explorer in range(2):
        mixed = np.where((template.slot_player == explorer)[:, None], newest, kept)
        reach = leaf_reach(template, mixed, found.start)[0]
        for leaf, future in zip(template.leaves.tolist(), template.leaf_future.tolist(), strict=True):
            chance = reach[leaf, 0] @ template.shape.chance[leaf] @ reach[leaf, 1]
            whole = reach[0, 0] @ template.shape.chance[0] @ reach[0, 1]
            expected[future] = expected.get(future, 0.0) + 0.5 * float(chance / whole)
    below = play._next(template, found, hands, np.random.default_rng(1))
    for future, chance in expected.items():
        assert len(below.get(future, [])) / hands == pytest.approx(chance, abs=0.01)
    assert all((reach > 0.0).all() for reach in below.values())  # averages begin with even play
