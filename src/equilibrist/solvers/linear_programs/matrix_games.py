"""Matrix games: the value by linear programming, all equilibria of a bimatrix game by support enumeration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError, TooLargeError
from equilibrist.games.library.matrix import MatrixGame
from equilibrist.games.rules import Game
from equilibrist.solvers.linear_programs._kernels.matrix_simplex import solve_games
from equilibrist.solvers.linear_programs.highs import LinearProgram, maximise

Matrix = Floats | Sequence[Sequence[float]]

MOST_SUPPORTS = 3_000_000  # pairs of supports: a 12 x 12 game
LOOSE = 1e-9  # gap between both players' guarantees, in units of the largest payoff, that a second solver closes
SINGULAR = 1e-12  # determinant of a bordered support matrix with payoffs of at most 1


@dataclass(frozen=True)
class MatrixEquilibrium:
    """Mixed strategies of both players and what they are worth."""

    value: float  # to the row player
    row: Floats
    column: Floats
    column_value: float  # to the column player; -value in zero-sum games

    @property
    def support(self) -> tuple[int, int]:
        """How many rows and columns are played."""
        return int((self.row > 0).sum()), int((self.column > 0).sum())


def solve_matrix(game: Matrix | Game) -> MatrixEquilibrium:
    """An equilibrium of a zero-sum matrix game; the multipliers of the row player's program are the columns."""
    payoffs, column_payoffs = payoff_matrices(game)
    if not np.allclose(column_payoffs, -payoffs, rtol=0.0, atol=1e-9):
        raise NotApplicableError(
            "The matrix-game linear program is for zero-sum payoffs, but these do not sum to zero; "
            "try support_enumeration."
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
    if found.status != "optimal":
        raise KeyboardInterrupt  # no time limit is set, so only Ctrl-C ends it early
    row, column = _distribution(found.point[:rows]), _distribution(-found.multiplier[:columns])
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


def support_enumeration(
    game: Matrix | Game, column_payoffs: Matrix | None = None, tolerance: float = 1e-10
) -> list[MatrixEquilibrium]:
    """All equilibria with supports of equal size, smallest first: every one, unless the game is degenerate.

    A degenerate game has a continuum of equilibria; its extreme ones on square supports are listed.
    """
    payoffs, others = payoff_matrices(game, column_payoffs)
    rows, columns = payoffs.shape
    if math.comb(rows + columns, rows) - 1 > MOST_SUPPORTS:
        raise TooLargeError(
            f"A {rows} x {columns} game has {math.comb(rows + columns, rows) - 1:,} pairs of supports, more than the "
            f"{MOST_SUPPORTS:,} that are enumerated; use solve_matrix for one equilibrium of a zero-sum game."
        )
    unit = max(float(np.abs(payoffs).max()), float(np.abs(others).max())) or 1.0
    found: dict[tuple[float, ...], MatrixEquilibrium] = {}
    for row, column in _candidates(payoffs / unit, others / unit, tolerance):
        equilibrium = MatrixEquilibrium(float(row @ payoffs @ column), row, column, float(row @ others @ column))
        found.setdefault(tuple(np.round(np.concatenate([row, column]), 8) + 0.0), equilibrium)
    return list(found.values())


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


def _distribution(weights: Floats) -> Floats:
    """Without the dust that rounding leaves."""
    positive = np.where(weights > 1e-12, weights, 0.0)
    return np.asarray(positive / positive.sum())


def _candidates(payoffs: Floats, others: Floats, tolerance: float) -> Iterator[tuple[Floats, Floats]]:
    """Each player mixes so that the other is indifferent on its support and no better off outside."""
    rows, columns = payoffs.shape
    for size in range(1, min(rows, columns) + 1):
        chosen = np.array(list(itertools.combinations(range(columns), size)))  # [C, size]
        for support in itertools.combinations(range(rows), size):
            inner = payoffs[list(support)][:, chosen].transpose(1, 0, 2)  # [C, row, column]
            outer = others[list(support)][:, chosen].transpose(1, 2, 0)  # [C, column, row]
            column_mix, row_value, solvable = _indifferent(inner)
            row_mix, column_value, also = _indifferent(outer)
            fine = solvable & also & (column_mix >= -tolerance).all(1) & (row_mix >= -tolerance).all(1)
            for c in np.flatnonzero(fine):
                row, column = np.zeros(rows), np.zeros(columns)
                row[list(support)], column[chosen[c]] = row_mix[c], column_mix[c]
                row, column = _distribution(row), _distribution(column)
                row_content = (payoffs @ column).max() <= row_value[c] + tolerance
                if row_content and (row @ others).max() <= column_value[c] + tolerance:
                    yield row, column


def _indifferent(blocks: Floats) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    """Mixes y and values v with block·y = v and Σy = 1, for [C, k, k] blocks; False where there is no single one."""
    count, size, _ = blocks.shape
    bordered = np.zeros((count, size + 1, size + 1))
    bordered[:, :size, :size] = blocks
    bordered[:, :size, size] = -1.0
    bordered[:, size, :size] = 1.0
    solvable = np.abs(np.linalg.det(bordered)) > SINGULAR
    bordered[~solvable] = np.eye(size + 1)
    answer = np.linalg.solve(bordered, np.broadcast_to(np.eye(size + 1)[:, size:], (count, size + 1, 1)))[:, :, 0]
    return answer[:, :size], answer[:, size], solvable
