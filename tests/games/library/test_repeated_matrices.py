"""Repeated games with lack of information on one side: the data, and the rules of their first stages."""

from __future__ import annotations

import numpy as np
import pytest

from equilibrist.core.errors import EquilibristError, ParameterError
from equilibrist.forms.history_tree.game_tree import compile_tree
from equilibrist.games.catalogue import load_game
from equilibrist.games.library.repeated import NON_REVEALING, PARTIALLY_REVEALING, FiniteRepetition, RepeatedGame
from equilibrist.solvers.linear_programs.matrix_games import solve_matrix
from equilibrist.solvers.solve import solve
from equilibrist.testing.games import check_game

NAN, INFINITE = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("payoffs", "prior", "message"),
    [
        ([[[1, 0], [0, 0]], [[0, 0]]], [0.5, 0.5], "all of one shape.*different length"),
        ([[[1, 0], [0, 0]], [["x", 0], [0, 1]]], [0.5, 0.5], "no numbers"),
        ([[1, 0], [0, 0]], [0.5, 0.5], r"shape \(2, 2\)"),
        ([[[]]], [1.0], r"shape \(1, 1, 0\)"),
        ([[[1, 0]], [[0, NAN]]], [0.5, 0.5], "state 2, row 1, column 2 holds nan"),
        ([[[1, 0]], [[-INFINITE, 1]]], [0.5, 0.5], "state 2, row 1, column 1 holds -inf"),
        ([[[1e200]]], [1.0], "larger unit"),
        ([[[1, 0]], [[0, 1]]], [1.0], "one probability per state, 2 of them"),
        ([[[1, 0]], [[0, 1]]], 0.5, "one probability per state"),
        ([[[1, 0]], [[0, 1]]], ["a", "b"], "list of numbers"),
        ([[[1, 0]], [[0, 1]]], [0.5, 0.6], r"sum 1, but \[0.5, 0.6\] with sum 1.1"),
        ([[[1, 0]], [[0, 1]]], [1.5, -0.5], "from 0 to 1"),
        ([[[1, 0]], [[0, 1]]], [NAN, 1.0], "from 0 to 1"),
    ],
)
def test_bad_input_is_refused_with_the_reason(payoffs: object, prior: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        RepeatedGame(payoffs, prior)


def test_a_game_is_a_value_that_cannot_be_changed() -> None:
    given = [[[1.0, 0.0]], [[0.0, 1.0]]]
    game = RepeatedGame(given, np.array([1 / 3, 2 / 3]))
    with pytest.raises(ValueError):
        game.payoffs[0, 0, 0] = 5.0
    with pytest.raises(ValueError):
        game.prior[0] = 5.0
    assert game.shape == (2, 1, 2)
    assert game.range == (0.0, 1.0)
    assert game.average(np.array([0.25, 0.75])).tolist() == [[0.25, 0.75]]
    assert game.average(np.eye(2)).tolist() == given


def test_names_lead_back_to_the_game() -> None:
    texts = (
        "repeated",
        "repeated(stages=1)",
        "repeated(states=[[[4,0,2],[4,0,-2]],[[0,4,-2],[0,4,2]]],stages=3)",
        "repeated(states=[[[1.5]],[[2]],[[3]]],prior=[0.1,0.2,0.7])",
    )
    for text in texts:
        game = load_game(text)
        assert game.name == text
        again = load_game(game.name)
        assert isinstance(game, FiniteRepetition)
        assert isinstance(again, FiniteRepetition)
        assert np.array_equal(again.base.payoffs, game.base.payoffs)
        assert np.array_equal(again.base.prior, game.base.prior)


def test_only_the_informed_player_sees_the_state() -> None:
    first, second = (load_game("repeated").start().child(k) for k in range(2))
    assert [first.infoset(0), second.infoset(0)] == ["s1:row", "s2:row"]
    assert [first.child(0).infoset(1), second.child(1).infoset(1)] == ["column", "column"]
    later = second.child(1).child(0)
    assert [later.infoset(0), later.infoset(1), later.public()] == ["s2:r2c1/row", "r2c1/row", "r2c1/row"]


def test_rules_conform_and_impossible_states_are_left_out() -> None:
    game = FiniteRepetition(RepeatedGame([[[1, 2]], [[3, 4]], [[5, 6]]], [0.5, 0.0, 0.5]), 2)
    check_game(game)
    tree = compile_tree(game)
    assert len(tree.player) == game.histories() == 1 + 2 * (1 + 1 + 2 + 2 + 4)
    assert sorted(tree.returns[:, 0].ravel().tolist()) == [1.0, 1.5, 1.5, 2.0, 5.0, 5.5, 5.5, 6.0]


def test_values_of_the_first_stages() -> None:
    # By hand: one stage of the first example pays 1/2 (each type takes its good row); Γ_n falls towards 1/4.
    values = [solve(FiniteRepetition(NON_REVEALING, n), "lp").value[0] for n in range(1, 5)]
    assert values[:3] == pytest.approx([1 / 2, 3 / 8, 1 / 3], abs=1e-9)
    assert values[3] < values[2]
    # with one state known to all, repetition changes nothing
    known = RepeatedGame(PARTIALLY_REVEALING.payoffs, [1.0, 0.0])
    assert solve(FiniteRepetition(known, 3), "lp").value[0] == pytest.approx(solve_matrix(known.payoffs[0]).value)


def test_no_stages_and_too_many() -> None:
    with pytest.raises(ParameterError, match="is 1 to 1,000"):
        load_game("repeated(stages=0)")
    with pytest.raises(EquilibristError, match="will not fit"):
        solve("repeated(stages=1000)", "lp")
