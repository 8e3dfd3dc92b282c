"""Whose boards those of a street are: one game's, or those of a batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.core.arrays import Ints
from equilibrist.solvers.postflop.gpu.cuda_device import cupy
from equilibrist.solvers.postflop.gpu.street_plan import StreetPlan, make


@dataclass
class Games:
    """Whose boards those of a street are: one game's, or those of a batch, of which some have ended."""

    owner: Ints  # [board] on the host: the game of each board
    game: Any  # the same on the device
    listed: Any  # boards of the games that go on
    number: Any  # [1] how many they are

    @classmethod
    def of(cls, plan: StreetPlan, above: Games | None) -> Games:
        """The games of a street's boards; those of the first street are one for each game."""
        cp, planned = cupy(), plan.arrays()
        everyone = np.arange(plan.boards, dtype=np.int32)
        owner = everyone if above is None else above.owner[plan.street.boards.parent]
        return cls(
            owner,
            make(cp, planned, "game", owner),
            make(cp, planned, "listed", everyone),
            make(cp, planned, "number", np.full(1, plan.boards, dtype=np.int32)),
        )

    def select(self, kept: Any) -> None:
        """`kept`: [game] whether it goes on."""
        boards = np.flatnonzero(kept[self.owner]).astype(np.int32)
        self.listed[: len(boards)] = cupy().asarray(boards)
        self.number.fill(len(boards))
