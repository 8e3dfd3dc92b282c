"""A training run in a folder: what is trained (`plan.json`), where it stands (`state.eqb`), what can be played (`blueprint.eqb`).

Files are written whole or not at all, the state last; so a run killed at any moment goes on from its last checkpoint. Random numbers
belong to blocks of deals, so going on gives what an uninterrupted run gives (exactly with one thread, statistically with more).
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.core.errors import EquilibristError, FormatError, ParameterError
from equilibrist.core.reading import parse_json, read_bytes
from equilibrist.core.solution import SolveRecord
from equilibrist.core.writing import make_folder, write_text
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker
from equilibrist.solvers.blueprint.plan import BlueprintPlan, Report, plan_from_json
from equilibrist.solvers.blueprint.run import BlueprintRun, Health
from equilibrist.solvers.blueprint.strategy import SOLVER, PokerBlueprint
from equilibrist.solvers.blueprint.training import SAMPLING, PruneRule, Training
from equilibrist.version import __version__

if TYPE_CHECKING:
    from equilibrist.solvers.blueprint.vector_run import VectorRun

PLAN, STATE, BLUEPRINT = "plan.json", "state.eqb", "blueprint.eqb"
KIND = "blueprint-training"
CHECKPOINT_SECONDS = 120.0
REPORT_SECONDS = 1.0
MOST_FAILURES = 3  # checkpoints in a row that could not be written
ROOM = 1.1  # free space wanted for a checkpoint, as a multiple of its size


@dataclass(frozen=True)
class TrainingProgress:
    """What a progress callback is told."""

    iterations: int
    planned: int
    iterations_per_second: float
    nodes_per_second: float
    seconds: float
    seconds_left: float | None
    health: Health | None  # at checkpoints
    warning: str = ""


TrainingReport = Callable[[TrainingProgress], None]


@dataclass(frozen=True)
class TrainingOrder:
    """Everything in `plan.json`."""

    plan: BlueprintPlan
    training: Training
    iterations: int

    def save(self, folder: Path) -> None:
        data = {
            "version": 1,
            "plan": self.plan.to_json(),
            "training": asdict(self.training),
            "iterations": self.iterations,
        }
        write_text(folder / PLAN, json.dumps(data, indent=1))


class _Training(msgspec.Struct, forbid_unknown_fields=True):
    seed: int
    weighting: str
    period: int
    discounts: int
    prune: dict[str, Any]
    storage: str
    method: str = SAMPLING  # folders of earlier versions do not say


class _Order(msgspec.Struct, forbid_unknown_fields=True):
    version: int
    plan: dict[str, Any]
    training: _Training
    iterations: int


def read_order(folder: Path) -> TrainingOrder:
    """What a folder trains."""
    path = folder / PLAN
    if not path.exists():
        raise FormatError(
            f"'{folder}' is no training folder: it has no {PLAN}; start one with 'equilibrist train start'."
        )
    try:
        read = parse_json(read_bytes(path, "The plan"), "it", "a plan was expected", _Order)
        prune = msgspec.convert(read.training.prune, PruneRule)
        settings = {
            name: getattr(read.training, name)
            for name in ("seed", "weighting", "period", "discounts", "storage", "method")
        }
        return TrainingOrder(plan_from_json(read.plan), Training(**settings, prune=prune), read.iterations)
    except (msgspec.MsgspecError, KeyError, TypeError, OverflowError, EquilibristError) as error:
        raise FormatError(f"'{path}' is damaged ({error}); start the training again in a new folder.") from None


def start_training(folder: Path, order: TrainingOrder, **how: Any) -> PokerBlueprint:
    """Begin in a folder that is empty or does not exist."""
    _begin(folder, order)
    return _train(folder, order, **how)


def _begin(folder: Path, order: TrainingOrder) -> None:
    if folder.exists() and not folder.is_dir():
        raise ParameterError(f"'{folder}' is a file; give the name of a folder that does not exist yet.")
    if folder.exists() and any(folder.iterdir()):
        raise ParameterError(
            f"The folder '{folder}' is not empty; go on with 'equilibrist train resume {folder}', or choose another one."
        )
    order.plan.check()
    if order.training.method != SAMPLING:
        from equilibrist.solvers.blueprint.vector_run import check_method

        check_method(order.training.method, order.plan.rules)
    make_folder(folder)
    order.save(folder)


def resume_training(folder: Path, *, iterations: int | None = None, **how: Any) -> PokerBlueprint:
    """Go on to the iterations asked for, or to more of them."""
    order = read_order(folder)
    if iterations is not None and iterations != order.iterations:
        if iterations < order.iterations:
            raise ParameterError(
                f"This training was asked for {order.iterations:,} iterations; {iterations:,} would be fewer; ask for more."
            )
        order = replace(order, iterations=iterations)
        order.save(folder)
    return _train(folder, order, **how)


def _train(
    folder: Path,
    order: TrainingOrder,
    *,
    threads: int = 1,
    seconds: float | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    building: Report = lambda text, share: None,
    report: TrainingReport = lambda progress: None,
) -> PokerBlueprint:
    game = order.plan.game(beside=folder, threads=threads, report=building)
    run = _start(order, game, threads)
    if (folder / STATE).exists():
        _restore(run, folder)
    _check_room(folder, run)
    keeper = _Keeper(folder, order, run, checkpoint_seconds, report)
    wanted = -(-order.iterations // run.block)
    with HeldInterrupts() as interrupts:
        try:
            while run.blocks < wanted and not keeper.out_of_time(seconds):
                run.advance(min(keeper.blocks_at_once(threads), wanted - run.blocks))
                keeper.look(wanted)
                interrupts.checkpoint()
        except KeyboardInterrupt:
            pass  # what was learned is kept, and the training can go on
        return keeper.keep(final=True)


def _start(order: TrainingOrder, game: AbstractPoker, threads: int) -> BlueprintRun | VectorRun:
    """A run at iteration 0, by sampled deals or over all boards."""
    if order.training.method == SAMPLING:
        return BlueprintRun(game, order.training, planned=order.iterations, threads=threads)
    from equilibrist.solvers.blueprint.vector_run import VectorRun

    return VectorRun(game, order.training.method, threads=threads)


class _Keeper:
    """Checkpoints and progress of one session."""

    def __init__(
        self, folder: Path, order: TrainingOrder, run: BlueprintRun | VectorRun, every: float, report: TrainingReport
    ) -> None:
        self.folder, self.order, self.run, self.every, self.report = folder, order, run, every, report
        self.begin = self.kept = self.told = time.monotonic()
        self.first_block, self.first_nodes = run.blocks, run.nodes_touched
        self.failures, self.warning = 0, ""
        self.health: Health | None = None

    def out_of_time(self, seconds: float | None) -> bool:
        return seconds is not None and time.monotonic() - self.begin >= seconds

    def blocks_at_once(self, threads: int) -> int:
        """As many as fit between two reports."""
        spent, done = time.monotonic() - self.begin, self.run.blocks - self.first_block
        rate = done / spent if done else 1.0
        return max(threads, int(rate * REPORT_SECONDS))

    def look(self, wanted: int) -> None:
        now = time.monotonic()
        if now - self.kept >= self.every:
            self.keep(final=False)
        if now - self.told >= REPORT_SECONDS or self.run.blocks >= wanted:
            self.told = now
            self.report(self.progress(wanted))

    def progress(self, wanted: int) -> TrainingProgress:
        spent = max(time.monotonic() - self.begin, 1e-9)
        done = self.run.blocks - self.first_block
        left = (wanted - self.run.blocks) * spent / done if done else None
        return TrainingProgress(
            iterations=self.run.iteration,
            planned=self.order.iterations,
            iterations_per_second=done * self.run.block / spent,
            nodes_per_second=(self.run.nodes_touched - self.first_nodes) / spent,
            seconds=spent,
            seconds_left=left,
            health=self.health,
            warning=self.warning,
        )

    def keep(self, *, final: bool) -> PokerBlueprint:
        """Write the blueprint, then the state; a checkpoint that cannot be written is tried again later, the last one must succeed."""
        self.health = self.run.health()
        made = self._blueprint()
        try:
            made.save(self.folder / BLUEPRINT)
            header = {"iterations": self.run.iteration, "cards": self.run.game.buckets.hash, "package": __version__}
            save_artifact(self.folder / STATE, Artifact(KIND, header, self.run.state()))
            self.failures, self.warning = 0, ""
        except FormatError as error:
            self.failures += 1
            self.warning = f"The checkpoint at iteration {self.run.iteration:,} could not be written: {error}"
            if final or self.failures >= MOST_FAILURES:
                raise FormatError(f"{self.warning} The one before it is whole; make room and resume.") from None
        self.kept = time.monotonic()
        return made

    def _blueprint(self) -> PokerBlueprint:
        health = self.health or Health(0, 0.0)
        provenance = {
            "version": __version__,
            "iterations": self.run.iteration,
            "nodes_touched": self.run.nodes_touched,
            "infosets_touched": health.infosets,
            "average_regret": health.average_regret,
            "training": asdict(self.order.training),
            "exploitability": "not measured: the game is too large"
            if health.exploitability is None
            else health.exploitability,
        }
        method = self.order.training.method
        record = SolveRecord(
            SOLVER if method == SAMPLING else f"blueprint-{method}",
            self.run.iteration,
            converged=False,
            bits=32,
            memory_bytes=self.run.memory_bytes,
            provenance=provenance,
        )
        return PokerBlueprint(self.order.plan, self.run.game, self.run.packed(), record)


def _restore(run: BlueprintRun | VectorRun, folder: Path) -> None:
    artifact = load_artifact(folder / STATE, KIND)
    if artifact.header.get("cards") != run.game.buckets.hash:
        raise FormatError(
            f"The state in '{folder}' was trained with other buckets ({artifact.header.get('cards')}, not {run.game.buckets.hash}); "
            "use the ones it was started with."
        )
    try:
        run.restore(artifact.arrays)
    except (KeyError, ValueError) as error:
        raise FormatError(
            f"The state in '{folder}' does not fit its plan ({error}); start the training again."
        ) from None


def _check_room(folder: Path, run: BlueprintRun | VectorRun) -> None:
    need = int(ROOM * (run.memory_bytes + run.game.slots))
    free = shutil.disk_usage(folder).free
    if free < need:
        raise FormatError(
            f"A checkpoint takes {need / 1e9:.2f} GB, but '{folder}' has {free / 1e9:.2f} GB left; make room or choose another folder."
        )


def train_on_cluster(
    folder: Path,
    order: TrainingOrder | None,
    *,
    address: str,
    workers: int,
    seconds: float | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    building: Report = lambda text, share: None,
    report: TrainingReport = lambda progress: None,
) -> PokerBlueprint:
    """Train with a head here and workers on a Ray cluster; goes on where the folder stopped. `order` is for new folders."""
    from equilibrist.solvers.blueprint.distributed.run import BATCH, HEAD, DistributedRun, RayTeam
    from equilibrist.solvers.blueprint.distributed.shares import split

    if order is not None:
        _begin(folder, order)
    order = read_order(folder)
    if order.training.method != SAMPLING:
        raise ParameterError(
            f"Clusters train by sampling, but this training is by '{order.training.method}'; leave --ray out."
        )
    game = order.plan.game(beside=folder, report=building)
    shares = split(game, workers)
    begun, kept = time.monotonic(), time.monotonic()
    team = RayTeam(address, order.plan, str(folder), [share.clusters for share in shares], order.training)
    with team, HeldInterrupts() as interrupts:
        run = DistributedRun(game, order.training, team, shares, planned=order.iterations)
        if (folder / HEAD).exists():
            run.load(folder)
        first = run.blocks
        try:
            while run.iteration < order.iterations and (seconds is None or time.monotonic() - begun < seconds):
                run.advance(1)
                now = time.monotonic()
                if now - kept >= checkpoint_seconds:
                    run.save(folder)
                    kept = now
                rate = (run.blocks - first) * BATCH / max(now - begun, 1e-9)
                lost = f"{team.lost} workers were lost and started again." if team.lost else ""
                left = (order.iterations - run.iteration) / rate
                report(TrainingProgress(run.iteration, order.iterations, rate, 0.0, now - begun, left, None, lost))
                interrupts.checkpoint()
        except KeyboardInterrupt:
            pass  # what was learned is kept
        run.save(folder)
        provenance = {
            "version": __version__,
            "iterations": run.iteration,
            "training": asdict(order.training),
            "workers": workers,
        }
        record = SolveRecord(SOLVER, run.iteration, bits=32, threads=workers, provenance=provenance)
        made = PokerBlueprint(order.plan, game, run.packed(), record)
    made.save(folder / BLUEPRINT)
    return made


def training_facts(folder: Path) -> dict[str, Any]:
    """Where a training stands, from its files alone."""
    order = read_order(folder)
    facts: dict[str, Any] = {
        "game": order.plan.game_name,
        "cards": order.plan.cards,
        "planned": order.iterations,
        "iterations": 0,
        "training": asdict(order.training),
    }
    if (folder / BLUEPRINT).exists():
        from equilibrist.core.artifact import open_artifact

        provenance = open_artifact(folder / BLUEPRINT, "poker-blueprint").header.get("provenance", {})
        facts |= {
            key: provenance.get(key)
            for key in ("iterations", "nodes_touched", "infosets_touched", "average_regret", "exploitability")
        }
    facts["finished"] = facts["iterations"] >= order.iterations
    return facts
