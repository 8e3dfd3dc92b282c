"""The best stationary deviation from a profile, and what it gains: policy iteration ([Ganzfried15, Algorithms 8 and 9])."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.solvers.stochastic_games.evaluation import plan_values
from equilibrist.solvers.stochastic_games.stages import Others, Stages

MOST_ITERATIONS = 100
SETTLED = 1e-11  # of the largest value: improvements below are rounding


@dataclass(frozen=True)
class Deviation:
    """What the best deviation of one role from a profile gains, wherever the game starts."""

    values: Floats  # [state, role] of the profile
    best: Floats  # [state, role] of the best response to the others
    plan: Floats  # [state, width] the best response of each role
    iterations: int  # of policy iteration
    settled: bool  # whether it ended by itself

    @property
    def gain(self) -> float:
        """epsilon: the largest gain over all states and roles."""
        return float((self.best - self.values).max())


def ex_post_check(stages: Stages, plan: Floats) -> Deviation:
    """Whether a profile is an equilibrium, by a route that knows nothing of how it was found ([Ganzfried15, Algorithm 9])."""
    others = stages.against(plan, exact=True)
    values = plan_values(stages.ends, others.probabilities(plan))
    best, policy, iterations, settled = best_policy(stages, others, plan)
    return Deviation(values, best, policy, iterations, settled)


def best_policy(
    stages: Stages, others: Others, start: Floats, bonus: Floats | None = None
) -> tuple[Floats, Floats, int, bool]:
    """Policy iteration from `start`: values, the policy, iterations, and whether it settled.

    An action that is still optimal is kept: without discount a change between equals could lead to play that never ends.
    """
    policy, extra = start, None if bonus is None else _bonus_of(stages, others, start, bonus)
    values = plan_values(stages.ends, others.probabilities(policy), extra)
    for iteration in range(1, MOST_ITERATIONS + 1):
        better, _ = others.answer(stages.ends.payoffs(values), keep=policy, bonus=bonus)
        if np.array_equal(better, policy):
            return values, policy, iteration, True
        extra = None if bonus is None else _bonus_of(stages, others, better, bonus)
        found = plan_values(stages.ends, others.probabilities(better), extra)
        if (found - values).max() <= SETTLED * max(1.0, float(np.abs(values).max())):
            return values, policy, iteration, True
        policy, values = better, found
    return values, policy, MOST_ITERATIONS, False


def _bonus_of(stages: Stages, others: Others, own: Floats, bonus: Floats) -> Floats:
    """[state, role] what the random rewards add in one stage."""
    return others.values(own, np.zeros_like(stages.ends.rewards), bonus)
