"""`solve_spot`: from a postflop spot to a `SpotSolution`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError, TooLargeError
from equilibrist.core.policy import Policy
from equilibrist.core.solution import Evaluation, Solution
from equilibrist.forms.boards.compiled_spot import CompiledSpot, compile_spot
from equilibrist.games.size_estimate import memory_limit
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.iteration_loop import Finished, ProgressCallback, Solver, Stop, finish, go_on
from equilibrist.solvers.mccfr.mccfr import MCCFR
from equilibrist.solvers.postflop.board_runs import (
    DealtBoards,
    method_on_boards,
    solver_on_boards,
    start_on_boards,
)
from equilibrist.solvers.postflop.locks.frequency_locks import solve_with_frequencies
from equilibrist.solvers.postflop.vector_cfr import BoardCFR
from equilibrist.solvers.registry import make_solver, remade, solver_name

if TYPE_CHECKING:
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

DEFAULT_SPOT_SOLVER = "dcfr(gamma=3)"  # chosen by measurement: docs/solvers/postflop.md


def solve_spot(
    spot: Spot | CompiledSpot,
    solver: str | Solver = DEFAULT_SPOT_SOLVER,
    *,
    until: float | str | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    bits: int = 32,
    device: str = "cpu",
    isomorphism: bool = True,
    seed: int = 0,
    progress: ProgressCallback | None = None,
    resume: Solution | None = None,
    warm_start: Policy | Solution | None = None,
    warm_iterations: int | None = None,
) -> SpotSolution:
    """Solve a spot; `until` is in chips, or `0.3%` of the pot. Locks by frequency take several solves, each with these goals.

    `seed` is for methods that sample. Without `isomorphism` boards that differ by suits only are solved one by one, as locks need it
    that tell suits apart. `warm_start` goes on from another solution of the spot as if it had been played for `warm_iterations`.
    """
    here = compile_spot(spot, isomorphism=isomorphism)
    stop = Stop(exploitability=target_chips(until, here.spot), iterations=iterations, seconds=seconds)
    if warm_start is not None:
        from equilibrist.solvers.postflop.warm_start import warm_spot

        if resume is not None:
            raise ParameterError(
                "A run goes on either from its own state or from a profile; give 'resume' or 'warm_start'."
            )
        resume = warm_spot(here, warm_start, solver, iterations=warm_iterations, threads=threads)
        here = here if resume.isomorphism else here.unmerged()
    if resume is not None:
        here = _same_spot(here, solver, resume)
    elif not all(lock.settled for lock in here.spot.locks):

        def part(one: CompiledSpot, told: ProgressCallback | None) -> SpotSolution:
            return _solve(one, solver, stop, threads, bits, device, seed, told, None)

        return solve_with_frequencies(here, part, progress)
    return _solve(here, solver, stop, threads, bits, device, seed, progress, resume)


def _solve(
    spot: CompiledSpot,
    solver: str | Solver,
    stop: Stop,
    threads: int,
    bits: int,
    device: str,
    seed: int,
    progress: ProgressCallback | None,
    resume: Solution | None,
) -> SpotSolution:
    """One solve of a spot that says what every locked hand does."""
    run = start_spot(spot, solver, threads=threads, bits=bits, seed=seed, device=device)
    before = None
    if resume is not None:
        before = go_on(run, resume, kind=resume.kind, game=resume.game, solver=solver_name(solver), bits=bits)

    def solution(found: Finished[Evaluation]) -> SpotSolution:
        from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

        return SpotSolution.of_run(run, spot.spot, found.record, evaluation=found.evaluation)

    settings: dict[str, Any] = {"seed": seed} if isinstance(solver_on_spots(solver), MCCFR) else {}
    if run.device != "cpu":
        settings["device"] = run.device
    return finish(
        run,
        stop,
        solution,
        solver=solver_name(solver),
        progress=progress,
        before=before,
        threads=threads,
        bits=bits,
        settings=settings,
    )


def cost_of_locks(solution: SpotSolution, *, progress: ProgressCallback | None = None) -> tuple[float, float]:
    """What the locks of a spot cost each player (oop, ip) in chips: the value without them, minus the value with them.

    Unless that is known already, the spot is solved again without locks to the exploitability that was reached with them.
    """
    free = solution.provenance.get("ev_without_locks")
    if free is None:
        free = solve_spot(
            solution.spot.changed(lock=()),
            solution.solver if remade(solution.solver) else DEFAULT_SPOT_SOLVER,
            until=max(solution.exploitability, 1e-9),
            iterations=max(10 * solution.iterations, 1000),
            threads=solution.threads,
            progress=progress,
        ).ev
    return free[0] - solution.ev[0], free[1] - solution.ev[1]


def start_spot(
    spot: Spot | CompiledSpot,
    solver: str | Solver = DEFAULT_SPOT_SOLVER,
    *,
    threads: int = 1,
    isomorphism: bool = True,
    bits: int = 32,
    seed: int = 0,
    device: str = "cpu",
) -> BoardCFR:
    """A run at iteration 0; refuses what does not fit in memory before anything is allocated."""
    chosen = solver_on_spots(solver)
    here = compile_spot(spot, isomorphism=isomorphism and method_on_boards(chosen).merges_suits)
    need = bytes_on_spot(here, chosen, bits)
    if need > memory_limit():
        raise TooLargeError(
            f"This spot needs {need / 1e9:.1f} GB for its tables, but {memory_limit() / 1e9:.1f} GB are available; use fewer bet sizes, "
            "narrower ranges or a later street."
        )
    return start_on_boards(chosen, DealtBoards.of_spot(here), threads=threads, bits=bits, seed=seed, device=device)


def bytes_on_spot(spot: CompiledSpot, solver: Any, bits: int = 32) -> int:
    """Bytes that a solver's tables will take."""
    return method_on_boards(solver).bytes_needed(spot.forests, spot.boards, bits)


