"""A training in a folder: stopped at any moment, it goes on from its last checkpoint.

`plan.json` says what is learned, `state.eqb` (with `state-N-1.eqb` and so on where many nets are kept) holds nets, random state,
counters and the curve, `memories-N.eqb` all that was seen up to iteration N. With the memories, going on gives bit for bit what an
uninterrupted run gives on a CPU; without them the method fills them again from nets it has kept. `policy.eqb` is the strategy for every
other command, `nets.safetensors` the networks. Files are written whole or not at all, the state after the memories it belongs to.
"""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.compute.saving import Autosave, save_somewhere
from equilibrist.core.artifact import Artifact, load_artifact, open_artifact, save_artifact
from equilibrist.core.errors import CannotWriteError, FormatError, ParameterError, TooLargeError
from equilibrist.core.solution import EXACT, BaseSolution, Evaluation, SolveRecord
from equilibrist.core.writing import PART, held_folder, make_folder
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.games.size_estimate import memory_limit
from equilibrist.learning.catalogue import load_method
from equilibrist.learning.learner import Learner, LearningMethod
from equilibrist.learning.trainings.order import PLAN, LearningOrder, read_learning_order
from equilibrist.learning.trainings.publishing import NETS, publish_nets
from equilibrist.learning.trainings.states import KIND, STATE, load_state, save_state
from equilibrist.solvers.saved_solutions import load_solution
from equilibrist.version import __version__

log = logging.getLogger(__name__)

POLICY = "policy.eqb"
CHECKPOINT_SECONDS = 120.0
CHECK_GROWTH = 1.25  # each point of the curve is so many times as far as the one before
ROOM = 1.1  # free space wanted for a checkpoint, as a multiple of its size


@dataclass(frozen=True)
class LearningProgress:
    """What a progress callback is told."""

    iterations: int
    planned: int
    seconds: float
    seconds_left: float | None
    exploitability: float | None  # at the last check
    unit: str
    warning: str = ""


LearningReport = Callable[[LearningProgress], None]


def start_learning(folder: Path, order: LearningOrder, **how: Any) -> BaseSolution:
    """Begin in a folder that is empty or does not exist: `device`, `seconds`, `with_memories`, `report`."""
    folder = Path(folder)
    method, game = _checked(order)
    if folder.exists() and not folder.is_dir():
        raise ParameterError(f"'{folder}' is a file; give the name of a folder that does not exist yet.")
    if folder.exists():
        _check_empty(folder)
    learner = method.start(game, seed=order.seed, device=how.pop("device", "cpu"))
    make_folder(folder)
    with held_folder(folder):
        _check_empty(folder)  # now that nobody else can begin in it
        order.save(folder)
        return _learn(folder, order, learner, game, TrainingCourse(), **how)


def resume_learning(folder: Path, *, iterations: int | None = None, **how: Any) -> BaseSolution:
    """Go on to the iterations asked for, or to more of them."""
    folder = Path(folder)
    read_learning_order(folder)  # refuses what is no folder of a training
    with held_folder(folder):
        order = read_learning_order(folder)
        if iterations is not None and iterations < order.iterations:
            raise ParameterError(
                f"This training was asked for {order.iterations:,} iterations; {iterations:,} would be fewer; ask for more."
            )
        order = replace(order, iterations=iterations or order.iterations)
        method, game = _checked(order)
        learner = method.start(game, seed=order.seed, device=how.pop("device", "cpu"))
        course = _restore(folder, order, learner)
        order.save(folder)
        if learner.iteration >= order.iterations and (folder / POLICY).exists():  # nothing is left to do
            return cast(BaseSolution, load_solution(folder / POLICY))
        return _learn(folder, order, learner, game, course, **how)


