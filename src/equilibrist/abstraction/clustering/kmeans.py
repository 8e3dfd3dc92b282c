"""k-means over weighted points: k-means++ seeding, restarts, centres sorted by shadow and bounds in the manner of Hamerly.

The same code serves Euclidean distance and the 1-D earth mover's distance, which is the sum of absolute differences of CDFs.
Results depend on the seed alone: neither on threads nor on where an interrupted run went on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.clustering._kernels import kmeans as loops
from equilibrist.compute.atomics import LINE
from equilibrist.compute.lanes import aligned
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError

KINDS = {"emd": 0, "l2": 1}
SPAN = 1 << 10  # points of one job
PARTS = 16  # of the points, whose members are summed up by themselves: any number of threads gives the same bits

Points = NDArray[np.float32]
Labels = NDArray[np.int64]
State = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class KMeansSettings:
    """When a run ends, and how many there are."""

    restarts: int = 1
    iterations: int = 100  # at most ([Ganzfried15, §5.2] leaves it open)
    settled: float = 0.001  # or when no larger share of the points changes its cluster


ONCE = KMeansSettings()


@dataclass(frozen=True, eq=False)
class KMeansResult:
    """The best iterate of the best restart."""

    centres: Points  # [k, D]
    label: Labels  # [n]
    objective: float  # sum of weighted squared distances
    history: tuple[tuple[float, ...], ...]  # objective by restart and iteration


@dataclass(frozen=True)
class KMeansCheckpoint:
    """Where interrupted runs are kept; by default nowhere."""

    load: Callable[[], State | None] = lambda: None
    save: Callable[[State], None] = lambda state: None
    report: Callable[[str], None] = lambda text: None


UNOBSERVED = KMeansCheckpoint()


def shadow(points: Points, kind: str) -> Floats:
    """[D]: the line for `shade`: the sum of a CDF, or the direction in which points vary most."""
    if kind == "emd":
        return np.ones(points.shape[1])
    centred = points[:: max(1, len(points) // 100_000)].astype(np.float64)
    centred -= centred.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    line: Floats = vectors[:, -1]
    return np.asarray(line * np.sign(line[np.abs(line).argmax()]))


class NearestCentre:
    """Centres, ready to be searched."""

    def __init__(self, centres: Points, kind: str, line: Floats) -> None:
        self.kind, self.line = KINDS[kind], line
        shade = shades(centres, line, Team())
        self.order = np.argsort(shade, kind="stable")
        self.place = np.argsort(self.order)
        self.shade = np.ascontiguousarray(shade[self.order])
        self.centres = np.ascontiguousarray(centres[self.order], dtype=np.float32)

    def search(self, points: Points, shade: Floats, label: Labels, own: Floats, lower: Floats, team: Team) -> None:
        """Bring label, distance and bound up to date; a label of -1 is unknown."""
        arrays = self.centres, self.shade, self.order, self.place, self.kind

        def job(start: int, stop: int) -> Callable[[], None]:
            return lambda: loops.assign_points(points, shade, *arrays, start, stop, label, own, lower)

        team.run([job(start, stop) for start, stop in spans_of(len(points))])


def spans_of(number: int) -> list[tuple[int, int]]:
    """Of so many points."""
    return [(start, min(start + SPAN, number)) for start in range(0, number, SPAN)]


def shades(points: Points, line: Floats, team: Team) -> Floats:
    """[n]: where the shadow of each point falls on a line."""
    out = np.empty(len(points))
    jobs = [partial(loops.cast_shadows, points, line, start, stop, out) for start, stop in spans_of(len(points))]
    team.run(jobs)
    return out


def assign(points: Points, centres: Points, kind: str, team: Team | None = None) -> tuple[Labels, Floats]:
    """Nearest centre of every point, the lowest of equals, and its distance."""
    line = shadow(centres, kind)
    label, own, lower = _unknown(len(points))
    nearest = NearestCentre(centres, kind, line)
    crowd = team or Team()
    nearest.search(points, shades(points, line, crowd), label, own, lower, crowd)
    return label, own


def centre_distances(centres: Points, kind: str) -> NDArray[np.float32]:
    """[k, k], symmetric with a zero diagonal."""
    out = np.empty((len(centres), len(centres)), np.float32)
    loops.distances_between(centres, centres, KINDS[kind], out)
    return out


def kmeans(
    points: Points,
    weight: Floats,
    size: int,
    kind: str,
    *,
    seed: int,
    settings: KMeansSettings = ONCE,
    team: Team | None = None,
    progress: KMeansCheckpoint = UNOBSERVED,
) -> KMeansResult:
    """At most `size` clusters of points [n, D]; fewer only where there are fewer different points."""
    run = _Run(points, weight, min(size, len(points)), kind, seed, settings, team or Team(), progress)
    state = progress.load()
    best, restart = run.resume(state) if state is not None else (None, 0)
    for number in range(restart, settings.restarts):
        found = run.restart(number, state if state is not None and number == restart else None, best)
        if best is None or found.objective < best.objective:
            best = KMeansResult(found.centres, found.label, found.objective, (*_past(best), *found.history))
        else:
            best = KMeansResult(best.centres, best.label, best.objective, (*best.history, *found.history))
    assert best is not None
    return best


def kmeans_of_few(
    points: Floats,
    weights: Floats,
    count: int,
    rng: np.random.Generator,
    *,
    restarts: int = 10,
    error: str = "absolute",
) -> tuple[float, Labels]:
    """Least weighted error found and the cluster of every point [N, d]; distances are Euclidean, numbers have 64 bits.

    For few points, in one call: every restart goes on until nothing changes. The error adds up distances (`absolute`) or their squares.
    """
    if not 1 <= count <= len(points):
        raise ParameterError(f"{count} clusters were asked for, but there are {len(points)} points.")
    rows, width = points.shape
    best = np.zeros(rows, np.int64)
    least = loops.best_of_restarts(
        np.ascontiguousarray(points, np.float64), weights.astype(np.float64), rng.random((restarts, count)), error == "squared",
        np.empty((count, width)), np.empty(rows), np.empty(count), np.empty(rows, np.int64), best,
    )  # fmt: skip
    return float(least), best


def _past(best: KMeansResult | None) -> tuple[tuple[float, ...], ...]:
    return () if best is None else best.history


def _unknown(count: int) -> tuple[Labels, Floats, Floats]:
    return np.full(count, -1, np.int64), np.full(count, np.inf), np.full(count, -np.inf)


@dataclass(frozen=True, eq=False)
class _Run:
    """All that restarts share."""

    points: Points
    weight: Floats
    size: int
    kind: str
    seed: int
    settings: KMeansSettings
    team: Team
    progress: KMeansCheckpoint

    def restart(self, number: int, state: State | None, before: KMeansResult | None) -> KMeansResult:
        """One run from new seeds, or from where it was interrupted."""
        line = shadow(self.points, self.kind)
        shade = shades(self.points, line, self.team)
        label, own, lower = _unknown(len(self.points))
        if state is not None:
            centres, label[:] = np.array(state["centers"]), state["label"]
            history = [float(x) for x in state["history"]]
            kept = KMeansResult(np.array(state["kept_centers"]), np.array(state["kept_label"]), min(history), ())
        else:
            centres, history, kept = self._seeds(number, shade), [], None
        settled = bool(history) and bool(state is not None and state["settled"])
        while len(history) < self.settings.iterations and not settled:
            held = label.copy()
            NearestCentre(centres, self.kind, line).search(self.points, shade, label, own, lower, self.team)
            objective = float(np.sum(self.weight * own * own))  # products of NumPy would wake threads that stay awake
            if kept is None or objective < kept.objective:
                kept = KMeansResult(centres, label.copy(), objective, ())
            settled = float(np.mean(held != label)) <= self.settings.settled
            history.append(objective)
            centres, moved = self._means(centres, label, own)
            lower -= moved
            self.progress.report(f"restart {number + 1}, iteration {len(history)}, objective {objective:.6g}")
            self.progress.save(self._state(number, centres, label, history, kept, settled, before))
        assert kept is not None
        return KMeansResult(kept.centres, kept.label, kept.objective, (tuple(history),))

    def resume(self, state: State) -> tuple[KMeansResult | None, int]:
        """The best of the restarts that were over, and the number of the one that was not."""
        restart = int(state["restart"])
        if "best_centers" not in state:
            return None, restart
        lengths, flat = state["past_lengths"], state["past"]
        past = tuple(tuple(float(x) for x in part) for part in np.split(flat, np.cumsum(lengths)[:-1]))
        best = KMeansResult(np.array(state["best_centers"]), np.array(state["best_label"]), min(map(min, past)), past)
        return best, restart

    def _state(
        self,
        restart: int,
        centres: Points,
        label: Labels,
        history: list[float],
        kept: KMeansResult,
        settled: bool,
        before: KMeansResult | None,
    ) -> State:
        state = {
            "restart": np.array(restart),
            "centers": centres,
            "label": label.copy(),  # the run goes on changing it
            "history": np.array(history),
            "kept_centers": kept.centres,
            "kept_label": kept.label,
            "settled": np.array(settled),
        }
        if before is not None:
            state["best_centers"], state["best_label"] = before.centres, before.label
            state["past"] = np.concatenate([np.array(part) for part in before.history])
            state["past_lengths"] = np.array([len(part) for part in before.history])
        return state

    def _seeds(self, restart: int, shade: Floats) -> Points:
        draws = np.random.default_rng([self.seed, restart]).random(self.size)
        chosen, nearest = np.empty(self.size, np.int64), np.empty(len(self.points))
        control = aligned(loops.WORDS * LINE, np.int64)
        job = partial(
            loops.seed_together,
            self.points,
            shade,
            self.weight,
            KINDS[self.kind],
            draws,
            chosen,
            nearest,
            SPAN,
            np.zeros(len(spans_of(len(self.points)))),
            control,
        )
        self.team.run([job] * self.team.threads)
        return self.points[chosen].copy()

    def _means(self, centres: Points, label: Labels, own: Floats) -> tuple[Points, float]:
        """New centres, and how far any of them moved; an empty cluster begins again at the point farthest from its centre."""
        ends = [len(self.points) * k // PARTS for k in range(PARTS + 1)]
        parts = [(np.zeros(centres.shape), np.zeros(len(centres))) for _ in range(PARTS)]
        self.team.run(
            [
                partial(loops.sum_members, self.points, self.weight, label, start, stop, *part)
                for (start, stop), part in zip(pairwise(ends), parts, strict=True)
            ]
        )
        sums, mass = (np.sum(each, axis=0) for each in zip(*parts, strict=True))
        new = np.where(mass[:, None] > 0.0, sums / np.maximum(mass, 1e-300)[:, None], centres).astype(np.float32)
        empty = np.flatnonzero(mass == 0.0)
        if len(empty):
            new[empty] = self.points[np.argsort(-own * (self.weight > 0.0), kind="stable")[: len(empty)]]
        gaps = np.abs(new - centres)
        moved = gaps.sum(axis=1) if self.kind == "emd" else np.sqrt((gaps.astype(np.float64) ** 2).sum(axis=1))
        return new, float(moved.max())
