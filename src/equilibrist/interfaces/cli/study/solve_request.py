"""What was asked of `equilibrist solve`, for games and spots alike: checked, completed from a file to go on from, and run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.console import Console

    from equilibrist.core.solution import Solution
    from equilibrist.forms.compiled import Compiled
    from equilibrist.games.spots.spot import Spot
    from equilibrist.games.spots.three_way_spot import ThreeWaySpot
    from equilibrist.games.tables.table import Table
    from equilibrist.interfaces.cli.progress import SolveMeter

DEFAULT_SPOT_UNTIL = "0.3%"


class SolveResult(Protocol):
    """A solution and how a command talks about it."""

    @property
    def solution(self) -> Solution: ...

    def save(self, path: Path) -> None: ...

    def draw(self, path: Path) -> None: ...

    def to_json(self) -> dict[str, Any]: ...

    def print(self, console: Console) -> None: ...


@dataclass(frozen=True)
class SolveRequest:
    """What was typed; None where nothing was said."""

    game: str | None  # None: that of the resumed file
    solver: str | None = None
    until: str | None = None
    iterations: int | None = None
    seconds: float | None = None
    nodes: int | None = None
    keep_best: bool = False
    warm_start: Path | None = None
    warm_iterations: int | None = None
    seed: int | None = None
    on: str | None = None
    threads: int | None = None
    bits: int | None = None
    lock: Path | None = None
    device: str = "cpu"
    out: Path | None = None
    without: str | None = None
    resume: Path | None = None
    png: Path | None = None

    def run(self) -> SolveResult:
        """Solve; what could only fail later is refused first."""
        from equilibrist.core.artifact import check_artifact
        from equilibrist.games.catalogue import recorded_game
        from equilibrist.games.spots.spot import Spot
        from equilibrist.games.spots.three_way_spot import ThreeWaySpot
        from equilibrist.solvers.saved_solutions import load_solution
        from equilibrist.solvers.solve import is_table, solve_target

        self._check()
        saved = None if self.resume is None else load_solution(self.resume)
        if self.resume is not None:
            check_artifact(self.resume)  # also where the file is too large to be checked whenever it is opened
        if saved is not None:
            refuse_without_state(saved)
        target: Spot | ThreeWaySpot | Table | Compiled
        named_by_themselves = ("spot-solution", "three-way-solution", "table-solution")
        if self.game is None and saved is not None and saved.kind not in named_by_themselves:
            target = solve_target(recorded_game(saved.game))  # a file names its game, but never has its code run
        else:
            target = solve_target(self.game if self.game is not None else saved.game if saved else "")
        if isinstance(target, Spot):
            return self._solve_spot(target, saved)
        if is_table(target):
            return self._solve_table(target, saved)
        if isinstance(target, ThreeWaySpot):
            return self._solve_three_way(target, saved)
        return self._solve_game(target, saved)

    def _check(self) -> None:
        from equilibrist.core.errors import ParameterError
        from equilibrist.interfaces.cli.files import check_writable
        from equilibrist.interfaces.pictures.strategy_pictures import require_matplotlib
        from equilibrist.solvers.postflop.gpu.devices import check_device

        if self.game is None and self.resume is None:
            raise ParameterError("No game was named; try 'equilibrist solve kuhn', or 'equilibrist games' for a list.")
        check_device(self.device)
        if self.threads is not None and self.threads < 1:
            raise ParameterError(f"--threads must be at least 1, but {self.threads} was given.")
        if self.bits is not None and self.bits not in (16, 32):
            raise ParameterError(f"--bits is 16 or 32, but {self.bits} was given.")
        check_writable(self.out, "--out")
        check_writable(self.png, "--png")
        if self.png is not None:
            require_matplotlib()

    def _solve_game(self, target: Compiled, saved: Solution | None) -> SolveResult:
        from equilibrist.compute.machine import cores
        from equilibrist.core.errors import NotApplicableError
        from equilibrist.interfaces.cli.study.solved_game import SolvedGame
        from equilibrist.solvers.auto_solver import AUTO
        from equilibrist.solvers.registry import make_solver
        from equilibrist.solvers.saved_solutions import load_solution
        from equilibrist.solvers.solve import DEFAULT_SOLVER, choose_representation, solve

        if self.lock is not None:
            raise NotApplicableError(
                "Only spots have locks, but --lock was given; games take opponent models in Python (Binding)."
            )
        if self.without is not None:
            raise NotApplicableError(f"Only spots have streets, but --without {self.without} was given; leave it out.")
        solver = self.solver or (saved.solver if saved else DEFAULT_SOLVER)
        made = make_solver(DEFAULT_SOLVER if solver == AUTO else solver)
        threaded = choose_representation(target.game, made, saved, self.on).threaded and _shares_boards(made)
        settings = saved.settings if saved else {}
        with self._meter(target.game.short_name) as meter:
            if "buckets" in target.game.solved_on:
                from equilibrist.games.poker.bucket_game import BucketPoker

                assert isinstance(target.game, BucketPoker), "only games of buckets are solved on them"
                target.game.prepare(lambda text, share: meter.show(share, text), threads=cores())
            solution = solve(
                target,
                solver,
                **self._stop(saved, ("until", "iterations", "seconds", "nodes")),
                keep_best=self.keep_best or bool(settings.get("keep_best", False)),
                seed=settings.get("seed", 0) if self.seed is None else self.seed,
                on=self.on,
                threads=self.threads or (cores() if threaded else 1),
                bits=self.bits or (saved.record.bits if saved and threaded else 32),
                warm_start=None if self.warm_start is None else load_solution(self.warm_start),
                warm_iterations=self.warm_iterations,
                device=self.device,
                progress=meter,
                resume=saved,
            )
        final = [] if math.isnan(solution.exploitability) else [(solution.iterations, solution.exploitability)]
        curve = [point for point in meter.curve if point not in final] + final
        return SolvedGame(solution, target.game, self.out, curve)

    def _solve_spot(self, spot: Spot, saved: Solution | None) -> SolveResult:
        from equilibrist.compute.machine import cores
        from equilibrist.core.errors import NotApplicableError, ParameterError
        from equilibrist.interfaces.cli.study.spot import SolvedSpot, prepare
        from equilibrist.solvers.auto_solver import AUTO
        from equilibrist.solvers.mccfr.mccfr import MCCFR
        from equilibrist.solvers.postflop.solve_spot import DEFAULT_SPOT_SOLVER, solve_spot
        from equilibrist.solvers.registry import make_solver
        from equilibrist.solvers.saved_solutions import load_solution

        if self.nodes is not None or self.keep_best or self.on is not None:
            raise NotApplicableError("--nodes, --keep-best and --on are for games; leave them out for spots.")
        if self.warm_iterations is not None and self.warm_start is None:
            raise ParameterError("--warm-iterations says how long a profile has been played; give --warm-start too.")
        if self.without is not None and self.out is None:
            raise ParameterError("--without says what to leave out of a file, but no --out was given; name a file.")
        named = None if self.solver == AUTO else self.solver  # spots have one default, chosen by measurement
        solver = named or (saved.solver if saved else DEFAULT_SPOT_SOLVER)
        made = make_solver(solver)
        if self.seed is not None and not isinstance(made, MCCFR):
            raise NotApplicableError(
                f"'{solver}' does not sample, but --seed was given; leave it out, or use es-mccfr."
            )
        bits = self.bits or (saved.record.bits if saved else 32)
        if saved is not None and self.game is None:
            spot = saved_spot(saved)
        here = prepare(spot, solver, bits, until=self.until, lock=self.lock, without=self.without)
        most = 1 if spot.street == 2 else 52 - len(spot.board)  # boards are the unit of threading
        goals = self._stop(saved, ("until", "iterations", "seconds"))
        if all(goal is None for goal in goals.values()):
            goals["until"] = DEFAULT_SPOT_UNTIL
        with self._meter(spot.board_text) as meter:
            threads = self.threads or (min(cores(), most) if _shares_boards(made) else 1)
            solution = solve_spot(
                here,
                solver,
                **goals,
                seed=self.seed or 0,
                threads=threads,
                bits=bits,
                device=self.device,
                progress=meter,
                resume=saved,
                warm_start=None if self.warm_start is None else load_solution(self.warm_start),
                warm_iterations=self.warm_iterations,
            )
        return SolvedSpot(solution, self.without)

    def _solve_table(self, table: Table, saved: Solution | None) -> SolveResult:
        from equilibrist.compute.machine import cores
        from equilibrist.core.errors import NotApplicableError
        from equilibrist.games.spots.locks import load_locks
        from equilibrist.games.tables.table import THREE_BY_TABLE
        from equilibrist.interfaces.cli.tables.solved_table import SolvedTable, prepare, with_futures
        from equilibrist.solvers.auto_solver import AUTO
        from equilibrist.solvers.tables.solve_table import (
            DEFAULT_TABLE_SOLVER,
            check_table_device,
            solve_table,
            table_solver,
            target_gain,
        )

        foreign = {
            "--nodes": self.nodes,
            "--on": self.on,
            "--bits": self.bits,
            "--warm-start": self.warm_start,
            "--seed": self.seed,
        }
        foreign |= {
            "--keep-best": self.keep_best or None,
            "--warm-iterations": self.warm_iterations,
        }
        given = [option for option, value in foreign.items() if value is not None]
        if given:
            raise NotApplicableError(f"{given[0]} is not for tables; leave it out.")
        check_table_device(table, self.device)
        if self.without not in (None, "flops"):
            raise NotApplicableError(
                f"Of a table the tables of its flops can be left out (--without flops), but '{self.without}' was given."
            )
        if self.lock is not None:
            table = table.changed(lock=[*table.locks, *load_locks(self.lock)])
        named = None if self.solver == AUTO else self.solver
        solver = named or (saved.solver if saved else DEFAULT_TABLE_SOLVER)
        table_solver(solver)
        target_gain(self.until, table)
        threads = self.threads or cores()
        if table.three_way == THREE_BY_TABLE:
            from equilibrist.solvers.tables.showdowns.triples_made import made_triples

            with self._meter(f"{table.seats} seats") as meter:
                made_triples(report=lambda text, share: meter.show(share, text))
        tree, plan = prepare(table, solver, saved, threads, self.device)
        with self._meter(f"{table.seats} seats") as meter:
            if tree.depth != table.fgs.depth:
                tree = with_futures(table, threads, meter)
            solution = solve_table(
                tree,
                solver,
                **self._stop(saved, ("until", "iterations", "seconds")),
                threads=threads,
                device=self.device,
                progress=meter,
                resume=saved,
                plan=plan,
            )
        return SolvedTable(solution, without_flops=self.without == "flops")

    def _solve_three_way(self, spot: ThreeWaySpot, saved: Solution | None) -> SolveResult:
        import sys

        from equilibrist.compute.machine import cores
        from equilibrist.core.errors import NotApplicableError
        from equilibrist.forms.three_way.compiled_seats import compile_seats
        from equilibrist.interfaces.cli.views.three_way_summary import SolvedThreeWay
        from equilibrist.solvers.auto_solver import AUTO
        from equilibrist.solvers.postflop.solve_spot import DEFAULT_SPOT_SOLVER
        from equilibrist.solvers.three_way.solve_three_way import (
            solve_three_way,
            target_gain,
            three_way_size,
            three_way_solver,
        )

        for name in ("nodes", "keep_best", "on", "warm_start", "warm_iterations", "seed", "lock", "without"):
            if getattr(self, name):
                raise NotApplicableError(f"--{name.replace('_', '-')} is not for spots of three players; leave it out.")
        if self.bits not in (None, 32) or self.device == "cuda":
            raise NotApplicableError(
                "Spots of three players are solved with tables of 32 bits on the CPU; leave --bits and --device out."
            )
        solver = (None if self.solver == AUTO else self.solver) or (saved.solver if saved else DEFAULT_SPOT_SOLVER)
        three_way_solver(solver)
        target_gain(self.until, spot)
        here = compile_seats(spot)
        print(three_way_size(here).sentence, file=sys.stderr)
        goals = self._stop(saved, ("until", "iterations", "seconds"))
        if all(goal is None for goal in goals.values()):
            goals["until"] = DEFAULT_SPOT_UNTIL
        with self._meter(spot.board_text) as meter:
            solution = solve_three_way(
                here, solver, **goals, threads=self.threads or cores(), progress=meter, resume=saved
            )
        return SolvedThreeWay(solution)

    @contextmanager
    def _meter(self, title: str) -> Iterator[SolveMeter]:
        """Progress, and autosaves."""
        from equilibrist.interfaces.cli.progress import SolveMeter, preparing

        with SolveMeter(title, self.out) as meter:
            meter.show(None, preparing())
            yield meter

    def _stop(self, saved: Solution | None, goals: tuple[str, ...]) -> dict[str, Any]:
        """Where to stop; a resumed run goes on to its old goal unless a new one is given."""
        given: dict[str, Any] = {name: getattr(self, name) for name in goals}
        if saved is not None and all(goal is None for goal in given.values()):
            given = {name: saved.settings.get(name) for name in given}
        return given


def _shares_boards(solver: Any) -> bool:
    """Whether a solver shares boards out over threads; imported late, since most games are solved as trees."""
    from equilibrist.solvers.postflop.board_runs import method_on_boards

    return method_on_boards(solver).shares_boards


def saved_spot(saved: Solution) -> Spot:
    """The spot of a saved solution, with its locks."""
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

    assert isinstance(saved, SpotSolution), "the game of a solved spot is a spot"
    return saved.spot


def refuse_without_state(saved: Solution) -> None:
    """A blueprint goes on from its folder."""
    from equilibrist.core.errors import NotApplicableError

    if saved.kind == "poker-blueprint":
        raise NotApplicableError(
            "A blueprint holds no regrets to go on from; its training goes on with 'equilibrist train resume FOLDER'."
        )
