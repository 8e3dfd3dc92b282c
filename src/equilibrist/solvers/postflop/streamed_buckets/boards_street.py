"""BoardsStreet: a street between the first and the last, hand by hand on all its boards: arrays [node, board, hand of the deal].

Hands that share a card with a board are there and count nothing. Arrays are NumPy's or those of a module like it, so that a GPU keeps
them where the streams of the last street run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from equilibrist.core.arrays import Array, Ints
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import Deal, StreetBoards
from equilibrist.solvers.postflop.streamed_buckets.hand_street import HandStreet


@dataclass(frozen=True)
class BoardsStreet(HandStreet):
    """B boards, H hands."""

    module: Any  # of all arrays
    chance: float  # of one particular board, given the one before and both hands
    boards_before: int
    free: Array  # [B, H] 1 where a hand shares no card with a board, else 0
    parent: Ints  # [B] board before
    share: Array  # [B] weight of its values on the board before
    low: Array  # [B, H] the first of the hands that are alike by suits
    images: Array  # [B, K, H] where relabellings of suits take each hand; H where a board has fewer of them

    @classmethod
    def of(
        cls, forest: StreetForest, deal: Deal, boards: StreetBoards, chance: float, before: int, module: Any = np
    ) -> BoardsStreet:
        """`before`: boards of the street before."""
        free = np.zeros((len(boards.cards), len(deal.hands)))
        own = boards.player[0]
        for b, count in enumerate(own.count.tolist()):
            free[b, own.pair[b, :count]] = 1.0
        images = images_of_hands(boards, len(deal.hands))
        low = np.minimum(np.arange(free.shape[1]), images.min(axis=1, initial=free.shape[1]))
        there = [module.asarray(each) for each in (free, boards.share, low, images)]
        return cls(forest, deal, module, chance, before, there[0], boards.parent, there[1], there[2], there[3])

    @property
    def xp(self) -> Any:
        return self.module

    @property
    def lanes(self) -> tuple[int, ...]:
        return tuple(self.free.shape)

    def part(self, boards: range) -> BoardsStreet:
        """Some boards alone."""
        span = slice(boards.start, boards.stop)
        rows = {name: getattr(self, name)[span] for name in ("free", "parent", "share", "low", "images")}
        return replace(self, **rows)

    def met(self, reach: Array) -> Array:
        """As of all hands, nothing for those that a board takes."""
        out: Array = super().met(reach) * self.free
        return out

    def spread(self, above: Array) -> Array:
        """[root, board, hand] numbers of the boards before [root, (board,) hand] on the boards that come after them."""
        rows = self.xp.asarray(above).reshape(self.forest.roots, self.boards_before, self.hands)
        out: Array = rows[:, self.xp.asarray(self.parent)] * self.free
        return out

    def enter(self, above: Array) -> Array:
        """[root, board, hand] reach where the boards have come, from that before them."""
        return self.spread(above) * self.chance

    def leave(self, values: Array) -> Array:
        """[root, board before, hand] sums over boards of values [node, board, hand]."""
        out: Array = self.xp.zeros((self.forest.roots, self.boards_before, self.hands))
        ends = np.searchsorted(self.parent, np.arange(self.boards_before + 1))
        for before, (first, last) in enumerate(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)):
            rows = values[: self.forest.roots, first:last] * self.share[first:last, None]
            out[:, before] = rows.sum(axis=1)
        return out

    def over_suits(self, values: Array) -> Array:
        """[row, board, hand] sums over the relabellings of suits that leave a board as it is; hands that are alike get the very same."""
        if not self.images.shape[1]:
            return values
        every = self.xp.arange(len(self.free))[:, None]
        nothing = self.xp.zeros((*values.shape[:-1], 1))
        padded, total = self.xp.concatenate([values, nothing], axis=-1), values
        for k in range(self.images.shape[1]):
            total = total + padded[:, every, self.images[:, k]]
        out: Array = total[:, every, self.low]
        return out


def images_of_hands(boards: StreetBoards, hands: int) -> Ints:
    """[board, relabelling, hand] where relabellings other than the identity take each hand; `hands` where there is nothing."""
    own, first = boards.player[0], boards.first_image
    most = int(np.diff(first).max(initial=0))
    out = np.full((len(boards.cards), most, hands), hands, dtype=np.int32)
    for b in np.flatnonzero(np.diff(first)).tolist():
        pair = own.pair[b, : own.count[b]]
        for k, image in enumerate(own.images[first[b] : first[b + 1], : len(pair)]):
            out[b, k, pair] = pair[image]
    return out
