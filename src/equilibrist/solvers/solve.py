"""`solve`: one call from a game or a spot and a solver's name to a solution; here it is decided what it is solved on."""

from __future__ import annotations

import re
import sys
from enum import Enum
from typing import TYPE_CHECKING, overload

from equilibrist.compute.time_limit import time_limit
from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError, suggest
from equilibrist.core.numbers import whole_number
from equilibrist.core.policy import Policy
from equilibrist.core.solution import Solution
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.forms.history_tree.game_tree import GameTree
from equilibrist.games.rules import Game
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.three_way_spot import ThreeWaySpot, load_spot
from equilibrist.solvers.auto_solver import AUTO, choose_solver
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.iteration_loop import ProgressCallback, Solver, Stop
from equilibrist.solvers.postflop.gpu.devices import check_device, refuse_gpu
from equilibrist.solvers.registry import check_solver_object, make_solver

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from equilibrist.games.tables.table import Table
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution
    from equilibrist.solvers.tables.table_solution import TableSolution
    from equilibrist.solvers.three_way.three_way_solution import ThreeWaySolution

DEFAULT_SOLVER = "dcfr"
WORTH_BOARDS = 5_000_000  # histories from which a tree takes a gigabyte; boards are faster long before

_AMOUNT = re.compile(r"\s*([0-9.eE+-]+)\s*(%|mbb|mbb/g)?\s*\Z")


class Representation(Enum):
    """What a game is stored as while it is solved."""

    TREE = "solution"  # the kinds of the files that solutions are kept in
    BOARDS = "boards"
    BUCKETS = "buckets"
    SPOT = "spot-solution"
    THREE_WAY = "three-way-solution"

    @property
    def threaded(self) -> bool:
        """Whether threads and smaller tables are offered."""
        return self is not Representation.TREE


def choose_representation(
    target: Spot | ThreeWaySpot | Game, solver: Solver, resume: Solution | None = None, on: str | None = None
) -> Representation:
    """The one place where it is decided: by what is solved, how a saved run was stored, what was asked for, and size."""
    if isinstance(target, Spot):
        return Representation.SPOT
    if isinstance(target, ThreeWaySpot):
        return Representation.THREE_WAY
    buckets, boards = ("buckets" in target.solved_on), ("boards" in target.solved_on)
    asked = _asked_for(on, solver)
    if asked is not None:
        if asked is Representation.BUCKETS and not buckets:
            raise NotApplicableError(f"Only games of buckets are solved on=buckets, but '{target.name}' is none.")
        return asked
    if resume is not None:
        saved = {each.value: each for each in Representation}.get(resume.kind)
        if (saved is Representation.BUCKETS and buckets) or (saved is Representation.BOARDS and boards):
            return saved
    if not isinstance(solver, CFR) or solver.representation != "auto":
        return Representation.TREE
    if not (buckets or boards) or not solver.plain_matching or (target.histories() or 0.0) <= WORTH_BOARDS:
        return Representation.TREE
    return Representation.BUCKETS if buckets else Representation.BOARDS


def _asked_for(on: str | None, solver: Solver) -> Representation | None:
    """What was asked for by name: by whoever calls, or by the solver's own `on`."""
    known = {"tree": Representation.TREE, "boards": Representation.BOARDS, "buckets": Representation.BUCKETS}
    if on is not None and on not in known:
        raise ParameterError(
            f"Games are solved on={', on='.join(known)}, but on={on} was asked for.{suggest(on, known)}"
        )
    named = "boards" if on is None and isinstance(solver, CFR) and solver.representation == "boards" else on
    return None if named is None else known[named]


def solve_target(
    game: str | Game | GameTree | Compiled | Spot | ThreeWaySpot | Table,
) -> Spot | ThreeWaySpot | Table | Compiled:
    """What is to be solved: a spot or a table (also by its file or by the name of its game), or a game."""
    if isinstance(game, str) and (game.startswith("table:") or game.endswith(".toml")):
        from equilibrist.games.tables.table_names import named_table

        found = named_table(game)
        if found is not None:
            return found
    if isinstance(game, str) and (game.startswith("spot:") or game.endswith(".toml")):
        return load_spot(game)
    return game if isinstance(game, Spot | ThreeWaySpot) or is_table(game) else compiled(game)


