"""Exact river values: against every pair of hands one by one, and against what players win on average."""

import random

import numpy as np
import pytest

from equilibrist import load_game
from equilibrist.agents.simple import AlwaysCall, AlwaysRaise
from equilibrist.agents.strength_players import RulePlayer
from equilibrist.cards.evaluator import all_hands, evaluate
from equilibrist.core.errors import NotApplicableError
from equilibrist.evaluation.play.referee import view_of
from equilibrist.experiments.river_values import RiverDuel, RiverHands
from equilibrist.games.rules import TERMINAL

GAME = load_game("nolimit-holdem(stack=2000)")


def river(seed=0):
    state, rng = GAME.start(), random.Random(seed)
    while state.player < 0 or state.node.round < 3:
        move = (
            state.sample_chance(rng)
            if state.player < 0
            else state.actions().index(view_of(state, state.player).passive())
        )
        state = state.child(move)
    return state


def test_hands_ahead_are_counted_one_by_one():
    table, rng = RiverHands((3, 17, 22, 40, 51)), np.random.default_rng(1)
    reach = rng.random(len(table.number)) * (rng.random(len(table.number)) < 0.3)
    assert len(table.number) == 1081  # pairs of 47 cards
    whole = np.concatenate([table.hands, np.tile(table.board, (1081, 1))], axis=1).astype(np.uint8)
    strength = evaluate(whole).astype(np.int64)
    for i in (0, 5, 400, 1080):
        free = ~np.isin(table.hands, table.hands[i]).any(axis=1)
        assert table.met(reach)[i] == pytest.approx(reach[free].sum())
        assert table.ahead(reach)[i] == pytest.approx((reach * np.sign(strength[i] - strength))[free].sum())


@pytest.mark.parametrize(
    "players",
    [
        (AlwaysCall, AlwaysRaise),
        pytest.param((RulePlayer, AlwaysRaise), marks=pytest.mark.slow),
        pytest.param((RulePlayer, RulePlayer), marks=pytest.mark.slow),
    ],
)
def test_values_are_those_of_all_pairs(players):
    state, seated = river(), [make() for make in players]
    for seat, player in enumerate(seated):
        player.reset(seat, GAME, random.Random(0))
    rng = np.random.default_rng(0)
    ranges = [np.zeros(1326), np.zeros(1326)]
    free = np.flatnonzero(~np.isin(all_hands(GAME.rules.deck, 2), state.board).any(axis=1))
    for weights in ranges:
        weights[rng.choice(free, 12, replace=False)] = rng.random(12)
    duel = RiverDuel(state, tuple(seated), tuple(ranges))
    total = weight = 0.0
    for g in np.flatnonzero(ranges[0]):
        for h in np.flatnonzero(ranges[1]):
            hole = [tuple(int(c) for c in all_hands(GAME.rules.deck, 2)[k]) for k in (g, h)]
            if set(hole[0]) & set(hole[1]):
                continue
            share = ranges[0][g] * ranges[1][h]
            total += share * expected(state, seated, (g, h), hole)
            weight += share
    first, second = duel.values()
    assert first == pytest.approx(total / weight)
    assert first + second == pytest.approx(0.0, abs=1e-9)
    assert duel.values(responder=0)[0] >= first - 1e-9
    assert duel.values(responder=1)[1] >= second - 1e-9


def expected(state, players, numbers, hole):
    """The first player's chips with two hands, by following every action."""
    if state.player == TERMINAL:
        stake = min(state.node.paid)
        if any(state.node.folded):
            return -stake if state.node.folded[0] else stake
        mine, theirs = (int(evaluate(np.array([[*cards, *state.board]], dtype=np.uint8))[0]) for cards in hole)
        return stake * ((mine > theirs) - (mine < theirs))
    stated = players[state.player].strategy(view_of(state, state.player, public=True))
    row = stated.probabilities[numbers[state.player]]
    return sum(
        chance * expected(state.child(state.actions().index(label)), players, numbers, hole)
        for label, chance in zip(stated.actions, row, strict=True)
        if chance > 0.0
    )


def test_other_places_are_refused():
    with pytest.raises(NotApplicableError, match="complete board"):
        RiverDuel(GAME.start(), (AlwaysCall(), AlwaysCall()), (np.ones(1326), np.ones(1326)))
