"""`solve`: one call from a game and a solver's name to a solution."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import Solution
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.forms.history_tree.game_tree import GameTree
from equilibrist.games.poker.bucket_game import BucketPoker
from equilibrist.games.poker.game import Poker
from equilibrist.games.rules import Game
from equilibrist.solvers.auto_solver import AUTO, choose_solver
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.iteration_loop import ProgressCallback, Solver, Stop
from equilibrist.solvers.registry import make_solver, solver_name

if TYPE_CHECKING:
    from equilibrist.games.spots.spot import Spot
    from equilibrist.solvers.hand_classes.bucket_solution import BucketSolution
    from equilibrist.solvers.postflop.solutions.game_solution import BoardSolution
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

DEFAULT_SOLVER = "dcfr"
WORTH_BOARDS = 5_000_000  # histories from which a tree takes a gigabyte; boards are faster long before

_AMOUNT = re.compile(r"\s*([0-9.eE+-]+)\s*(%|mbb|mbb/g)?\s*\Z")


@overload
def solve(
    game: Spot,
    solver: str | None = None,
    *,
    until: float | str | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    bits: int = 32,
    device: str = "cpu",
    progress: ProgressCallback | None = None,
    resume: SpotSolution | None = None,
) -> SpotSolution: ...


@overload
def solve(
    game: str | Game | GameTree | Compiled,
    solver: str | Solver | None = None,
    *,
    until: float | str | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    keep_best: bool = False,
    seed: int = 0,
    threads: int = 1,
    bits: int = 32,
    device: str = "cpu",
    progress: ProgressCallback | None = None,
    resume: Solution | BoardSolution | BucketSolution | None = None,
    warm_start: TabularPolicy | Solution | BoardSolution | None = None,
    warm_iterations: int | None = None,
) -> Solution | BoardSolution | BucketSolution: ...


def solve(
    game: Any,
    solver: Any = None,
    *,
    until: float | str | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    keep_best: bool = False,
    seed: int = 0,
    threads: int = 1,
    bits: int = 32,
    device: str = "cpu",
    progress: ProgressCallback | None = None,
    resume: Any = None,
    warm_start: TabularPolicy | Solution | BoardSolution | None = None,
    warm_iterations: int | None = None,
) -> Any:
    """Solve a game or a spot; stops at exploitability `until` (chips, `%` of the pot or `mbb`), `iterations`, `seconds` or `nodes`.

    `keep_best` gives the least exploitable profile measured on the way. `warm_start` goes on from a profile as if it had been played
    for `warm_iterations` (estimated if not given), which count among `iterations`.
    """
    if device != "cpu":
        raise NotApplicableError(f"Solvers run on the CPU, but device '{device}' was asked for; leave it out.")
    if not isinstance(game, str | Game | GameTree | Compiled):
        from equilibrist.solvers.postflop.solve_spot import DEFAULT_SPOT_SOLVER, solve_spot

        if nodes is not None or keep_best or warm_start is not None:
            raise NotApplicableError("'nodes', 'keep_best' and 'warm_start' are for games; leave them out for spots.")
        return solve_spot(
            game,
            DEFAULT_SPOT_SOLVER if solver in (None, AUTO) else solver_name(solver),
            until=until,
            iterations=iterations,
            seconds=seconds,
            threads=threads,
            bits=bits,
            progress=progress,
            resume=resume,
        )
    target = compiled(game)
    goal = exploitability_target(until, target.game)
    choice = None
    if solver == AUTO:
        choice = choose_solver(target, until=goal)
        solver = choice.solver
    solver = DEFAULT_SOLVER if solver is None else solver
    chosen = make_solver(solver) if isinstance(solver, str) else solver
    stop = Stop(goal, iterations, seconds, nodes, keep_best)
    if wants_buckets(target.game, chosen):
        from equilibrist.solvers.hand_classes.bucket_solution import solve_buckets

        if nodes is not None or keep_best or warm_start is not None:
            raise NotApplicableError(
                "'nodes', 'keep_best' and 'warm_start' are for solvers on trees; leave them out here."
            )
        assert isinstance(target.game, BucketPoker)
        return solve_buckets(target.game, chosen, stop, threads=threads, bits=bits, progress=progress, resume=resume)
    if warm_start is not None and wants_boards(target.game, chosen):
        resume = _warm_boards(target.game, chosen, warm_start, warm_iterations, threads)
    elif warm_start is not None:
        resume = _warm(target, chosen, warm_start, warm_iterations, resume)
    elif warm_iterations is not None:
        raise ParameterError("'warm_iterations' says how long a profile has been played; give 'warm_start' too.")
    solution: Solution | BoardSolution
    if wants_boards(target.game, chosen):
        from equilibrist.solvers.postflop.solve_game import poker_game, solve_boards

        if nodes is not None or keep_best:
            raise NotApplicableError("'nodes' and 'keep_best' are for solvers on trees; leave them out on boards.")
        poker = poker_game(target.game)
        solution = solve_boards(poker, chosen, stop, threads=threads, bits=bits, progress=progress, resume=resume)
    else:
        refuse_tuning(threads, bits)
        solution = chosen.solve(target, stop, seed=seed, progress=progress, resume=resume)
    if choice is None:
        return solution
    return replace(solution, settings={**solution.settings, "chosen": choice.reason})


def wants_boards(game: Game, solver: Solver) -> bool:
    """Whether a solver works on boards here: asked to, or left to choose in a large game that has them."""
    if not isinstance(solver, CFR) or solver.representation != "auto":
        return isinstance(solver, CFR) and solver.representation == "boards"
    return (
        isinstance(game, Poker) and game.rules.has_boards and solver.plain_matching and game.histories() > WORTH_BOARDS
    )


def wants_buckets(game: Game, solver: Solver) -> bool:
    """Whether a game of buckets is solved by matrices of them: always where its tree would be large."""
    if not isinstance(game, BucketPoker) or not isinstance(solver, CFR) or solver.representation != "auto":
        return False
    return solver.plain_matching and game.histories() > WORTH_BOARDS


def refuse_tuning(threads: int, bits: int) -> None:
    """Only spots and games solved on boards have threads and smaller tables."""
    if bits != 32:
        raise NotApplicableError(
            f"Only spots and games solved on boards have smaller tables, but {bits} bits were asked for; leave it out."
        )
    if threads != 1:
        raise NotApplicableError(f"Tabular solvers use one thread, but {threads} were asked for; leave it out.")


def _warm_boards(game: Game, solver: Solver, profile: Any, iterations: int | None, threads: int) -> BoardSolution:
    from equilibrist.solvers.postflop.solutions.game_solution import BoardSolution
    from equilibrist.solvers.postflop.solve_game import poker_game
    from equilibrist.solvers.postflop.warm_start import warm_boards

    if not isinstance(profile, BoardSolution):
        raise NotApplicableError(
            f"'{game.name}' is solved on boards, so a warm start needs a solution on boards; name the solver that made it."
        )
    return warm_boards(poker_game(game), profile, solver, iterations=iterations, threads=threads)


def _warm(game: Compiled, solver: Solver, profile: Any, iterations: int | None, resume: Solution | None) -> Solution:
    from equilibrist.solvers.cfr.cfr import CFR
    from equilibrist.solvers.cfr.warm_start import warm_start

    if resume is not None:
        raise ParameterError(
            "A run goes on either from its own state or from a profile; give 'resume' or 'warm_start'."
        )
    if not isinstance(solver, CFR):
        raise NotApplicableError(
            f"Only the CFR family can be warm started, not '{solver.name}'; use cfr, cfr+, lcfr or dcfr."
        )
    return warm_start(game, profile, iterations="estimate" if iterations is None else iterations, solver=solver)


def exploitability_target(until: float | str | None, game: Game) -> float | None:
    """A target in the game's own chips."""
    if until is None or isinstance(until, int | float):
        return until
    match = _AMOUNT.match(until)
    try:
        if match is None:
            raise ValueError
        amount = float(match.group(1))
    except ValueError:
        raise ParameterError(
            f"Cannot read the target '{until}': expected chips (0.001), '0.3%' of the pot or '5mbb'."
        ) from None
    unit = match.group(2)
    if unit is None:
        return amount
    if unit == "%":
        if game.pot is None:
            raise NotApplicableError(
                f"The game '{game.name}' has no pot, so '{until}' means nothing; give chips or points."
            )
        return amount / 100.0 * game.pot
    if game.big_blind is None:
        raise NotApplicableError(
            f"The game '{game.name}' has no blinds or antes, so '{until}' means nothing; give chips."
        )
    return amount / 1000.0 * game.big_blind
