"""How hard a saddle point is for first-order methods: the condition measure of [Gilpin09, §8.4.2], measured.

delta(A) is the largest number with dist <= F / delta everywhere, where F is the gap of a pair of plans and dist its distance from the
set of equilibria; kappa(A) = |A| / delta(A) is the constant in the bound of iterated smoothing. No formula gives delta cheaply. Every
point with a known distance bounds it from above, so iterates of a method estimate it: the smallest F / dist seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.sequence_form.sequence_form import SequenceForm
from equilibrist.solvers.first_order.projection import spectral_norm
from equilibrist.solvers.first_order.smoothing import iterated_smoothing
from equilibrist.solvers.linear_programs.plan_program import PlanProgram
from equilibrist.solvers.linear_programs.sequence_lp import zero_sum_form
from equilibrist.solvers.plan_space.field import Field

LARGEST = 400  # sequences of one player, beyond which distances take too long
PENALTY = 1e5  # of constraints in a least-squares problem, whose multipliers do the rest
ROUNDS = 4
RESOLVED = 1e-6  # distances and gaps below it say nothing: they are rounding


@dataclass(frozen=True)
class Condition:
    """delta from above and kappa from below, as the points seen allow."""

    norm: float  # spectral
    delta: float
    points: int

    @property
    def kappa(self) -> float:
        return self.norm / self.delta


class EquilibriumSet:
    """All plans x of one player that guarantee the value v: E x = e, x >= 0, A'x >= F'p, p_0 >= v."""

    def __init__(self, form: SequenceForm, player: int) -> None:
        if form.sequences[player] > LARGEST:
            raise NotApplicableError(
                f"Distances to equilibrium are measured in games of up to {LARGEST} sequences a player, but '{form.name}' "
                f"has {form.sequences[player]:,}."
            )
        program = PlanProgram(form, player)
        value = program.maximise().guarantee / program.unit
        own, other, payoff = program.own.toarray(), program.other.toarray(), program.payoff.toarray() / program.unit
        rows, self.sequences = own.shape
        replies = other.shape[1]
        # columns: x, p_0 - v, the other p as differences of two, what is left of each reply; all of them not negative
        below = np.hstack([payoff.T, -other[:1].T, -other[1:].T, other[1:].T, -np.eye(replies)])
        above = np.hstack([own, np.zeros((rows, below.shape[1] - self.sequences))])
        self.matrix = np.vstack([above, below])
        self.side = np.concatenate([np.eye(1, rows)[0], value * other[0]])

    def nearest(self, plan: Floats) -> Floats:
        """The equilibrium plan at the least Euclidean distance: least squares with a penalty, by the method of multipliers."""
        columns = self.matrix.shape[1]
        squares = np.vstack([np.eye(self.sequences, columns), PENALTY * self.matrix])
        side = self.side.copy()
        point = np.zeros(columns)
        for _ in range(ROUNDS):
            point = nnls(squares, np.concatenate([plan, PENALTY * side]), maxiter=30 * columns)[0]
            side += self.side - self.matrix @ point
        return point[: self.sequences]


def estimate_condition(game: Compiled, plans: Iterable[Floats] | None = None, *, checks: int = 10) -> Condition:
    """From given pairs of plans or, without any, from iterates of iterated smoothing, ever nearer to equilibrium."""
    form = zero_sum_form(game, "The condition measure")
    field = Field(form)
    equilibria = [EquilibriumSet(form, player) for player in range(2)]
    ratios = []
    for plan in _iterates(field, checks) if plans is None else plans:
        own = [plan[field.own(player)] for player in range(2)]
        apart = [float(np.linalg.norm(x - equilibria[player].nearest(x))) for player, x in enumerate(own)]
        gap, distance = field.evaluate(plan).nash_conv, math.hypot(*apart)
        if distance > RESOLVED and gap > RESOLVED * field.scale:
            ratios.append(gap / distance)
    return Condition(spectral_norm(field), min(ratios, default=float("inf")), len(ratios))


def _iterates(field: Field, checks: int) -> Iterable[Floats]:
    run = iterated_smoothing().on(field.form)
    for exponent in range(checks):
        run.advance(2**exponent)
        yield run.answer.copy()
