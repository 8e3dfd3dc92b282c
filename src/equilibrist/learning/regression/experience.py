"""What walks find, kept for networks to fit: as sums by infoset, which lose nothing and take no room, or sample by sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.forms.compiled import Compiled
from equilibrist.learning.encoders.infosets import Encoding
from equilibrist.learning.regression._kernels.walks import Store, add_reached, walk_external
from equilibrist.solvers.mccfr._kernels.mccfr import PackedTree
from equilibrist.solvers.mccfr._kernels.packing import random_state
from equilibrist.solvers.mccfr.run import fitting, pack_tree, path_scratch

Array = npt.NDArray[Any]
SAMPLES = ("infoset", "sample_weight", "sample")  # parts of a store that have a row for each sample


def empty_store(game: Compiled, capacity: int, width: int, ring: bool) -> Store:
    """Sums, or room for `capacity` samples."""
    infosets = game.infosets
    slots, count = (0, 0) if capacity else (infosets.slots, len(infosets))
    return Store(
        np.zeros(slots),
        np.zeros(count),
        np.zeros(capacity, dtype=np.int32),
        np.zeros(capacity, dtype=np.float32),
        np.zeros((capacity, width), dtype=np.float32),
        np.zeros(1, dtype=np.int64),
        ring,
    )


def store_arrays(store: Store, name: str) -> dict[str, Array]:
    """All of a store, for a state."""
    kept = min(int(store.offered[0]), len(store.infoset))
    return {
        f"{name}.{key}": (value[:kept] if key in SAMPLES else value).copy()
        for key, value in zip(store._fields, store, strict=True)
        if key != "ring"
    }


def load_store(store: Store, state: Mapping[str, Array], name: str) -> None:
    """A store as it was."""
    kept = min(int(state[f"{name}.offered"][0]), len(store.infoset))
    for key, whole in zip(store._fields, store, strict=True):
        if key != "ring":
            given, own = state[f"{name}.{key}"], whole[:kept] if key in SAMPLES else whole
            if given.shape != own.shape:
                raise ValueError(f"'{name}.{key}' has the shape {given.shape} instead of {own.shape}")
            own[...] = given


class Walks:
    """External-sampling walks through a game that fits in memory; payoffs are shares of the largest one."""

    def __init__(self, game: Compiled, seed: int) -> None:
        self.game = game
        packed = pack_tree(game.tree, 1)
        self.scale = float(np.abs(packed.payoffs).max(initial=0.0)) or 1.0
        self.tree = PackedTree(packed.nodes, packed.outcomes, packed.cumulative, packed.payoffs / self.scale)
        infosets = game.infosets
        self.infoset_of = np.repeat(np.arange(len(infosets), dtype=np.int32), np.diff(infosets.first_slot))
        self.random = random_state(seed)
        self.tally = np.zeros(1, dtype=np.int64)
        self.frames, values = path_scratch(game.tree, np.float64)
        self.values = np.zeros((len(values) + 1, values.shape[1]))

    @property
    def nodes(self) -> int:
        return int(self.tally[0])

    def collect(
        self, player: int, walks: int, weight: float, strategy: Floats, regrets: Store, strategies: Store
    ) -> None:
        """Walks of one player while everybody plays `strategy` [S]."""
        with np.errstate(over="ignore"):  # random numbers wrap around; kernels left as Python would warn
            walk_external(
                self.tree,
                self.infoset_of,
                player,
                walks,
                weight,
                strategy,
                regrets,
                strategies,
                self.random,
                self.tally,
                self.frames,
                self.values,
            )

    def arrays(self) -> dict[str, Array]:
        return {"walks.random": self.random.copy(), "walks.nodes": self.tally.copy()}

    def restore(self, state: Mapping[str, Array]) -> None:
        self.random[:] = fitting(state["walks.random"], 4, "walks.random")
        self.tally[:] = fitting(state["walks.nodes"], 1, "walks.nodes")


class ExactAverage:
    """The average of all strategies that a player has played, weighted by its own reach: exact, since infosets are few."""

    def __init__(self, game: Compiled) -> None:
        self.game = game
        self.total = np.zeros((2, game.infosets.slots))

    def add(self, player: int, weight: float, strategy: Floats) -> None:
        infosets, forest = self.game.infosets, self.game.forest
        add_reached(forest.parent_slot, infosets.first_slot, infosets.player, player, weight, strategy, self.total)

    @property
    def sums(self) -> Floats:
        """[S]."""
        sums: Floats = self.total[0]
        return sums


def strategies_of(encoding: Encoding, advantages: Array, widths: Array, uniform_fallback: bool) -> Floats:
    """[S] regret matching on predicted advantages [R, A]: where none is positive the largest is played ([Brown20, §4.1.2])."""
    value = encoding.by_slot(advantages)
    first = encoding.first_slot[:-1]
    positive = np.maximum(value, 0.0)
    total = np.repeat(np.add.reduceat(positive, first), widths)
    if uniform_fallback:
        other = np.repeat(1.0 / widths, widths)
    else:
        best = value == np.repeat(np.maximum.reduceat(value, first), widths)
        other = best / np.repeat(np.add.reduceat(best.astype(np.float64), first), widths)
    strategy: Floats = np.where(total > 0.0, positive / np.where(total > 0.0, total, 1.0), other)
    return strategy
