"""Whose boards those of a street are: one game's, or those of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats, Floats32, Longs
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import StreetBoards
from equilibrist.solvers.postflop.gpu.cuda_device import cupy


@dataclass
class Games:
    """Whose boards those of a street are: one game's, or those of a batch, of which some have ended."""

    betting: Sequence[StreetForest]  # the different ones: the same lines, other amounts
    which: Longs | None  # [game] of a batch: its betting
    owner: Any  # [board] NumPy: the game of each board
    game: Any  # the same on the device
    listed: Any  # boards of the games that go on
    number: Any  # [1] how many they are

    @classmethod
    def of(
        cls, boards: StreetBoards, betting: Sequence[StreetForest], above: Games | None, which: Longs | None
    ) -> Games:
        """The games of a street's boards; those of the first street are one for each game."""
        cp, number = cupy(), len(boards.cards)
        owner = np.arange(number, dtype=np.int32) if above is None else above.owner[boards.parent]
        listed = cp.arange(number, dtype=cp.int32)
        return cls(betting, which, owner, cp.asarray(owner), listed, cp.full(1, number, cp.int32))

    @property
    def batch(self) -> bool:
        return self.which is not None

    def select(self, kept: Any) -> None:
        """`kept`: [game] whether it goes on."""
        boards = np.flatnonzero(kept[self.owner]).astype(np.int32)
        self.listed[: len(boards)] = cupy().asarray(boards)
        self.number.fill(len(boards))

    def amounts(self, name: str) -> Floats:
        """[betting, node] of `win`, `lose` or `tie`."""
        return np.stack([np.asarray(getattr(each, name), dtype=np.float64) for each in self.betting])

    def of_each(self, rows: Floats32) -> Floats32:
        """[game, …] from rows of the different betting."""
        return rows if self.which is None else rows[self.which]
