"""Matrix games: linear program and support enumeration check each other and known equilibria."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from equilibrist import load_solution, solve, verify
from equilibrist.core.errors import EquilibristError, NotApplicableError, ParameterError, TooLargeError
from equilibrist.games.catalogue import load_game
from equilibrist.games.library.matrix import MatrixGame
from equilibrist.solvers.linear_programs.matrix_games import (
    MatrixEquilibrium,
    solve_matrices,
    solve_matrix,
)
from equilibrist.solvers.linear_programs.support_enumeration import support_enumeration

SIZES = st.tuples(st.integers(1, 5), st.integers(1, 5))
REALS = st.floats(-1, 1).map(lambda x: round(x, 6))


def random_matrices(elements: st.SearchStrategy[float]) -> st.SearchStrategy[np.ndarray]:
    return SIZES.flatmap(lambda shape: arrays(np.float64, shape, elements=elements))


def gain(found: MatrixEquilibrium, payoffs: np.ndarray, others: np.ndarray) -> float:
    """The most that either player gains by deviating."""
    by_row = (payoffs @ found.column).max() - found.row @ payoffs @ found.column
    by_column = (found.row @ others).max() - found.row @ others @ found.column
    return float(max(by_row, by_column))


KNOWN = [
    ("rps", 0.0, [1 / 3, 1 / 3, 1 / 3], [1 / 3, 1 / 3, 1 / 3]),
    ("rpst", 0.0, [1 / 3, 1 / 3, 1 / 3], [1 / 3, 1 / 3, 1 / 3, 0]),
    ("matching-pennies", 0.0, [0.5, 0.5], [0.5, 0.5]),
    ("gift-game", 2.5, [0.5, 0.5], [0.5, 0.5, 0]),  # [Ganzfried15, Figure 13.5]
    ("rps-plus", 0.0, [0.4, 0.4, 0.2], [0.4, 0.4, 0.2]),  # [Brown20, §5.2.1]
]


@pytest.mark.parametrize(("name", "value", "row", "column"), KNOWN)
def test_known_games(name: str, value: float, row: list[float], column: list[float]) -> None:
    game = load_game(name)
    (only,) = support_enumeration(game)
    for found in (solve_matrix(game), only):
        assert found.value == pytest.approx(value, abs=1e-12)
        assert found.row == pytest.approx(np.array(row), abs=1e-12)
        assert found.column == pytest.approx(np.array(column), abs=1e-12)
        assert found.column_value == -found.value


@settings(max_examples=60, deadline=None)
@given(random_matrices(REALS))
def test_program_agrees_with_supports(payoffs: np.ndarray) -> None:
    found = solve_matrix(payoffs)
    assert gain(found, payoffs, -payoffs) <= 1e-9
    equilibria = support_enumeration(payoffs)
    assert equilibria  # square supports suffice in zero-sum games (Shapley and Snow 1950)
    for equilibrium in equilibria:
        assert gain(equilibrium, payoffs, -payoffs) <= 1e-9
        assert equilibrium.value == pytest.approx(found.value, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(random_matrices(st.integers(-2, 2).map(float)))
def test_degenerate_games_too(payoffs: np.ndarray) -> None:
    found = solve_matrix(payoffs)
    assert gain(found, payoffs, -payoffs) <= 1e-9
    values = [equilibrium.value for equilibrium in support_enumeration(payoffs)]
    assert values == pytest.approx([found.value] * len(values), abs=1e-9)
    assert values


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_generic_bimatrix_games_have_an_odd_number_of_equilibria(seed: int, size: int) -> None:
    # Wilson 1971; entries drawn independently are generic with probability one.
    payoffs, others = np.random.default_rng(seed).uniform(-1, 1, (2, size, size))
    equilibria = support_enumeration(payoffs, others)
    assert len(equilibria) % 2 == 1
    for equilibrium in equilibria:
        assert gain(equilibrium, payoffs, others) <= 1e-9
        assert (equilibrium.row > 0).sum() == (equilibrium.column > 0).sum()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 9), st.sampled_from([2, 3, 9, 10**6]))
def test_many_games_at_once(seed: int, rows: int, columns: int, different: int) -> None:
    """The compiled simplex against the program; few different payoffs make ties and degenerate corners."""
    payoffs = np.random.default_rng(seed).integers(0, different, (5, rows, columns)) * (7.0 / different) - 3.0
    found = solve_matrices(payoffs)
    for g, game in enumerate(payoffs):
        assert found.rows[g].sum() == pytest.approx(1.0)
        assert found.columns[g].sum() == pytest.approx(1.0)
        assert found.lower[g] == pytest.approx((found.rows[g] @ game).min(), abs=1e-12)
        assert found.upper[g] == pytest.approx((game @ found.columns[g]).max(), abs=1e-12)
        assert found.lower[g] == pytest.approx(found.upper[g], abs=1e-11)
    assert found.lower[0] == pytest.approx(solve_matrix(payoffs[0]).value, abs=1e-8)


def test_many_games_of_any_size_and_unit() -> None:
    rng = np.random.default_rng(2)
    for shape, unit in (((40, 30), 1.0), ((30, 40), 1e9), ((3, 3), 1e-9), ((1, 1), -5.0)):
        found = solve_matrices(unit * rng.uniform(-1, 1, (4, *shape)))
        assert found.upper - found.lower == pytest.approx(np.zeros(4), abs=1e-12 * abs(unit))
    assert len(solve_matrices(np.zeros((0, 2, 2))).lower) == 0


def test_a_spoilt_tableau_is_solved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from equilibrist.solvers.linear_programs import matrix_games

    def spoil(payoffs, lower, upper, rows, columns):  # type: ignore[no-untyped-def]
        rows[:], columns[:], lower[:], upper[:] = np.nan, np.nan, np.nan, np.nan

    monkeypatch.setattr(matrix_games, "solve_games", spoil)
    found = solve_matrices(np.array([[[1.0, -1.0], [-1.0, 1.0]]]))
    assert (found.rows.tolist(), found.columns.tolist()) == ([[0.5, 0.5]], [[0.5, 0.5]])
    assert (found.lower.tolist(), found.upper.tolist()) == ([0.0], [0.0])


def test_battle_of_the_sexes_has_three_equilibria() -> None:
    game = MatrixGame("battle", [[2, 0], [0, 1]], [[1, 0], [0, 2]])
    first, second, mixed = support_enumeration(game)
    assert (first.value, first.column_value) == (2.0, 1.0)
    assert (second.value, second.column_value) == (1.0, 2.0)
    assert mixed.row == pytest.approx(np.array([2 / 3, 1 / 3]))
    assert mixed.column == pytest.approx(np.array([1 / 3, 2 / 3]))


def test_the_solver_gives_one_and_lists_all(tmp_path: Path) -> None:
    solution = solve("matrix(rows=[[2,0],[0,1]],columns=[[1,0],[0,2]])", "support-enumeration")
    assert solution.value == (2.0, 1.0)
    assert solution.policy["row"] == {"r1": 1.0, "r2": 0.0}
    assert (solution.converged, solution.exploitability) == (True, 0.0)
    assert [each["value"] for each in solution.extra["equilibria"]] == [
        [2.0, 1.0],
        [1.0, 2.0],
        pytest.approx([2 / 3, 2 / 3]),
    ]
    solution.save(tmp_path / "battle.eqb")
    again = load_solution(tmp_path / "battle.eqb")
    assert again.extra["equilibria"] == solution.extra["equilibria"]
    assert verify(again).agrees
    assert solve("rps", "support-enumeration").extra["remarks"] == ["It is the only one on supports of equal size."]
    for name, sentence in (("kuhn", "not a matrix game"), ("random-matrix(rows=20,columns=20)", "pairs of supports")):
        with pytest.raises(EquilibristError, match=sentence):
            solve(name, "support-enumeration")
    with pytest.raises(NotApplicableError, match="in one go"):
        solve("rps", "support-enumeration", resume=solution)


def test_extreme_equilibria_of_a_degenerate_game() -> None:
    # [Ganzfried15, Figure 13.6]: the row player plays U, the column player anything with at least 1/3 on L.
    columns = sorted(float(found.column[0]) for found in support_enumeration(load_game("no-gift-game")))
    assert columns == pytest.approx([1 / 3, 1.0])


def test_an_equilibrium_found_on_two_supports_is_listed_once() -> None:
    # (U, L) is also the solution of the full 2 x 2 system, with nothing on D and R.
    found = support_enumeration([[0.0, 0.0], [0.0, 1.0]])
    assert [(tuple(e.row), tuple(e.column)) for e in found] == [((1, 0), (1, 0)), ((0, 1), (1, 0))]


def test_refusals_name_the_reason() -> None:
    with pytest.raises(NotApplicableError, match="do not sum to zero"):
        solve_matrix(MatrixGame("dilemma", [[3, 0], [5, 1]], [[3, 5], [0, 1]]))
    with pytest.raises(NotApplicableError, match="'kuhn' is not a matrix game"):
        solve_matrix(load_game("kuhn"))
    with pytest.raises(ParameterError, match="rows of equal length"):
        solve_matrix([[1.0, 2.0], [3.0]])
    with pytest.raises(ParameterError, match="finite numbers"):
        solve_matrix([[1.0, float("nan")]])
    with pytest.raises(ParameterError, match="one shape"):
        support_enumeration([[1.0, 2.0]], [[1.0], [2.0]])
    with pytest.raises(TooLargeError, match="pairs of supports"):
        support_enumeration(np.zeros((20, 20)))
