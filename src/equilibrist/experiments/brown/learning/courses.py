"""Learners at work in experiments: exact exploitability while they learn, and checkpoints from which a long run goes on."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.compute.kernel import cache_folder
from equilibrist.experiments.findings import Request
from equilibrist.forms.compiled import Compiled

if TYPE_CHECKING:
    from equilibrist.learning.learner import Learner, LearningMethod

Reading = Callable[[Any], float]  # exploitability of something that a learner could play
GROWTH = 1.25  # each point of a curve is so many times as far as the one before


@dataclass(frozen=True)
class LearningCourse:
    """Exploitability along one run, mean over players, in the game's unit."""

    iterations: Sequence[int]
    nodes: Sequence[int]  # histories touched
    exploitability: Mapping[str, Sequence[float]]  # by reading
    learner: Learner  # as it is at the end

    def at(self, reading: str, *, iteration: int) -> float:
        """What was measured at an iteration."""
        return self.exploitability[reading][list(self.iterations).index(iteration)]

    def last(self, reading: str) -> float:
        return self.exploitability[reading][-1]


def course(
    title: str,
    method: LearningMethod,
    game: Compiled,
    request: Request,
    *,
    iterations: int,
    seed: int = 0,
    marks: Sequence[int] = (),
    readings: Mapping[str, Reading] | None = None,
    progress: tuple[float, float] = (0.0, 1.0),
    memories: bool = True,
) -> LearningCourse:
    """A learner up to so many iterations; a `--full` run keeps its state and goes on where it was stopped.

    Without `memories` they are left out of what is kept, and a run that goes on fills them again.
    """
    readings = readings or {"policy": lambda learner: learner.measure()[0]}
    learner = method.start(game, seed=seed, device=request.device)
    points: list[list[float]] = []
    kept, name = _kept(request, f"{title} {method!r} {game.game.name} {seed} {list(readings)}")
    found = kept.load(name)
    if found is not None:
        _restore(learner, found)
        points = found["points"].tolist()
    with HeldInterrupts() as held:
        while learner.iteration < iterations:
            learner.advance()
            if _is_due(learner.iteration, points, marks, iterations):
                values = [read(learner) for read in readings.values()]
                points.append([learner.iteration, learner.counts().get("nodes", 0), *values])
            low, high = progress
            known = [point[2] for point in points if not math.isnan(point[2])]
            shown = f", exploitability {known[-1]:.4g}" if known else ""
            request.report(f"{title}{shown}", low + (high - low) * learner.iteration / iterations)
            kept.save_now_and_then(name, lambda: _state(learner, points, memories))
            if held.asked:
                kept.save(name, _state(learner, points, memories))
            held.checkpoint()
    kept.save(name, _state(learner, points, memories))
    table = np.array(points)
    measured = {label: table[:, 2 + k].tolist() for k, label in enumerate(readings)}
    return LearningCourse(table[:, 0].astype(int).tolist(), table[:, 1].astype(int).tolist(), measured, learner)


def _is_due(iteration: int, points: Sequence[Sequence[float]], marks: Sequence[int], end: int) -> bool:
    last = points[-1][0] if points else 0
    return iteration >= max(last + 1, last * GROWTH) or iteration in marks or iteration == end


def _kept(request: Request, key: str) -> tuple[Checkpoints, str]:
    folder: Path | None = cache_folder() / "experiments" / "learning" if request.full else None
    return Checkpoints(folder, key), hashlib.sha256(key.encode()).hexdigest()[:16]


def _state(learner: Learner, points: Sequence[Sequence[float]], memories: bool) -> dict[str, Any]:
    parts = {"small": learner.small_state()} | ({"memory": learner.memories()} if memories else {})
    out = {f"{part}/{key}": value for part, arrays in parts.items() for key, value in arrays.items()}
    return out | {"points": np.array(points)}


def _restore(learner: Learner, found: Mapping[str, Any]) -> None:
    small, memory = (
        {key.removeprefix(part): np.array(value) for key, value in found.items() if key.startswith(part)}
        for part in ("small/", "memory/")
    )
    learner.restore(small, memory or None)


def draw_courses(
    figure: Any, lines: Mapping[str, tuple[Sequence[float], Sequence[float]]], across: str, up: str
) -> None:
    """One line per run on logarithmic axes."""
    panel = figure.subplots()
    for label, (x, y) in lines.items():
        panel.plot(x, y, "o-" if len(x) == 1 else "-", label=label, linewidth=1.2)
    panel.set(xscale="log", yscale="log", xlabel=across, ylabel=up)
    panel.grid(alpha=0.25)
    panel.legend(fontsize=7, frameon=False)
