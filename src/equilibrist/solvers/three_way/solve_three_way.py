"""`solve_three_way`: from a spot of three players to a `ThreeWaySolution`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from equilibrist.core.errors import NotApplicableError, ParameterError, TooLargeError
from equilibrist.core.solution import Solution
from equilibrist.forms.three_way.compiled_seats import CompiledSeats, compile_seats
from equilibrist.games.size_estimate import memory_limit
from equilibrist.games.spots.three_way_spot import ThreeWaySpot, three_way_name
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.iteration_loop import Finished, ProgressCallback, Solver, Stop, finish, go_on
from equilibrist.solvers.postflop.solve_spot import DEFAULT_SPOT_SOLVER, read_target
from equilibrist.solvers.postflop.spot_size import memory_text
from equilibrist.solvers.registry import make_solver, remade, solver_name
from equilibrist.solvers.seat_evaluation import SeatEvaluation
from equilibrist.solvers.three_way.three_way_cfr import ThreeWayCFR

if TYPE_CHECKING:
    from equilibrist.solvers.three_way.three_way_solution import ThreeWaySolution

KIND = "three-way-solution"


def solve_three_way(
    spot: ThreeWaySpot | CompiledSeats,
    solver: str | Solver = DEFAULT_SPOT_SOLVER,
    *,
    until: float | str | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    progress: ProgressCallback | None = None,
    resume: Solution | None = None,
) -> ThreeWaySolution:
    """Solve a three-way spot until no seat could gain more than `until`: chips, or `0.3%` of the pot."""
    chosen, here = three_way_solver(solver), compile_seats(spot)
    stop = Stop(exploitability=target_gain(until, here.spot), iterations=iterations, seconds=seconds)
    need = here.bytes_needed(threads)
    if need > memory_limit():
        raise TooLargeError(
            f"This spot needs {need / 1e9:.1f} GB, but {memory_limit() / 1e9:.1f} GB are available; use fewer bet sizes, "
            "narrower ranges or a river."
        )
    run = ThreeWayCFR(here, chosen.schedule, threads=threads)
    named = solver_name(solver)
    before = go_on(run, resume, kind=KIND, game=three_way_name(here.spot), solver=named, bits=32)

    def solution(found: Finished[SeatEvaluation]) -> ThreeWaySolution:
        from equilibrist.solvers.three_way.three_way_node import SolvedSeats
        from equilibrist.solvers.three_way.three_way_solution import ThreeWaySolution

        return ThreeWaySolution(here.spot, found.record, found.evaluation, SolvedSeats(here, lambda: run))

    from equilibrist.solvers.three_way.three_way_solution import MEASURED

    return finish(
        run,
        stop,
        solution,
        solver=named,
        progress=progress,
        before=before,
        threads=threads,
        bits=32,
        measured=MEASURED,
    )


def three_way_solver(solver: str | Solver) -> CFR:
    """A member of the CFR family with regret matching and alternating updates, by a name that a file can keep."""
    chosen, name = (make_solver(solver) if isinstance(solver, str) else solver), solver_name(solver)
    if not isinstance(chosen, CFR) or not chosen.plain_matching or chosen.minimiser != "rm":
        raise NotApplicableError(
            f"Three players are solved by CFR with regret matching and alternating updates (dcfr, cfr+, lcfr, cfr), not by '{name}'."
        )
    if remade(name) is None:
        raise NotApplicableError(
            "Three players are solved by solvers that have a name; give one, such as dcfr(gamma=3)."
        )
    return chosen


def target_gain(until: float | str | None, spot: ThreeWaySpot) -> float | None:
    """A gain in chips from chips or a share of the pot."""
    if until is None or not isinstance(until, str):
        return until  # which `Stop` checks
    amount, of_pot = read_target(until)
    return amount / 100.0 * spot.pot if of_pot else amount


def refuse_for_three(**given: object) -> None:
    """Options that only spots of two players have."""
    for name, value in given.items():
        if value is not None:
            raise ParameterError(f"'{name}' is for spots of two players, but this one has three ranges; leave it out.")


@dataclass(frozen=True)
class ThreeWaySize:
    """What a solve will have to hold."""

    decisions: dict[str, int]  # by street, cards not counted
    hands: tuple[int, ...]  # of each seat
    table_bytes: int

    @property
    def sentence(self) -> str:
        """`Betting: river 96 decisions; 300, 294 and 267 hands; 0.5 MB of tables.`"""
        parts = ", ".join(f"{street} {count:,} decisions" for street, count in self.decisions.items())
        first, second, third = (f"{count:,}" for count in self.hands)
        return f"Betting: {parts}; {first}, {second} and {third} hands; {memory_text(self.table_bytes)} of tables."


def three_way_size(spot: ThreeWaySpot | CompiledSeats) -> ThreeWaySize:
    """The size of a three-way spot, before anything is allocated."""
    here = compile_seats(spot)
    return ThreeWaySize(here.decisions, here.hands, here.table_bytes)
