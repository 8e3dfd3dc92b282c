"""The linear program of any form at work: its first iteration solves it, the others have nothing left to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.compute.time_limit import seconds_left
from equilibrist.core.arrays import Floats
from equilibrist.forms.form import precision_of
from equilibrist.solvers.linear_programs.dominance import dominated_sequences
from equilibrist.solvers.linear_programs.plan_program import DUST, PlanProgram
from equilibrist.solvers.linear_programs.plan_starts import ANYTIME, start_basis
from equilibrist.solvers.linear_programs.written_form import write_out
from equilibrist.solvers.plan_space.field import Field
from equilibrist.solvers.plan_space.run import PlanRun

if TYPE_CHECKING:
    from equilibrist.solvers.linear_programs.sequence_lp import SequenceFormLP


class ProgramRun(PlanRun):
    """Uniform play until the program is solved."""

    first_check = 1
    check_growth = 10.0

    def __init__(self, solver: SequenceFormLP, field: Field) -> None:
        super().__init__(field)
        self.solver = solver
        self.plan, self.solved = field.plan(field.uniform()), np.zeros(1)

    def advance(self, iterations: int) -> None:
        if iterations > 0 and not self.solved[0]:
            self._solve()
        self.iteration += iterations

    def _solve(self) -> None:
        written = write_out(self.field.form)
        removed = dominated_sequences(written) if self.solver.eliminate else None
        programs = [PlanProgram(written, player, removed) for player in range(2)]
        first = self._plans(programs[0])
        self._enter(np.concatenate(first))
        if self.solved[0] and self.evaluate().exploitability > precision_of(self.field.form) * programs[0].unit:
            self._enter(np.concatenate([first[0], self._plans(programs[1])[0]]))  # multipliers were imprecise

    def _plans(self, program: PlanProgram) -> tuple[Floats, Floats]:
        """The best plan of a program's player and, by its multipliers, the opponent's."""
        method = self.solver.method
        start = start_basis(program, keep=method) if method in ANYTIME else None
        found = program.maximise(method=method, start=start, seconds=seconds_left())
        if found.status == "interrupted":
            raise KeyboardInterrupt
        self.solved[0] = found.status == "optimal"
        return found.plan, found.opponent

    def _enter(self, plan: Floats) -> None:
        """A plan with rounding, as a plan: what an unfinished search left out is played evenly."""
        self.plan[:] = self.field.plan(self.field.behaviour(np.where(plan > DUST, plan, 0.0)))

    @property
    def answer(self) -> Floats:
        return self.plan

    def last(self) -> Any:
        return self.average() if self.solved[0] else None

    @property
    def tables(self) -> Mapping[str, Floats]:
        return {"plan": self.plan, "solved": self.solved}
