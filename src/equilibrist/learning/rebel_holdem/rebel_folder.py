"""ReBeL on hold'em trained in a folder: stopped at any moment, it goes on from its last checkpoint, bit for bit on a CPU.

`plan.json` says what is learned, `flops-N.eqb` and `turns-N.eqb` are what iteration N has played, `state.eqb` holds networks,
optimisers and the curve. `preflop.eqb` and `values.eqb` are what players and searches read, `nets.safetensors` is for other programs.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.compute.machine import cores
from equilibrist.compute.saving import Autosave
from equilibrist.core.artifact import Artifact, load_artifact, open_artifact, save_artifact
from equilibrist.core.errors import FormatError, ParameterError
from equilibrist.core.writing import PART, held_folder, make_folder
from equilibrist.learning.hand_values.labels import load_shard, save_shard
from equilibrist.learning.networks.torch_extra import need_torch
from equilibrist.learning.rebel_holdem.flop_play import ClassExamples
from equilibrist.learning.rebel_holdem.publishing import publish
from equilibrist.learning.rebel_holdem.rebel_order import KIND, RebelOrder, read_rebel_order
from equilibrist.learning.rebel_holdem.rebel_training import RebelTraining
from equilibrist.learning.rebel_holdem.self_play import PlayedStates
from equilibrist.version import __version__

log = logging.getLogger(__name__)

STATE = "state.eqb"
FLOPS_KIND = "rebel-holdem-flops"
CHECKPOINT_SECONDS = 120.0


@dataclass(frozen=True)
class RebelProgress:
    """What a progress callback is told."""

    iterations: int
    planned: int
    doing: str
    share: float  # of everything
    seconds_left: float | None
    warning: str = ""


RebelReport = Callable[[RebelProgress], None]


def start_rebel(folder: Path, order: RebelOrder, **how: Any) -> dict[str, Any]:
    """Begin in a folder that is empty or does not exist: `device`, `seconds`, `threads`, `report`; returns its facts."""
    need_torch()
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(path.suffix != PART for path in folder.iterdir())):
        raise ParameterError(
            f"'{folder}' is not an empty folder; choose another name, or go on with 'equilibrist learn resume'."
        )
    training = RebelTraining(order, how.pop("device", "cpu"))
    make_folder(folder)
    with held_folder(folder):
        order.save(folder)
        return _run(folder, training, **how)


def resume_rebel(folder: Path, *, iterations: int | None = None, **how: Any) -> dict[str, Any]:
    """Go on to the iterations asked for, or to more of them; other arguments as of `start_rebel`."""
    need_torch()
    folder = Path(folder)
    order = read_rebel_order(folder)
    with held_folder(folder):
        if iterations is not None and iterations < order.iterations:
            raise ParameterError(
                f"This training was asked for {order.iterations:,} iterations; {iterations:,} would be fewer."
            )
        order = replace(order, iterations=iterations or order.iterations)
        training = RebelTraining(order, how.pop("device", "cpu"))
        if (folder / STATE).exists():
            _restore(folder, training)
        order.save(folder)
        return _run(folder, training, **how)


def rebel_facts(folder: Path) -> dict[str, Any]:
    """Where a training stands, from its files alone."""
    order = read_rebel_order(folder)
    facts: dict[str, Any] = {"kind": KIND, "planned": order.iterations, "iterations": 0, "curve": []}
    if (Path(folder) / STATE).exists():
        header = open_artifact(Path(folder) / STATE, KIND).header
        facts |= {key: header[key] for key in ("iterations", "curve", "seconds")}
    return facts | {"finished": facts["iterations"] >= order.iterations}


def _restore(folder: Path, training: RebelTraining) -> None:
    kept = load_artifact(folder / STATE, KIND)
    try:
        header = kept.header
        training.restore(dict(kept.arrays), int(header["iterations"]))
        training.curve, training.seconds = list(header["curve"]), float(header["seconds"])
    except (KeyError, ValueError, TypeError, RuntimeError) as error:
        raise FormatError(
            f"The state in '{folder}' does not fit its plan ({error}); start the training again in a new folder."
        ) from None
    for number in range(1, training.iteration + 1):
        training.remember(load_played(folder, number))


def save_played(folder: Path, number: int, played: PlayedStates) -> None:
    """What an iteration has found, in two files."""
    flops = asdict(played.flops)
    save_artifact(folder / f"flops-{number:05}.eqb", Artifact(FLOPS_KIND, {"examples": len(played.flops)}, flops))
    save_shard(folder / f"turns-{number:05}.eqb", played.turns)


def load_played(folder: Path, number: int) -> PlayedStates:
    """The same again."""
    path = folder / f"flops-{number:05}.eqb"
    for needed in (path, folder / f"turns-{number:05}.eqb"):
        if not needed.is_file():
            raise FormatError(
                f"'{folder}' lacks {needed.name}, which it has learned from; put it back, or start again in a new folder."
            )
    kept = load_artifact(path, FLOPS_KIND).arrays
    try:
        examples = ClassExamples(kept["weights"], kept["depth"], kept["added"], kept["share"])
        size = len(examples)
        fits = examples.weights.shape == examples.added.shape == (size, 2, 169) and examples.share.shape == (size, 169)
        if not fits or not all(np.isfinite(each).all() for each in vars(examples).values()):
            raise ValueError("its arrays do not fit")
    except (KeyError, ValueError) as error:
        raise FormatError(f"'{path}' is damaged ({error}); start the training again in a new folder.") from None
    return PlayedStates(examples, load_shard(folder / f"turns-{number:05}.eqb", "turn"))


def _run(
    folder: Path,
    training: RebelTraining,
    *,
    seconds: float | None = None,
    threads: int | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    report: RebelReport = lambda progress: None,
) -> dict[str, Any]:
    keeper = _Keeper(folder, training, threads or cores(), report)
    autosave = Autosave(checkpoint_seconds, log.warning)
    with HeldInterrupts() as interrupts:
        keeper.checkpoint = interrupts.checkpoint
        try:
            while training.iteration < training.order.iterations:
                if seconds is not None and keeper.spent >= seconds:
                    break
                keeper.advance()
                if autosave.due:
                    autosave.save(keeper.write)
                interrupts.checkpoint()
        except KeyboardInterrupt:
            pass  # what was learned is kept, and the training can go on
        keeper.write()
    return rebel_facts(folder)


class _Keeper:
    """Progress and checkpoints of one session."""

    def __init__(self, folder: Path, training: RebelTraining, threads: int, report: RebelReport) -> None:
        self.folder, self.training, self.threads, self.report = folder, training, threads, report
        self.checkpoint: Callable[[], None] = lambda: None
        self.begin, self.before, self.first = time.monotonic(), training.seconds, training.iteration

    @property
    def spent(self) -> float:
        return time.monotonic() - self.begin

    def advance(self) -> None:
        """Played and learned from, or, where somebody stops it, not begun."""
        training = self.training
        played = training.play(self.threads, self.tell)
        save_played(self.folder, training.iteration + 1, played)
        training.learn(load_played(self.folder, training.iteration + 1))
        training.seconds = self.before + self.spent
        training.curve[-1]["seconds"] = round(training.seconds, 1)

    def tell(self, doing: str, share: float) -> None:
        """`share` of the present iteration."""
        training = self.training
        done, planned = training.iteration, training.order.iterations
        began = done - self.first + share
        left = (planned - done - share) * self.spent / began if began > 0.0 else None
        self.report(RebelProgress(done, planned, doing, (done + share) / planned, left))
        self.checkpoint()

    def write(self) -> None:
        """The state, then what others read."""
        training = self.training
        header = {
            "iterations": training.iteration,
            "seconds": training.seconds,
            "curve": training.curve,
            "version": __version__,
        }
        save_artifact(self.folder / STATE, Artifact(KIND, header, training.state()))
        if training.curve:
            publish(self.folder, training, header)
