"""Many spots solved one after the other or side by side, each saved when it is done: the same call goes on where one was stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equilibrist.compute.workers import ThreadWorkers
from equilibrist.core.errors import EquilibristError, ParameterError
from equilibrist.core.numbers import whole_number
from equilibrist.core.solution import SolveRecord
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_lists import NamedSpot
from equilibrist.solvers.iteration_loop import ProgressCallback, Stop
from equilibrist.solvers.postflop.batches.solve_batch import solve_batch
from equilibrist.solvers.postflop.board_runs import method_on_boards
from equilibrist.solvers.postflop.gpu.devices import check_device, wants_gpu
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution, load_spot_solution
from equilibrist.solvers.postflop.solve_spot import (
    DEFAULT_SPOT_SOLVER,
    check_request,
    solve_spot,
    solver_on_spots,
    target_chips,
)

SIDE_BY_SIDE = 256  # spots of later streets on a GPU before they are saved
RIVER, TURN = 2, 1

Save = Callable[[Path, SpotSolution], Path]  # to this file; where it lies in the end
Watch = Callable[[NamedSpot, Path | None], AbstractContextManager[ProgressCallback | None]]


@dataclass(frozen=True)
class SpotOutcome:
    """What became of one spot."""

    name: str
    spot: Spot
    record: SolveRecord
    ev: tuple[float, float]
    exploitability: float  # chips
    file: Path | None
    kept: bool  # it was in the folder already

    @classmethod
    def of(cls, one: NamedSpot, solution: SpotSolution, file: Path | None, *, kept: bool) -> SpotOutcome:
        oop, ip = solution.ev
        return cls(one.name, one.spot, solution.record, (oop, ip), solution.exploitability, file, kept)

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "board": self.spot.board_text,
            "exploitability": {
                "chips": self.exploitability,
                "percent_of_pot": 100.0 * self.exploitability / self.spot.pot,
            },
            "ev": {"oop": self.ev[0], "ip": self.ev[1]},
            "iterations": self.record.iterations,
            "seconds": self.record.seconds,
            "converged": self.record.converged,
            "interrupted": self.record.interrupted,
            "kept": self.kept,
            "file": None if self.file is None else str(self.file),
        }


@dataclass(frozen=True)
class FolderTask:
    """Spots, goals and where to solve; files are `folder`/NAME.eqb."""

    spots: Sequence[NamedSpot]
    folder: Path | None = None
    solver: str = DEFAULT_SPOT_SOLVER
    until: str | float | None = None  # of spots without a goal of their own
    iterations: int | None = None
    threads: int = 1
    device: str = "cpu"

    def check(self) -> None:
        """Refuse what could only fail later."""
        whole_number("threads", self.threads, least=1)
        check_device(self.device)
        for one in self.spots:
            with _naming(one):
                check_request(one.spot, self.solver, self.goal(one))
                Stop(target_chips(self.goal(one), one.spot), self.iterations)

    def goal(self, one: NamedSpot) -> str | float | None:
        return self.until if one.until is None else one.until

    def file(self, one: NamedSpot) -> Path | None:
        return None if self.folder is None else self.folder / f"{one.name}.eqb"

    def saved(self, one: NamedSpot) -> SpotSolution | None:
        """What the folder has of a spot; another spot of the same name is refused."""
        file = self.file(one)
        if file is None or not file.exists():
            return None
        found = load_spot_solution(file)
        same = found.spot.asked if one.spot.asked is one.spot else found.spot
        if same.to_toml() != one.spot.to_toml() or found.solver != self.solver:
            raise ParameterError(
                f"'{file}' is '{found.solver}' on another spot or with other settings; choose another folder, or remove the file."
            )
        return found

    def done(self, one: NamedSpot, found: SpotSolution) -> bool:
        """Whether what was saved has reached the goal."""
        goal = target_chips(self.goal(one), one.spot)
        if goal is not None and found.exploitability <= float(goal):
            return True
        return self.iterations is not None and found.iterations >= self.iterations


def save_there(file: Path, solution: SpotSolution) -> Path:
    solution.save(file)
    return file


def solve_folder(
    task: FolderTask, watch: Watch = lambda one, file: nullcontext(), save: Save = save_there
) -> Iterator[SpotOutcome]:
    """Outcomes as they come; those of the folder first. An interrupted one is the last.

    Rivers are shared out over threads, earlier streets have all of them; on a GPU rivers and turns are solved side by side. `watch` opens
    before a spot is solved by itself and gives what hears of its progress.
    """
    task.check()
    left = list[NamedSpot]()
    for one in task.spots:
        found = task.saved(one)
        if found is not None and task.done(one, found):
            yield SpotOutcome.of(one, found, task.file(one), kept=True)
        else:
            left.append(one)
    chosen = method_on_boards(solver_on_spots(task.solver))
    on_gpu = wants_gpu(task.device, chosen.why_not_on_gpu(), streets=2) if left else False
    together = [one for one in left if on_gpu and _side_by_side(task, one)]
    for first in range(0, len(together), SIDE_BY_SIDE):
        yield from _on_device(task, together[first : first + SIDE_BY_SIDE], save)
    shared = [one for one in left if one.spot.street == RIVER and task.threads > 1 and not on_gpu]
    yield from _on_threads(task, shared, save)
    begun = {one.name for one in (*together, *shared)}
    for one in left:
        if one.name not in begun:
            outcome = _solved(task, one, watch, save)
            yield outcome
            if outcome.record.interrupted:
                return


def _side_by_side(task: FolderTask, one: NamedSpot) -> bool:
    """Whether a GPU solves a spot in a batch: a flop fills it alone, and what was begun goes on by itself."""
    begun = task.file(one)
    return one.spot.street >= TURN and (begun is None or not begun.exists())


def _solved(task: FolderTask, one: NamedSpot, watch: Watch, save: Save) -> SpotOutcome:
    """One spot with all threads, or on the device."""
    file = task.file(one)
    with _naming(one), watch(one, file) as progress:
        solution = solve_spot(
            one.spot, task.solver, until=task.goal(one), iterations=task.iterations, threads=task.threads,
            device=task.device, progress=progress, resume=task.saved(one),
        )  # fmt: skip
    return _kept(one, solution, file, save)


def _kept(one: NamedSpot, solution: SpotSolution, file: Path | None, save: Save) -> SpotOutcome:
    if file is not None:
        file = save(file, solution)
    return SpotOutcome.of(one, solution, file, kept=False)


def _on_threads(task: FolderTask, spots: Sequence[NamedSpot], save: Save) -> Iterator[SpotOutcome]:
    """A spot a thread; files are written here."""

    def work(one: NamedSpot) -> tuple[NamedSpot, SpotSolution]:
        with _naming(one):
            goals: dict[str, Any] = {"until": task.goal(one), "iterations": task.iterations}
            return one, solve_spot(one.spot, task.solver, **goals, resume=task.saved(one))

    with closing(ThreadWorkers(task.threads).as_done(work, spots)) as coming:  # also where nobody asks for more
        for one, solution in coming:
            yield _kept(one, solution, task.file(one), save)


def _on_device(task: FolderTask, spots: Sequence[NamedSpot], save: Save) -> Iterator[SpotOutcome]:
    goals = [task.goal(one) for one in spots]
    batch = solve_batch(
        [one.spot for one in spots], task.solver, until=goals, iterations=task.iterations, device="cuda"
    )
    for one, solution in zip(spots, batch, strict=True):
        yield _kept(one, solution, task.file(one), save)


@contextmanager
def _naming(one: NamedSpot) -> Iterator[None]:
    """What is refused says which spot it was."""
    try:
        yield
    except EquilibristError as error:
        error.args = (f"{one.name}: {error}",)
        raise
