"""Zero-sum matrix games by linear programming, one or many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.games.library.matrix import MatrixGame
from equilibrist.games.rules import Game
from equilibrist.solvers.linear_programs._kernels.matrix_simplex import solve_games
from equilibrist.solvers.linear_programs.highs import LinearProgram, maximise

Matrix = Floats | Sequence[Sequence[float]]

LOOSE = 1e-9  # gap between both players' guarantees, in units of the largest payoff, that a second solver closes


@dataclass(frozen=True)
class MatrixEquilibrium:
    """Mixed strategies of both players and what they are worth."""

    value: float  # to the row player
    row: Floats
    column: Floats
    column_value: float  # to the column player; -value in zero-sum games


def solve_matrix(game: Matrix | Game) -> MatrixEquilibrium:
    """An equilibrium of a zero-sum matrix game; the multipliers of the row player's program are the columns."""
    payoffs, column_payoffs = payoff_matrices(game)
    if not np.allclose(column_payoffs, -payoffs, rtol=0.0, atol=1e-9):
        raise NotApplicableError(
            "The matrix-game linear program is for zero-sum payoffs, but these do not sum to zero; "
            "try the solver 'support-enumeration'."
        )
    rows, columns = payoffs.shape
    unit = float(np.abs(payoffs).max()) or 1.0
    matrix = np.zeros((columns + 1, rows + 1))  # of (x, v): payoff of each column less v, sum of x
    matrix[:columns, :rows] = payoffs.T / unit
    matrix[:columns, rows] = -1.0
    matrix[columns, :rows] = 1.0
    one = np.eye(1, columns + 1, columns)[0]
    program = LinearProgram(
        cost=np.eye(1, rows + 1, rows)[0],
        matrix=sparse.csc_array(matrix),
        row_lower=one,
        row_upper=np.where(one > 0, 1.0, np.inf),
        lower=np.append(np.zeros(rows), -np.inf),
        upper=np.full(rows + 1, np.inf),
    )
    found = maximise(program, f"a matrix game of {rows} rows and {columns} columns")
    row, column = distribution(found.point[:rows]), distribution(-found.multiplier[:columns])
    value = float(row @ payoffs @ column)
    return MatrixEquilibrium(value, row, column, -value)


@dataclass(frozen=True)
class MatrixEquilibria:
    """Optimal strategies of many zero-sum games of one shape; the value of each lies from `lower` to `upper`."""

    lower: Floats  # [game] what the row mix secures
    upper: Floats  # [game] what the column mix concedes at most
    rows: Floats  # [game, row]
    columns: Floats  # [game, column]


def solve_matrices(payoffs: Floats) -> MatrixEquilibria:
    """Equilibria of many small zero-sum games [game, row, column], microseconds each."""
    games, rows, columns = payoffs.shape
    found = MatrixEquilibria(np.empty(games), np.empty(games), np.empty((games, rows)), np.empty((games, columns)))
    given = np.ascontiguousarray(payoffs, dtype=np.float64)
    solve_games(given, found.lower, found.upper, found.rows, found.columns)
    unit = np.abs(given).max(axis=(1, 2), initial=0.0)
    for g in np.flatnonzero(~(found.upper - found.lower <= LOOSE * unit)):  # rounding spoilt the tableau: rare
        exact = solve_matrix(given[g])
        found.rows[g], found.columns[g] = exact.row, exact.column
        found.lower[g], found.upper[g] = (exact.row @ given[g]).min(), (given[g] @ exact.column).max()
    return found


def payoff_matrices(game: Matrix | Game, column_payoffs: Matrix | None = None) -> tuple[Floats, Floats]:
    """Payoffs of both players from arrays or from a game of the matrix family."""
    if isinstance(game, Game):
        if not isinstance(game, MatrixGame):
            raise NotApplicableError(
                f"'{game.name}' is not a matrix game, so it has no rows and columns; try the solver 'lp'."
            )
        given = np.array(game.payoffs)
        column_payoffs = column_payoffs if game.column_payoffs is None else game.column_payoffs
    else:
        given = _checked(game)
    others = -given if column_payoffs is None else _checked(column_payoffs)
    if others.shape != given.shape:
        raise ParameterError(f"Both players' payoffs need one shape, but {given.shape} and {others.shape} were given.")
    return given, others


def _checked(matrix: Matrix) -> Floats:
    try:
        out = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("Payoffs are numbers in rows of equal length such as [[1, 0], [0, 2]].") from None
    if out.ndim != 2 or not out.size or not np.isfinite(out).all():
        raise ParameterError(f"Payoffs are a filled table of finite numbers, but an array {out.shape} was given.")
    return out


def distribution(weights: Floats) -> Floats:
    """Without the dust that rounding leaves."""
    positive = np.where(weights > 1e-12, weights, 0.0)
    return np.asarray(positive / positive.sum())
