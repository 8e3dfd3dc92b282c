from __future__ import annotations

import numpy as np
import pytest

from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.compiled import compiled
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.learning.rebel.belief_game import BeliefGame, belief_game
from equilibrist.learning.rebel.templates import Templates
from equilibrist.solvers.responses.best_response import evaluate_policy

GAMES = ("kuhn", "leduc", "liars-dice(faces=3)", "liars-dice(dice=2,faces=2)")


@pytest.mark.parametrize("name", GAMES)
def test_a_policy_is_worth_the_same_on_dense_arrays(name: str) -> None:
    game = belief_game(compiled(name))
    random = np.random.default_rng(0)
    sums = random.random((game.slots, len(game.hands)))
    policy = game.policy(sums)
    table = game.sums(policy)

    def value(state: int, reach: np.ndarray) -> float:
        kind = int(game.player[state])
        if kind == TERMINAL:
            return float(reach[0] @ game.payoff[state] @ reach[1])
        total = 0.0
        for a, child in enumerate(game.children[state]):
            below = reach.copy()
            if kind != CHANCE:
                below[kind] *= table[game.first_slot[state] + a]
            total += value(child, below)
        return total

    found = value(0, np.ones((2, len(game.hands)))) * game.unit
    assert found == pytest.approx(evaluate_policy(game.game, policy).value[0], abs=1e-12)


def test_suits_are_merged_where_they_decide_nothing() -> None:
    game = belief_game(compiled("leduc"))
    assert game.hands == ("J", "K", "Q")
    assert len(Templates(game).asked) == 9  # three boards, three pots


def test_dice_that_were_bid_alike_share_a_search() -> None:
    templates = Templates(belief_game(compiled("liars-dice(faces=4)")))
    root = templates.of(int(templates.game.future[0]))
    assert (len(root.nodes), len(root.leaves)) == (45, 28)
    assert len(templates.asked) == 7  # the last bid alone matters: from the second on
    assert len(np.unique(templates.game.future)) == 17  # so many bids left, called or not, whoever acts
    assert root.leaf_future[0] in templates.asked


@pytest.mark.parametrize("name", GAMES)
def test_states_of_a_class_have_the_same_future(name: str) -> None:
    game = belief_game(compiled(name))
    templates = Templates(game)
    for state in range(0, len(game.player), 7):
        future = int(game.future[state])
        if game.player[state] < 0:
            continue
        template, nodes = templates.of(future), templates.nodes_at(state)
        for mine, theirs in zip(nodes.tolist(), template.nodes.tolist(), strict=True):
            weight, payoff = game.weight[mine], game.payoff[mine]
            if game.swapped[state]:
                weight, payoff = weight.T, -payoff.T
            np.testing.assert_allclose(weight, game.weight[theirs], atol=1e-11)
            np.testing.assert_allclose(payoff, game.payoff[theirs], atol=1e-11)


def test_values_of_rolled_dice_weigh_as_often_as_they_fall() -> None:
    game: BeliefGame = belief_game(compiled("liars-dice(dice=2,faces=2)"))
    np.testing.assert_allclose(game.prior(0), [[0.25, 0.5, 0.25]] * 2)


@pytest.mark.parametrize(
    ("name", "reason"),
    [("kuhn(players=3)", "two players"), ("goofspiel(cards=3)", "public|private|acts"), ("rps", "private")],
)
def test_games_without_public_actions_are_refused(name: str, reason: str) -> None:
    with pytest.raises(NotApplicableError, match=reason):
        belief_game(compiled(name))
