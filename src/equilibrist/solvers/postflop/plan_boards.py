"""Methods that work on plans, at work on boards: fictitious play, CFR-BR, first-order methods.

The run owns tables of averages like any other; after every call they hold the plans found so far, so that values, best responses, nodes
and files are those of `vector_cfr.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import StreetBoards
from equilibrist.solvers.cfr.schedules import VANILLA
from equilibrist.solvers.plan_space.run import PlanRun
from equilibrist.solvers.postflop.board_form import BoardForm
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

PLAN_ARRAYS = 12  # of doubles by sequence that a method on plans keeps, and its form


class PlanBoards(BoardCFR):
    """Boards by themselves (no suits are merged), one thread, 32 bits, without locks and rake."""

    def __init__(self, solver: Any, **how: Any) -> None:
        """`how` as `BoardCFR` names what it is made of."""
        if how.get("bits", 32) != 32 or how.get("threads", 1) != 1:
            raise NotApplicableError(
                f"'{solver.name}' works on plans, in one thread and 32 bits; leave 'threads' and 'bits' out."
            )
        super().__init__(schedule=VANILLA, **how)
        self.solver = solver
        self.form = BoardForm(self, "boards")
        self.plans: PlanRun = solver.on(self.form)
        self.first_check, self.check_growth = self.plans.first_check, self.plans.check_growth
        self._settle()

    def advance(self, iterations: int) -> None:
        self.plans.advance(iterations)
        self._settle()

    def _settle(self) -> None:
        self.form.settle(self.plans.answer, self.plans.iteration)

    def learn(self, me: int, reach: Floats) -> Floats:
        raise NotApplicableError(
            f"'{self.solver.name}' works on plans of the whole game, not from weights at a root; search with the CFR family."
        )

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Averages by table, and what the method keeps by sequence."""
        tables = {name: table for name, table in super().state().items() if name.startswith(("iteration", "average"))}
        return tables | {f"plan.{name}": table for name, table in self.plans.state().items() if name != "iteration"}

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        kept = {name.removeprefix("plan."): table for name, table in state.items() if name.startswith("plan.")}
        self.plans.restore({"iteration": state["iteration"], **kept})
        self._settle()


def plan_bytes(forests: Sequence[StreetForest], boards: Sequence[StreetBoards]) -> int:
    """Bytes that a method on plans and its form will take, before they are allocated."""
    total = 0
    for forest, tables in zip(forests, boards, strict=True):
        ends = int(np.isin(forest.kind, (2, 3)).sum()) + 32
        for p, own in enumerate(tables.player):
            total += len(tables.cards) * own.places * (forest.slots[p] * (8 * PLAN_ARRAYS + 12) + 4 * ends)
    return total
