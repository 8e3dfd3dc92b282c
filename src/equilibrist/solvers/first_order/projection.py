"""Euclidean projection onto both players' treeplexes ([Gilpin09, §8.5.1], ComplexSubproblem)."""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.forms._kernels.plans import best_own
from equilibrist.solvers.first_order._kernels.smoothing import project_both
from equilibrist.solvers.first_order._kernels.treeplex_projection import count_knots
from equilibrist.solvers.plan_space.field import Field


class Projection:
    """Work space for projections: knots of piecewise linear functions, one for each infoset and action."""

    def __init__(self, field: Field) -> None:
        self.field = field
        form = field.form
        child = np.argsort(form.parent, kind="stable").astype(np.int32)
        child_start = np.zeros(field.sequences + 1, dtype=np.int32)
        np.cumsum(np.bincount(form.parent, minlength=field.sequences), out=child_start[1:])
        start, knots = np.zeros(field.infosets + 1, dtype=np.int32), np.zeros(field.sequences, dtype=np.int32)
        nodes = (start, child_start, child, knots)
        most = int(count_knots(field.trees, nodes))
        places = int(start[-1])
        join, part = (tuple(np.zeros(places) for _ in range(3)) for _ in range(2))
        events = (*(np.zeros(most) for _ in range(4)), np.zeros(most + 1, dtype=np.int32))
        self.shape = (nodes, join, part, events)

    def nearest(self, target: Floats) -> Floats:
        """[S] the plans of both players nearest to target."""
        out = np.empty(self.field.sequences)
        project_both(self.field.trees, self.shape, target, out)
        return out


def squared_radius(field: Field, centre: Floats) -> float:
    """Half the largest squared distance of any plans from `centre`: plans at corners are zeros and ones, so the best is linear."""
    gain = 0.5 - centre
    gain[field.form.offset[:2]] = 0.0
    rest = 0.5 * float(centre @ centre) - 1.0  # both empty sequences have plan one
    return rest + sum(float(best_own(player, field.trees, gain)) for player in range(2))


def spectral_norm(field: Field, *, tolerance: float = 1e-10, most: int = 10_000) -> float:
    """The largest singular value of the payoff matrix, by power iteration."""
    plan, worth = np.random.default_rng(0).standard_normal(field.sequences), np.zeros(field.sequences)
    first, second = field.own(0), field.own(1)
    norm = 0.0
    for _ in range(most):
        plan[second] /= np.linalg.norm(plan[second]) or 1.0
        field.product(0, plan, worth)
        found = float(np.linalg.norm(worth[first]))
        plan[first] = worth[first] / (found or 1.0)
        field.product(1, plan, worth)
        plan[second] = -worth[second]
        if abs(found - norm) <= tolerance * found:
            return found
        norm = found
    return norm
