"""Local best response: known answers against known-bad players, never above the exact best response."""

import pytest

from equilibrist import load_agent, load_game
from equilibrist.agents.tabulate import tabulate
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.evaluation.play.local_best_response import LocalBestResponse, local_best_response
from equilibrist.solvers.responses.best_response import evaluate_policy

HOLDEM = load_game("nolimit-holdem(stack=2000)")


@pytest.mark.parametrize("setting", [1, 2, 3])
def test_it_takes_all_blinds_of_a_player_that_always_folds(setting):
    """[Gilpin09, Table 6.2]: 0.75 big blinds a hand, exactly."""
    found = local_best_response(HOLDEM, lambda: load_agent("always-fold"), setting, hands=20)
    assert found.mean == pytest.approx(75.0)
    assert found.deviation == 0.0


@pytest.mark.parametrize("setting", [2, 3])
def test_it_beats_a_player_that_always_calls(setting):
    found = local_best_response(HOLDEM, lambda: load_agent("always-call"), setting, hands=80)
    assert found.mean > 2 * found.error
    assert found.mean > 100.0  # more than a big blind a hand


@pytest.mark.parametrize("name", ["always-call", "always-raise", "random", "rule-based"])
def test_it_wins_no_more_than_a_best_response(name):
    game = load_game("leduc")
    exact = evaluate_policy(game, tabulate(load_agent(name), game))
    for setting in (1, 2):
        found = local_best_response(game, lambda: load_agent(name), setting, hands=200)
        assert found.mean < sum(exact.best_response_value) / 2 + 4 * found.error


def test_players_that_cannot_state_their_strategy_are_refused():
    with pytest.raises(NotApplicableError, match="strategy"):
        local_best_response(HOLDEM, lambda: load_agent("random-river"), 1, hands=4)
    with pytest.raises(NotApplicableError, match="strategy"):
        local_best_response(HOLDEM, lambda: load_agent("random"), 3, hands=4)
    with pytest.raises(ParameterError, match="1, 2 and 3"):
        LocalBestResponse(HOLDEM, load_agent("always-call"), 4)
