"""SpotSolution: a solved spot, its facts, and the file it is kept in."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from equilibrist.core.artifact import Artifact, open_artifact, save_artifact
from equilibrist.core.errors import EquilibristError, FormatError, NotApplicableError
from equilibrist.games.cards.equity import equity
from equilibrist.games.holdem.forest import street_forests
from equilibrist.games.holdem.sizing import STREETS
from equilibrist.games.holdem.spot import Spot
from equilibrist.solvers.cfr import CFR
from equilibrist.solvers.cursor import Cursor
from equilibrist.solvers.frequency_locks import lock_reports
from equilibrist.solvers.postflop import PostflopRun, SpotEvaluation
from equilibrist.solvers.postflop_tables import table_names
from equilibrist.solvers.registry import make_solver
from equilibrist.solvers.solved_boards import SolvedBoards
from equilibrist.version import __version__

KIND = "spot-solution"
_SHORT: dict[str, Any] = {"regret16": np.int16, "basis16": np.int16, "average16": np.uint16}
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

    @classmethod
    def of_run(
        cls,
        run: PostflopRun,
        spot: Spot,
        *,
        solver: str,
        seconds: float,
        cpu_seconds: float,
        threads: int,
        converged: bool,
        interrupted: bool = False,
        settings: Mapping[str, Any] | None = None,
        evaluation: SpotEvaluation | None = None,
    ) -> SpotSolution:
        """What a run has found; measures it unless that was done already. The run must not advance afterwards."""
        measured, half = evaluation or run.evaluate(), spot.pot / 2.0
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
            ev=ByPlayer(*(value + half for value in measured.value)),
            best_response_ev=ByPlayer(*(value + half for value in measured.best_response_value)),
            equity=ByPlayer(*equity(*spot.ranges, spot.board).equity),
            settings=dict(settings or {}),
            provenance={
                "version": __version__,
                "exploitability": "exact best responses to the average strategies",
            },
            isomorphism=run.isomorphism,
            bits=run.bits,
            boards=SolvedBoards(spot, street_forests(spot), lambda: run),
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
        return {STREETS[forest.street]: forest.counts[0] for forest in self.boards.forests}

    @cached_property
    def root(self) -> Cursor:
        """Where the spot begins."""
        return Cursor(self.boards, cards=self.spot.board)

    def at(self, line: str) -> Cursor:
        """The place after a line such as `x:b120:c:8h:x`."""
        return self.root.at(line)

    @property
    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Tables to go on from."""
        if not self.resumable:
            raise NotApplicableError(
                "This solution was saved without its regrets, so solving cannot go on from it; solve anew, or save with_state=True."
            )
        return self.boards.run.state()

    def facts(self) -> dict[str, Any]:
        """What `solve SPOT.toml --json` prints."""
        facts: dict[str, Any] = {
            "kind": "spot",
            **{name: getattr(self, name) for name in _NUMBERS},
            "exploitability": {"chips": self.exploitability, "percent_of_pot": self.percent_of_pot},
            **{name: getattr(self, name)._asdict() for name in ("ev", "best_response_ev", "equity")},
            "root": self.root.summary(),
            "nodes": self.nodes,
        }
        locks = [report.facts() for report in lock_reports(self)]
        return facts | ({"locks": locks} if locks else {})

    def save(self, path: str | os.PathLike[str], *, with_state: bool = True) -> None:
        """One file that `load_spot_solution` opens; without state it is half as large, and solving cannot go on from it."""
        arrays = self.state if with_state else _averages(self.boards.run)
        header: dict[str, Any] = {
            "spot": self.spot.to_toml(),
            **{name: getattr(self, name) for name in _NUMBERS},
            **{name: list(getattr(self, name)) for name in ("ev", "best_response_ev", "equity")},
            "settings": dict(self.settings),
            "provenance": dict(self.provenance),
            "isomorphism": self.isomorphism,
            "bits": self.bits,
            "resumable": with_state,
        }
        save_artifact(path, Artifact(KIND, header, arrays))


