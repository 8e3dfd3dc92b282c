"""Endgames of two theses: joint hands, betting from real chips, programs on buckets, and the same game solved otherwise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equilibrist.cards.equity import equity
from equilibrist.cards.ranges import Range
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.experiments.lu.endgame_menus import LU_MENU
from equilibrist.forms.compiled import compiled
from equilibrist.games.poker.bet_menus import menu_of
from equilibrist.search.endgame_programs.endgame_betting import grow_betting, last_round
from equilibrist.search.endgame_programs.endgame_form import bucket_pairs, endgame_form
from equilibrist.search.endgame_programs.endgame_solving import (
    EXACT,
    GANZFRIED,
    LU,
    EndgameMethod,
    choose_buckets,
    solve_endgame,
)
from equilibrist.search.endgame_programs.joint_hands import JointHands, joint_hands, river_hands
from equilibrist.solvers.linear_programs.plan_program import incidence, payoff_matrix
from equilibrist.solvers.solve import solve

BOARD = "Jc6s2cKdQc"


def one_card(count: int) -> JointHands:
    card = np.arange(count)
    return joint_hands([np.ones(count)] * 2, 1.0 - np.eye(count), np.sign(card[:, None] - card))


def kuhn_betting():
    return grow_betting(last_round(2.0, (1.0, 1.0), menu_of("a")))


def river():
    rng = np.random.default_rng(3)
    return river_hands(BOARD, rng.random(1326), rng.random(1326))


def test_river_hands_are_numbered_and_exclude_each_other():
    hands, live = river()
    assert len(live) == 1081  # C(47, 2)
    assert hands.probability.sum() == pytest.approx(1.0)
    assert (hands.probability > 0).sum() == 1081 * 990  # C(45, 2) hands avoid another one
    other = river_hands(BOARD, hands_back(hands, live, 1), hands_back(hands, live, 0))[0]
    np.testing.assert_allclose(other.probability, hands.probability.T, atol=1e-15)


def hands_back(hands, live, player):
    out = np.zeros(1326)
    out[live] = hands.ranges[player]
    return out


def test_equities_are_those_of_the_sweep():
    hands, live = river()
    ranges = [Range(hands_back(hands, live, p)) for p in (0, 1)]
    swept = equity(*ranges, BOARD)
    for player in (0, 1):
        np.testing.assert_allclose(hands.equities(player), swept.hand_equity[player][live], atol=1e-9)


def test_hands_outside_a_range_have_equities_only_when_asked():
    hands = one_card(3)
    hands = replace(hands, ranges=(np.array([1.0, 0.0, 1.0]), np.ones(3)))
    assert hands.equities(0).tolist() == [0.0, -1.0, 1.0]
    assert hands.equities(0, outside=True).tolist() == [0.0, 0.5, 1.0]


def test_ranges_that_exclude_each_other_let_every_hand_in():
    hands = joint_hands([np.eye(3)[0], np.eye(3)[0]], 1.0 - np.eye(3), np.zeros((3, 3)))
    assert hands.replaced
    assert hands.probability.sum() == pytest.approx(1.0)
    with pytest.raises(NotApplicableError):
        joint_hands([np.ones(2)] * 2, np.zeros((2, 2)), np.zeros((2, 2)))


# recomputed: sequences, infosets, terminals with the menu of [Lu16, §4.3.1], $5/$10 blinds and stacks of $250
SIZES = {40: (844, 282, 1125), 60: (394, 132, 525), 80: (232, 78, 309), 100: (208, 70, 277), 140: (106, 36, 141)}
SIZES |= {200: (52, 18, 69), 300: (16, 6, 21), 400: (10, 4, 13)}


@pytest.mark.parametrize("pot", SIZES)
def test_betting_trees_have_the_sizes_of_the_text(pot):
    betting = grow_betting(last_round(pot, (250 - pot / 2,) * 2, LU_MENU, minimum_bet=10.0))
    for tree in betting.players:
        assert (tree.sequences, len(tree.lines), betting.terminals) == SIZES[pot]


def test_worked_matrices_of_kuhn():
    """[Lu16, §4.2.4]: E and F are 7x13, A is 13x13 with 30 entries of 1/6 and 1/3."""
    hands = one_card(3)
    pairs = bucket_pairs(hands, (np.arange(3), np.arange(3)))
    np.testing.assert_allclose(pairs.mass, (1 - np.eye(3)) / 6)
    np.testing.assert_array_equal(pairs.share, np.tril(np.ones((3, 3)), -1))
    form = endgame_form(kuhn_betting(), pairs)
    assert incidence(form, 0).shape == incidence(form, 1).shape == (7, 13)
    matrix = payoff_matrix(form, 0)
    assert matrix.shape == (13, 13)
    assert matrix.nnz == 30
    assert sorted(set(np.abs(matrix.data).round(9))) == [round(1 / 6, 9), round(1 / 3, 9)]


@pytest.mark.parametrize("player", [None, 0, 1])
def test_values_of_kuhn_and_one_card_poker(player):
    """-1/18 and -5/78 ([Ganzfried15, §13.7.1 and §10.7.3]), from either player's program."""
    for count, value in ((3, -1 / 18), (13, -5 / 78)):
        found = solve_endgame(kuhn_betting(), one_card(count), EXACT, player=player)
        assert found.value == pytest.approx(value, abs=1e-9)
        assert found.exploitability == pytest.approx(0.0, abs=1e-9)


