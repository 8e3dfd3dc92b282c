"""Fictitious play inside every stage at once, with fixed values after it ([Ganzfried15, §9.3.1]): the inner loop of VI-FP and PI-FP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.solvers.stochastic_games.stages import Stages


@dataclass(frozen=True)
class StagePlay:
    """A profile in which no role gains more than `gain` within one stage."""

    plan: Floats  # [state, width]
    values: Floats  # [state, role] of the profile, zero at states left out
    gain: float  # the largest left over
    sweeps: int


def fictitious_stages(
    stages: Stages,
    payoffs: Floats,
    plan: Floats,
    *,
    rows: Longs | None = None,
    gamma: float,
    most: int,
    linear: bool = False,
    memory: int = 0,
    check: Callable[[float], None] = lambda gain: None,
) -> StagePlay:
    """All roles answer the average at the same time, s' = s + (BR(s) - s) / t, until every stage is in a gamma-equilibrium.

    `payoffs` [end, role] hold after the stage; `rows` are the states to play (default: all). `linear` weighs sweep t by t. The given
    profile counts as `memory` sweeps; stages that are done are left alone.
    """
    plan, sweep = plan.copy(), 0
    found, gains = np.zeros((stages.ends.states, stages.ends.roles)), np.zeros(stages.ends.states)
    rows = np.arange(stages.ends.states) if rows is None else rows
    while True:
        others = stages.against(plan, rows)
        best, value = others.answer(payoffs)
        found[rows] = others.values(plan[rows], payoffs)
        gains[rows] = (value - found[rows]).max(axis=1)
        check(float(gains.max()))
        left = gains[rows] >= gamma
        if sweep == most or not left.any():
            return StagePlay(plan, found, float(gains.max()), sweep)
        sweep += 1
        rows, best = rows[left], best[left]
        t = memory + sweep
        plan[rows] += (best - plan[rows]) * (2.0 / (t + 1.0) if linear else 1.0 / t)
