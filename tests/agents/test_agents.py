"""Players by name: what they do, and that they state what they do."""

import random
from collections import Counter

import numpy as np
import pytest

from equilibrist import load_agent, load_game, solve
from equilibrist.agents.registry import AGENTS, LEARNING, PUBLISHED, REBEL
from equilibrist.agents.strength_players import halfway
from equilibrist.agents.tabulate import tabulate
from equilibrist.core.errors import EquilibristError, ParameterError, UnknownNameError
from equilibrist.core.player import Player, StrategicPlayer
from equilibrist.core.policy import TabularPolicy
from equilibrist.evaluation.play.referee import play_hand, view_of
from equilibrist.games.poker.game import PokerState
from equilibrist.solvers.responses.best_response import evaluate_policy

HOLDEM = load_game("nolimit-holdem(stack=2000)")


def deal(game, names, seed):
    players = [load_agent(name) for name in names]
    return play_hand(game, players, random.Random(seed), [random.Random(f"{seed}/{p}") for p in range(len(names))])


@pytest.mark.parametrize(
    "name", [name for name in AGENTS.homes if name not in ("nemesis", REBEL, *PUBLISHED, *LEARNING)]
)
@pytest.mark.parametrize(
    "game", ["nolimit-holdem(stack=2000)", "nolimit-holdem(players=4)", "limit-holdem", "leduc", "kuhn(players=3)"]
)
def test_every_player_plays_every_poker_game_without_faults(name, game):
    table = load_game(game)
    assert isinstance(load_agent(name), Player)
    for seed in range(6):
        record = deal(table, [name] * table.players, seed)
        assert record.faults == ()
        assert sum(record.returns) == pytest.approx(0)


def test_simple_players_do_what_their_names_say():
    moves = Counter()
    for seed in range(30):
        for actor, label in deal(HOLDEM, ["always-fold", "always-raise(size=1)"], seed).moves:
            moves[actor, label[0]] += 1
    assert set(moves) - {(None, c) for c in "23456789TJQKA"} == {(0, "f"), (1, "r")}
    record = deal(HOLDEM, ["always-call", "always-raise(size=1)"], 1)
    assert next(label for actor, label in record.moves if actor == 1) == "r300"  # pot after the call is 200
    assert record.line.count("c") >= 2


def test_unknown_players_and_parameters_are_refused():
    with pytest.raises(UnknownNameError, match="Did you mean 'always-call'"):
        load_agent("always-cal")
    with pytest.raises(ParameterError, match="size"):
        load_agent("always-raise(height=2)")
    with pytest.raises(ParameterError):
        load_agent("always-raise(size=big)")
    with pytest.raises(EquilibristError, match="no file"):
        load_agent("missing.eqb")


@pytest.mark.parametrize("name", ["always-call", "always-raise", "rule-based", "tight-aggressive", "off-tree"])
def test_stated_strategies_are_the_ones_played(name):
    """[hand, action] rows equal what the player would do with that hand."""
    player = load_agent(name)
    assert isinstance(player, StrategicPlayer)
    rng = random.Random(3)
    for board in ((), (0, 13, 26), (5, 18, 31, 44, 50)):
        node = HOLDEM.first
        for _ in range(len(board) and len(board) - 2):
            node = node.play("c" if "c" in node.labels else "x").play("x").after_deal
        free = [c for c in range(52) if c not in board]
        hole = tuple(sorted(rng.sample(free, 2)))
        state = PokerState(HOLDEM, node, (hole, hole), board, "")
        player.reset(node.player, HOLDEM, rng)
        own = player.probabilities(view_of(state, node.player))
        stated = player.strategy(view_of(state, node.player, public=True))
        row = stated.probabilities[hole[1] * (hole[1] - 1) // 2 + hole[0]]
        assert dict(zip(stated.actions, row, strict=True)) == pytest.approx(
            {label: own.get(label, 0.0) for label in stated.actions}
        )
        np.testing.assert_allclose(stated.probabilities.sum(axis=1), 1.0)


def test_a_solution_plays_its_own_strategy(tmp_path):
    solution = solve("leduc", "dcfr", iterations=100)
    solution.save(tmp_path / "leduc.eqb")
    player = load_agent(str(tmp_path / "leduc.eqb"))
    table = tabulate(player, load_game("leduc"))
    np.testing.assert_allclose(table.probabilities, solution.policy.probabilities)
    assert deal(load_game("leduc"), [str(tmp_path / "leduc.eqb"), "random"], 0).faults == ()
    with pytest.raises(EquilibristError, match="made for 'leduc'"):
        deal(load_game("kuhn"), [str(tmp_path / "leduc.eqb"), "random"], 0)


def test_tabulated_players_have_exact_exploitability():
    """Against always-fold an ante is won in every hand of Leduc; a best response to always-call wins 1.4667."""
    found = evaluate_policy("leduc", tabulate(load_agent("always-fold"), load_game("leduc")))
    assert found.best_response_value == pytest.approx((1.0, 1.0))


def test_the_nemesis_wins_what_a_best_response_wins():
    """Always-fold gives up its ante in every hand of Leduc; against always-call 1.4667 chips a hand (exact)."""
    leduc = load_game("leduc")
    for name in ("always-fold", "always-call"):
        profile = tabulate(load_agent(f"nemesis(of={name})"), leduc)
        exact = evaluate_policy(leduc, tabulate(load_agent(name), leduc)).best_response_value
        for seat in (0, 1):
            mine = np.repeat(profile.infosets.player == seat, np.diff(profile.infosets.first_slot))
            other = tabulate(load_agent(name), leduc).probabilities
            mixed = TabularPolicy(profile.infosets, np.where(mine, profile.probabilities, other))
            assert evaluate_policy(leduc, mixed).value[seat] == pytest.approx(exact[seat])


def test_the_bet_that_translation_reads_either_way():
    """Pseudo-harmonic mapping: with A = 0 and B = 1 the threshold is 1/3 of the pot."""
    assert halfway(0.0, 1.0) == pytest.approx(1 / 3)
    x, a, b = halfway(0.5, 2.0), 0.5, 2.0
    assert (b - x) * (1 + a) / ((b - a) * (1 + x)) == pytest.approx(0.5)
