"""SpotSolution: a solved spot, its facts, and the file it is kept in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import add
from typing import Any, NamedTuple

import msgspec
import numpy.typing as npt

from equilibrist.cards.equity import equity
from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.artifact import Artifact, open_artifact, save_artifact
from equilibrist.core.errors import EquilibristError, FormatError, NotApplicableError
from equilibrist.core.solution import Evaluation
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.postflop.locks.frequency_locks import lock_reports
from equilibrist.solvers.postflop.solutions.lazy_boards import SolvedBoards
from equilibrist.solvers.postflop.solutions.resolve_on_read import PartialBoards
from equilibrist.solvers.postflop.solutions.saved_tables import adopt, check_tables
from equilibrist.solvers.postflop.solutions.spot_files import (
    Header,
    averages,
    check_fit,
    first_streets,
    kept_streets,
    left_out,
    read_deal_values,
)
from equilibrist.solvers.postflop.solutions.spot_node import SpotNode
from equilibrist.solvers.postflop.tables import table_names
from equilibrist.solvers.postflop.vector_cfr import BoardCFR
from equilibrist.solvers.registry import make_solver
from equilibrist.version import __version__

KIND = "spot-solution"
_NUMBERS = ("solver", "iterations", "seconds", "cpu_seconds", "threads", "converged", "interrupted", "memory_bytes")


class ByPlayer(NamedTuple):
    """One number for each player."""

    oop: float
    ip: float


@dataclass(frozen=True, eq=False)
class SpotSolution:
    """Average strategies of both players in a spot, and how good they are; a file is read only as far as it is looked at."""

    spot: Spot
    solver: str
    iterations: int
    seconds: float
    cpu_seconds: float
    threads: int
    converged: bool
    interrupted: bool
    memory_bytes: int  # of the solver's tables
    ev: ByPlayer  # shares of the pot; they add up to the pot, less rake
    best_response_ev: ByPlayer  # what each could have against the other's strategy
    equity: ByPlayer  # of the ranges, all-in
    settings: Mapping[str, Any]
    provenance: Mapping[str, Any]
    boards: SolvedBoards = field(repr=False)
    isomorphism: bool = True  # boards that differ by suits only were solved once
    bits: int = 32  # of a table entry
    resumable: bool = True  # regrets are there
    missing: tuple[str, ...] = ()  # streets that were not saved; they are solved again where they are looked at

    @classmethod
    def of_run(
        cls,
        run: BoardCFR,
        spot: Spot,
        *,
        solver: str,
        seconds: float,
        cpu_seconds: float,
        threads: int,
        converged: bool,
        interrupted: bool = False,
        settings: Mapping[str, Any] | None = None,
        evaluation: Evaluation | None = None,
    ) -> SpotSolution:
        """What a run has found; measures it unless that was done already. The run must not advance afterwards."""
        measured = evaluation or run.evaluate()
        begun = tuple(spot.pot / 2.0 + paid for paid in spot.opening.paid)  # what lies in the pot is nobody's any more
        return cls(
            spot=spot,
            solver=solver,
            iterations=run.iteration,
            seconds=seconds,
            cpu_seconds=cpu_seconds,
            threads=threads,
            converged=converged,
            interrupted=interrupted,
            memory_bytes=run.memory_bytes,
            ev=ByPlayer(*map(add, measured.value, begun)),
            best_response_ev=ByPlayer(*map(add, measured.best_response_value or (), begun)),
            equity=ByPlayer(*equity(*spot.ranges, spot.board).equity),
            settings=dict(settings or {}),
            provenance={
                "version": __version__,
                "exploitability": "exact best responses to the average strategies",
            },
            isomorphism=run.isomorphism,
            bits=run.bits,
            boards=SolvedBoards(spot, run.forests, lambda: run),
        )

    @property
    def exploitability(self) -> float:
        """Half of what best responses gain together, in chips."""
        return 0.5 * (sum(self.best_response_ev) - sum(self.ev))

    @property
    def percent_of_pot(self) -> float:
        return 100.0 * self.exploitability / self.spot.pot

    @property
    def nodes(self) -> dict[str, int]:
        """Decisions by street, cards not counted."""
        return {POSTFLOP_STREETS[forest.street]: forest.counts[0] for forest in self.boards.forests}

    @cached_property
    def root(self) -> SpotNode:
        """Where the spot begins."""
        return SpotNode(self.boards, cards=self.spot.board)

    def at(self, line: str) -> SpotNode:
        """The place after a line such as `x:b120:c:8h:x`."""
        return self.root.at(line)

    @property
    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Tables to go on from."""
        if self.missing:
            raise NotApplicableError(
                f"This solution was saved without its {self.missing[0]}, so solving cannot go on from it; solve anew, or save all streets."
            )
        if not self.resumable:
            raise NotApplicableError(
                "This solution was saved without its regrets, so solving cannot go on from it; solve anew, or save with_state=True."
            )
        return self.boards.run.state()

    def to_json(self) -> dict[str, Any]:
        """What `solve SPOT.toml --json` prints."""
        facts: dict[str, Any] = {
            "kind": "spot",
            **{name: getattr(self, name) for name in _NUMBERS},
            "exploitability": {"chips": self.exploitability, "percent_of_pot": self.percent_of_pot},
            **{name: getattr(self, name)._asdict() for name in ("ev", "best_response_ev", "equity")},
            "root": self.root.summary(),
            "nodes": self.nodes,
        }
        locks = [report.to_json() for report in lock_reports(self)]
        return facts | ({"locks": locks} if locks else {})

    def save(self, path: str | os.PathLike[str], *, with_state: bool = True, without: str | None = None) -> None:
        """One file that `load_spot_solution` opens; without state it is half as large, and solving cannot go on from it.

        `without="river"` (or "turn") leaves out that street and what follows, which is solved again where it is looked at; it leaves out
        the state too.
        """
        missing = self.missing if without is None else max(self.missing, left_out(self.spot, without), key=len)
        if missing:
            arrays = first_streets(self.boards, len(self.boards.forests) - len(missing))
        else:
            arrays = self.state if with_state else averages(self.boards.run)
        header: dict[str, Any] = {
            "spot": self.spot.to_toml(),
            **{name: getattr(self, name) for name in _NUMBERS},
            **{name: list(getattr(self, name)) for name in ("ev", "best_response_ev", "equity")},
            "settings": dict(self.settings),
            "provenance": dict(self.provenance),
            "isomorphism": self.isomorphism,
            "bits": self.bits,
            "resumable": with_state and not missing,
            "missing": list(missing),
        }
        save_artifact(path, Artifact(KIND, header, arrays))