def learning_facts(folder: Path) -> dict[str, Any]:
    """Where a training stands, from its files alone."""
    order = read_learning_order(Path(folder))
    facts: dict[str, Any] = {
        "game": order.game,
        "method": order.method,
        "planned": order.iterations,
        "seed": order.seed,
    }
    facts |= {"iterations": 0, "exploitability": None, "unit": "", "curve": []}
    if (Path(folder) / STATE).exists():
        header = open_artifact(Path(folder) / STATE, KIND).header
        facts |= {key: header[key] for key in ("iterations", "counts", "seconds", "curve", "unit") if key in header}
        if facts["curve"]:
            facts["exploitability"] = facts["curve"][-1]["exploitability"]
    facts["finished"] = facts["iterations"] >= order.iterations
    return facts


@dataclass
class TrainingCourse:
    """How far a training has come."""

    curve: list[dict[str, Any]] | None = None
    seconds: float = 0.0  # before this session

    def points(self) -> list[dict[str, Any]]:
        return self.curve or []


def _checked(order: LearningOrder) -> tuple[LearningMethod, Compiled]:
    """LearningMethod and game of an order, refused where they take more memory than there is."""
    method, game = load_method(order.method), compiled(order.game)
    need, limit = method.memory_bytes(game), memory_limit()
    if need > limit:
        raise TooLargeError(
            f"'{order.method}' takes {need / 1e9:.2f} GB for its memories on '{order.game}', but {limit / 1e9:.2f} GB may be used; "
            "give it a smaller memory."
        )
    return method, game


def _check_empty(folder: Path) -> None:
    if any(path.suffix != PART for path in folder.iterdir()):  # what a killed process left is no training
        on = f"go on with 'equilibrist learn resume {folder}', or " if (folder / PLAN).exists() else ""
        raise ParameterError(f"The folder '{folder}' is not empty; {on}choose another one.")


def _restore(folder: Path, order: LearningOrder, learner: Learner) -> TrainingCourse:
    """Take the last checkpoint over; what cannot go on is refused, not begun again."""
    if not (folder / STATE).exists():
        if (folder / POLICY).exists() or any(folder.glob(_memories_name("*"))):
            raise FormatError(
                f"'{folder}' holds what was learned, but no {STATE} to go on from; start again in a new folder."
            )
        return TrainingCourse()
    state = load_state(folder)
    told = {"game": order.game, "method": order.method}
    if other := next((key for key, value in told.items() if state.header.get(key) != value), None):
        raise FormatError(
            f"The state in '{folder}' is of the {other} '{state.header.get(other)}', its plan says '{told[other]}'; "
            "put the plan right, or start again in a new folder."
        )
    memories = folder / _memories_name(int(state.header.get("iterations", 0)))
    try:
        kept = load_artifact(memories, KIND).arrays if memories.exists() else None
        if kept is None:
            log.warning("There are no memories of iteration %s: they are filled again.", state.header["iterations"])
        learner.restore(state.arrays, kept)
        return TrainingCourse(list(state.header["curve"]), float(state.header["seconds"]))
    except (KeyError, ValueError, TypeError, RuntimeError) as error:
        raise FormatError(
            f"The state in '{folder}' does not fit its plan ({error}); start the training again in a new folder."
        ) from None


def _learn(
    folder: Path,
    order: LearningOrder,
    learner: Learner,
    game: Compiled,
    course: TrainingCourse,
    *,
    seconds: float | None = None,
    with_memories: bool = True,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    report: LearningReport = lambda progress: None,
) -> BaseSolution:
    keeper = _Keeper(folder, order, learner, game, course, with_memories, report)
    autosave = Autosave(checkpoint_seconds, log.warning)
    with HeldInterrupts() as interrupts:
        try:
            while learner.iteration < order.iterations and not (seconds is not None and keeper.spent >= seconds):
                learner.advance()
                keeper.look()
                if autosave.due:
                    autosave.save(lambda: keeper.write(folder))
                keeper.tell(autosave.failed)
                interrupts.checkpoint()
        except KeyboardInterrupt:
            pass  # what was learned is kept, and the training can go on
        return keeper.keep_last()


