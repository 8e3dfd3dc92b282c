"""Stages of a repeated game played one after the other; means of the payoff in every state are kept at marked stages."""

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.linear_programs._kernels.matrix_simplex import solve_game
from equilibrist.solvers.mccfr._kernels.sampling import draw_action, uniform

TIE = 1e-12


@kernel
def _average_game(payoffs, weights, out):
    """Σ_k weights[k] payoffs[k]."""
    for i in range(payoffs.shape[1]):
        for j in range(payoffs.shape[2]):
            out[i, j] = 0.0
            for k in range(payoffs.shape[0]):
                out[i, j] += weights[k] * payoffs[k, i, j]


@kernel
def _best_row(payoffs, weights, column):
    """The row that gets most against a mix, payoffs of states weighted; the first one where rounding alone decides."""
    best, most = 0, -np.inf
    for i in range(payoffs.shape[1]):
        got = 0.0
        for k in range(payoffs.shape[0]):
            for j in range(payoffs.shape[2]):
                got += weights[k] * payoffs[k, i, j] * column[j]
        if got > most + TIE:
            best, most = i, got
    return best


@kernel
def _excess(total, stages, target, out):
    """How far the means lie above their targets, scaled to sum one; False where none does."""
    amount = 0.0
    for k in range(total.shape[0]):
        out[k] = max(total[k] / stages - target[k], 0.0) if stages > 0 else 0.0
        amount += out[k]
    if amount > 0.0:
        for k in range(total.shape[0]):
            out[k] /= amount
    return amount > 0.0


@kernel
def _count(payoffs, a, b, stage, marks, done, total, averages):
    """Add one stage; returns how many marks have been passed."""
    for k in range(total.shape[0]):
        total[k] += payoffs[k, a, b]
    if stage + 1 < marks[done]:
        return done
    for k in range(total.shape[0]):
        averages[done, k] = total[k] / marks[done]
    return done + 1


@kernel
def play_against_approach(payoffs, target, idle, mixed, mix, weights, pushing, marks, random, averages):
    """The uninformed player's strategy against `mix`, or against the best row of every stage for `weights`.

    An opponent that pushes weights the states by their excess instead, wherever there is any.
    """
    states, rows, columns = payoffs.shape
    total, excess = np.zeros(states), np.zeros(states)
    game, tableau, labels = (
        np.empty((rows, columns)),
        np.empty((rows + 1, columns + 1)),
        np.empty(rows + columns, np.int64),
    )
    unused, column = np.empty(rows), np.empty(columns)
    done = 0
    for stage in range(marks[-1]):
        outside = _excess(total, stage, target, excess)
        if outside:
            _average_game(payoffs, excess, game)
            solve_game(game, tableau, labels, unused, column)
        else:
            for j in range(columns):
                column[j] = idle[j]
        if mixed:
            a = draw_action(mix, 0, rows, uniform(random))
        else:
            a = _best_row(payoffs, excess if pushing and outside else weights, column)
        b = draw_action(column, 0, columns, uniform(random))
        done = _count(payoffs, a, b, stage, marks, done, total, averages)


@kernel
def _cheapest(cost, likely):
    """The column that costs least on average."""
    best, least = 0, np.inf
    for j in range(cost.shape[1]):
        mean = 0.0
        for c in range(cost.shape[0]):
            mean += likely[c] * cost[c, j]
        if mean < least:
            best, least = j, mean
    return best


@kernel
def _learn(strategies, a, likely):
    """Bayes' rule after row a."""
    total = 0.0
    for c in range(likely.shape[0]):
        likely[c] *= strategies[c, a]
        total += likely[c]
    for c in range(likely.shape[0]):
        likely[c] /= total


@kernel
def play_against_bayes(payoffs, strategies, cost, weights, chosen, marks, random, averages):
    """A row mix chosen by lottery against an opponent who knows the lottery and learns from the rows it sees.

    cost[c, j] is what column j costs if the lottery chose c. What the row player does depends on no column, so the
    cheapest column of every stage is a best response.
    """
    total, likely = np.zeros(payoffs.shape[0]), weights.copy()
    done = 0
    for stage in range(marks[-1]):
        b = _cheapest(cost, likely)
        a = draw_action(strategies[chosen], 0, payoffs.shape[1], uniform(random))
        _learn(strategies, a, likely)
        done = _count(payoffs, a, b, stage, marks, done, total, averages)
