"""Fictitious play inside every stage at once, with fixed values after it ([Ganzfried15, §9.3.1]): the inner loop of VI-FP and PI-FP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.solvers.stochastic_games.stages import Stages


@dataclass(frozen=True)
class StagePlay:
    """A profile in which no role gains more than `gain` within one stage; or how far it is, with `rows` still to play."""

    plan: Floats  # [state, width]
    values: Floats  # [state, role] of the profile, zero at states left out
    gains: Floats  # [state] left over
    sweeps: int
    rows: Longs  # states that are not done

    @property
    def gain(self) -> float:
        """The largest left over."""
        return float(self.gains.max())


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
    begun: StagePlay | None = None,
    keep: Callable[[StagePlay], None] = lambda play: None,
) -> StagePlay:
    """All roles answer the average at the same time, s' = s + (BR(s) - s) / t, until every stage is in a gamma-equilibrium.

    `payoffs` [end, role] hold after the stage; `rows` are the states to play (default: all). `linear` weighs sweep t by t. The given
    profile counts as `memory` sweeps; stages that are done are left alone. Every sweep makes a new `StagePlay`: what `keep` was last given
    is whole whenever the work is interrupted, and goes on as `begun`.
    """
    states, roles = stages.ends.states, stages.ends.roles
    first = np.arange(states) if rows is None else rows
    play = begun or StagePlay(plan.copy(), np.zeros((states, roles)), np.zeros(states), 0, first)
    while len(play.rows):
        now, found, gains = play.rows, play.values.copy(), play.gains.copy()
        others = stages.against(play.plan, now)
        best, value = others.answer(payoffs)
        found[now] = others.values(play.plan[now], payoffs)
        gains[now] = (value - found[now]).max(axis=1)
        check(float(gains.max()))
        left = gains[now] >= gamma
        if play.sweeps == most or not left.any():
            play = StagePlay(play.plan, found, gains, play.sweeps, now[:0])
        else:
            later, open_ = play.plan.copy(), now[left]
            t = memory + play.sweeps + 1
            later[open_] += (best[left] - later[open_]) * (2.0 / (t + 1.0) if linear else 1.0 / t)
            play = StagePlay(later, found, gains, play.sweeps + 1, open_)
        keep(play)
    return play