def is_table(target: object) -> TypeIs[Table]:
    """Without loading what tables need: whoever has made one has loaded it."""
    module = sys.modules.get("equilibrist.games.tables.table")
    return module is not None and isinstance(target, module.Table)


@overload
def solve(
    game: Spot,
    solver: str | Solver | None = None,
    *,
    until: float | str | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    threads: int = 1,
    bits: int = 32,
    device: str = "cpu",
    progress: ProgressCallback | None = None,
    resume: Solution | None = None,
    warm_start: Policy | Solution | None = None,
    warm_iterations: int | None = None,
) -> SpotSolution: ...


@overload
def solve(
    game: Table,
    solver: str | Solver | None = None,
    *,
    until: float | str | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    progress: ProgressCallback | None = None,
    resume: Solution | None = None,
) -> TableSolution: ...


@overload
def solve(
    game: ThreeWaySpot,
    solver: str | Solver | None = None,
    *,
    until: float | str | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    progress: ProgressCallback | None = None,
    resume: Solution | None = None,
) -> ThreeWaySolution: ...


@overload
def solve(
    game: str | Game | GameTree | Compiled | Spot | ThreeWaySpot | Table,
    solver: str | Solver | None = None,
    *,
    until: float | str | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    keep_best: bool = False,
    seed: int = 0,
    on: str | None = None,
    threads: int = 1,
    bits: int = 32,
    device: str = "cpu",
    progress: ProgressCallback | None = None,
    resume: Solution | None = None,
    warm_start: Policy | Solution | None = None,
    warm_iterations: int | None = None,
) -> Solution: ...


