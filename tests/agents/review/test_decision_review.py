"""Decisions against blueprints, valued afterwards: rivers as the solver does, earlier streets against hands played out naively."""

import random

import numpy as np
import pytest

from equilibrist import load_game
from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer
from equilibrist.agents.review.decision_review import DecisionReviewer
from equilibrist.agents.review.hindsight import Decided, hand_weights
from equilibrist.agents.simple import AlwaysCall
from equilibrist.cards.equity import equity
from equilibrist.cards.ranges import Range, parse_cards
from equilibrist.core.errors import NotApplicableError
from equilibrist.evaluation.play.referee import view_of
from equilibrist.games.poker.game import PokerState
from equilibrist.games.rules import CHANCE
from equilibrist.solvers.blueprint.values.rollout_values import action_worths
from rank_blueprint import rank_blueprint

TABLE = load_game("nolimit-holdem(stack=2000)")


@pytest.fixture(scope="module")
def blueprint():
    return rank_blueprint(TABLE)


def decisions(line, holes, board):
    """By seat: what was decided, from which view, along a line with these cards."""
    left, found = list(parse_cards(board)), ([], [])
    state = PokerState(TABLE, TABLE.first, tuple(tuple(sorted(parse_cards(hand))) for hand in holes), (), "")
    for word in line.split(":"):
        while state.player == CHANCE:
            count = TABLE.rules.board[state.node.round + 1]
            cards, left = tuple(left[:count]), left[count:]
            text = "".join(map(TABLE.rules.deck.label, cards))
            state = PokerState(TABLE, state.node.after_deal, state.hole, state.board + cards, f"{state.line}:{text}")
        found[state.player].append(Decided(view_of(state, state.player), word))
        state = state.child(state.actions().index(word))
    return found


def reviewed(blueprint, line, holes, board, seat=1, seconds=5.0):
    """The last decision of a seat."""
    by_seat = decisions(line, holes, board)
    reviewer = DecisionReviewer(TABLE, BlueprintPlayer(blueprint), seat, random.Random(3))
    return reviewer, reviewer.value(by_seat[seat][-1], by_seat[1 - seat], seconds=seconds)


def equity_of(reviewer, decided, hole, board):
    """Against the range after some decisions of the opponent."""
    weights = hand_weights(TABLE, reviewer.player, decided, [*hole, *board])
    mine = np.zeros(1326)
    mine[max(hole) * (max(hole) - 1) // 2 + min(hole)] = 1.0
    return equity(Range(mine), Range(weights / weights.max()), tuple(board)).equity[0]


def test_a_call_that_ends_the_betting_is_worth_its_equity(blueprint):
    """Facing all-in, calling wins the share of 4,000 chips that the equity says, less what it costs."""
    holes = ("KsQs", "AdKd")
    for streets, cards, tolerance in (("c:x:x:b1900", "2c7d9hJs4d", 60.0), ("c:x:x:x:x:x:x:b1900", "2c7d9hJs4d", 0.05)):
        by_seat = decisions(streets + ":c", holes, cards)
        seat = 0 if by_seat[0][-1].action == "c" and by_seat[0][-1].view.chips.to_call > 1000 else 1
        reviewer, found = reviewed(blueprint, streets + ":c", holes, cards, seat)
        own = by_seat[seat][-1]
        share = equity_of(reviewer, by_seat[1 - seat], own.view.chips.hole, own.view.chips.board)
        wanted = share * 4000.0 - own.view.chips.to_call
        assert found.actions[0] == "fold"
        assert found.ev[0] == pytest.approx(0.0, abs=1e-3)
        assert found.ev[found.chosen] == pytest.approx(wanted, abs=tolerance)
        assert found.loss == pytest.approx(max(found.ev) - found.ev[found.chosen])


def test_folding_the_best_hand_costs_what_calling_wins(blueprint):
    reviewer, found = reviewed(blueprint, "c:x:x:x:x:x:b200:f", ("QsQd", "AsKs"), "JsTs2h3dQc", 1)
    assert found.method == "solved"
    assert found.actions[found.chosen] == "fold"
    assert found.loss >= 200.0 + 200.0  # a straight to the ace cannot lose: the pot and the bet at least
    assert reviewer.seat == 1


def test_hands_are_played_out_as_a_naive_walk_does(blueprint):
    """Against sampled walks with the strategies themselves, by numpy's own chance."""
    hole, node, rng = tuple(parse_cards("AhTh")), 0, np.random.default_rng(5)
    weights = np.ones(1326)
    found = action_worths(blueprint, node, hole, (), weights, deals=20_000, seed=1)
    tree, samples = blueprint.abstract.tree, 4000
    me, first = int(tree.player[node]), int(tree.first_child[node])
    deck = np.array([card for card in range(52) if card not in hole])
    for action in (1, 2):
        total = []
        for _ in range(samples):
            dealt = rng.permutation(deck)[:7]
            held = {me: np.array([[*hole, *dealt[2:]]]), 1 - me: np.array([[*dealt[:2], *dealt[2:]]])}
            at = first + action
            while tree.player[at] >= 0:
                player = int(tree.player[at])
                bucket = blueprint.abstract.buckets.bucket(int(tree.round[at]), held[player])
                chances = blueprint.strategies(at, bucket)[0]
                at = int(tree.first_child[at]) + int(rng.choice(len(chances), p=chances / chances.sum()))
            strength = [int(blueprint.abstract.buckets.strength(held[p])[0]) for p in range(2)]
            total.append(tree.payoffs(at, strength)[me] + tree.paid[node, me])
        error = np.std(total) / np.sqrt(samples)
        assert found.mean[action] == pytest.approx(np.mean(total), abs=5.0 * error)
    assert found.mean[0] == 0.0  # folding
    assert min(found.loss_error) == 0.0


def test_what_cannot_be_said_is_refused(blueprint):
    with pytest.raises(NotApplicableError, match="trained blueprints"):
        DecisionReviewer(TABLE, AlwaysCall(), 0, random.Random(0))
    leduc = load_game("leduc")
    with pytest.raises(NotApplicableError, match="52 cards"):
        DecisionReviewer(leduc, BlueprintPlayer(blueprint), 0, random.Random(0))
