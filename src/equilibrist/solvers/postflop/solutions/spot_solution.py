"""SpotSolution: a solved spot, its facts, and the file it is kept in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import add, sub
from typing import Any, ClassVar, NamedTuple

import msgspec
import numpy.typing as npt

from equilibrist.cards.equity import equity
from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.arrays import Array
from equilibrist.core.artifact import Artifact, save_artifact
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import BaseSolution, Evaluation, SolveRecord, read_record, read_solution
from equilibrist.forms.boards.compiled_spot import CompiledSpot, compile_spot
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_game import spot_game_name
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.schedules import PLUS, VANILLA
from equilibrist.solvers.postflop.locks.frequency_locks import lock_reports
from equilibrist.solvers.postflop.solutions.lazy_boards import SolvedBoards
from equilibrist.solvers.postflop.solutions.resolve_on_read import PartialBoards
from equilibrist.solvers.postflop.solutions.saved_tables import adopt, check_tables, restore
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
from equilibrist.solvers.postflop.solutions.spot_policy import SpotPolicy
from equilibrist.solvers.postflop.tables import decisions_of_hands, table_names
from equilibrist.solvers.postflop.vector_cfr import BoardCFR
from equilibrist.solvers.registry import make_solver, remade
from equilibrist.solvers.written_out import written_out
from equilibrist.version import __version__

MEASURED = "exact best responses to the average strategies"


class ByPlayer(NamedTuple):
    """One number for each player."""

    oop: float
    ip: float


@dataclass(frozen=True, eq=False, repr=False)
class SpotSolution(BaseSolution):
    """Average strategies of both players in a spot, and how good they are; a file is read only as far as it is looked at."""

    kind: ClassVar[str] = "spot-solution"

    spot: Spot
    record: SolveRecord
    ev: ByPlayer  # shares of the pot; they add up to the pot, less rake
    best_response_ev: ByPlayer  # what each could have against the other's strategy
    boards: SolvedBoards = field(repr=False)
    isomorphism: bool = True  # boards that differ by suits only were solved once
    by_street: bool = False  # of the spot's own board its streets were told apart for that
    resumable: bool = True  # regrets are there
    missing: tuple[str, ...] = ()  # streets that were not saved; they are solved again where they are looked at
    known_equity: ByPlayer | None = field(default=None, repr=False)  # if a file says it

    @classmethod
    def of_run(
        cls, run: BoardCFR, spot: Spot, record: SolveRecord, *, evaluation: Evaluation | None = None
    ) -> SpotSolution:
        """What a run has found; measures it unless that was done already. The run must not advance afterwards."""
        measured = evaluation or run.evaluate()
        begun = begun_with(spot)
        return cls(
            spot=spot,
            record=replace(
                record,
                iterations=run.iteration,
                bits=run.bits,
                memory_bytes=run.memory_bytes,
                provenance={"version": __version__, "exploitability": MEASURED, "error": run.error},
            ),
            ev=ByPlayer(*map(add, measured.value, begun)),
            best_response_ev=ByPlayer(*map(add, measured.best_response_value or (), begun)),
            isomorphism=run.isomorphism,
            by_street=run.deal.by_street,
            boards=SolvedBoards(spot, run.forests, lambda: run),
        )

    @cached_property
    def equity(self) -> ByPlayer:
        """Of the ranges, all-in."""
        return self.known_equity or ByPlayer(*equity(*self.spot.ranges, self.spot.board).equity)

    @cached_property
    def game(self) -> str:
        """The spot as a game that can be played."""
        return spot_game_name(self.spot)

    @property
    def title(self) -> str:
        return self.spot.board_text

    @property
    def evaluation(self) -> Evaluation:
        """Payoffs net of half the starting pot, as the game counts them."""
        begun = begun_with(self.spot)
        return Evaluation(tuple(map(sub, self.ev, begun)), tuple(map(sub, self.best_response_ev, begun)))

    @cached_property
    def policy(self) -> SpotPolicy:
        return SpotPolicy(self.root)

    @property
    def infosets(self) -> int:
        """Decisions of all hands on all boards, suit-copies counted once each."""
        return decisions_of_hands(self.boards.forests, self.boards.run.streets)

    @property
    def percent_of_pot(self) -> float:
        return 100.0 * self.exploitability / self.spot.pot

    @property
    def accuracy(self) -> str:
        """How good it is, in a few words."""
        return f"exploitability {self.percent_of_pot:.3g} % of the pot"

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

    def tabular(self) -> TabularPolicy:
        """The policy of every infoset by name; only where the game is small enough to be laid out."""
        return written_out(self.game, self.policy)

    def to_json(self) -> dict[str, Any]:
        """What `solve SPOT.toml --json` prints."""
        told: dict[str, Any] = {
            **super().to_json(),
            "kind": "spot",
            "exploitability": {"chips": self.exploitability, "percent_of_pot": self.percent_of_pot},
            **{name: getattr(self, name)._asdict() for name in ("ev", "best_response_ev", "equity")},
            "root": self.root.summary(),
            "nodes": self.nodes,
        }
        locks = [report.to_json() for report in lock_reports(self)]
        return told | ({"locks": locks} if locks else {})

    def save(self, path: str | os.PathLike[str], *, with_state: bool = True, without: str | None = None) -> None:
        """One file that `load_spot_solution` opens; without state it is half as large, and solving cannot go on from it.

        So are solutions of solvers that no name makes again, such as a CFR with a schedule of your own.

        `without="river"` (or "turn") leaves out that street and what follows, which is solved again where it is looked at; it leaves out
        the state too.
        """
        save_artifact(path, self.to_artifact(with_state=with_state, without=without))

    def to_artifact(self, *, with_state: bool = True, without: str | None = None) -> Artifact:
        with_state = with_state and self.resumable and remade(self.solver) is not None  # who could go on from it?
        missing = self.missing if without is None else max(self.missing, left_out(self.spot, without), key=len)
        if missing:
            arrays = first_streets(self.boards, len(self.boards.forests) - len(missing))
        else:
            arrays = self.state if with_state else averages(self.boards.run)
        header = self.header(
            spot=self.spot.to_toml(),
            **{name: list(getattr(self, name)) for name in ("ev", "best_response_ev", "equity")},
            isomorphism=self.isomorphism,
            by_street=self.by_street,
            resumable=with_state and not missing,
            missing=list(missing),
        )
        return Artifact(self.kind, header, arrays)

    @classmethod
    def from_artifact(cls, artifact: Artifact, path: str) -> SpotSolution:
        """What a file holds; its tables stay there until they are looked at."""
        header, record = msgspec.convert(artifact.header, Header), read_record({"bits": 32, **artifact.header})
        spot, solver = Spot.from_text(header.spot, chip=1.0), remade(record.solver)
        if solver is None and header.resumable:
            make_solver(record.solver)  # which says what it lacks
        by_street = header.by_street and len(spot.board) > 3
        here = compile_spot(spot, isomorphism=header.isomorphism).dealt_by_street(by_street)
        forests = here.forests
        plain = isinstance(solver, CFR) and solver.plain_matching
        predictive = isinstance(solver, CFR) and solver.minimiser != "rm"
        schedule = solver.schedule if isinstance(solver, CFR) else PLUS if solver is None else VANILLA
        kinds = table_names(record.bits, predictive) if plain or solver is None else ("average",)
        wanted = kinds if header.resumable else [kind for kind in kinds if kind.startswith("average")]
        kept = kept_streets(header, spot)
        check_tables(artifact, kept, wanted)
        stored = read_deal_values(artifact, kept) if header.missing else {}

        def build() -> BoardCFR:
            if not plain and header.resumable:
                return _other_run(here, record.solver, artifact.arrays, path)
            run = BoardCFR.on_spot(here, schedule, predictive=plain and predictive, bits=record.bits)
            adopt(run, artifact.arrays, path, record.iterations)
            check_fit(run, stored, path)
            return run

        boards = SolvedBoards(spot, forests, build)
        if header.missing:
            goal = 0.5 * (sum(header.best_response_ev) - sum(header.ev))
            boards = PartialBoards(
                spot, forests, build, deal_values=stored, schedule=schedule, predictive=predictive, goal=goal
            )
        return cls(
            spot=spot,
            record=record,
            ev=ByPlayer(*header.ev),
            best_response_ev=ByPlayer(*header.best_response_ev),
            known_equity=ByPlayer(*header.equity),
            boards=boards,
            isomorphism=header.isomorphism,
            by_street=by_street,
            resumable=header.resumable,
            missing=header.missing,
        )


def _other_run(spot: CompiledSpot, solver: str, state: Mapping[str, Array], path: str) -> BoardCFR:
    """A run whose tables are not those of vector CFR alone, where the file left it."""
    from equilibrist.solvers.postflop.solve_spot import start_spot

    run = start_spot(spot, solver)
    restore(run, state, path)
    return run


def begun_with(spot: Spot) -> tuple[float, ...]:
    """By player, what is added to a payoff to make it a share of the pot: what lies in the pot is nobody's any more."""
    return tuple(spot.pot / 2.0 + paid for paid in spot.opening.paid)


def load_spot_solution(path: str | os.PathLike[str]) -> SpotSolution:
    """A saved solution of a spot."""
    return read_solution(path, SpotSolution)
