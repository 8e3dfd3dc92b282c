"""A training run in a folder: what is trained (`plan.json`), where it stands (`state.eqb`), what can be played (`blueprint.eqb`).

Files are written whole or not at all, the state last; so a run killed at any moment goes on from its last checkpoint. Random numbers
belong to blocks of deals, so going on gives what an uninterrupted run gives (exactly with one thread, statistically with more).
"""

from __future__ import annotations

import json
import logging
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.compute.saving import Autosave, save_somewhere
from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.core.errors import CannotWriteError, EquilibristError, FormatError, ParameterError
from equilibrist.core.reading import parse_json, read_bytes
from equilibrist.core.solution import SolveRecord
from equilibrist.core.writing import PART, held_folder, make_folder, write_text
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker
from equilibrist.solvers.blueprint.plan import BlueprintPlan, Report, plan_from_json
from equilibrist.solvers.blueprint.run import BlueprintRun, Health, TrainingRun
from equilibrist.solvers.blueprint.strategy import SOLVER, PokerBlueprint
from equilibrist.solvers.blueprint.training import SAMPLING, PruneRule, Training
from equilibrist.solvers.postflop.gpu.devices import check_device, refuse_gpu
from equilibrist.version import __version__

log = logging.getLogger(__name__)

PLAN, STATE, BLUEPRINT = "plan.json", "state.eqb", "blueprint.eqb"
KIND = "blueprint-training"
CHECKPOINT_SECONDS = 120.0
REPORT_SECONDS = 1.0
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
    data = read_bytes(path, "The plan")
    if b'"kind": "learning"' in data:
        raise FormatError(f"'{folder}' is a folder of learning; go on with 'equilibrist learn resume {folder}'.")
    try:
        read = parse_json(data, "it", "a plan was expected", _Order)
        prune = msgspec.convert(read.training.prune, PruneRule)
        settings = {
            name: getattr(read.training, name)
            for name in ("seed", "weighting", "period", "discounts", "storage", "method")
        }
        return TrainingOrder(plan_from_json(read.plan), Training(**settings, prune=prune), read.iterations)
    except (msgspec.MsgspecError, KeyError, TypeError, OverflowError, EquilibristError) as error:
        raise FormatError(f"'{path}' is damaged ({error}); start the training again in a new folder.") from None


def start_training(folder: Path, order: TrainingOrder, *, device: str = "cpu", **how: Any) -> PokerBlueprint:
    """Begin in a folder that is empty or does not exist."""
    _check_device(order, device)
    _check_new(folder, order)
    with held_folder(folder):
        _write_plan(folder, order)
        return _train(folder, order, device=device, **how)


def _check_device(order: TrainingOrder, device: str) -> None:
    """Refuse a device that is not there, or of no use."""
    if order.training.method == SAMPLING:
        refuse_gpu(device, f"'{SAMPLING}' trains on the CPU alone; leave --device out, or give --method dcfr.")
    elif device == "cuda":
        from equilibrist.solvers.postflop.gpu.cuda_device import cupy

        cupy()
    else:
        check_device(device)


def _check_new(folder: Path, order: TrainingOrder) -> None:
    """Refuse what cannot be begun, then make the folder."""
    if folder.exists() and not folder.is_dir():
        raise ParameterError(f"'{folder}' is a file; give the name of a folder that does not exist yet.")
    if folder.exists():
        _check_empty(folder)
    order.plan.check()
    if order.training.method != SAMPLING:
        from equilibrist.solvers.blueprint.vector_run import check_method

        check_method(order.training.method, order.plan.rules)
    make_folder(folder)


def _write_plan(folder: Path, order: TrainingOrder) -> None:
    _check_empty(folder)  # now that nobody else can begin in it
    order.save(folder)


def _check_empty(folder: Path) -> None:
    if any(path.suffix != PART for path in folder.iterdir()):  # what a killed process left is no training
        raise ParameterError(
            f"The folder '{folder}' is not empty; go on with 'equilibrist train resume {folder}', or choose another one."
        )


def resume_training(folder: Path, *, iterations: int | None = None, device: str = "cpu", **how: Any) -> PokerBlueprint:
    """Go on to the iterations asked for, or to more of them."""
    _check_device(read_order(folder), device)  # refuses what is no folder of a training
    with held_folder(folder):
        order = read_order(folder)
        if iterations is not None and iterations != order.iterations:
            if iterations < order.iterations:
                raise ParameterError(
                    f"This training was asked for {order.iterations:,} iterations; {iterations:,} would be fewer; ask for more."
                )
            order = replace(order, iterations=iterations)
            order.save(folder)
        return _train(folder, order, device=device, **how)


def _train(
    folder: Path,
    order: TrainingOrder,
    *,
    device: str,
    threads: int = 1,
    seconds: float | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    building: Report = lambda text, share: None,
    report: TrainingReport = lambda progress: None,
) -> PokerBlueprint:
    game = order.plan.game(beside=folder, threads=threads, report=building)
    run = _start(order, game, threads, device)
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
        return keeper.keep_last()


def _start(order: TrainingOrder, game: AbstractPoker, threads: int, device: str) -> TrainingRun:
    """A run at iteration 0, by sampled deals or over all boards."""
    if order.training.method == SAMPLING:
        return BlueprintRun(game, order.training, planned=order.iterations, threads=threads)
    from equilibrist.solvers.blueprint.vector_run import VectorRun

    return VectorRun(game, order.training.method, threads=threads, device=device)


