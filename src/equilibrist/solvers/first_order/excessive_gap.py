"""The excessive gap technique ([Nesterov05]; [Gilpin09, §8.3]): two smoothed problems squeezed together.

Each player p has a smoothing mu_p. The *excessive gap condition* says that the smoothed best responses of both together gain nothing;
then the true gap is at most mu_1 D_1 + mu_2 D_2. A *shrink* reduces one mu and moves both plans so that the condition still holds.

variant 1           tau = 2 / (k + 3), as proven
variant 2           EGT-2 of the text: tau is kept until the condition fails, then halved (heuristic 1); now and then both mu are
                    balanced and reduced for as long as the condition holds (heuristic 2)
variant aggressive  in the manner of [Kroer18]: the smallest start that the condition allows, always the larger mu, tau recovers
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms._kernels.plans import follow_own
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.form import Form
from equilibrist.solvers.first_order._kernels import excessive_gap as kernels
from equilibrist.solvers.first_order.prox import Prox, check_prox
from equilibrist.solvers.first_order.run import ROUNDING, FirstOrderSolver, given_name, one_of
from equilibrist.solvers.linear_programs.sequence_lp import zero_sum_form
from equilibrist.solvers.plan_space.field import Field
from equilibrist.solvers.plan_space.run import PlanRun
from equilibrist.solvers.registry import SolverEntry

if TYPE_CHECKING:
    from equilibrist.solvers.pruned_cfr.dynamic_thresholding import ThresholdedForm

RULES: Mapping[str, int] = {"1": kernels.SCHEDULED, "2": kernels.HALVED, "aggressive": kernels.RECOVERING}
BALANCE: Mapping[str, int] = {"1": 0, "2": 100, "aggressive": 10}  # steps between balancings; 0: never
FIRST_TAU = 0.5
UNBALANCED = 1.5
REDUCTION = 0.9
DEFAULTS: dict[str, Any] = {"prox": "entropy", "variant": 2, "balance": "auto", "weights": "one", "threshold": 0.0}


@dataclass(frozen=True)
class ExcessiveGap(FirstOrderSolver):
    """Settings; `balance` is the interval of heuristic 2, 0 for never."""

    prox: str = "entropy"
    variant: str = "2"
    balance: int = 100
    weights: str = "one"
    name: str = "egt"
    threshold: float = 0.0  # c: steps leave out branches that are reached with less than c / T
    purpose: ClassVar[str] = "The excessive gap technique"

    def on(self, form: Form) -> ExcessiveGapRun:
        if self.threshold:
            raise NotApplicableError(
                "Thresholds need a tree to walk, so 'egt(threshold=…)' solves games only; leave it out."
            )
        return ExcessiveGapRun(self, Field(form))

    def start(self, game: Compiled) -> ExcessiveGapRun:
        if not self.threshold:
            return self.on(zero_sum_form(game, self.purpose))
        from equilibrist.solvers.pruned_cfr.dynamic_thresholding import ThresholdedForm

        zero_sum_form(game, self.purpose)
        return ThresholdedGapRun(self, ThresholdedForm(game, self.threshold))


class ExcessiveGapRun(PlanRun):
    """One iteration is one accepted shrink; those of balancing come on top."""

    def __init__(
        self, solver: ExcessiveGap, field: Field, centre: Floats | None = None, mu: Floats | None = None
    ) -> None:
        """Starts at the centre of the prox function: uniform play, or a behaviour to go on from."""
        super().__init__(field)
        self.solver, self.rule = solver, RULES[solver.variant]
        self.prox = Prox(field, solver.prox, solver.weights, centre)
        self.tolerance = ROUNDING * field.scale
        self.mu = np.full(2, field.scale) if mu is None else mu.copy()
        self.control = np.array([FIRST_TAU, 0.0, 0.0])  # tau, row of the point, shrinks
        self.point = tuple(np.zeros((2, field.sequences)) for _ in range(4))
        self.work = tuple(np.zeros(field.sequences) for _ in range(6))
        self._begin(fit=solver.variant == "aggressive" and mu is None)

    @property
    def now(self) -> int:
        """The row of the point; the other one is for trials."""
        return int(self.control[1])

    @property
    def answer(self) -> Floats:
        plan: Floats = self.point[0][self.now]
        return plan

    def excess(self) -> float:
        """Not negative while the excessive gap condition holds."""
        return float(kernels.excess_at(self.now, self.mu, *self._shape, self.point, self.work[3]))

    def bound(self) -> float:
        """mu_1 D_1 + mu_2 D_2: what the condition promises about the gap."""
        return float(self.mu @ self.prox.largest())

    def details(self) -> dict[str, float]:
        return {
            "mu_1": float(self.mu[0]),
            "mu_2": float(self.mu[1]),
            "bound": self.bound(),
            "excess": self.excess(),
            "shrinks": float(self.control[2]),
        }

    @property
    def _shape(self) -> tuple[Any, Any]:
        return self.field.trees, self.prox.arrays

    def _begin(self, fit: bool) -> None:
        """The initial point, with smoothing doubled until the condition holds; `fit` first looks for less."""
        self.control[:2] = FIRST_TAU, 0.0
        while fit and self._initial() >= -self.tolerance and self.mu.min() > self.tolerance:
            self.mu *= 0.5
        while self._initial() < -self.tolerance:
            self.mu *= 2.0

    def _initial(self) -> float:
        """Both smoothed best responses in turn, the first one to the centre; returns the excess."""
        plan, product, _, _ = self.point
        answer, worth = self.work[2], self.work[1]
        follow_own(1, self.field.trees, self.prox.home, answer)
        for player in range(2):
            self.field.product(player, answer, worth)
            response = self.prox.response(player, worth, float(self.mu[player]))
            own = self.field.own(player)
            answer[own] = response.plan[own]
        plan[0][:] = answer
        self.field.products(answer, product[0])
        return self.excess()

    def advance(self, iterations: int) -> None:
        interval = self.solver.balance
        last = self.iteration + iterations
        while self.iteration < last:
            due = self.iteration + (-self.iteration) % interval + 1 if interval else last  # after steps 0, interval, …
            self._steps(min(due, last) - self.iteration)
            if interval and (self.iteration - 1) % interval == 0:
                self._balance()

    def _steps(self, count: int) -> None:
        """Shrink `count` times; where rounding stops one, begin anew around the point."""
        done = 0
        if self.field.matrix is not None:
            done = int(
                kernels.run_shrinks(
                    self.iteration, count, self.rule, self.tolerance, self.control, self.mu, *self._shape,
                    self.field.matrix, self.point, self.work,
                )
            )  # fmt: skip
        else:
            while done < count and self._decrease(kernels.mover(self.rule, self.iteration + done, self.mu), done):
                done += 1
        self.iteration += done
        if done < count:
            self.prox.recentre(self.field.behaviour(self.answer))
            self._begin(fit=False)
            self.iteration += 1

    def _decrease(self, player: int, later: int = 0) -> bool:
        """One shrink of the player's smoothing, with tau halved until the condition holds; False where rounding forbids it."""
        tau = kernels.first_tau(self.rule, self.iteration + later, self.control)
        fresh = True
        while self._shrink(player, tau, fresh) < -self.tolerance:
            tau, fresh = tau / 2.0, False
            if tau < kernels.SMALLEST_STEP:
                return False
        kernels.accept(self.rule, player, tau, self.control, self.mu)
        return True

    def _shrink(self, player: int, tau: float, fresh: bool) -> float:
        """A trial; returns its excess. The same as the kernel of this name, with products from the operator."""
        self.control[2] += 1
        field, other = self.field, 1 - player
        if field.matrix is not None:
            arrays = (self.mu, *self._shape, field.matrix, self.point, self.work)
            return float(kernels.shrink(player, self.now, tau, fresh, *arrays))
        _, product, coordinate, behaviour = (table[self.now] for table in self.point)
        ahead, worth, answer = self.work[:3]
        if fresh:
            follow_own(player, field.trees, behaviour, answer)
            field.product(other, answer, ahead)
        kernels.reply(other, tau, self.mu, *self._shape, product, self.work)
        field.product(player, answer, worth)
        kernels.retreat(player, tau, self.mu, *self._shape, coordinate, self.work)
        field.product(other, answer, worth)
        return float(kernels.settle(player, self.now, tau, self.mu, *self._shape, self.point, self.work))

    def _balance(self) -> None:
        """Heuristic 2: bring the two mu together, then reduce both for as long as the condition holds."""
        for player in (1, 0):
            while self.mu[player] > UNBALANCED * self.mu[1 - player] and self._decrease(player):
                pass
        while (
            kernels.excess_at(self.now, REDUCTION * self.mu, *self._shape, self.point, self.work[3]) >= -self.tolerance
            and self.mu.min() > self.tolerance
        ):
            self.mu *= REDUCTION
        self.excess()  # the responses belong to the mu that were kept

    @property
    def tables(self) -> Mapping[str, Floats]:
        names = ("plan", "product", "coordinate", "behaviour")
        return {
            "mu": self.mu,
            "control": self.control,
            "centre": self.prox.home,
            **dict(zip(names, self.point, strict=True)),
        }

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        super().restore(state)
        self.prox.recentre(self.prox.home)


