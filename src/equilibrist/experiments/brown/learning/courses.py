"""Learners at work in experiments: exact exploitability while they learn, and checkpoints from which a long run goes on.

Runs that do not hang on each other may go on side by side, each in a process of its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.compute.kernel import cache_folder
from equilibrist.core.errors import FormatError
from equilibrist.core.writing import make_folder, plain, write_text
from equilibrist.experiments.findings import Request
from equilibrist.experiments.side_by_side import side_by_side
from equilibrist.forms.compiled import Compiled, compiled

if TYPE_CHECKING:
    from equilibrist.learning.learner import Learner, LearningMethod

Reading = Callable[[Any], float]  # exploitability of something that a learner could play
LAST = 3  # states that are kept to be measured later
GROWTH = 1.25  # each point of a curve is so many times as far as the one before
K = TypeVar("K")


@dataclass(frozen=True)
class LearningCourse:
    """Exploitability along one run, mean over players, in the game's unit."""

    iterations: Sequence[int]
    nodes: Sequence[int]  # histories touched
    exploitability: Mapping[str, Sequence[float]]  # by reading
    learner: Learner | None = None  # as it is at the end; none where it learned in another process

    def at(self, reading: str, *, iteration: int) -> float:
        """What was measured at an iteration; NaN where a training ended before it or went on without a look."""
        known = list(self.iterations)
        return self.exploitability[reading][known.index(iteration)] if iteration in known else math.nan

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
    later: Sequence[int] = (),
    progress: tuple[float, float] = (0.0, 1.0),
    memories: bool = True,
) -> LearningCourse:
    """A learner up to so many iterations; a `--full` run keeps its state and goes on where it was stopped.

    Of iterations in `later` it keeps the state alone (of the last three), for `measured_later`, and NaN in place of what would be read.
    Without `memories` samples are left out of what is kept, and a run that goes on fills them again. Where the request's time is over it
    ends early, with a look at where it stands.
    """
    readings = readings or USUAL
    learner = method.start(game, seed=seed, device=request.device)
    points: list[list[float]] = []
    kept, name = _kept(request, _key(title, method, game, seed, readings))
    found = kept.load(name)
    if found is not None:
        _restore(learner, found)
        points = found["points"].tolist()
    with HeldInterrupts() as held:
        while learner.iteration < iterations and not (points and request.is_late):
            learner.advance()
            if _is_due(learner.iteration, points, (*marks, *later), iterations):
                put_off = learner.iteration in later
                if put_off:
                    _keep_last(kept, name, learner, later)
                points.append(_point(learner, readings, put_off))
                _tell(kept, name, {"columns": ["iteration", "nodes", *readings], "points": points})
            low, high = progress
            known = [point[2] for point in points if not math.isnan(point[2])]
            shown = f", exploitability {known[-1]:.4g}" if known else ""
            request.report(f"{title}{shown}", low + (high - low) * learner.iteration / iterations)
            kept.save_now_and_then(name, lambda: _state(learner, points, memories))
            if held.asked:
                kept.save(name, _state(learner, points, memories))
            held.checkpoint()
        if points[-1][0] < learner.iteration and not later:
            points.append(_point(learner, readings))
            _tell(kept, name, {"columns": ["iteration", "nodes", *readings], "points": points})
    kept.save(name, _state(learner, points, memories))
    table = np.array(points)
    measured = {label: table[:, 2 + k].tolist() for k, label in enumerate(readings)}
    return LearningCourse(table[:, 0].astype(int).tolist(), table[:, 1].astype(int).tolist(), measured, learner)


def _point(learner: Any, readings: Mapping[str, Reading], put_off: bool = False) -> list[float]:
    """Iteration, nodes, and what is read."""
    values = [math.nan if put_off else read(learner) for read in readings.values()]
    return [learner.iteration, learner.counts().get("nodes", 0), *values]


def _keep_last(kept: Checkpoints, name: str, learner: Learner, later: Sequence[int]) -> None:
    kept.save(f"{name}-{learner.iteration}", learner.small_state())
    for mark in [mark for mark in sorted(later) if mark <= learner.iteration][:-LAST]:
        kept.drop(f"{name}-{mark}")


