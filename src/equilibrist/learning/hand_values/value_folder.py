"""A network of values trained in a folder: each iteration solves new states and learns from all so far; it goes on wherever it was stopped.

`plan.json` says what is learned, `states-N.eqb` are states with their exact values, `state.eqb` holds the network, its optimiser and the
curve, `values.eqb` the network for searches, `nets.safetensors` for other programs. A shard that is gone is made again.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.compute.machine import cores
from equilibrist.compute.saving import Autosave
from equilibrist.core.artifact import Artifact, load_artifact, open_artifact, save_artifact
from equilibrist.core.errors import FormatError, ParameterError
from equilibrist.core.writing import PART, held_folder, make_folder, whole_file
from equilibrist.learning.hand_values.blueprint_states import BlueprintPlay
from equilibrist.learning.hand_values.shards import Shards
from equilibrist.learning.hand_values.value_file import VALUES, save_values
from equilibrist.learning.hand_values.value_order import DEPTHS, KIND, ValueOrder, blueprint_file, read_value_order
from equilibrist.learning.hand_values.value_training import ValueTraining
from equilibrist.learning.networks.state import net_arrays
from equilibrist.learning.networks.torch_extra import torch_device
from equilibrist.learning.trainings.order import PLAN
from equilibrist.learning.trainings.publishing import NETS, publish_nets
from equilibrist.version import __version__

log = logging.getLogger(__name__)

STATE = "state.eqb"
CHECKPOINT_SECONDS = 120.0


@dataclass(frozen=True)
class ValueProgress:
    """What a progress callback is told."""

    iterations: int
    planned: int
    doing: str
    error: float | None  # % of the pot, of held-out hands as they are held
    seconds_left: float | None
    share: float = 0.0  # of everything
    warning: str = ""


ValueReport = Callable[[ValueProgress], None]


def start_values(folder: Path, order: ValueOrder, blueprints: Sequence[Path] = (), **how: Any) -> dict[str, Any]:
    """Begin in a folder that is empty or does not exist: `device`, `seconds`, `label_seconds`, `threads`, `report`; returns its facts.

    Trained `blueprints` of hold'em are copied there: a share of the states are those that they play to.
    """
    folder, order = Path(folder), replace(order, blueprints=len(blueprints))
    for file in blueprints:  # what cannot be drawn from is refused
        BlueprintPlay(Path(file), order.street, DEPTHS).draw(np.random.default_rng(order.seed))
    if folder.exists() and (not folder.is_dir() or any(_stays(folder, path) for path in folder.iterdir())):
        raise ParameterError(
            f"'{folder}' is not an empty folder; choose another name, or go on with 'equilibrist learn resume'."
        )
    training = ValueTraining(order, how.pop("device", "cpu"))
    make_folder(folder)
    with held_folder(folder):
        for number, file in enumerate(blueprints):
            with whole_file(blueprint_file(folder, number)) as out:
                out.write(Path(file).read_bytes())
        order.save(folder)
        return _run(folder, training, **how)


def _stays(folder: Path, path: Path) -> bool:
    """Whether a file is of somebody else, not of a training that was killed before it had a plan."""
    begun = path.name.startswith("blueprint-") and not (folder / PLAN).exists()
    return path.suffix != PART and not begun


def resume_values(folder: Path, *, states: int | None = None, **how: Any) -> dict[str, Any]:
    """Go on to the states asked for, or to more of them; other arguments as of `start_values`."""
    folder = Path(folder)
    with held_folder(folder):
        order = read_value_order(folder)
        if states is not None and states < order.states:
            raise ParameterError(f"This training was asked for {order.states:,} states; {states:,} would be fewer.")
        order = replace(order, states=states or order.states)
        training = ValueTraining(order, how.pop("device", "cpu"))
        if (folder / STATE).exists():
            _restore(folder, training)
        order.save(folder)
        return _run(folder, training, **how)


def label_beside(
    folder: Path,
    *,
    device: str = "cpu",
    seconds: float | None = None,
    threads: int | None = None,
    report: ValueReport = lambda progress: None,
) -> int:
    """Solve shards of a training that nobody else is at work on, none begun after so many seconds; how many."""
    folder = Path(folder)
    begin = time.monotonic()
    shards = Shards(folder, read_value_order(folder), torch_device(device).type, threads or cores())
    with HeldInterrupts() as interrupts:

        def told(count: int, share: float) -> None:
            made, planned = shards.made, shards.order.shards
            doing = f"solving {count:,} states, {100 * share:.0f} %, in {time.monotonic() - begin:.0f} s"
            report(ValueProgress(made, planned, doing, None, None, (made + share) / planned))
            interrupts.checkpoint()

        try:
            shards.make_beside(told, partial(read_value_order, folder), seconds)
        except KeyboardInterrupt:
            pass  # shards that are made are kept
        finally:
            shards.close()
    return shards.made


def value_facts(folder: Path) -> dict[str, Any]:
    """Where a training stands, from its files alone."""
    order = read_value_order(folder)
    facts: dict[str, Any] = {
        "kind": KIND,
        "street": order.street,
        "planned": order.iterations,
        "iterations": 0,
        "curve": [],
    }
    if (Path(folder) / STATE).exists():
        header = open_artifact(Path(folder) / STATE, KIND).header
        facts |= {key: header[key] for key in ("iterations", "curve", "seconds", "states")}
    return facts | {"finished": facts["iterations"] >= order.iterations}


def _restore(folder: Path, training: ValueTraining) -> None:
    kept = load_artifact(folder / STATE, KIND)
    try:
        training.restore(dict(kept.arrays), int(kept.header["iterations"]))
        training.curve, training.seconds = list(kept.header["curve"]), float(kept.header["seconds"])
    except (KeyError, ValueError, TypeError, RuntimeError) as error:
        raise FormatError(
            f"The state in '{folder}' does not fit its plan ({error}); start the training again in a new folder."
        ) from None


def _run(
    folder: Path,
    training: ValueTraining,
    *,
    seconds: float | None = None,
    label_seconds: float | None = None,
    threads: int | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    report: ValueReport = lambda progress: None,
) -> dict[str, Any]:
    keeper = _Keeper(folder, training, threads or cores(), report)
    autosave = Autosave(checkpoint_seconds, log.warning)
    with HeldInterrupts() as interrupts:
        try:
            keeper.checkpoint = interrupts.checkpoint
            keeper.load()
            while training.iteration < training.order.iterations and not (
                seconds is not None and keeper.spent >= seconds
            ):
                if label_seconds is not None and keeper.spent >= label_seconds:
                    keeper.cut()
                keeper.advance()
                if autosave.due:
                    autosave.save(keeper.write)
                interrupts.checkpoint()
        except KeyboardInterrupt:
            pass  # what was learned is kept, and the training can go on
        finally:
            keeper.shards.close()
        keeper.write()
    return value_facts(folder)


class _Keeper:
    """Shards, checkpoints and progress of one session."""

    def __init__(self, folder: Path, training: ValueTraining, threads: int, report: ValueReport) -> None:
        self.folder, self.training, self.report = folder, training, report
        self.checkpoint: Callable[[], None] = lambda: None
        self.begin, self.before, self.first = time.monotonic(), training.seconds, training.iteration
        device = "cuda" if training.device.type == "cuda" else "cpu"
        self.shards = Shards(folder, training.order, device, threads)

    @property
    def spent(self) -> float:
        return time.monotonic() - self.begin

    def load(self) -> None:
        """Held-out states, and the shards of the iterations so far."""
        self.training.held_out.add(self.shards.held_out(self._told))
        for number in range(min(self.training.iteration, self.training.order.shards)):
            self.training.memory.add(self.shards.take(number, self._told))
            self.checkpoint()

    def cut(self) -> None:
        """From now on the states that are there, or that somebody is at work on, are all."""
        order = self.shards.cut(max(self.training.iteration, 1))
        if order != self.training.order:
            self.training.order = order
            order.save(self.folder)

    def advance(self) -> None:
        training = self.training
        if training.iteration < training.order.shards:
            training.memory.add(self.shards.take(training.iteration, self._told))
        before = training.state(), training.iteration

        def step_done(share: float) -> None:
            self.tell(f"training, {100 * share:.0f} %", share - 1.0)
            self.checkpoint()

        try:
            training.train(step_done)
        except KeyboardInterrupt:
            training.restore(*before)  # an iteration is done or undone
            raise
        errors = training.measure()
        training.curve.append(
            {
                "iterations": training.iteration,
                "states": len(training.memory),
                "seconds": round(self.before + self.spent, 1),
            }
            | errors.plain()
        )

    def _told(self, count: int, share: float) -> None:
        self.tell(f"solving {count:,} states, {100 * share:.0f} %")
        self.checkpoint()

    def tell(self, doing: str, begun: float = 0.0) -> None:
        """`begun`: the part of an iteration that is done beside those that count as done."""
        training = self.training
        done = training.iteration - self.first
        left = (training.order.iterations - training.iteration) * self.spent / done if done > 0 else None
        error = training.curve[-1]["in_range"] if training.curve else None
        share = max(0.0, training.iteration + begun) / training.order.iterations
        self.report(ValueProgress(training.iteration, training.order.iterations, doing, error, left, share))

    def write(self) -> None:
        """The state, then what others read."""
        training = self.training
        header = {
            "street": training.order.street,
            "iterations": training.iteration,
            "states": len(training.memory),
            "seconds": self.before + self.spent,
            "curve": training.curve,
            "version": __version__,
        }
        save_artifact(self.folder / STATE, Artifact(KIND, header, training.state()))
        if training.curve:
            save_values(self.folder / VALUES, training.net, training.order, training.curve[-1])
            card = {"game": f"hands at the start of the {training.order.street}", **header}
            publish_nets(self.folder / NETS, {"values": net_arrays(training.net, "")}, {**card, "curve": []})