def solver_on_spots(solver: str | Solver) -> Any:
    """Any solver that runs on boards; opponents of spots are bound by locks and by `exploit`."""
    chosen = solver_on_boards(solver)
    return _checked(chosen, solver_name(solver)) if isinstance(chosen, CFR) else chosen


def spot_solver(name: str) -> CFR:
    """A member of the CFR family with regret matching and alternating updates, which vector CFR learns in its passes."""
    chosen = make_solver(name)
    if not isinstance(chosen, CFR) or not _checked(chosen, name).plain_matching:
        raise NotApplicableError(
            f"This takes the CFR family with regret matching and alternating updates (dcfr, cfr+, lcfr, pcfr+ …), not '{name}'."
        )
    return chosen


def _checked(chosen: CFR, name: str) -> CFR:
    if chosen.bindings:
        raise NotApplicableError(
            f"On spots opponents are bound by locks and by `exploit`, but '{name}' has models; leave them out."
        )
    return chosen


def check_request(spot: Spot, solver: str | Solver, until: float | str | None) -> None:
    """Refuse an unsuitable solver or target before anything is said or built."""
    solver_on_spots(solver)
    target_chips(until, spot)


def target_chips(until: float | str | None, spot: Spot) -> float | None:
    """A target in chips from chips or a share of the pot."""
    if until is None or not isinstance(until, str):
        return until  # which `Stop` checks
    amount, of_pot = read_target(until)
    return amount / 100.0 * spot.pot if of_pot else amount


def read_target(until: str) -> tuple[float, bool]:
    """A number from text, and whether it is per cent of the pot instead of chips."""
    text = until.strip()
    try:
        amount = float(text.removesuffix("%"))
        if not 0.0 <= amount < math.inf:
            raise ValueError
    except ValueError:
        raise ParameterError(
            f"Cannot read the target '{until}': expected chips (0.5) or a share of the pot ('0.3%')."
        ) from None
    return amount, text.endswith("%")


def _same_spot(given: CompiledSpot, solver: str | Solver, resume: Solution) -> CompiledSpot:
    """The spot of a saved run if it is the one given; what was made of locks by frequency is taken over."""
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

    if not isinstance(resume, SpotSolution):
        raise FormatError(f"The saved run is of '{resume.title}', not of a spot; name the game it was solved for.")
    spot, saved = given.spot, resume.spot
    same = saved.asked if spot.asked is spot else saved
    if same.to_toml() != spot.to_toml() or resume.solver != solver_name(solver):
        raise FormatError(
            f"The saved run is '{resume.solver}' on another spot or with other settings; name the same spot and solver to go on."
        )
    given = given.dealt_by_street(resume.by_street)
    return given.with_locks(saved.locks) if saved.locks else given