def solve(
    game: str | Game | GameTree | Compiled | Spot | ThreeWaySpot | Table,
    solver: str | Solver | None = None,
    *,
    until: float | str | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    keep_best: bool = False,
    seed: int = 0,
    on: str | None = None,
    threads: int = 1,
    bits: int = 32,
    device: str = "cpu",
    progress: ProgressCallback | None = None,
    resume: Solution | None = None,
    warm_start: Policy | Solution | None = None,
    warm_iterations: int | None = None,
) -> Solution:
    """Solve a game, spot or table; stops at exploitability `until` (chips, `%` of the pot or `mbb`), `iterations`, `seconds` or `nodes`.

    `on` says what a game is stored as while it is solved: "tree", "boards" (poker, board by board) or "buckets"; if it is left out, the
    solver and the size decide. `seed` is for methods that sample. `keep_best` gives the least exploitable profile measured on the way.
    `warm_start` goes on from a profile as if it had been played for `warm_iterations` (estimated if not given), which count among
    `iterations`. `device`: "cpu", "cuda" (spots and boards, with the extra `gpu`) or "auto".
    """
    check_device(device)
    if warm_iterations is not None and warm_start is None:
        raise ParameterError("'warm_iterations' says how long a profile has been played; give 'warm_start' too.")
    if solver is not None and not isinstance(solver, str):
        check_solver_object(solver)
    seed, threads = whole_number("seed", seed), whole_number("threads", threads, least=1)
    if warm_iterations is not None:
        warm_iterations = whole_number("warm_iterations", warm_iterations, least=1)
    target = solve_target(game)
    plain = nodes is None and not keep_best  # what only solvers on trees can do was not asked for
    if isinstance(target, Spot):
        from equilibrist.solvers.postflop.solve_spot import DEFAULT_SPOT_SOLVER, solve_spot

        if not plain or on is not None:
            raise NotApplicableError("'nodes', 'keep_best' and 'on' are for games; leave them out for spots.")
        return solve_spot(
            target,
            DEFAULT_SPOT_SOLVER if solver is None or solver == AUTO else solver,
            until=until,
            iterations=iterations,
            seconds=seconds,
            seed=seed,
            threads=threads,
            bits=bits,
            device=device,
            progress=progress,
            resume=resume,
            warm_start=warm_start,
            warm_iterations=warm_iterations,
        )
    if is_table(target):
        from equilibrist.solvers.tables.solve_table import DEFAULT_TABLE_SOLVER, solve_table

        if not plain or on is not None or warm_start is not None or bits != 32:
            raise NotApplicableError(
                "'nodes', 'keep_best', 'on', 'bits' and 'warm_start' are not for tables; leave them out."
            )
        return solve_table(
            target,
            DEFAULT_TABLE_SOLVER if solver is None or solver == AUTO else solver,
            until=until,
            iterations=iterations,
            seconds=seconds,
            threads=threads,
            device=device,
            progress=progress,
            resume=resume,
        )
    if isinstance(target, ThreeWaySpot):
        from equilibrist.solvers.postflop.solve_spot import DEFAULT_SPOT_SOLVER
        from equilibrist.solvers.three_way.solve_three_way import refuse_for_three, solve_three_way

        if not plain or on is not None:
            raise NotApplicableError("'nodes', 'keep_best' and 'on' are for games; leave them out for spots.")
        refuse_for_three(
            warm_start=warm_start, bits=None if bits == 32 else bits, device=None if device != "cuda" else device
        )
        return solve_three_way(
            target,
            DEFAULT_SPOT_SOLVER if solver is None or solver == AUTO else solver,
            until=until,
            iterations=iterations,
            seconds=seconds,
            threads=threads,
            progress=progress,
            resume=resume,
        )
    rules = target.game
    goal = exploitability_target(until, rules)
    choice = choose_solver(target, until=goal) if solver == AUTO else None
    named = choice.solver if choice else DEFAULT_SOLVER if solver is None else solver
    chosen = make_solver(named) if isinstance(named, str) else named
    if resume is not None and bool(resume.settings.get("bindings")) != bool(getattr(chosen, "bindings", ())):
        raise FormatError(
            "The saved run and this one do not bind the same players to models; give the same bindings to go on."
        )
    stop = Stop(goal, iterations, seconds, nodes, keep_best)
    how = choose_representation(rules, chosen, resume, on)
    if how is Representation.BUCKETS:
        from equilibrist.games.poker.bucket_game import BucketPoker
        from equilibrist.solvers.hand_classes.bucket_solution import solve_buckets

        if not plain:
            raise NotApplicableError("'nodes' and 'keep_best' are for solvers on trees; leave them out here.")
        assert isinstance(rules, BucketPoker)
        refuse_gpu(device)
        found: Solution = solve_buckets(
            rules,
            chosen,
            stop,
            threads=threads,
            bits=bits,
            seed=seed,
            progress=progress,
            resume=resume,
            warm_start=warm_start,
            warm_iterations=warm_iterations,
        )
    elif how is Representation.BOARDS:
        from equilibrist.solvers.postflop.solve_game import poker_game, solve_boards

        if not plain:
            raise NotApplicableError("'nodes' and 'keep_best' are for solvers on trees; leave them out on boards.")
        poker = poker_game(rules)
        if warm_start is not None:
            from equilibrist.solvers.postflop.warm_start import warm_boards

            resume = warm_boards(poker, warm_start, chosen, iterations=warm_iterations, threads=threads)
        found = solve_boards(
            poker, chosen, stop, threads=threads, bits=bits, seed=seed, device=device, progress=progress, resume=resume
        )
    else:
        refuse_tuning(threads, bits)
        refuse_gpu(device)
        with time_limit(seconds):  # growing the tree counts too
            if warm_start is not None:
                resume = _warm(target, chosen, warm_start, warm_iterations, resume)
            found = chosen.solve(target, stop, seed=seed, progress=progress, resume=resume)
    return found if choice is None else found.recorded(settings={**found.settings, "chosen": choice.reason})


def refuse_tuning(threads: int, bits: int) -> None:
    """Only spots and games solved on boards have threads and smaller tables."""
    if bits != 32:
        raise NotApplicableError(
            f"Only spots and games solved on boards have smaller tables, but {bits} bits were asked for; leave it out."
        )
    if threads != 1:
        raise NotApplicableError(f"Tabular solvers use one thread, but {threads} were asked for; leave it out.")


def _warm(
    game: Compiled, solver: Solver, profile: Policy | Solution, iterations: int | None, resume: Solution | None
) -> Solution:
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
    if until is None or not isinstance(until, str):
        return until  # which `Stop` checks
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
