"""Boards of one street that have nothing in common, side by side on a GPU: an `Engine` whose roots are the lines to each of them.

Searches of all flops of a game (`search/engines/streamed/boards_at_once.py`) are one run, and those of all rivers of a spot
(`search/engines/boards_together.py`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import PlayerBoards, StreetBoards
from equilibrist.solvers.cfr.schedules import Schedule, discount_factors, factors_of
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.gpu.cuda_device import Properties, cupy, on_device
from equilibrist.solvers.postflop.gpu.device_passes import DevicePasses
from equilibrist.solvers.postflop.gpu.device_street import MODES, DeviceStreet
from equilibrist.solvers.postflop.gpu.hand_tables import device_places
from equilibrist.solvers.postflop.gpu.synced_street import SyncedStreet
from equilibrist.solvers.postflop.tables import make_street

SINGLE = 2e-6  # relative rounding of sums in single precision
VECTORS = 50  # of doubles that a gadget, its inputs and its updates take for each hand at each root


def boards_apart(boards: StreetBoards, some: range) -> StreetBoards:
    """Some boards of a street as if nothing had come before them: each has places of its own, and counts once."""
    part, number = slice(some.start, some.stop), len(some)

    def alone(own: PlayerBoards) -> PlayerBoards:
        count = own.count[part]
        places = np.arange(own.places, dtype=np.int32)[None]
        order = np.where(places < count[:, None], places, own.places).astype(np.int32)
        kept = {name: getattr(own, name)[part] for name in ("count", "pair", "card1", "card2", "twin")}
        return replace(own, order=order, images=own.images[:0], **kept)

    return replace(
        boards,
        cards=boards.cards[part],
        parent=np.arange(number, dtype=np.int32),
        first_child=np.zeros(number + 1, dtype=np.int32),
        copies=np.ones(number, dtype=np.int32),
        share=np.ones(number),
        first_image=np.zeros(number + 1, dtype=np.int32),
        player=(alone(boards.player[0]), alone(boards.player[1])),
        group_start=boards.group_start[some.start : some.stop + 1],
    )


def board_bytes(forest: StreetForest, boards: StreetBoards) -> int:
    """Bytes of one board on the device, with the vectors of a gadget."""
    total = 0
    for p, own in enumerate(boards.player):
        places = device_places(own)
        total += places * (4 * (2 * forest.slots[p] + 3 * forest.roots) + 40) + 4 * VECTORS * forest.roots * places
    return total


def most_boards(forest: StreetForest, boards: StreetBoards) -> int:
    """How many boards fit on the device side by side."""
    return max(1, int(0.7 * Properties().reclaimed_bytes()) // board_bytes(forest, boards))


class DeviceBoards:
    """Vectors are those of all boards, board by board and root by root."""

    simultaneous = False
    precision = SINGLE

    def __init__(
        self,
        forest: StreetForest,
        boards: StreetBoards,
        cards: int,
        schedule: Schedule,
        *,
        predictive: bool = False,
    ) -> None:
        """`boards` as `boards_apart` or `join_boards` give them; `cards` of the deck."""
        self.xp, self.forest, self.boards, self.schedule = cupy(), forest, boards, schedule
        places = [self._places(p) for p in range(2)]
        self._at, self._shapes = [at for at, _ in places], [shape for _, shape in places]
        street = SyncedStreet.of(make_street(forest, boards, 1.0, cards, predictive, 32))
        self.passes = DevicePasses([street], [(forest,)], schedule)
        self.street = self.passes.streets[0]
        self.iteration = 0

    def _places(self, player: int) -> tuple[Any, tuple[int, ...]]:
        """Where a player's hands lie in an array [board, root, place] (a slice where all boards have as many), and its shape."""
        count = self.boards.player[player].count
        shape = (len(count), self.forest.roots, int(count.max()))
        if (count == count[0]).all():
            return np.s_[:, :, : shape[2]], shape
        held = np.nonzero(np.broadcast_to(np.arange(shape[2]) < count[:, None, None], shape))
        return tuple(map(self.xp.asarray, held)), (len(held[0]),)

    @on_device
    def clear(self) -> None:
        """Forget everything that was learned."""
        for tables in self.street.tables:
            for table in tables.arrays_of_tables():
                table.fill(0)
        self.iteration = 0

    def keep(self, t: int) -> float:
        return float(factors_of(self.schedule, np.array([float(t)])).keep[0])

    @on_device
    def learn(self, player: int, reach: Any) -> Any:
        self._set_reach(1 - player, reach)
        self.passes.learn(player, discount_factors(self.schedule, self.iteration)[0].tolist(), 0)
        return self._found(player)

    @on_device
    def values(self, player: int, *, respond: bool = False, reach: Any = None) -> Any:
        assert reach is not None, "boards that have nothing in common are reached with weights that the caller knows"
        self._set_reach(1 - player, reach)
        self.passes.launch(MODES[kernels.RESPOND if respond else kernels.VALUE], player)
        return self._found(player)

    def _set_reach(self, player: int, reach: Any) -> None:
        there, at = self.passes.root[player], self._at[player]
        there[at] = reach.reshape(self._shapes[player])

    def _found(self, player: int) -> Any:
        return self.passes.root_values(player)[self._at[player]].astype(self.xp.float64).ravel()

    @on_device
    def play(self, player: int, rows: Floats, bucket: Ints) -> None:
        """Make rows [slot, bucket] a player's average strategy; `bucket` [board, place]."""
        cp, table = self.xp, self.street.average[player]
        number, slots, places = table.shape
        kept = min(places, bucket.shape[1])
        at = np.zeros((number, places), dtype=np.int32)
        at[:, :kept] = bucket[:, :kept]
        given, by_hand = cp.asarray(rows, dtype=cp.float32), cp.asarray(at)
        for slot in range(slots):  # in the device's order; one at a time, so that nothing as large as the table is made
            table[:, slot] = given[int(self.street.program[0].slots[player][slot])][by_hand]

    @on_device
    def table(self, name: str, player: int) -> Any:
        """[board, slot, place] a copy of a player's regrets or averages, slots as in the forest."""
        return in_forest_order(self.street, name, player)

    @on_device
    def put(self, name: str, player: int, table: Any) -> None:
        """Replace a player's regrets or averages by those of `table` [board, slot, place]."""
        to_device_order(self.street, name, player, table)


def in_forest_order(street: DeviceStreet, name: str, player: int) -> Any:
    """[board, slot, place] a copy of a table of the device whose slots are the forest's."""
    held = getattr(street, name)[player]
    out = held.copy()
    for slot, own in enumerate(street.program[0].slots[player].tolist()):
        out[:, own] = held[:, slot]
    return out


def to_device_order(street: DeviceStreet, name: str, player: int, table: Any) -> None:
    """Write such a table back."""
    held = getattr(street, name)[player]
    for slot, own in enumerate(street.program[0].slots[player].tolist()):
        held[:, slot] = table[:, own]
