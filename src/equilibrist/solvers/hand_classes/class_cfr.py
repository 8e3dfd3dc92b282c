"""CFR on a `KroneckerForm`: regrets and averages per class and betting sequence, products and tree passes row by row.

An iteration of one player: for all classes of the last round, then of the rounds before, the value of every sequence and new
regrets; then, from the first round down, the new plan, packed for the opponent's next product. A row is worked on while it is in
cache; threads own whole families of classes, so that nothing is written twice and results do not depend on their number.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any

import numpy as np

from equilibrist.core.arrays import Array
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.solution import Evaluation
from equilibrist.forms.hand_classes.kronecker import KroneckerForm
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.schedules import discount_factors
from equilibrist.solvers.hand_classes._kernels import class_cfr as kernels
from equilibrist.solvers.hand_classes.passes import ClassPass, RoundStrategy, Weights, in_lanes
from equilibrist.solvers.plan_space.field import Field
from equilibrist.solvers.plan_space.warm_start import PlanStart, plan_start

KINDS = {32: np.float32, 64: np.float64}


class ClassCFR:
    """One member of the CFR family at work; a run as `Loop` of `iteration_loop.py` wants it."""

    first_check = 20
    check_growth = 1.1

    @staticmethod
    def fits(solver: CFR) -> bool:
        """Whether the solver's settings are those of this run."""
        return solver.plain_matching and solver.when_nonpositive == "uniform"

    def __init__(self, solver: CFR, form: KroneckerForm, *, bits: int = 32) -> None:
        if solver.minimiser not in ("rm", "predictive-rm+") or solver.updates != "alternating" or solver.bindings:
            raise NotApplicableError(
                f"Games of classes are solved by regret matching with alternating updates and without opponent models, but "
                f"'{solver.name}' was asked for; try dcfr, cfr+, lcfr or pcfr+."
            )
        if solver.when_nonpositive != "uniform":
            raise NotApplicableError(
                "Games of classes play uniformly where no regret is positive; leave that setting out."
            )
        if bits not in KINDS:
            raise ParameterError(f"Tables have 32 or 64 bits, but {bits} were asked for.")
        self.solver, self.form, self.iteration = solver, form, 0
        self.predictive = solver.minimiser == "predictive-rm+"
        self.passing = ClassPass(form, KINDS[bits])
        self.regret, self.average = self._tables(), self._tables()
        self.basis = self._tables(rows=None if self.predictive else 1)
        self._refresh()

    def _tables(self, rows: int | None = None) -> Weights:
        sides = [
            [np.zeros((rows or t.classes, t.columns.width), self.passing.kind) for t in side]
            for side in self.passing.tables
        ]
        return sides[0], sides[1]

    @property
    def bits(self) -> int:
        return int(8 * np.dtype(self.passing.kind).itemsize)

    @property
    def memory_bytes(self) -> int:
        """Bytes of regrets, averages, predictions and packed plans."""
        kept = [self.regret, self.average, self.basis, self.passing.packed]
        return sum(array.nbytes for tables in kept for side in tables for array in side)

    def _refresh(self) -> None:
        for p in range(2):
            self.passing.follow(p, self.current(p))

    def current(self, player: int) -> list[Array]:
        """Weights of the strategy to be played next."""
        return self.basis[player] if self.predictive else self.regret[player]

    def advance(self, iterations: int) -> None:
        factors = discount_factors(self.solver.schedule, self.iteration, iterations)
        for row in factors.astype(self.passing.kind):
            for p in range(2):
                self._learn(p, *row)
                self.passing.follow(p, self.current(p))
        self.iteration += iterations

    def learn(self, player: int) -> None:
        """One iteration of one player against the opponent's plan as it is packed, for methods that answer it themselves.

        The player's own plan must be followed before; whoever calls counts the iteration.
        """
        factors = discount_factors(self.solver.schedule, self.iteration)
        self._learn(player, *factors[0].astype(self.passing.kind))

    def _learn(self, player: int, positive: Any, negative: Any, keep: Any) -> None:
        passing = self.passing
        below = passing.nothing_below(player)
        for r in range(passing.last, -1, -1):
            t, up = passing.tables[player][r], passing.room_above(player, r)
            packed, pairs = passing.met(player, r)
            arrays = (
                packed, passing.above(player, r), below, up,
                self.regret[player][r], self.basis[player][r], self.average[player][r],
            )  # fmt: skip
            step = kernels.Step(self.predictive, positive, negative, keep)
            passing.form.team.run(
                [
                    partial(kernels.learn_rows, *span, step, t.tree, pairs, *arrays, passing.rooms[n])
                    for n, span in enumerate(t.spans)
                ]
            )
            below = up

    @cached_property
    def _exact(self) -> ClassPass:
        return ClassPass(self.form)

    def evaluate(self) -> Evaluation:
        """Value and best responses of the averages, in 64-bit floats whatever the tables hold."""
        return self._exact.evaluate(self.average)

    def start_from(self, strategy: RoundStrategy, iterations: int | None = None) -> PlanStart:
        """Go on as if a strategy had been played so often ([Brown20, §3.2]); estimated if no count is given."""
        start = plan_start(Field(self.form), self.solver, strategy.on_form(self.form), iterations)
        for p in range(2):
            own = slice(int(self.form.offset[p]), int(self.form.offset[p + 1]))
            for tables, found in ((self.regret, start.regret), (self.average, start.total)):
                for table, rows in zip(tables[p], in_lanes(self.form, p, found[own]), strict=True):
                    table[:] = rows
        self.iteration = start.iterations
        self._refresh()
        return start

    def strategy(self) -> RoundStrategy:
        """The averages, as they stand."""
        first, second = ([array.copy() for array in side] for side in self.average)
        return RoundStrategy(self.form, (first, second))

    def state(self) -> dict[str, Array]:
        """Everything needed to go on later."""
        out: dict[str, Array] = {"iteration": np.array([self.iteration])}
        for name, tables in (("regret", self.regret), ("average", self.average), ("basis", self.basis)):
            for p, side in enumerate(tables):
                out |= {f"{name}.{p}.{r}": array for r, array in enumerate(side)}
        return out

    def restore(self, state: Mapping[str, Array]) -> None:
        """Go on from `state()`."""
        for name, array in self.state().items():
            if state[name].shape != array.shape:
                raise ValueError(f"{name} has the shape {list(state[name].shape)} instead of {list(array.shape)}")
            array[:] = state[name]
        self.iteration = int(state["iteration"][0])
        self._refresh()
