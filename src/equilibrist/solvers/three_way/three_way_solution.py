"""ThreeWaySolution: a solved spot of three players, what each seat could gain, and the file it is kept in."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import msgspec
import numpy.typing as npt

from equilibrist.core.artifact import Artifact
from equilibrist.core.errors import FormatError, NotApplicableError
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import BaseSolution, SolveRecord, read_record, read_solution
from equilibrist.forms.three_way.compiled_seats import compile_seats
from equilibrist.games.spots.three_way_spot import ThreeWaySpot, three_way_name
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.registry import make_solver
from equilibrist.solvers.seat_evaluation import SeatEvaluation
from equilibrist.solvers.three_way.three_way_cfr import TABLES, ThreeWayCFR
from equilibrist.solvers.three_way.three_way_node import SolvedSeats, ThreeWayNode
from equilibrist.solvers.three_way.three_way_policy import ThreeWayPolicy

MEASURED = "exact best response of each seat to the other two; the largest gain"
NO_GUARANTEE = "of three players no equilibrium is promised: the gains say how good the strategies are"

Three = tuple[float, float, float]


class ThreeWayHeader(msgspec.Struct):
    """What a file says about its spot, besides the record of how it was solved."""

    spot: str
    value: Three
    best_response_value: Three


@dataclass(frozen=True, eq=False, repr=False)
class ThreeWaySolution(BaseSolution):
    """Average strategies of three seats, and how good they are.

    Values are shares of the pot: chips won less chips put in since the spot began. They add up to the pot, less rake.
    """

    kind: ClassVar[str] = "three-way-solution"

    spot: ThreeWaySpot
    record: SolveRecord
    evaluation: SeatEvaluation
    boards: SolvedSeats = field(repr=False)

    @cached_property
    def game(self) -> str:
        """The spot by name."""
        return three_way_name(self.spot)

    @property
    def title(self) -> str:
        return self.spot.board_text

    @property
    def ev(self) -> dict[str, float]:
        """By seat."""
        return self._by_seat(self.evaluation.value)

    @property
    def best_response_ev(self) -> dict[str, float]:
        """What each seat could have against the strategies of the other two."""
        return self._by_seat(self.evaluation.best_response_value or ())

    @property
    def gains(self) -> dict[str, float]:
        """What each seat gains by a best response, in chips."""
        return self._by_seat(self.evaluation.gains)

    def _by_seat(self, values: tuple[float, ...]) -> dict[str, float]:
        return dict(zip(self.spot.seats, values, strict=True))

    @property
    def percent_of_pot(self) -> float:
        """The largest gain."""
        return 100.0 * self.exploitability / self.spot.pot

    @property
    def accuracy(self) -> str:
        """How good it is, in a few words."""
        return f"largest gain {self.percent_of_pot:.3g} % of the pot"

    @cached_property
    def equity(self) -> dict[str, float]:
        """Of the ranges, all-in."""
        return {name: self.root.range_equity(name) for name in self.spot.seats}

    @property
    def infosets(self) -> int:
        """Decisions of all hands on all boards."""
        return self.boards.spot.infosets

    @property
    def nodes(self) -> dict[str, int]:
        """Decisions by street, cards not counted."""
        return self.boards.spot.decisions

    @cached_property
    def root(self) -> ThreeWayNode:
        """Where the spot begins."""
        return ThreeWayNode(self.boards, cards=self.spot.board)

    def at(self, line: str) -> ThreeWayNode:
        """The place after a line such as `x:b60:c:f:8h:x`."""
        return self.root.at(line)

    @cached_property
    def policy(self) -> ThreeWayPolicy:
        return ThreeWayPolicy(self.root)

    def tabular(self) -> TabularPolicy:
        """A three-way spot is not laid out as a tree."""
        raise NotApplicableError(
            "Strategies of three-way spots are looked up by line, not written out infoset by infoset."
        )

    @property
    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Tables to go on from."""
        return self.boards.run.state()

    def to_json(self) -> dict[str, Any]:
        """What `solve SPOT.toml --json` prints."""
        return {
            **super().to_json(),
            "kind": "three-way spot",
            "seats": list(self.spot.seats),
            "exploitability": {"chips": self.exploitability, "percent_of_pot": self.percent_of_pot},
            "gains": {
                name: {"chips": gain, "percent_of_pot": 100.0 * gain / self.spot.pot}
                for name, gain in self.gains.items()
            },
            "ev": self.ev,
            "best_response_ev": self.best_response_ev,
            "equity": self.equity,
            "guarantee": NO_GUARANTEE,
            "root": self.root.summary(),
            "nodes": self.nodes,
        }

    def to_artifact(self) -> Artifact:
        return Artifact(self.kind, self.header(spot=self.spot.to_toml()), self.state)

    @classmethod
    def from_artifact(cls, artifact: Artifact, path: str) -> ThreeWaySolution:
        """What a file holds."""
        header, record = msgspec.convert(artifact.header, ThreeWayHeader), read_record(artifact.header)
        spot = ThreeWaySpot.from_text(header.spot)
        solver = make_solver(record.solver)
        if not isinstance(solver, CFR):
            raise FormatError(f"'{record.solver}' does not solve three-way spots")
        here = compile_seats(spot)
        held = sum(table.nbytes for name, table in artifact.arrays.items() if name.startswith(TABLES))
        if held != here.table_bytes:  # before as much is allocated
            raise FormatError(f"its tables take {held:,} bytes, but those of its spot {here.table_bytes:,}")
        run = ThreeWayCFR(here, solver.schedule)
        run.restore(artifact.arrays)
        if run.iteration != record.iterations:
            raise FormatError(
                f"it says {record.iterations:,} iterations, but its tables are of iteration {run.iteration:,}"
            )
        evaluation = SeatEvaluation(header.value, header.best_response_value)
        return cls(spot, record, evaluation, SolvedSeats(run.spot, lambda: run))


def load_three_way_solution(path: str | os.PathLike[str]) -> ThreeWaySolution:
    """A saved solution of a three-way spot."""
    return read_solution(path, ThreeWaySolution)