class _Keeper:
    """Checkpoints and progress of one session."""

    def __init__(
        self, folder: Path, order: TrainingOrder, run: TrainingRun, every: float, report: TrainingReport
    ) -> None:
        self.folder, self.order, self.run, self.report = folder, order, run, report
        self.begin = self.told = time.monotonic()
        self.first_block, self.first_nodes = run.blocks, run.nodes_touched
        self.autosave = Autosave(every, log.warning)
        self.health: Health | None = None

    def out_of_time(self, seconds: float | None) -> bool:
        return seconds is not None and time.monotonic() - self.begin >= seconds

    def blocks_at_once(self, threads: int) -> int:
        """As many as fit between two reports."""
        spent, done = time.monotonic() - self.begin, self.run.blocks - self.first_block
        rate = done / spent if done else 1.0
        return max(threads, int(rate * REPORT_SECONDS))

    def look(self, wanted: int) -> None:
        if self.autosave.due:
            self.autosave.save(self.keep)
        now = time.monotonic()
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
            warning=self.autosave.failed,
        )

    def keep_last(self) -> PokerBlueprint:
        """The last checkpoint, in its folder or elsewhere."""
        self.health = self.run.health()
        made = self._blueprint()

        def write(folder: Path) -> None:
            if folder != self.folder:
                make_folder(folder)
                self.order.save(folder)
            self._write(folder, made)

        return _kept_somewhere(self.folder, write, self.run.iteration, made)

    def keep(self) -> None:
        self.health = self.run.health()
        self._write(self.folder, self._blueprint())

    def _write(self, folder: Path, made: PokerBlueprint) -> None:
        """The blueprint, then the state."""
        made.save(folder / BLUEPRINT)
        header = {"iterations": self.run.iteration, "cards": self.run.game.buckets.hash, "package": __version__}
        save_artifact(folder / STATE, Artifact(KIND, header, self.run.state()))

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


def _restore(run: TrainingRun, folder: Path) -> None:
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


def _check_room(folder: Path, run: TrainingRun) -> None:
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
    if order is not None:
        _check_new(folder, order)
    else:
        read_order(folder)
    with held_folder(folder):
        if order is not None:
            _write_plan(folder, order)
        return _train_on_cluster(
            folder, read_order(folder), address, workers, seconds, checkpoint_seconds, building, report
        )


def _train_on_cluster(
    folder: Path,
    order: TrainingOrder,
    address: str,
    workers: int,
    seconds: float | None,
    checkpoint_seconds: float,
    building: Report,
    report: TrainingReport,
) -> PokerBlueprint:
    from equilibrist.solvers.blueprint.distributed.run import BATCH, HEAD, DistributedRun, RayTeam
    from equilibrist.solvers.blueprint.distributed.shares import split

    if order.training.method != SAMPLING:
        raise ParameterError(
            f"Clusters train by sampling, but this training is by '{order.training.method}'; leave --ray out."
        )
    game = order.plan.game(beside=folder, report=building)
    shares = split(game, workers)
    begun, autosave = time.monotonic(), Autosave(checkpoint_seconds, log.warning)
    team = RayTeam(address, order.plan, str(folder), [share.clusters for share in shares], order.training)
    with team, HeldInterrupts() as interrupts:
        run = DistributedRun(game, order.training, team, shares, planned=order.iterations)
        if (folder / HEAD).exists():
            run.load(folder)
        first = run.blocks
        try:
            while run.iteration < order.iterations and (seconds is None or time.monotonic() - begun < seconds):
                run.advance(1)
                if autosave.due:
                    autosave.save(lambda: run.save(folder))
                now = time.monotonic()
                rate = (run.blocks - first) * BATCH / max(now - begun, 1e-9)
                lost = (
                    f"{team.lost} workers were lost and started again; all went back to the last checkpoint."
                    if team.lost
                    else ""
                )
                lost = autosave.failed or lost
                left = (order.iterations - run.iteration) / rate
                report(TrainingProgress(run.iteration, order.iterations, rate, 0.0, now - begun, left, None, lost))
                interrupts.checkpoint()
        except KeyboardInterrupt:
            pass  # what was learned is kept
        provenance = {
            "version": __version__,
            "iterations": run.iteration,
            "training": asdict(order.training),
            "workers": workers,
        }
        record = SolveRecord(SOLVER, run.iteration, bits=32, threads=workers, provenance=provenance)
        made = PokerBlueprint(order.plan, game, run.packed(), record)

        def write(place: Path) -> None:
            if place != folder:
                make_folder(place)
                order.save(place)
            run.save(place)
            made.save(place / BLUEPRINT)

        return _kept_somewhere(folder, write, run.iteration, made)


def _kept_somewhere(
    folder: Path, write: Callable[[Path], None], iteration: int, made: PokerBlueprint
) -> PokerBlueprint:
    """The last checkpoint; where the folder cannot be written, in a new folder elsewhere, from which the training can go on."""
    place, why = save_somewhere(folder, write)
    if why:
        raise CannotWriteError(
            f"{why} The training up to iteration {iteration:,} is in '{place}' instead; make room and move its files back, "
            f"or go on with 'equilibrist train resume {place}'."
        )
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
