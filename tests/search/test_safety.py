"""Safe techniques never raise exploitability beyond what their solver says: over games, blueprints and places to search."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equilibrist as eq
from equilibrist.core.policy import TabularPolicy
from equilibrist.evaluation.verification.search_safety import check_search
from equilibrist.forms.compiled import compiled
from equilibrist.games.rules import TERMINAL
from equilibrist.search.subgame import after_chance
from random_games import RandomGame, random_policy

SAFE = ("resolve", "maxmargin", "reach-resolve", "reach-maxmargin")
NAMED = ("leduc(suits=merged)", "nolimit-leduc(stack=6,sizes=fcpa)", "coin-toss(subgames=2)", "liars-dice(faces=2)")
GAMES = {name: compiled(name) for name in NAMED}


def antichain(tree, picks):
    """Public states of a random walk down, none below another."""
    chosen = []
    for s in range(1, len(tree.states)):
        above, covered = s, False
        while above >= 0:
            covered = covered or above in chosen
            above = int(tree.parent[above])
        if not covered and tree.player[s] != TERMINAL and picks.random() < 0.25:
            chosen.append(s)
    return chosen


def blueprint_of(game, rough):
    """From random to nearly solved."""
    if rough < 0:
        return random_policy(game.infosets, -rough)
    return eq.solve(game, "cfr+", iterations=1 + rough).policy


def assert_safe(game, rough, technique, roots, iterations):
    report = check_search(game, blueprint_of(game, rough), roots, technique, iterations=iterations)
    assert report.safe, (game.game.name, rough, technique, report.rise, report.tolerance)
    return report


@given(
    name=st.sampled_from(NAMED),
    rough=st.integers(-50, 40),
    technique=st.sampled_from(SAFE),
    iterations=st.sampled_from([5, 50, 300]),
    picks=st.randoms(use_true_random=False),
)
@settings(max_examples=120, deadline=None)
def test_named_games(name, rough, technique, iterations, picks):
    game = GAMES[name]
    roots = after_chance(game.public_tree) if picks.random() < 0.5 else antichain(game.public_tree, picks)
    if roots:
        assert_safe(game, rough, technique, roots, iterations)


@given(
    seed=st.integers(0, 10**6),
    depth=st.integers(2, 4),
    rough=st.integers(-50, 20),
    technique=st.sampled_from(SAFE),
    picks=st.randoms(use_true_random=False),
)
@settings(max_examples=50, deadline=None)
def test_random_games(seed, depth, rough, technique, picks):
    game = compiled(RandomGame(seed, signals=2, depth=depth))
    roots = antichain(game.public_tree, picks)
    if roots:
        assert_safe(game, rough, technique, roots, 100)


def test_what_the_solver_says_shrinks_with_iterations():
    game = GAMES["leduc(suits=merged)"]
    policy = eq.solve(game, "cfr+", iterations=30).policy
    said = [
        max(check_search(game, policy, after_chance(game.public_tree), "maxmargin", iterations=n).tolerance)
        for n in (50, 400, 3000)
    ]
    assert said[2] < 1e-3  # [Brown20, §5.1.2 and §5.1.3]
    assert said[2] <= said[0]


def test_the_harness_sees_harm():
    game = GAMES["coin-toss(subgames=2)"]
    report = check_search(game, random_policy(game.infosets, 3), after_chance(game.public_tree), "unsafe")
    assert max(report.rise) > 0.1
    assert not report.safe


def test_a_damaged_search_is_caught(monkeypatch):
    """The check is a real one: a technique that forgets its alternative payoffs fails it somewhere."""
    from equilibrist.search import subgame_solving as resolving

    original = resolving.SubgameSolution.tolerance.fget
    game = GAMES["leduc(suits=merged)"]
    policy = eq.solve(game, "cfr+", iterations=60).policy
    monkeypatch.setattr(resolving.SubgameSolution, "tolerance", property(lambda self: 0.0))
    report = check_search(game, policy, after_chance(game.public_tree), "resolve", iterations=3)
    assert not report.safe
    monkeypatch.setattr(resolving.SubgameSolution, "tolerance", property(original))
    assert check_search(game, policy, after_chance(game.public_tree), "resolve", iterations=3).safe


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bl26(suits=merged)", "flop-holdem(ranks=7,suits=1)", "flop-holdem(ranks=4,suits=2)"])
@pytest.mark.parametrize("technique", SAFE)
def test_larger_games(name, technique):
    game = compiled(name)
    policy = TabularPolicy(game.infosets, eq.solve(game, "cfr+", iterations=20).policy.probabilities)
    report = check_search(game, policy, after_chance(game.public_tree), technique, iterations=150)
    assert report.safe, (report.rise, report.tolerance)
