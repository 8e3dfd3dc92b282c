"""Local best response: known answers against known-bad players, never above the exact best response."""

import random

import numpy as np
import pytest

from equilibrist import load_agent, load_game
from equilibrist.agents.simple import AlwaysCall
from equilibrist.agents.tabulate import tabulate
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.player import Event
from equilibrist.evaluation.play.aivat import Aivat
from equilibrist.evaluation.play.local_best_response import LocalBestResponse, local_best_response
from equilibrist.evaluation.play.referee import HandRecord, chance_label, view_of
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.solvers.responses.best_response import evaluate_policy

HOLDEM = load_game("nolimit-holdem(stack=2000)")


@pytest.mark.parametrize("setting", [1, 2, 3])
def test_it_takes_all_blinds_of_a_player_that_always_folds(setting):
    """[Gilpin09, Table 6.2]: 0.75 big blinds a hand, exactly."""
    found = local_best_response(HOLDEM, lambda: load_agent("always-fold"), setting, hands=20).won
    assert found.mean == pytest.approx(75.0)
    assert found.deviation == 0.0


@pytest.mark.parametrize("setting", [2, 3])
def test_it_beats_a_player_that_always_calls(setting):
    found = local_best_response(HOLDEM, lambda: load_agent("always-call"), setting, hands=80).won
    assert found.mean > 2 * found.error
    assert found.mean > 100.0  # more than a big blind a hand


@pytest.mark.parametrize("name", ["always-call", "always-raise", "random", "rule-based"])
def test_it_wins_no_more_than_a_best_response(name):
    game = load_game("leduc")
    exact = evaluate_policy(game, tabulate(load_agent(name), game))
    for setting in (1, 2):
        found = local_best_response(game, lambda: load_agent(name), setting, hands=200).adjusted
        assert found.mean < sum(exact.best_response_value) / 2 + 4 * found.error


def every_hand(game, exploiter, opponent, seat):
    """All ways a hand of the responder in a seat can go, with probabilities; it is played again from the start at each of its decisions."""
    stack = [(game.start(), 1.0, (), ())]
    opponent.reset(1 - seat, game, random.Random(0))
    while stack:
        state, chance, moves, seen = stack.pop()
        if state.player == TERMINAL:
            yield HandRecord(moves, state.returns(), (), state.public(), state), chance
        elif state.player == CHANCE:
            for index, (_, share) in enumerate(state.chance()):
                after = state.child(index)
                dealt = after.dealt(seat)
                event = () if dealt is None else (Event(dealt[0], None, dealt[1], after.public()),)
                stack.append((after, chance * share, (*moves, (None, chance_label(state, after))), (*seen, *event)))
        else:
            for label, share in decided(game, exploiter, opponent, seat, state, seen).items():
                after = state.child(state.actions().index(label))
                event = Event("action", state.player, label, after.public())
                stack.append((after, chance * share, (*moves, (state.player, label)), (*seen, event)))


def decided(game, exploiter, opponent, seat, state, seen):
    """What is played, with its probability."""
    view = view_of(state, state.player)
    if state.player != seat:
        return {label: share for label, share in opponent.probabilities(view).items() if share > 0}
    exploiter.reset(seat, game, random.Random(0))
    for event in seen:
        exploiter.observe(event)
    return {exploiter.act(view): 1.0}


@pytest.mark.parametrize("setting", [1, 3])
@pytest.mark.parametrize("name", ["rule-based", "random"])
def test_correcting_luck_changes_no_mean(setting, name):
    """Over every possible hand of Leduc; fewer samples than plain results are needed for the same interval."""
    game = load_game("leduc(ranks=2)")
    exploiter, opponent = LocalBestResponse(game, load_agent(name), setting), load_agent(name)
    exact = 0.0
    for seat in (0, 1):
        aivat = Aivat(game, (seat == 1, seat == 0))
        sums = np.zeros(5)
        for record, chance in every_hand(game, exploiter, opponent, seat):
            players = (exploiter, opponent) if seat == 0 else (opponent, exploiter)
            won, fair = record.returns[seat], aivat.adjusted(record, players)[seat]
            sums += chance * np.array([1.0, won, fair, won**2, fair**2])
        assert sums[0] == pytest.approx(1.0)
        assert sums[2] == pytest.approx(sums[1], abs=1e-9)
        assert sums[4] - sums[2] ** 2 < 0.8 * (sums[3] - sums[1] ** 2)
        exact += sums[1] / 2.0
    found = local_best_response(game, lambda: load_agent(name), setting, hands=600)
    for each in (found.won, found.adjusted):
        assert abs(each.mean - exact) < 4 * each.error
    assert found.adjusted.error < 0.9 * found.won.error


class FailsWithHighCards(AlwaysCall):
    """Calls, but its code fails with the higher cards; the referee checks and folds for it."""

    def act(self, view, deadline=None):
        if view.chips.hole[0] >= 4:
            raise ZeroDivisionError("a bug")
        return super().act(view, deadline)


def test_faults_that_depend_on_cards_bias_nothing():
    """In setting 3 nobody bets in Leduc, so that checks in the player's place change no result: on average nothing is won."""
    found = local_best_response(load_game("leduc"), FailsWithHighCards, 3, hands=1500)
    assert abs(found.won.mean) < 4 * found.won.error + 1e-9
    assert abs(found.adjusted.mean) < 4 * found.adjusted.error + 1e-9


def test_holdem_needs_fewer_hands():
    found = local_best_response(HOLDEM, lambda: load_agent("rule-based"), 1, hands=60)
    assert found.adjusted.error < found.won.error
    assert abs(found.adjusted.mean - found.won.mean) < 4 * found.won.error


def test_players_that_cannot_state_their_strategy_are_refused():
    with pytest.raises(NotApplicableError, match="strategy"):
        local_best_response(HOLDEM, lambda: load_agent("random-river"), 1, hands=4)
    with pytest.raises(NotApplicableError, match="strategy"):
        local_best_response(HOLDEM, lambda: load_agent("random"), 3, hands=4)
    with pytest.raises(ParameterError, match="1, 2 and 3"):
        LocalBestResponse(HOLDEM, load_agent("always-call"), 4)
