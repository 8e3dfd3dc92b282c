"""Where everything is seen a public belief state is a history, and one iteration solves a search ([Brown20, §5.3.3])."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.experiments.brown.learning.rebel_tic_tac_toe import met, method, minimax
from equilibrist.forms.compiled import compiled
from equilibrist.learning.rebel.belief_game import belief_game
from equilibrist.learning.rebel.exact_leaves import ExactLeaves
from equilibrist.learning.rebel.playing import Playing
from equilibrist.learning.rebel.solving import SubgameSolver
from equilibrist.learning.rebel.templates import Templates
from equilibrist.solvers.responses.best_response import evaluate_policy
from learning.contract import check_learner
from learning.rebel.oracles import EvenPlay

SMALL = "tic-tac-toe(rows=2)"
NONE = np.zeros((1, 0), dtype=np.int32)


class Counted(EvenPlay):
    """Even play below leaves, and how often it was asked about each player."""

    def __init__(self, game) -> None:
        super().__init__(game)
        self.asked = [0, 0]

    def ask(self, template, player, reach, out) -> None:
        self.asked[player] += 1
        super().ask(template, player, reach, out)


def plain(game, state: int, depth: int) -> float:
    """Minimax down to `depth` moves, even play below."""
    if game.player[state] < 0:
        return float(game.payoff[state, 0, 0])
    if depth == 0:
        return float(EvenPlay(game).payoff(state)[0, 0])
    values = [plain(game, child, depth - 1) for child in game.children[state]]
    return max(values) if game.player[state] == 0 else min(values)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("algorithm", ["cfr-d", "fp"])
def test_searches_are_minimax_and_ask_once(depth: int, algorithm: str) -> None:
    game = belief_game(compiled(SMALL))
    templates, values = Templates(game, depth), Counted(game)
    for future in (int(game.future[0]), *templates.asked[-2:]):
        template, values.asked = templates.of(future), [0, 0]
        found = SubgameSolver(values, 100, algorithm=algorithm).solve(
            template, np.ones((3, 2, 1)), np.ones((3, 2), np.int32)
        )
        assert found.root[:, 0, 0] == pytest.approx(plain(game, template.root, depth), abs=1e-12)
        np.testing.assert_array_equal(found.root[:, 1], -found.root[:, 0])
        assert values.asked == ([1, 1] if len(template.leaves) else [0, 0])
        np.testing.assert_array_equal(found.kept[:, 0], found.average)
        best = template.shape.first_child[0] + np.flatnonzero(found.average[0, : template.shape.width[0], 0])
        worth = [plain(game, int(template.nodes[m]), depth - 1) for m in best]
        assert worth == pytest.approx([found.root[0, 0, 0]] * len(worth), abs=1e-12)


def test_exact_leaves_give_perfect_play() -> None:
    game = belief_game(compiled(SMALL))
    play = Playing(Templates(game), SubgameSolver(ExactLeaves(game, 1), 1))
    found = evaluate_policy(game.game, play.play_throughs(64, np.random.default_rng(0)))
    assert found.best_response_value == (0.0, 0.0)
    policy = play.averages()
    for player in range(2):
        _, lost, least = met(game.game, policy, player)
        assert (lost, least) == (0, 0.0)
    even = game.game.infosets.uniform()
    assert met(game.game, even, 1)[1:] != (0, 0.0)  # which the walk would have seen
    assert minimax(game.game.game.start(), {}) == 0.0


def test_it_fulfils_what_every_learner_must() -> None:
    check_learner(dataclasses.replace(method(), hands=32, width=16, memory=1000), SMALL)


@pytest.mark.slow
def test_tic_tac_toe_is_played_perfectly_after_a_minute() -> None:
    """By one iteration of each search: no position is lost against anybody, and nobody gains by any answer."""
    own, game = method(), compiled("tic-tac-toe")
    learner = own.start(game, seed=0, device="cpu")
    for _ in range(own.iterations):
        learner.advance()
    policy = learner.policy()
    assert evaluate_policy(game, policy).exploitability == 0.0
    for player in range(2):
        _, lost, least = met(game, policy, player)
        assert (lost, least) == (0, 0.0)
