"""Values of stationary strategies: the linear system of a Markov chain, without discount ([Ganzfried15, Algorithm 8, step 2])."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import spsolve

from equilibrist.core.arrays import Bools, Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.solvers.stochastic_games.stages import Chain, Ends, chain

NEVER = 1e-13  # probability of an end that rounding alone can make


def evaluate(given: Chain) -> Floats:
    """Least solution of v = r + P v: what never ends is worth nothing, and refused where it pays on for ever."""
    ending = _can_end(given)
    if np.abs(given.reward[~ending]).max(initial=0.0) > NEVER:
        raise NotApplicableError(
            "A play that never ends is paid at every stage, so that it has no value without discount."
        )
    value = np.zeros(len(given.reward))
    inner = given.step[ending][:, ending]
    system = (sparse.identity(inner.shape[0]) - inner).tocsc()
    value[ending] = spsolve(system, given.reward[ending])
    return value


def _can_end(given: Chain) -> Bools:
    """From which places the chain is left with a positive probability."""
    leaves = np.asarray(given.step.sum(axis=1)).reshape(-1) < 1.0 - NEVER
    steps = given.step.copy()
    steps.data = np.where(steps.data > NEVER, 1.0, 0.0)
    ending: Bools = leaves
    while True:
        further = leaves | (steps @ ending.astype(np.float64) > 0.0)
        if (further == ending).all():
            return ending
        ending = further


def plan_values(ends: Ends, probabilities: Floats, bonus: Floats | None = None) -> Floats:
    """[state, role] values of strategies under which ends are so likely."""
    return evaluate(chain(ends, probabilities, bonus)).reshape(ends.states, ends.roles)
