"""CFR-BR: each player learns by CFR against a best response to its current strategy ([Johanson12]; [Davis15, §2.5.1]).

The learner's regret grows faster than in self-play, but its strategy heads for the least exploitable one it can express, also
inside an abstraction.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from equilibrist.core.names import Name
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.form import Form
from equilibrist.forms.sequence_form.sequence_form import SequenceForm
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.runs import SequenceRun
from equilibrist.solvers.cfr.schedules import VANILLA
from equilibrist.solvers.fictitious_play._kernels.response_plans import run_cfr_br
from equilibrist.solvers.iterative_solver import IterativeSolver
from equilibrist.solvers.on_form import start_on
from equilibrist.solvers.registry import SolverEntry


@dataclass(frozen=True)
class CFRBR(IterativeSolver):
    """A CFR learner for each seat; `learner` says which member of the family learns."""

    name: str = "cfr-br"
    learner: CFR = field(default_factory=lambda: CFR(schedule=VANILLA))

    def start(self, game: Compiled) -> Any:
        return self.on(game.sequence_form)

    def on(self, form: Form) -> Any:
        """A run at iteration 0 on any form."""
        return start_on(self, form)


class BestResponderRun(SequenceRun):
    """Two learners, each with its own responder."""

    @staticmethod
    def fits(solver: Any) -> bool:
        """Whether the solver's settings are those of this run."""
        return not solver.learner.bindings and solver.learner.updates == "alternating"

    def __init__(self, solver: CFR, form: SequenceForm) -> None:
        super().__init__(solver, form)
        self.answer = np.ones_like(self.plan)

    def advance(self, iterations: int) -> None:
        run_cfr_br(
            self.iteration + 1, self.factors(iterations), self.codes, self.treeplex, self.payoff, self.spread, self.tables,
            self.plan, self.answer, self.q,
        )  # fmt: skip
        self.iteration += iterations


DEFAULTS: dict[str, Any] = {"learner": "cfr"}


def cfr_br(learner: str = "cfr") -> CFRBR:
    """`learner` is any name of the CFR family, `cfr` or `cfr+` for instance."""
    from equilibrist.core.errors import ParameterError
    from equilibrist.solvers.registry import make_solver

    made = make_solver(learner)
    if not isinstance(made, CFR):
        raise ParameterError(
            f"The learner of cfr-br is one of the CFR family such as 'cfr' or 'cfr+', not '{learner}'."
        )
    return CFRBR(str(Name("cfr-br", {} if learner == "cfr" else {"learner": learner})), made)


ENTRIES = [
    SolverEntry(
        "cfr-br",
        "CFR against a best responder",
        cfr_br,
        DEFAULTS,
        "Johanson12",
        "exploitability O(1/sqrt(T))",
    ),
]
