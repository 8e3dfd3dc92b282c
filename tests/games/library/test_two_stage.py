"""The two-stage game of [Ganzfried15, §13.6.3]."""

import pytest

from equilibrist.forms.history_tree.game_tree import compile_tree
from equilibrist.games.catalogue import load_game
from equilibrist.solvers.solve import solve


def test_payoffs_add_up() -> None:
    returns = compile_tree(load_game("two-stage")).returns[:, 0].reshape(2, 2, 2, 2)
    assert returns[0, 0, 0, 0] == 4 + 8
    assert returns[0, 1, 0, 1] == 5 + 10
    assert returns[1, 0, 1, 0] == 1 + 2
    assert returns[1, 1, 1, 1] == 0


def test_value() -> None:
    solution = solve("two-stage", solver="lp")
    assert solution.value[0] == pytest.approx(12, abs=1e-9)  # U, L, u, l are dominant
    assert solution.policy["row"]["U"] == pytest.approx(1)
    assert solution.policy["UL:column"]["l"] == pytest.approx(1)


def test_stage_1_is_shown_and_stage_2_is_not() -> None:
    start = load_game("two-stage").start()
    first = [start.child(i) for i in range(2)]
    assert {state.infoset(1) for state in first} == {"column"}
    second = first[1].child(0)
    assert second.infoset(0) == "DL:row"
    assert second.infoset(1) == "DL:column:wait"
    assert {second.child(i).infoset(1) for i in range(2)} == {"DL:column"}
    assert {second.child(i).public() for i in range(2)} == {"DL:row moved"}