def test_cfr_and_a_trembling_program_agree_with_the_program():
    cfr = solve_endgame(kuhn_betting(), one_card(13), replace(EXACT, solver="cfr+", iterations=2000))
    assert cfr.value == pytest.approx(-5 / 78, abs=1e-3)
    trembling = solve_endgame(kuhn_betting(), one_card(13), replace(EXACT, tremble=1e-6))
    assert trembling.exploitability == pytest.approx(0.0, abs=1e-5)


def test_counting_showdowns_differs_from_weighting_them():
    hands = joint_hands([np.array([3.0, 1.0, 1.0]), np.ones(3)], 1.0 - np.eye(3), one_card(3).sign)
    buckets = np.array([0, 0, 1]), np.array([0, 0, 1])
    joint, count = (bucket_pairs(hands, buckets, how) for how in ("joint", "count"))
    assert joint.share[0, 0] == pytest.approx(1 / 4)  # jack meets queen three times as often as queen meets jack
    assert count.share[0, 0] == pytest.approx(1 / 2)


def test_more_buckets_are_better_on_a_river():
    hands, _ = river()
    betting = grow_betting(last_round(300.0, (100.0, 100.0), LU_MENU, minimum_bet=10.0))
    few, many = (solve_endgame(betting, hands, EndgameMethod("phs", buckets=k)) for k in (3, 12))
    assert 0.0 <= many.exploitability < few.exploitability
    assert max(few.used) <= 3
    assert few.at("", 0).sum(axis=1) == pytest.approx(1.0)
    labels = choose_buckets(betting, hands, GANZFRIED)
    assert labels[0].max() + 1 <= 7500 // betting.players[0].sequences
    assert choose_buckets(betting, hands, LU)[0].max() + 1 <= np.sqrt(6e4 / betting.terminals)


def test_unequal_stacks_and_real_chips():
    betting = grow_betting(last_round(100.0, (30.0, 80.0), menu_of("a")))
    assert betting.payoff.max() == 80.0  # half of the pot and the shorter stack
    with pytest.raises(ParameterError):
        last_round(0.0, (1.0, 1.0), menu_of("a"))
    with pytest.raises(ParameterError, match="bucketing"):
        EndgameMethod("wrong", bucketing="phz")


def test_the_base_plays_where_a_plan_never_comes():
    hands = one_card(13)
    fold = np.array([[1.0, 0.0]] * 13)
    found = solve_endgame(kuhn_betting(), hands, EXACT, base=lambda p, line: fold if line == "x:b1" else None)
    never = found.at("", 0)[:, 0] == 0.0
    assert (found.at("x:b1", 0)[never] == [1.0, 0.0]).all()


def test_leduc_endgames_from_an_equilibrium_trunk_have_its_value():
    """With both trunks at equilibrium an endgame's value is what the equilibrium gets there; so is the sum over all of them."""
    from equilibrist.abstraction.bets.translation import find_mapping
    from equilibrist.experiments.lu.endgame_leduc import Base
    from equilibrist.experiments.lu.endgame_policy import EndgamePolicy
    from equilibrist.solvers.responses.best_response import evaluate_policy

    base = Base(1)
    game = compiled(base.model)
    exact = solve(game, "lp")
    player = EndgamePolicy(
        base.model, base.model, exact.policy, find_mapping("rand-pshar"), 0, menu=base.model.rules.menus[-1]
    )
    rows = player.tabular(game.infosets, (0,))
    own = np.repeat(game.infosets.player == 0, np.diff(game.infosets.first_slot))
    joined = type(rows)(game.infosets, np.where(own, rows.probabilities, exact.policy.probabilities))
    assert evaluate_policy(game, joined).value[0] == pytest.approx(exact.evaluation.value[0], abs=1e-7)
    assert player.endgames