class ThresholdedGapRun(ExcessiveGapRun):
    """Steps on a thresholded form; what is measured stays exact ([Brown20, §3.4.3])."""

    def __init__(self, solver: ExcessiveGap, form: ThresholdedForm) -> None:
        self.form = form
        super().__init__(solver, Field(form))

    def advance(self, iterations: int) -> None:
        self.form.exact = False
        try:
            for _ in range(iterations):
                self.form.iteration = self.iteration + 1
                super().advance(1)
        finally:
            self.form.exact = True

    @property
    def nodes_touched(self) -> int:
        return self.form.walk.nodes_touched

    def counts(self) -> dict[str, Any]:
        """Work done, for `Solution.extra`."""
        return {"nodes_touched": self.nodes_touched, "nodes_unit": "histories"}


def egt(
    prox: str = "entropy",
    variant: int | str = 2,
    balance: int | str = "auto",
    weights: str = "one",
    threshold: float = 0.0,
) -> ExcessiveGap:
    """`balance=auto`: never for variant 1, every 100 steps for 2, every 10 for the aggressive one."""
    check_prox(prox, weights)
    one_of("variant", str(variant), tuple(RULES))
    interval = {"auto": BALANCE[str(variant)], "never": 0}.get(str(balance), balance)
    if isinstance(interval, bool) or not isinstance(interval, int) or interval < 0:
        raise ParameterError(f"'balance' is a number of steps, 'never' or 'auto', but {balance!r} was given.")
    if not 0.0 <= threshold < np.inf:
        raise ParameterError(f"'threshold' is a number of 0 or more, 0.001 for instance, but {threshold} was given.")
    chosen = {"prox": prox, "variant": variant, "balance": balance, "weights": weights, "threshold": threshold}
    return ExcessiveGap(prox, str(variant), interval, weights, given_name("egt", DEFAULTS, chosen), float(threshold))


ENTRIES = [
    SolverEntry(
        "egt",
        "excessive gap technique, dilated prox functions",
        egt,
        DEFAULTS,
        "Gilpin09",
        "gap O(1/T), two-player zero-sum",
        words={"variant": ("aggressive",)},
        also={"balance": (int,)},
    ),
]