USUAL: Mapping[str, Reading] = {"policy": lambda learner: float(learner.measure()[0])}


@dataclass(frozen=True)
class CoursePlan:
    """What `course` is asked for."""

    title: str
    method: LearningMethod
    game: str
    iterations: int
    seed: int = 0
    marks: Sequence[int] = ()
    readings: Mapping[str, Reading] | None = None
    later: Sequence[
        int
    ] = ()  # iterations whose reading takes long: a `--full` run reads the last three in the end, side by side

    def run(self, request: Request, progress: tuple[float, float] = (0.0, 1.0)) -> LearningCourse:
        return course(
            self.title, self.method, compiled(self.game), request,
            iterations=self.iterations, seed=self.seed, marks=self.marks, readings=self.readings,
            later=self.later if request.full else (), progress=progress,
        )  # fmt: skip

    def measured_later(self, mark: int, label: str, request: Request) -> float:
        """One reading of the state that was kept after an iteration; of a state that is gone NaN."""
        game, readings = compiled(self.game), self.readings or USUAL
        kept, name = _kept(request, _key(self.title, self.method, game, self.seed, readings))

        def read() -> dict[str, Any]:
            state = kept.load(f"{name}-{mark}")
            if state is None:
                return {"value": np.array(math.nan)}
            learner = self.method.start(game, seed=self.seed, device=request.device)
            learner.restore(state, None)
            return {"value": np.array(readings[label](learner))}

        own = f"{name}-{mark}-{list(readings).index(label)}"
        value = float(kept.keep(own, read)["value"])
        _tell(kept, own, {"iteration": mark, "reading": label, "value": value})
        return value


def courses(
    plan_of: Callable[[K], CoursePlan],
    keys: Sequence[K],
    request: Request,
    progress: tuple[float, float] = (0.0, 1.0),
) -> dict[K, LearningCourse]:
    """The run of each key, as many at a time as the request has jobs.

    `plan_of` and keys travel to other processes: a function of a module, or a `partial` of one. Learners do not come back from there.
    """
    found = dict(side_by_side(_Training(plan_of), keys, request, progress))
    pieces = [
        (key, mark, label)
        for key in (keys if request.full else ())
        for plan in (plan_of(key),)
        for mark in [mark for mark in sorted(plan.later) if mark in found[key].iterations][-LAST:]
        for label in plan.readings or USUAL
    ]
    for (key, mark, label), value in side_by_side(_Measuring(plan_of), pieces, request, (progress[1],) * 2):
        known = found[key]
        curve = list(known.exploitability[label])
        curve[list(known.iterations).index(mark)] = value
        found[key] = replace(known, exploitability={**known.exploitability, label: curve})
    return {key: found[key] for key in keys}


@dataclass(frozen=True)
class _Training(Generic[K]):
    plan_of: Callable[[K], CoursePlan]

    def __call__(self, key: K, progress: tuple[float, float], request: Request) -> LearningCourse:
        return replace(self.plan_of(key).run(request, progress), learner=None)


@dataclass(frozen=True)
class _Measuring(Generic[K]):
    plan_of: Callable[[K], CoursePlan]

    def __call__(self, piece: tuple[K, int, str], progress: tuple[float, float], request: Request) -> float:
        key, mark, label = piece
        plan = self.plan_of(key)
        request.report(f"{plan.title}: {label} after {mark} iterations", progress[0])
        return plan.measured_later(mark, label, request)


def _is_due(iteration: int, points: Sequence[Sequence[float]], marks: Sequence[int], end: int) -> bool:
    last = points[-1][0] if points else 0
    return iteration >= max(last + 1, last * GROWTH) or iteration in marks or iteration == end


def _key(title: str, method: LearningMethod, game: Compiled, seed: int, readings: Mapping[str, Reading]) -> str:
    return f"{title} {method!r} {game.game.name} {seed} {list(readings)}"


def _tell(kept: Checkpoints, name: str, told: Mapping[str, Any]) -> None:
    """As text beside the state, so that a run that never ends says something, too."""
    if kept.folder is not None:
        with contextlib.suppress(FormatError):  # it is for people to look at
            make_folder(kept.folder)
            write_text(kept.folder / f"{name}.json", json.dumps(plain({"of": kept.key, **told})))


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
