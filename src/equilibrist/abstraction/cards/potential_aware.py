"""Potential-aware clusters ([Ganzfried15, Algorithms 1 and 2]): hands are alike if the next card sends them to buckets that are alike.

k-means whose points are the buckets of the next street, card by card, and whose distance is the greedy heuristic of the earth
mover's distance over the distances between those buckets. A cheap bound leaves out most distances without changing a result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.cards.features import Feature
from equilibrist.abstraction.cards.methods import Clusters, Distances, Help, Labels, Rows, Scene, next_buckets
from equilibrist.abstraction.cards.potential_space import SPAN, PotentialSpace
from equilibrist.abstraction.clustering._kernels import transport as loops
from equilibrist.abstraction.clustering.emd import exact_emd
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError

FAINT = 1e-9  # entries of a mean that are dropped


@dataclass(frozen=True)
class PotentialAware:
    """k-means by what the next card brings."""

    word: ClassVar[str] = "potential-aware"
    lossless: ClassVar[bool] = False
    uses_next: ClassVar[bool] = True
    by_score: ClassVar[bool] = False
    textures: ClassVar[int] = 1
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
        return space_of(scene).assign(rows, clusters.centres.astype(np.float64), Team())[0]

    def distances(self, clusters: Clusters, scene: Scene) -> Distances:
        """Exact distances between means: a metric, which the street before relies on."""
        ground, means = space_of(scene).ground, clusters.centres
        out = np.zeros((len(means), len(means)), np.float32)
        for i in range(len(means)):
            for j in range(i):
                out[i, j] = out[j, i] = exact_emd(means[i] / means[i].sum(), means[j] / means[j].sum(), ground)
        return out


def space_of(scene: Scene) -> PotentialSpace:
    """The space of the next street's buckets."""
    if scene.next is None:
        raise NotApplicableError("The last street has no next one to look at; use ochs or kmeans-emd there.")
    return scene.next.space


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
