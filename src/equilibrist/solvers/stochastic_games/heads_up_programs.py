"""Heads-up jam/fold exactly: the linear program of every hand inside policy iteration.

With constant sums a stage is a zero-sum game: the small blind's program maximises over its jams what the better of fold and call leaves
it, hand by hand of the big blind; the big blind's is the dual. A vertex mixes few hands.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import linprog

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import EquilibristError
from equilibrist.solvers.stochastic_games.evaluation import plan_values
from equilibrist.solvers.stochastic_games.jam_fold_stages import HeadsUpStages

FOLD, TAKE, SHOWDOWN = 0, 1, slice(2, 5)  # ends: the small blind folds, the big blind does, win or tie or loss


class ProgramError(EquilibristError):
    """A linear program that came to no optimum."""


def improve(
    stages: HeadsUpStages, values: Floats, *, report: Callable[[float], None] = lambda share: None
) -> tuple[Floats, Floats]:
    """Optimal jams of both seats at every state when `values` [state, seat] go on, and the values of that profile."""
    payoffs = stages.ends.payoffs(values)[:, 0].reshape(-1, 5)
    jams = np.ones((len(payoffs), 2, stages.hands))
    for state, found in enumerate(payoffs):
        small, big = stages.forced[state]
        if not small:
            jams[state, 0] = small_blind(stages, found, bool(big))
        if not big:
            jams[state, 1] = big_blind(stages, found, bool(small))
        report((state + 1) / len(payoffs))
    plan = jams.reshape(len(jams), -1)
    return plan, plan_values(stages.ends, stages.against(plan, exact=True).probabilities(plan))


def _parts(stages: HeadsUpStages, payoffs: Floats) -> tuple[Floats, Floats, Floats]:
    """[hand] of a fold, [hand, hand] of a jam that is not called and of one that is; to the small blind."""
    called = np.tensordot(payoffs[SHOWDOWN], stages.showdowns, axes=1)
    return payoffs[FOLD] * stages.prior, payoffs[TAKE] * stages.deals, called


def small_blind(stages: HeadsUpStages, payoffs: Floats, called_for_sure: bool) -> Floats:
    """[hand] jams: maximise fold (1 - x) + sum of t, where t[c] is at most what the big blind's fold and its call leave."""
    fold, taken, called = _parts(stages, payoffs)
    size = stages.hands
    upper = np.block([[-called.T, np.eye(size)]])
    if not called_for_sure:
        upper = np.vstack([upper, np.block([[-taken.T, np.eye(size)]])])
    cost = np.concatenate([fold, -np.ones(size)])
    return _solve(cost, upper, np.zeros(len(upper)), size)


def big_blind(stages: HeadsUpStages, payoffs: Floats, jams_for_sure: bool) -> Floats:
    """[hand] calls: minimise the sum of u, where u[a] is at least what the small blind's jam, and its fold, brings it."""
    fold, taken, called = _parts(stages, payoffs)
    size = stages.hands
    upper, limit = np.block([[called - taken, -np.eye(size)]]), -taken.sum(axis=1)
    if not jams_for_sure:
        upper = np.vstack([upper, np.block([[np.zeros((size, size)), -np.eye(size)]])])
        limit = np.concatenate([limit, -fold])
    cost = np.concatenate([np.zeros(size), np.ones(size)])
    return _solve(cost, upper, limit, size)


def _solve(cost: Floats, upper: Floats, limit: Floats, size: int) -> Floats:
    """The first `size` variables, between 0 and 1, at a vertex; the others are free. Scaled, since hands are a thousandth each."""
    bounds = [(0.0, 1.0)] * size + [(None, None)] * size
    found = linprog(cost * size, upper * size, limit * size, bounds=bounds, method="highs-ds")
    if found.status != 0 or found.x is None:
        raise ProgramError(f"The linear program of a hand came to no optimum: {found.message}.")
    jams: Floats = np.clip(found.x[:size], 0.0, 1.0)
    return jams
