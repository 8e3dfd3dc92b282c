"""Matrix games: payoffs by hand, known equilibria, and what each player may know."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.core.errors import ParameterError
from equilibrist.forms.history_tree.game_tree import compile_tree
from equilibrist.games.catalogue import load_game
from equilibrist.games.library.matrix import MatrixGame
from equilibrist.games.rules import TERMINAL
from equilibrist.solvers.solve import solve
from equilibrist.testing.games import check_game

ENTRIES = st.floats(-5, 5, allow_nan=False).map(lambda x: round(x, 3))


def payoff(name: str, row: str, column: str) -> float:
    state = load_game(name).start()
    state = state.child(state.actions().index(row))
    return state.child(state.actions().index(column)).returns()[0]


@pytest.mark.parametrize(
    ("name", "row", "column", "expected"),
    [  # [Ganzfried15, chapters 8 and 13]; [Brown20, §2.3.7, §3.1.2 and §5.2.1]
        ("rps", "P", "R", 1),
        ("rps", "P", "S", -1),
        ("rpst", "R", "T", 4),
        ("rpst", "S", "T", 3),
        ("rps-plus", "R", "S", 2),
        ("rps-plus", "P", "S", -2),
        ("rps-plus", "P", "R", 1),
        ("matching-pennies", "H", "H", 1),
        ("gift-game", "U", "R", 10),
        ("no-gift-game", "D", "L", -2),
        ("purification-game", "U", "R", -4),
        ("purification-game(k=2)", "U", "R", -7),
        ("slow-cfr-plus", "D", "L", -0.7),
        ("bandit", "a3", "watch", -1000000),
        ("matrix(rows=[[1,2.5],[-3,0]])", "r2", "c1", -3),
    ],
)
def test_payoffs(name: str, row: str, column: str, expected: float) -> None:
    assert payoff(name, row, column) == expected


@pytest.mark.parametrize(
    ("name", "value", "row"),
    [
        ("rps", 0, [1 / 3, 1 / 3, 1 / 3]),
        ("rps-plus", 0, [0.4, 0.4, 0.2]),  # [Brown20, §5.2.1]
        ("rpst", 0, [1 / 3, 1 / 3, 1 / 3]),  # T is a gift, so it is never played in equilibrium
        ("matching-pennies", 0, [0.5, 0.5]),
        ("gift-game", 2.5, [0.5, 0.5]),  # [Ganzfried15, Figure 13.5]
        ("matrix", 2 / 3, [2 / 3, 1 / 3]),  # [Brown20, §3.2.2]
        ("bandit", 1, [0, 1, 0]),
    ],
)
def test_equilibria(name: str, value: float, row: list[float]) -> None:
    solution = solve(name, solver="lp")
    assert solution.value[0] == pytest.approx(value, abs=1e-9)
    assert list(solution.policy["row"].values()) == pytest.approx(row, abs=1e-7)


def test_the_first_move_is_hidden() -> None:
    start = load_game("rps").start()
    after = [start.child(i) for i in range(3)]
    assert {state.public() for state in after} == {"row moved"}
    assert {state.infoset(1) for state in after} == {"column"}
    assert [state.infoset(0) for state in after] == ["row:R", "row:P", "row:S"]
    ends = [state.child(0) for state in after]
    assert {(state.player, state.public(), state.infoset(1)) for state in ends} == {
        (TERMINAL, "both moved", "column:R")
    }


def test_random_matrices_are_reproducible_and_bounded() -> None:
    game = load_game("random-matrix(rows=30,columns=40,seed=7)")
    assert game.payoffs == load_game(game.name).payoffs
    assert game.payoffs != load_game("random-matrix(rows=30,columns=40,seed=8)").payoffs
    entries = [entry for row in game.payoffs for entry in row]
    assert -1 <= min(entries) < -0.99
    assert 0.99 < max(entries) <= 1
    assert abs(sum(entries) / len(entries)) < 0.05  # three standard errors of U[-1, 1]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(ENTRIES, min_size=n, max_size=n), min_size=1, max_size=4)))
def test_given_matrices_keep_their_payoffs(rows: list[list[float]]) -> None:
    inside = ",".join("[" + ",".join(map(str, row)) + "]" for row in rows)
    game = load_game(f"matrix(rows=[{inside}])")
    check_game(game)
    assert compile_tree(game).returns[:, 0].tolist() == [entry for row in rows for entry in row]
    assert load_game(game.name).payoffs == game.payoffs


def test_bimatrix_games() -> None:
    # Battle of the sexes: general-sum, both pure diagonal profiles are equilibria
    game = MatrixGame("sexes", [[3, 0], [0, 2]], [[2, 0], [0, 3]], row_labels="OF", column_labels="OF")
    check_game(game)
    assert not game.zero_sum
    assert game.start().child(1).child(1).returns() == (2, 3)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("matrix(rows=[[1,0],[0]])", "rows of 2, 1 entries"),
        ("matrix(rows=5)", "5 was given"),
        ("matrix(rows=[])", r"\(\) was given"),
        ("matrix(rows=[[1,x]])", r"\[\[1,x\]\] was given"),
        ("matrix(rows=[[1,inf]])", "inf was given"),
        ("matrix(rows=[[1,true]])", r"\[\[1,true\]\] was given"),
        ("bandit(payoffs=3)", "3"),
        ("bandit(payoffs=[])", "equal length"),
        ("purification-game(k=0)", "is 1e-100 to"),
        ("random-matrix(rows=0)", "is 1 to 4,000,000"),
        ("random-matrix(seed=-1)", "is 0 to"),
    ],
)
def test_refusals(name: str, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        load_game(name)


def test_matrices_of_different_shape_are_refused() -> None:
    with pytest.raises(ParameterError, match="2 rows and 2 columns"):
        MatrixGame("odd", [[1, 2], [3, 4]], [[1, 2]])
    with pytest.raises(ParameterError, match="different action labels"):
        MatrixGame("odd", [[1, 2], [3, 4]], row_labels="AA")