class _Keeper:
    """Curve, checkpoints and progress of one session."""

    def __init__(
        self,
        folder: Path,
        order: LearningOrder,
        learner: Learner,
        game: Compiled,
        course: TrainingCourse,
        with_memories: bool,
        report: LearningReport,
    ) -> None:
        self.folder, self.order, self.learner, self.game = folder, order, learner, game
        self.with_memories, self.report = with_memories, report
        self.begin, self.before = time.monotonic(), course.seconds
        self.first = learner.iteration
        self.curve = course.points()
        self.evaluation: Evaluation | None = None
        self.measured_at = -1

    @property
    def spent(self) -> float:
        return time.monotonic() - self.begin

    def look(self) -> None:
        """A point of the curve, where one is due."""
        last = self.curve[-1]["iterations"] if self.curve else 0
        if (
            self.learner.iteration >= max(last + 1, last * CHECK_GROWTH)
            or self.learner.iteration >= self.order.iterations
        ):
            self.measure()

    def measure(self) -> None:
        """Exact exploitability of what would be played now."""
        iteration = self.learner.iteration
        exploitability, self.evaluation = self.learner.measure()
        self.measured_at = iteration
        point = {
            "iterations": iteration,
            **self.learner.counts(),
            "seconds": round(self.before + self.spent, 3),
            "exploitability": exploitability,
        }
        self.curve = [each for each in self.curve if each["iterations"] < iteration] + [point]

    def tell(self, warning: str) -> None:
        done = self.learner.iteration - self.first
        left = (self.order.iterations - self.learner.iteration) * self.spent / done if done else None
        now = self.curve[-1]["exploitability"] if self.curve else None
        self.report(
            LearningProgress(
                self.learner.iteration, self.order.iterations, self.spent, left, now, self.game.game.unit, warning
            )
        )

    def keep_last(self) -> BaseSolution:
        """The last checkpoint; where the folder cannot be written, in a new folder elsewhere."""
        if self.measured_at < self.learner.iteration:
            self.measure()
        place, why = save_somewhere(self.folder, self.write)
        if why:
            raise CannotWriteError(
                f"{why} The training up to iteration {self.learner.iteration:,} is in '{place}' instead; make room and move its "
                f"files back, or go on with 'equilibrist learn resume {place}'."
            )
        return self.solution()

    def write(self, folder: Path) -> None:
        """Memories, then the state that names them, then what others read."""
        if folder != self.folder:
            make_folder(folder)
            self.order.save(folder)
        iteration = self.learner.iteration
        header = {
            "game": self.order.game,
            "method": self.order.method,
            "iterations": iteration,
            "seconds": self.before + self.spent,
            "counts": self.learner.counts(),
            "curve": self.curve,
            "unit": self.game.game.unit,
            "version": __version__,
        }
        wanted = _memories_name(iteration) if self.with_memories else ""
        if wanted:
            memories = self.learner.memories()
            _check_room(folder, sum(array.nbytes for array in memories.values()))
            save_artifact(folder / wanted, Artifact(KIND, {"iterations": iteration}, memories))
        save_state(folder, header, self.learner.small_state())
        for old in folder.glob(_memories_name("*")):
            if old.name != wanted:
                old.unlink(missing_ok=True)
        self.solution().save(folder / POLICY)
        publish_nets(folder / NETS, self.learner.nets(), header)

    def solution(self) -> BaseSolution:
        """The strategy as every other command reads it."""
        iteration = self.learner.iteration
        measured = self.evaluation if self.measured_at == iteration else None
        record = SolveRecord(
            solver=self.order.method,
            iterations=iteration,
            seconds=self.before + self.spent,
            interrupted=iteration < self.order.iterations,
            settings={"iterations": self.order.iterations, "seed": self.order.seed},
            provenance={"version": __version__} | ({"exploitability": EXACT} if measured else {}),
            extra={"curve": self.curve, **self.learner.counts()},
        )
        return self.learner.solution(record, measured)


def _memories_name(iteration: int | str) -> str:
    return f"memories-{iteration}.eqb"


def _check_room(folder: Path, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < ROOM * size:
        raise CannotWriteError(
            f"A checkpoint takes {ROOM * size / 1e9:.2f} GB, but '{folder}' has {free / 1e9:.2f} GB left; make room, or leave the "
            "memories out (--without-memories)."
        )