def load_spot_solution(path: str | os.PathLike[str]) -> SpotSolution:
    """Open a saved solution; its tables stay in the file until they are looked at."""
    artifact = open_artifact(path, KIND)
    try:
        header = msgspec.convert(artifact.header, Header)
        spot, solver = Spot.from_text(header.spot), make_solver(header.solver)
        compiled = compile_spot(spot, isomorphism=header.isomorphism)
        if not isinstance(solver, CFR):
            raise FormatError(f"spots are not solved by {header.solver}")
        predictive = solver.minimiser != "rm"
        kinds = table_names(header.bits, predictive)
        wanted = kinds if header.resumable else [kind for kind in kinds if kind.startswith("average")]
        kept = kept_streets(header, spot)
        check_tables(artifact, kept, wanted)
        stored = read_deal_values(artifact, kept) if header.missing else {}
    except (EquilibristError, msgspec.ValidationError) as error:
        raise FormatError(f"'{path}' is damaged or incomplete ({error}); write it again.") from None

    def build() -> BoardCFR:
        run = BoardCFR.on_spot(compiled, solver.schedule, predictive=predictive, bits=header.bits)
        adopt(run, artifact.arrays, os.fspath(path))
        check_fit(run, stored, os.fspath(path))
        run.iteration = header.iterations
        return run

    boards = SolvedBoards(spot, compiled.forests, build)
    if header.missing:
        goal = 0.5 * (sum(header.best_response_ev) - sum(header.ev))
        boards = PartialBoards(
            spot,
            compiled.forests,
            build,
            deal_values=stored,
            schedule=solver.schedule,
            predictive=predictive,
            goal=goal,
        )
    told: dict[str, Any] = {name: getattr(header, name) for name in _NUMBERS}
    return SpotSolution(
        spot=spot,
        **told,
        ev=ByPlayer(*header.ev),
        best_response_ev=ByPlayer(*header.best_response_ev),
        equity=ByPlayer(*header.equity),
        settings=header.settings,
        provenance=header.provenance,
        boards=boards,
        isomorphism=header.isomorphism,
        bits=header.bits,
        resumable=header.resumable,
        missing=header.missing,
    )
