"""Potential-aware clusters ([Ganzfried15] Algorithms 1 and 2): hands are alike if the next card sends them to buckets that are alike.

k-means whose points are the buckets of the next street, card by card, and whose distance is the greedy heuristic of the earth
mover's distance over the distances between those buckets. A cheap bound leaves out most distances without changing a result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.cards._kernels import transport as loops
from equilibrist.abstraction.cards.emd import exact_emd, neighbour_order
from equilibrist.abstraction.cards.features import Feature
from equilibrist.abstraction.cards.methods import Clusters, Distances, Floats, Help, Labels, Rows, Scene, next_buckets
from equilibrist.compute.threads import Team
from equilibrist.core.errors import NotApplicableError

CELLS = 64  # of the line that distributions are projected on for the bound
SPAN = 1 << 12  # points of one job
FAINT = 1e-9  # entries of a mean that are dropped


@dataclass(frozen=True)
class PotentialAware:
    """k-means by what the next card brings."""

    word: ClassVar[str] = "potential-aware"
    lossless: ClassVar[bool] = False
    uses_next: ClassVar[bool] = True
    restarts: int = 1  # 25 in the source
    iterations: int = 50

    def feature(self, scene: Scene) -> Feature:
        return next_buckets(scene)

    def fit(self, rows: Rows, weight: Floats, size: int, scene: Scene, help: Help) -> Clusters:
        space = space_of(scene)
        best: tuple[float, NDArray[np.float64]] | None = None
        state = help.progress.load()
        first = int(state["restart"]) if state is not None else 0
        if state is not None and "best" in state:
            best = float(state["best_objective"]), np.array(state["best"])
        for restart in range(first, self.restarts):
            run = _Run(space, rows, weight, min(size, len(rows)), [help.seed, restart], self.iterations, help, best)
            found = run.run(restart, state if restart == first else None)
            if best is None or found[0] < best[0]:
                best = found
        assert best is not None
        return Clusters(best[1].astype(np.float32))

    def assign(self, rows: Rows, clusters: Clusters, scene: Scene) -> Labels:
        return space_of(scene).assign(rows, clusters.centers.astype(np.float64), Team())[0]

    def distances(self, clusters: Clusters, scene: Scene) -> Distances:
        """Exact distances between means: a metric, which the street before relies on."""
        ground, means = space_of(scene).ground, clusters.centers
        out = np.zeros((len(means), len(means)), np.float32)
        for i in range(len(means)):
            for j in range(i):
                out[i, j] = out[j, i] = exact_emd(means[i] / means[i].sum(), means[j] / means[j].sum(), ground)
        return out


@dataclass(frozen=True, eq=False)
class PotentialSpace:
    """Distances between the buckets of the next street, and what is worked out of them once."""

    ground: NDArray[np.float32]  # [C, C]
    order: NDArray[np.int16]  # [C, C]; neighbours by distance
    positions: NDArray[np.float32]  # [C, CELLS]; see `_positions`
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(2, np.int64))  # distances asked for, worked out

    def assign(self, rows: Rows, means: Floats, team: Team, label: Labels | None = None) -> tuple[Labels, Floats]:
        """Nearest mean of every row, and its distance; `label` says where to look first."""
        spots = (means @ self.positions).astype(np.float32)
        shade = spots.sum(axis=1, dtype=np.float64)
        by_shade = np.argsort(shade, kind="stable")
        place = np.argsort(by_shade)
        sorted_means = np.ascontiguousarray(means[by_shade])
        found = np.full(len(rows), -1, np.int64) if label is None else place[label]
        own = np.empty(len(rows))
        arrays = sorted_means, np.ascontiguousarray(spots[by_shade]), shade[by_shade], self.order, self.ground
        tallies = []

        def job(start: int) -> Callable[[], None]:
            counts = np.zeros(2, np.int64)
            tallies.append(counts)
            stop = min(start + SPAN, len(rows))
            return lambda: loops.assign_rows(rows, self.positions, *arrays, start, stop, found, own, counts)

        team.run([job(start) for start in range(0, len(rows), SPAN)])
        self.counts[:] += np.sum(tallies, axis=0, dtype=np.int64) if tallies else 0
        return by_shade[found], own

    def sparse(self, row: Rows) -> tuple[Floats, NDArray[np.float32], NDArray[np.int16], NDArray[np.float32]]:
        """A point as a mean with few entries: masses, embedding, order of its entries from each class, distances to them."""
        support, times = np.unique(row, return_counts=True)
        ground = np.ascontiguousarray(self.ground[:, support])
        mass = times / len(row)
        return mass, (mass @ self.positions[support]).astype(np.float32), neighbour_order(ground), ground


_SPACES: dict[int, tuple[Any, PotentialSpace]] = {}


def space_of(scene: Scene) -> PotentialSpace:
    """The space of the next street's buckets, made once per street."""
    if scene.next is None:
        raise NotApplicableError("The last street has no next one to look at; use ochs or kmeans-emd there.")
    key = id(scene.next)
    if key not in _SPACES or _SPACES[key][0] is not scene.next:
        _SPACES.clear()
        _SPACES[key] = scene.next, potential_space(scene.next.distances)
    return _SPACES[key][1]


