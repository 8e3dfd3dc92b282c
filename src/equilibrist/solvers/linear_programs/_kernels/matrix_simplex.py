"""Zero-sum matrix games of a few rows and columns, by the simplex method on one condensed tableau.

Payoffs are moved to [1, 2], so the column player's program "maximise Σu subject to Bu <= 1, u >= 0" starts from a
feasible corner and its optimum is one over the value; the prices of the rows are the row player's strategy.
"""

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.linear_programs._kernels.dense_simplex import climb, read_point


@kernel
def solve_game(payoffs, tableau, labels, row, column):  # [m, n], work [m + 1, n + 1] and [m + n]; out [m], [n]
    """Optimal strategies of both players; returns what each secures: the values agree when all went well."""
    m, n = payoffs.shape
    low, high = np.inf, -np.inf
    for i in range(m):
        for j in range(n):
            low, high = min(low, payoffs[i, j]), max(high, payoffs[i, j])
    scale = 1.0 / (high - low) if high > low else 0.0
    for i in range(m):
        for j in range(n):
            tableau[i, j] = 1.0 + (payoffs[i, j] - low) * scale
        tableau[i, n] = 1.0
    for j in range(n):
        tableau[m, j] = -1.0
    tableau[m, n] = 0.0
    nonbasic, basic = labels[:n], labels[n:]  # labels 0..n-1: columns of the game; n + i: slack of row i
    for k in range(m + n):
        labels[k] = k
    climb(tableau, basic, nonbasic, 0, 0)
    _read(tableau, nonbasic, basic, row, column)
    return secured(payoffs, row, column)


@kernel
def _read(tableau, nonbasic, basic, row, column):
    """Both strategies from the last tableau, as distributions: each sums to the inverse of the value."""
    m, n = row.shape[0], column.shape[0]
    read_point(tableau, basic, column)
    row[:] = 0.0
    for j in range(n):
        if nonbasic[j] >= n:
            row[nonbasic[j] - n] = max(tableau[m, j], 0.0)
    _normalise(row)
    _normalise(column)


@kernel
def _normalise(weights):
    total = 0.0
    for i in range(weights.shape[0]):
        total += weights[i]
    for i in range(weights.shape[0]):
        weights[i] /= total


@kernel
def secured(payoffs, row, column):
    """The least that a row mix gets and the most that a column mix concedes."""
    m, n = payoffs.shape
    least, most = np.inf, -np.inf
    for j in range(n):
        got = 0.0
        for i in range(m):
            got += row[i] * payoffs[i, j]
        least = min(least, got)
    for i in range(m):
        got = 0.0
        for j in range(n):
            got += payoffs[i, j] * column[j]
        most = max(most, got)
    return least, most


@kernel
def solve_games(payoffs, lower, upper, rows, columns):  # [B, m, n]; out [B], [B], [B, m], [B, n]
    """Every game of a batch."""
    _, m, n = payoffs.shape
    tableau = np.empty((m + 1, n + 1))
    labels = np.empty(m + n, dtype=np.int64)
    for b in range(payoffs.shape[0]):
        lower[b], upper[b] = solve_game(payoffs[b], tableau, labels, rows[b], columns[b])
