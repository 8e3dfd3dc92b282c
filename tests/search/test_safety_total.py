"""Two hundred generated safe searches that really take place, counted: none raises exploitability beyond what it says.

Every example has a root that the searcher reaches, so every example solves something again. What a search says of itself must also be
little once it has run long enough, or it could be excused by its own tolerance.
"""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import equilibrist as eq
from equilibrist.core.policy import TabularPolicy
from equilibrist.evaluation.verification.search_safety import check_search
from equilibrist.forms.compiled import compiled
from equilibrist.games.rules import TERMINAL
from equilibrist.search import techniques
from equilibrist.search.subgame import after_chance
from equilibrist.search.tree_profile import TreeProfile
from random_games import random_policy

SAFE = ("resolve", "maxmargin", "reach-resolve", "reach-maxmargin")
LEDUC, NO_LIMIT = "leduc(suits=merged)", "nolimit-leduc(stack=6,sizes=fcpa)"
BL26, HOLDEM = "bl26(suits=merged)", "flop-holdem(ranks=7,suits=1)"
SMALL_DECK = "nolimit-leduc(stack=8,sizes=[0.5,1])"
GAMES = (LEDUC,) * 4 + (NO_LIMIT,) * 3 + (SMALL_DECK,) * 3 + (BL26, HOLDEM)  # large ones less often
LONG = 400  # iterations after which a search should have little to excuse
LITTLE = 0.01  # of the largest payoff
EXAMPLES = 210


@cache
def game_of(name):
    return compiled(name)


@cache
def blueprint_of(name, rough):
    """From random (below 0) to nearly solved."""
    game = game_of(name)
    if rough < 0:
        return TreeProfile(game.public_tree, random_policy(game.infosets, -rough))
    return TreeProfile(game.public_tree, eq.solve(game, "cfr+", iterations=1 + rough).policy)


@cache
def reached_states(name, rough):
    """Public states after the deal where play goes on and that at least one player's range reaches."""
    blueprint = blueprint_of(name, rough)
    tree, layout = blueprint.tree, blueprint.layout
    played = np.zeros((2, len(tree.states)), dtype=bool)
    for p in range(2):
        own = layout.own(p)
        np.logical_or.at(played[p], layout.state[own], blueprint.reach[own] > 0)
    return [s for s in range(1, len(tree.states)) if tree.player[s] != TERMINAL and played[:, s].any()]


def places(name, rough, picks):
    """One reached public state, all of those after a draw, or several of which none lies below another."""
    tree, reached = game_of(name).public_tree, reached_states(name, rough)
    way = picks.random()
    if way < 0.3:
        return [picks.choice(reached)]
    if way < 0.6:
        return sorted(set(after_chance(tree)) & set(reached))
    chosen = {picks.choice(reached)}
    for s in picks.sample(reached, min(len(reached), 12)):
        if not any(above(tree, s, t) or above(tree, t, s) for t in chosen):
            chosen.add(s)
    return sorted(chosen)


def above(tree, state, other):
    while other > state:
        other = int(tree.parent[other])
    return other == state


def check_total(names, examples, counted):
    @given(
        name=st.sampled_from(names),
        rough=st.integers(-20, 20),
        technique=st.sampled_from(SAFE),
        iterations=st.sampled_from([5, 50, LONG]),
        picks=st.randoms(use_true_random=False),
    )
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    def one(name, rough, technique, iterations, picks):
        game, blueprint = game_of(name), blueprint_of(name, rough)
        roots = places(name, rough, picks)
        report = check_search(game, blueprint.policy, roots, technique, abstraction=blueprint, iterations=iterations)
        assert sum(report.solved) > 0, (name, rough, roots)
        assert report.safe, (name, rough, technique, iterations, report.rise, report.tolerance)
        if iterations == LONG:
            largest = float(np.abs(game.public_tree.returns).max())
            assert max(report.tolerance) <= LITTLE * largest, (name, rough, technique, report.tolerance)
        counted["checks"] += 1
        counted["searches"] += sum(n > 0 for n in report.solved)
        counted["subgames"] += sum(report.solved)
        counted[technique] += 1
        counted[name] += 1

    one()


def test_two_hundred_safe_searches():
    counted = Counter()
    check_total(GAMES, EXAMPLES, counted)
    assert counted["checks"] >= 200
    assert counted["searches"] >= counted["checks"]
    assert all(counted[technique] > 0 for technique in SAFE)
    assert all(counted[name] > 0 for name in GAMES), counted


@pytest.mark.slow
@pytest.mark.parametrize("name", [BL26, HOLDEM, "flop-holdem(ranks=4,suits=2)"])
def test_more_of_them_in_larger_games(name):
    counted = Counter()
    check_total((name,), 40, counted)
    assert counted["searches"] >= 40


def test_unsafe_search_of_coin_toss_is_the_negative_control():
    game = compiled("coin-toss(subgames=2)")
    roots = after_chance(game.public_tree) or [
        s for s in range(1, len(game.public_tree.states)) if game.public_tree.player[s] == 1
    ]
    report = check_search(game, random_policy(game.infosets, 3), roots, "unsafe")
    assert sum(report.solved) > 0
    assert max(report.rise) > 0.1
    assert not report.safe


def test_gifts_that_are_not_split_are_caught(monkeypatch):
    """Coin Toss with ten subgames, player 2 guessing heads with 0.4: heads gave 0.3 away by not selling.

    Counted in every subgame as a whole, that lets player 2 always guess tails (by algebra: 0.25 for player 1 instead of 0.15).
    """
    game = compiled("coin-toss(subgames=10)")
    tree = game.public_tree
    guess = {"heads": 0.4, "tails": 0.6, "forfeit": 0.0, "sell": 0.5, "play": 0.5}
    policy = TabularPolicy(
        game.infosets, np.array([guess[label] for actions in game.infosets.actions for label in actions])
    )
    roots = [s for s in range(len(tree.states)) if tree.player[s] == 1]
    assert check_search(game, policy, roots, "reach-maxmargin", iterations=LONG).safe
    assert np.isnan(check_search(game, policy, roots, "reach-maxmargin-unsplit").tolerance[1])  # promises nothing
    original = techniques.gifts
    monkeypatch.setattr(techniques, "gifts", lambda b, h, o, split=True: original(b, h, o, split=False))
    report = check_search(game, policy, roots, "reach-maxmargin", iterations=LONG)
    assert report.rise[1] == pytest.approx(0.1, abs=0.01)
    assert not report.safe