def potential_space(ground: NDArray[np.float32]) -> PotentialSpace:
    ground = np.ascontiguousarray(ground, np.float32)
    return PotentialSpace(ground, neighbour_order(ground), _positions(ground))


def _positions(ground: NDArray[np.float32]) -> NDArray[np.float32]:
    """[C, CELLS]: for each class its step function on a line, cell by cell.

    Where a class stands on the line is its distance from a class at the end of it, so two classes are no farther apart there
    than they are. The distance of two distributions on the line is the area between their CDFs; cell by cell, no more than that.
    """
    end = int(ground[0].argmax())
    place = ground[end].astype(np.float64)
    width = max(float(place.max()), 1e-9) / CELLS
    upper = width * np.arange(1, CELLS + 1)
    return np.clip(upper[None, :] - place[:, None], 0.0, width).astype(np.float32)


@dataclass(frozen=True, eq=False)
class _Run:
    """One restart."""

    space: PotentialSpace
    rows: Rows
    weight: Floats
    size: int
    seed: list[int]
    iterations: int
    help: Help
    best: tuple[float, Floats] | None
    settled: float = 0.001

    def run(self, restart: int, state: Any) -> tuple[float, Floats]:
        """The least objective, and the means that had it."""
        label: Labels | None = None
        if state is not None:
            means, label = np.array(state["means"]), np.array(state["label"])
            history, kept, done = state["history"].tolist(), np.array(state["kept"]), bool(state["settled"])
        else:
            means, history, done = self._seeds(), [], False
            kept = means
        while len(history) < self.iterations and not done:
            held = label
            label, own = self.space.assign(self.rows, means, self.help.team, held)
            objective = float(self.weight @ (own * own))
            if not history or objective < min(history):
                kept = means
            history.append(objective)
            done = held is not None and float(np.mean(held != label)) <= self.settled
            means = self._means(means, label, own)
            self.help.progress.report(f"restart {restart + 1}, iteration {len(history)}, objective {objective:.6g}")
            self.help.progress.save(self._state(restart, means, label, history, kept, done))
        return min(history), kept

    def _state(
        self, restart: int, means: Floats, label: Labels, history: list[float], kept: Floats, settled: bool
    ) -> dict[str, NDArray[Any]]:
        state: dict[str, NDArray[Any]] = {
            "restart": np.array(restart),
            "means": means,
            "label": label,
            "history": np.array(history),
            "kept": kept,
            "settled": np.array(settled),
        }
        if self.best is not None:
            state |= {"best_objective": np.array(self.best[0]), "best": self.best[1]}
        return state

    def _seeds(self) -> Floats:
        """k-means++ by squared heuristic distances; the first means are points."""
        draws = np.random.default_rng(self.seed).random(self.size)
        nearest = np.full(len(self.rows), np.inf)
        means = np.zeros((self.size, len(self.space.ground)))
        for number, draw in enumerate(draws):
            mass = self.weight * (nearest**2 if number else 1.0)
            mass = mass if mass.any() else self.weight
            running = np.cumsum(mass)
            seed = min(int(np.searchsorted(running, draw * running[-1], side="right")), len(running) - 1)
            mean, spot, order, ground = self.space.sparse(self.rows[seed])
            np.add.at(means[number], self.rows[seed].astype(np.int64), 1.0 / self.rows.shape[1])

            def job(start: int) -> Callable[[], None]:
                arrays = seed, mean, spot, order, ground  # noqa: B023 - run before the loop goes on
                stop = min(start + SPAN, len(self.rows))
                return lambda: loops.update_nearest(self.rows, self.space.positions, *arrays, start, stop, nearest)

            self.help.team.run([job(start) for start in range(0, len(self.rows), SPAN)])
        return means

    def _means(self, means: Floats, label: Labels, own: Floats) -> Floats:
        """Weighted shares of next buckets; an empty cluster begins again at the point farthest from its mean."""
        sums, mass = np.zeros(means.shape), np.zeros(len(means))
        loops.sum_rows(self.rows, self.weight, label, sums, mass)
        new = np.where(mass[:, None] > 0.0, sums / np.maximum(mass, 1e-300)[:, None], 0.0)
        new[new < FAINT] = 0.0
        empty = np.flatnonzero(mass == 0.0)
        for cluster, point in zip(empty, np.argsort(-own, kind="stable"), strict=False):
            np.add.at(new[cluster], self.rows[point].astype(np.int64), 1.0 / self.rows.shape[1])
        return new
