"""One player's tables of a street on the device: [board, slot, hand], slots group by group as the programs of the street want them.

In 16 bits they are those of the host number by number (`_kernels/short_tables.py`): one scale for each node and block of hands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.core.arrays import Ints
from equilibrist.solvers.postflop.gpu.cuda_device import cupy
from equilibrist.solvers.postflop.gpu.synced_street import SyncedStreet

COPIED = 1 << 26  # bytes of tables that are copied at a time
COPIES = 4  # of such a part that are there at once
WARP_HANDS = 128  # that one warp works on: four a lane

Planned = dict[str, tuple[tuple[int, ...], Any]]  # shape and dtype of arrays by name


@dataclass(frozen=True)
class TableShape:
    """How a player's tables lie on the device."""

    boards: int
    slots: int
    width: int  # hands of a row
    block: int  # hands that one warp works on; in 16 bits they share a scale
    bits: int
    predictive: bool

    @classmethod
    def of(cls, street: SyncedStreet, player: int, places: int) -> TableShape:
        """`places`: hands of a row of values on the device."""
        held, (boards, blocks, slots, size) = street.held[player], street.shape(player)
        if held.compressed:
            return cls(boards, slots, blocks * size, size, 16, held.predictive)
        return cls(boards, slots, places, WARP_HANDS, 32, held.predictive)

    @property
    def kinds(self) -> tuple[str, ...]:
        return ("regret", "average", "basis") if self.predictive else ("regret", "average")

    @property
    def blocks(self) -> int:
        return -(-self.width // self.block)

    def planned(self) -> Planned:
        """Shapes and types of all arrays, scales among them."""
        whole, scales = (self.boards, self.slots, self.width), (self.boards, self.slots, self.blocks)
        if self.bits == 32:
            return dict.fromkeys(self.kinds, (whole, np.float32))
        shorts: Planned = {kind: (whole, np.uint16 if kind == "average" else np.int16) for kind in self.kinds}
        return shorts | {f"{kind}_scale": (scales, np.float32) for kind in self.kinds}

    def parts(self) -> list[slice]:
        """Boards whose tables are copied at a time: little room is taken besides."""
        step = max(1, COPIED // max(self.bits // 8 * self.slots * self.width, 1))
        return [slice(first, first + step) for first in range(0, self.boards, step)]

    def copied_bytes(self) -> int:
        """Room that copying takes at most."""
        step = min(self.boards, max(1, COPIED // max(self.bits // 8 * self.slots * self.width, 1)))
        return COPIES * step * self.bits // 8 * self.slots * self.width


class DeviceTables:
    """Empty tables; `order` [slot] is the slot of the forest that comes at each place, `arrays` are those that were planned."""

    def __init__(self, street: SyncedStreet, player: int, shape: TableShape, order: Ints, arrays: dict[str, Any]):
        self.street, self.player, self.shape, self.arrays = street, player, shape, arrays
        self.order = order
        self.acting = np.flatnonzero(street.betting.kind == player)
        self.first_slots = np.argsort(order)[street.betting.slot[self.acting]]  # where the first slot of each node went

    def arrays_of_tables(self) -> list[Any]:
        return [self.arrays[name] for name in self.shape.planned()]

    def _host(self, kind: str) -> Any:
        """[board, block, slot, hand] of the host."""
        name = f"{kind}16" if self.shape.bits == 16 else kind
        return getattr(self.street.held[self.player], name).reshape(self.street.shape(self.player))

    def _host_scales(self, kind: str) -> Any:
        """[board, block, node] of the host."""
        boards, blocks, _, _ = self.street.shape(self.player)
        return getattr(self.street.held[self.player], f"{kind}_scale").reshape(boards, blocks, -1)

    def download(self, count: Any) -> None:
        """Into the tables of the host; `count` [board] of hands is on the device."""
        _, blocks, slots, size = self.street.shape(self.player)
        for kind in self.shape.kinds:
            host = self._host(kind)
            for part in self.shape.parts():
                rows = self._in_order(self.arrays[kind][part], count[part], blocks * size)
                host[part] = cupy().asnumpy(rows).reshape(len(rows), slots, blocks, size).transpose(0, 2, 1, 3)
            if self.shape.bits == 16:
                scales = cupy().asnumpy(self.arrays[f"{kind}_scale"])
                self._host_scales(kind)[:, :, self.acting] = scales[:, self.first_slots].transpose(0, 2, 1)

    def upload(self) -> None:
        """From the tables of the host."""
        cp = cupy()
        boards, blocks, slots, size = self.street.shape(self.player)
        kept, order = min(self.shape.width, blocks * size), cp.asarray(self.order)
        for kind in self.shape.kinds:
            host = self._host(kind)
            for part in self.shape.parts():
                flat = np.ascontiguousarray(host[part].transpose(0, 2, 1, 3))
                there = cp.asarray(flat.reshape(len(flat), slots, blocks * size))
                self.arrays[kind][part, :, :kept] = there[:, order, :kept]
            if self.shape.bits == 16:
                scales = np.zeros((boards, slots, blocks), dtype=np.float32)
                scales[:, self.first_slots] = self._host_scales(kind)[:, :, self.acting].transpose(0, 2, 1)
                self.arrays[f"{kind}_scale"][...] = cp.asarray(scales)

    def rows(self, kind: str, boards: Any, count: Any) -> Any:
        """[board, slot, hand] of some boards on the host, slots as there; the padding is empty."""
        at = cupy().asarray(boards)
        return cupy().asnumpy(self._in_order(self.arrays[kind][at], count[at], self.shape.width))

    def _in_order(self, array: Any, count: Any, width: int) -> Any:
        cp, kept = cupy(), min(self.shape.width, width)
        out = cp.zeros((len(array), array.shape[1], width), array.dtype)
        inside = cp.arange(kept)[None, None, :] < count[:, None, None]
        out[:, cp.asarray(self.order), :kept] = cp.where(inside, array[:, :, :kept], array.dtype.type(0))
        return out
