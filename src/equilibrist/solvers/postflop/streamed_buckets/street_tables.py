"""StreetTables: what both players learn on one street: arrays [slot, ...] of hands, of boards and hands, or of buckets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from equilibrist.core.arrays import Array, Floats
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.solvers.cfr.matching import discounted
from equilibrist.solvers.postflop.streamed_buckets._kernels.minimise_rows import minimise_rows
from equilibrist.solvers.postflop.streamed_buckets.earlier_streets import on_host


def like(array: Array, numbers: Array) -> Array:
    """Numbers of the host where an array is."""
    if isinstance(array, np.ndarray):
        return numbers
    out: Any = array.copy()
    out.set(numbers)
    there: Array = out
    return there


class StreetTables:
    """Lists are by player; `strategy` and `memory` serve minimisers whose strategies do not follow from regrets."""

    def __init__(self, forest: StreetForest, even: Sequence[Array], stakes: Sequence[Floats] | None) -> None:
        """`even` strategies to begin with; `stakes` [hand or bucket] ranges of values, where a minimiser asks for them."""
        self.forest, self.stakes = forest, stakes
        self.regret, self.average = ([0.0 * each for each in even] for _ in range(2))
        self.strategy: list[Array] = [] if stakes is None else list(even)
        self.memory = [0.0 * each for each in self.strategy]

    def count(self, player: int, keep: float, entered: Array) -> None:
        """Add the reach of a player's actions to its average."""
        self.average[player] = keep * self.average[player] + entered

    def add(self, player: int, gain: Array, positive: float, negative: float) -> None:
        """Regret matching: strategies follow from regrets."""
        self.regret[player] = discounted(self.regret[player] + gain, positive, negative)

    def minimise(self, player: int, gain: Array, codes: Any, t: int, positive: float, negative: float) -> None:
        """Any other minimiser, hand by hand or bucket by bucket on the host."""
        assert self.stakes is not None
        acting, kept = self.forest.kind == player, (self.strategy, self.regret, self.memory)
        by_lane = [
            np.ascontiguousarray(on_host(table).reshape(len(table), -1).T)
            for table in (gain, *(each[player] for each in kept))
        ]
        minimise_rows(
            codes, t, positive, negative, self.stakes[player], self.forest.slot[acting], self.forest.children[acting], *by_lane
        )  # fmt: skip
        for each, table in zip(kept, by_lane[1:], strict=True):
            each[player] = like(gain, np.ascontiguousarray(table.T).reshape(gain.shape))