class _Header(msgspec.Struct):
    """What a file says about itself."""

    spot: str
    solver: str
    iterations: int
    seconds: float
    cpu_seconds: float
    threads: int
    converged: bool
    interrupted: bool
    memory_bytes: int
    ev: tuple[float, float]
    best_response_ev: tuple[float, float]
    equity: tuple[float, float]
    settings: dict[str, Any]
    provenance: dict[str, Any]
    isomorphism: bool
    resumable: bool
    bits: Literal[16, 32] = 32


def load_spot_solution(path: str | os.PathLike[str]) -> SpotSolution:
    """Open a saved solution; its tables stay in the file until they are looked at."""
    artifact = open_artifact(path, KIND)
    try:
        header = msgspec.convert(artifact.header, _Header)
        spot, solver = Spot.from_text(header.spot), make_solver(header.solver)
        forests = street_forests(spot)
        if not isinstance(solver, CFR):
            raise FormatError(f"spots are not solved by {header.solver}")
        kinds = table_names(header.bits, solver.minimiser != "rm")
        wanted = kinds if header.resumable else [kind for kind in kinds if kind.startswith("average")]
        _check_tables(artifact, len(forests), wanted)
    except (EquilibristError, msgspec.ValidationError) as error:
        raise FormatError(f"'{path}' is damaged or incomplete ({error}); write it again.") from None

    def build() -> PostflopRun:
        predictive, weights = solver.minimiser != "rm", [spot.weights(0), spot.weights(1)]
        run = PostflopRun(
            forests,
            spot.board,
            weights,
            solver.schedule,
            predictive=predictive,
            isomorphism=header.isomorphism,
            locks=spot.locks,
            bits=header.bits,
        )
        _adopt(run, artifact.arrays, os.fspath(path))
        run.iteration = header.iterations
        return run

    told: dict[str, Any] = {name: getattr(header, name) for name in _NUMBERS}
    return SpotSolution(
        spot=spot,
        **told,
        ev=ByPlayer(*header.ev),
        best_response_ev=ByPlayer(*header.best_response_ev),
        equity=ByPlayer(*header.equity),
        settings=header.settings,
        provenance=header.provenance,
        boards=SolvedBoards(spot, forests, build),
        isomorphism=header.isomorphism,
        bits=header.bits,
        resumable=header.resumable,
    )


def _averages(run: PostflopRun) -> dict[str, npt.NDArray[Any]]:
    return {name: array for name, array in run.state().items() if name.startswith("average")}


def _check_tables(artifact: Artifact, streets: int, kinds: Sequence[str]) -> None:
    """All tables must be there; whether they fit the boards is seen when the boards are worked out."""
    for kind in kinds:
        for name in (f"{kind}.{depth}.{player}" for depth in range(streets) for player in range(2)):
            table = artifact.arrays.get(name)
            expected = _SHORT.get(kind, np.float32)
            if table is None or table.dtype != expected or table.ndim != 1:
                raise FormatError(f"the table {name} is missing or of another type")


def _adopt(run: PostflopRun, arrays: Mapping[str, npt.NDArray[Any]], path: str) -> None:
    """Put the tables of a file into a run; missing ones stay zero and take no memory until they are written."""
    for depth, street in enumerate(run.streets):
        adopted = []
        for player, tables in enumerate(street.tables):
            own = {name: arrays.get(f"{name}.{depth}.{player}") for name in table_names(run.bits, tables.predictive)}
            found = {name: table for name, table in own.items() if table is not None}
            if any(table.shape != getattr(tables, name).shape for name, table in found.items()):
                raise FormatError(f"'{path}' is damaged: its tables do not fit the spot; write it again.")
            changed = tables._replace(**found)
            if not tables.predictive:
                changed = changed._replace(
                    basis=changed.regret, basis16=changed.regret16, basis_scale=changed.regret_scale
                )
            adopted.append(changed)
        street.tables = (adopted[0], adopted[1])
