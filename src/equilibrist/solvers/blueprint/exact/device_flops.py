"""DeviceFlops: everything below one flop on a GPU; threads of the host deal boards and find buckets while the device walks another flop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from math import comb
from queue import SimpleQueue
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats, Floats32
from equilibrist.forms.boards.street_boards import Deal, deal_boards
from equilibrist.solvers.blueprint.exact.bucketed_streets import BucketedStreets
from equilibrist.solvers.blueprint.exact.street_passes import BOARD_BYTES, BoardWorth, buckets_on, places_of
from equilibrist.solvers.postflop.bucket_walks.device_walks import DeviceWalks, WalkStreet
from equilibrist.solvers.postflop.bucket_walks.walk_hands import WalkHands, hands_on_streets, walk_hands
from equilibrist.solvers.postflop.gpu.cuda_device import cupy

LOADED = 2  # flops on the device at a time: one is walked, the next one comes


class DeviceFlops:
    """As `StreetPasses`; several threads may call it, and take turns on the device."""

    def __init__(self, streets: BucketedStreets) -> None:
        cp = cupy()
        self.streets, self.walked = streets, walk_streets(streets)
        self.walks = DeviceWalks(self.walked, LOADED)
        self._turn, self._stream = threading.Lock(), cp.cuda.Stream(non_blocking=True)
        self._loaders: SimpleQueue[Any] = SimpleQueue()
        for _ in range(LOADED):
            self._loaders.put(cp.cuda.Stream(non_blocking=True))

    def worth(
        self, cards: Sequence[int], reach: Sequence[Floats], pause: Callable[[], None] = lambda: None
    ) -> BoardWorth:
        """`reach` of both players [root, hand of the deal] where the flop comes."""
        flop = DealtFlop(self.streets, self.walked, cards, pause)
        loader = self._loaders.get()
        try:
            with loader:
                dealt = self.walks.load(flop.hands)
            pause()
            with self._turn, self._stream:
                found = [self.walks.play(dealt, me, flop.placed(reach[1 - me])) for me in range(2)]
            del dealt
        finally:
            self._loaders.put(loader)
        (best, value), (other, _) = found
        return BoardWorth((flop.by_hand(best), flop.by_hand(other)), flop.by_hand(value))

    def memory(self) -> int:
        """Bytes on the host that one flop takes at the most."""
        return sum(
            street.boards * (places_of(street.shape.hands) * BOARD_BYTES + street.shape.board_bytes)
            for street in self.walked
        )


def walk_streets(streets: BucketedStreets) -> list[WalkStreet]:
    """The streets from the flop on."""
    deal, out = streets.deal, list[WalkStreet]()
    shapes = hands_on_streets(deal.deck.size, deal.hole, deal.streets[0], deal.streets[1:])
    chances = _below(streets, range(deal.streets[0])).chances
    boards, left = 1, deal.deck.size - deal.streets[0]
    for street, (shape, chance, dealt) in enumerate(zip(shapes, chances, (0, *deal.streets[1:]), strict=True), 1):
        boards *= comb(left, dealt)
        left -= dealt
        rows = streets.rows(street, 0), streets.rows(street, 1)
        out.append(WalkStreet(streets.forests[street], rows, shape, chance, boards))
    return out


def _below(streets: BucketedStreets, cards: Sequence[int]) -> Deal:
    return Deal(streets.deal.deck, streets.deal.hole, (tuple(cards),), streets.deal.streets[1:])


class DealtFlop:
    """The hands on all boards below one flop."""

    def __init__(
        self,
        streets: BucketedStreets,
        walked: Sequence[WalkStreet],
        cards: Sequence[int],
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        self.deal = _below(streets, cards)
        boards = deal_boards(self.deal, [np.ones(len(self.deal.hands))] * 2, streets.merged)
        pause()
        self.hands, self.roots = list[WalkHands](), walked[0].betting.roots
        before, above = walked[0].shape.places, None
        for depth, (each, street) in enumerate(zip(boards, walked, strict=True)):
            bucket = buckets_on(streets, self.deal, each, depth + 1)
            pause()
            self.hands.append(walk_hands(each, above, bucket, street.shape, before))
            above, before = each, street.shape.places
            pause()
        own = boards[0].player[0]
        self._live, self.places = own.pair[0, : own.count[0]], walked[0].shape.places

    def placed(self, rows: Floats) -> Floats32:
        """[root, place] of [root, hand of the deal]."""
        out = np.zeros((self.roots, self.places), dtype=np.float32)
        out[:, : len(self._live)] = rows[:, self._live]
        return out

    def by_hand(self, rows: Floats32) -> Floats:
        """[root, hand of the deal] of [root, place]."""
        out = np.zeros((self.roots, len(self.deal.hands)))
        out[:, self._live] = rows[:, : len(self._live)]
        return out
