"""Hands played between best responses and average strategies, remembered as sums: what Q and the average strategy are fitted to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.compiled import Compiled
from equilibrist.learning.encoders.infosets import Encoding
from equilibrist.learning.reinforcement._kernels.fictitious_hands import Cells, Ring, Sums, play_hands
from equilibrist.learning.reinforcement.rewards import packed_with_unit_payoffs
from equilibrist.solvers.mccfr._kernels.packing import random_state
from equilibrist.solvers.mccfr.run import fitting

Array = npt.NDArray[Any]


class PlayedHands:
    """A ring of each player's newest moves, and all moves of best responses, by row and output."""

    def __init__(self, game: Compiled, encoding: Encoding, ring: int, seed: int) -> None:
        if not game.game.perfect_recall:
            raise NotApplicableError(
                f"Moves are remembered by what came before them, which players of '{game.game.name}' forget; use nfsp."
            )
        infosets, players = game.infosets, game.game.players
        self.encoding = encoding
        self.tree = packed_with_unit_payoffs(game.tree)
        of_slot = (encoding.slot_row * encoding.width + encoding.output).astype(np.int32)
        of_infoset = np.repeat(np.arange(len(infosets), dtype=np.int32), np.diff(infosets.first_slot))
        self.cells = Cells(of_slot, of_infoset)
        above = game.forest.parent_slot
        self.before = np.where(
            above >= 0, of_slot[np.maximum(above, 0)], -1
        )  # [I] the cell of the player's move before
        self.ring = Ring(
            np.zeros((players, ring), dtype=np.int32),
            np.zeros((players, ring), dtype=np.float32),
            np.zeros((players, ring), dtype=np.int32),
            np.zeros(players, dtype=np.int64),
        )
        size = encoding.legal.size
        self.sums = Sums(
            np.zeros(size, dtype=np.int64), np.zeros(size), np.zeros(len(infosets), dtype=np.int64), np.zeros(size)
        )
        self.random, self.tally = random_state(seed), np.zeros(3, dtype=np.int64)

    def play(self, average: Floats, response: Floats, decisions: int, anticipation: float, weight: float = 1.0) -> None:
        """Hands under tables [S], until there are so many decisions in all; moves of best responses weigh so much."""
        players = len(self.ring.offered)
        with np.errstate(over="ignore"):  # random numbers wrap around; kernels left as Python would warn
            play_hands(
                self.tree, self.cells, average, response, decisions, anticipation, float(weight), self.ring, self.sums,
                self.random, self.tally, np.zeros(players, dtype=np.bool_), np.zeros(players, dtype=np.int32),
            )  # fmt: skip

    @property
    def moves(self) -> Floats:
        """[R, A] moves in the rings."""
        return np.asarray(self.sums.moves.reshape(self.encoding.legal.shape), dtype=np.float64)

    @property
    def imitated(self) -> Floats:
        """[R, A] moves of best responses so far."""
        return np.asarray(self.sums.imitated.reshape(self.encoding.legal.shape))

    def wanted(self, q: Floats) -> Floats:
        """[R, A] mean over the rings of reward + the largest legal value [R, A] where the player moved next."""
        highest = np.where(self.encoding.legal, q, -np.inf).max(axis=1)
        later = self.before >= 0
        value = (self.sums.arrivals * highest[self.encoding.row])[later]
        total = self.sums.reward + np.bincount(self.before[later], weights=value, minlength=len(self.sums.reward))
        mean: Floats = (total / np.maximum(self.sums.moves, 1)).reshape(self.encoding.legal.shape)
        return mean

    def small_state(self) -> dict[str, Array]:
        return {"random": self.random.copy(), "tally": self.tally.copy()}

    def memories(self) -> dict[str, Array]:
        kept = min(int(self.ring.offered.max()), self.ring.cell.shape[1])
        columns = {f"ring.{key}": getattr(self.ring, key)[:, :kept].copy() for key in ("cell", "reward", "after")}
        sums = {f"sums.{key}": getattr(self.sums, key).copy() for key in Sums._fields}
        return columns | sums | {"ring.offered": self.ring.offered.copy()}

    def restore(self, small: Mapping[str, Array], memories: Mapping[str, Array] | None) -> None:
        """Take a state over; without memories rings are empty."""
        self.random[:] = fitting(small["random"], 4, "random")
        self.tally[:] = fitting(small["tally"], 3, "tally")
        for each in (self.ring.offered, *self.sums):
            each[...] = 0
        if memories is None:
            return
        self.ring.offered[:] = fitting(memories["ring.offered"], len(self.ring.offered), "ring.offered")
        for key in Sums._fields:
            own = getattr(self.sums, key)
            own[:] = fitting(memories[f"sums.{key}"], len(own), f"sums.{key}")
        kept = min(int(self.ring.offered.max()), self.ring.cell.shape[1])
        for key in ("cell", "reward", "after"):
            given, own = memories[f"ring.{key}"], getattr(self.ring, key)[:, :kept]
            if given.shape != own.shape:
                raise ValueError(f"'ring.{key}' has the shape {given.shape} instead of {own.shape}")
            own[...] = given
