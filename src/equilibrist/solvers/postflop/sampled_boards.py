"""Monte Carlo CFR at work on boards: walks over hands and cards, averages in the tables of the vector engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.solvers.cfr.schedules import VANILLA
from equilibrist.solvers.mccfr.mccfr import MCCFR
from equilibrist.solvers.mccfr.spots import BoardMCCFR
from equilibrist.solvers.postflop.vector_cfr import BoardCFR


class SampledBoards(BoardCFR):
    """Boards sampled hand by hand; after every call the tables hold the averages found so far."""

    first_check = 1000
    check_growth = 1.5

    def __init__(self, solver: MCCFR, parts: Mapping[str, Any], *, seed: int = 0) -> None:
        """`parts` as `BoardCFR` names what it is made of."""
        super().__init__(schedule=VANILLA, **parts)
        self.solver = solver
        self.walks = BoardMCCFR(self, solver, seed)

    def advance(self, iterations: int) -> None:
        self.walks.advance(iterations)
        self.iteration = self.walks.iteration
        self.walks.settle()

    def learn(self, me: int, reach: Floats) -> Floats:
        raise NotApplicableError(
            f"'{self.solver.name}' walks hand by hand, not from weights at a root; search with the CFR family."
        )

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Averages by table, and what the walks keep."""
        tables = {name: table for name, table in super().state().items() if name.startswith(("iteration", "average"))}
        return tables | {f"walk.{name}": table for name, table in self.walks.state().items()}

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        self.walks.restore(
            {name.removeprefix("walk."): table for name, table in state.items() if name.startswith("walk.")}
        )
        self.iteration = self.walks.iteration
        self.walks.settle()
