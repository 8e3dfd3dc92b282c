"""Hands on all boards of a street, as walks on the device want them: both players can hold the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats32, Ints
from equilibrist.forms.boards.street_boards import StreetBoards
from equilibrist.solvers.postflop.bucket_walks._kernels.walk_hands import CARDS, lay_out_hands
from equilibrist.solvers.postflop.gpu.hand_tables import WARP, lowest_images

HANDS = 4  # of a thread
Shorts = npt.NDArray[np.uint16]


@dataclass(frozen=True)
class WalkShape:
    """How so many hands are dealt out to threads; the last place of a row is always empty."""

    hands: int

    @property
    def threads(self) -> int:
        """Whole warps."""
        return WARP * (self.hands // (WARP * HANDS) + 1)

    @property
    def places(self) -> int:
        return HANDS * self.threads

    @property
    def entries(self) -> int:
        """(card, hand) entries of a thread: an odd number, so that threads write to different banks of shared memory."""
        return (2 * self.hands // self.threads + 1) | 1

    @property
    def board_bytes(self) -> int:
        """Of one board of `WalkHands`."""
        return self.places * (16 + 2 + 4 + 2) + self.threads * 4 * self._pairs + 2 * CARDS + 12

    @property
    def _pairs(self) -> int:
        return (self.entries + 1) // 2


@dataclass(frozen=True)
class WalkHands:
    """B boards, P places.

    A hand's place in the sums over the opponent's hands in order of strength: weaker ones end at [0], tied ones at [1]; the same in the
    sums over the opponent's (card, hand) entries for its first card at [2], [3] and its second at [4], [5]; [6] both cards, [7] one past
    the same hand of the opponent or 0. All are told in bytes.
    """

    hands: Shorts  # [B, P, 8]
    entries: Shorts  # [B, pairs, threads, 2] the opponent's hand of each entry, thread by thread
    starts: Shorts  # [B, CARDS] first entry of each card
    order: npt.NDArray[
        np.int16
    ]  # [B, P] place on the board before; the padding points at its last place, which is empty
    bucket: Ints  # [B, P]
    count: Ints  # [B]
    share: Floats32  # [B]
    parent: Ints  # [B] board before
    children: Ints  # [boards before + 1] first board of each
    low: Shorts  # [B, P] the first of the hands that are alike by suits
    first_image: Ints  # [B + 1]
    images: npt.NDArray[np.int16]  # [S, P] where relabellings of suits take each place


def walk_hands(
    boards: StreetBoards, above: StreetBoards | None, bucket: Ints, shape: WalkShape, before: int
) -> WalkHands:
    """`bucket` [B, place]; `before`: places on the board before, on the device."""
    own, other = boards.player
    if not (np.array_equal(own.count, other.count) and np.array_equal(own.pair, other.pair)):
        raise AssertionError("walks are for players who can hold the same hands")
    number, width, kept = len(boards.cards), shape.places, min(shape.places, own.places)
    places = np.zeros((number, width, 8), dtype=np.uint16)
    entries = np.zeros((number, shape.threads * 2 * ((shape.entries + 1) // 2)), dtype=np.uint16)
    starts = np.zeros((number, CARDS), dtype=np.uint16)
    last, low = len(boards.groups) > 0, lowest_images(boards, 0, width)
    groups = boards.groups if last else np.zeros((1, 2), dtype=np.int32)
    lay_out_hands(
        last, shape.threads, shape.entries, own.count, (own.card1, own.card2, other.card2), own.twin, low, boards.group_start, groups,
        places, entries, starts,
    )  # fmt: skip
    inside = np.arange(kept)[None, :] < own.count[:, None]
    images = np.tile(np.arange(width, dtype=np.int16), (max(len(own.images), 1), 1))
    images[: len(own.images), :kept] = own.images[:, :kept]
    return WalkHands(
        hands=places,
        entries=entries,
        starts=starts,
        order=_padded(np.where(inside, own.order[:, :kept], before - 1), width, before - 1).astype(np.int16),
        bucket=_padded(np.where(inside, bucket[:, :kept], 0), width, 0),
        count=own.count.astype(np.int32),
        share=boards.share.astype(np.float32),
        parent=(np.zeros(1) if above is None else boards.parent).astype(np.int32),
        children=np.array([0, 1], dtype=np.int32) if above is None else above.first_child.astype(np.int32),
        low=low.astype(np.uint16),
        first_image=boards.first_image.astype(np.int32),
        images=images,
    )


def _padded(rows: Ints, width: int, rest: int) -> Ints:
    out = np.full((len(rows), width), rest, dtype=np.int32)
    out[:, : rows.shape[1]] = rows
    return out


def hands_on_streets(deck: int, hole: int, board: int, streets: Sequence[int]) -> list[WalkShape]:
    """Shapes of the streets from a board of so many cards on: every board of a street leaves as many hands."""
    from math import comb

    dealt, out = board, [WalkShape(comb(deck - board, hole))]
    for cards in streets:
        dealt += cards
        out.append(WalkShape(comb(deck - dealt, hole)))
    return out
