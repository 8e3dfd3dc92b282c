"""Subgames of many boards of a game of two streets, all searched side by side in one run ([Brown20, §5.1]).

What `BoardSubgames` does for one board after another this does with vectors [board, root, hand], for engines to which a thousand boards are
one call (`solvers/postflop/gpu/device_boards.py`). Every board and every line to it is a subgame with a gadget of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from equilibrist.core.arrays import Bools, Floats, Ints, Longs
from equilibrist.forms.engine import Engine
from equilibrist.search.alternatives import expected
from equilibrist.search.engines.board_subgame import NOBODY
from equilibrist.search.engines.streamed.board_subgames import Trunk
from equilibrist.search.gadget_run import GadgetRun, on_host
from equilibrist.search.gadgets import GadgetInputs
from equilibrist.search.techniques import Technique
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.postflop.gpu.device_boards import DeviceBoards, boards_apart


class BoardsEngine(Engine, Protocol):
    """An engine whose roots are the lines to each of some boards."""

    def clear(self) -> None:
        """Forget everything that was learned."""

    def play(self, player: int, rows: Floats, bucket: Ints) -> None:
        """Make rows [slot, bucket] a player's average strategy; `bucket` [board, place]."""


def boards_on_gpu(trunk: Trunk, boards: range, schedule: Schedule) -> BoardsEngine:
    """Some boards of a trunk's game on the device."""
    whole = trunk.abstract
    apart = boards_apart(whole.boards[1], boards)
    return DeviceBoards(whole.forests[1], apart, whole.deal.deck.size, schedule)


@dataclass(frozen=True)
class SearchedBoards:
    """What the opponent can get on some boards together."""

    values: Floats  # [root, hand of the deal] counterfactual, times each board's share and probability
    margin: float  # smallest amount by which a hand gets less than its alternative, chips; NaN without alternatives
    tolerance: float  # chips of the whole game that the opponent may have gained; NaN without alternatives


class BoardsAtOnce:
    """All subgames of some boards."""

    def __init__(self, trunk: Trunk, boards: range, engine: BoardsEngine) -> None:
        self.trunk, self.boards, self.engine = trunk, boards, engine
        own = trunk.abstract.boards[1].player[0]
        self.hands: Longs = own.pair[boards.start : boards.stop, : own.count[boards.start]].astype(np.int64)
        self.ranges = tuple(self._at_roots(trunk.reach[p][trunk.abstract.first.deals]) for p in range(2))
        self.masses = tuple(self._mass(p) for p in range(2))  # reach of the other player's hands that a hand can meet
        self.bounds = tuple(self._worth(p, respond=True) for p in range(2))

    @property
    def _shape(self) -> tuple[int, int, int]:
        boards, hands = self.hands.shape
        return boards, self.trunk.abstract.roots, hands

    def _at_roots(self, rows: Floats) -> Floats:
        """[board, root, hand of the board] end to end, from [root, hand of the deal]."""
        return np.ascontiguousarray(rows[:, self.hands].transpose(1, 0, 2)).ravel()

    def _mass(self, player: int) -> Floats:
        """Less than rounding is nothing, as in the kernels."""
        first, at = self.trunk.abstract.first, self.hands[:, None, :]
        held = np.zeros((*self._shape[:2], first.hands))
        np.put_along_axis(held, at, self.ranges[1 - player].reshape(self._shape), axis=2)
        met = np.take_along_axis(first.met(held), at, axis=2)
        return np.where(met > NOBODY * held.sum(axis=2, keepdims=True), met, 0.0).ravel()

    def _worth(self, player: int, *, respond: bool) -> Floats:
        """Expected values against the blueprint: of a best response, or of the one that stays in the abstraction."""
        engine, trunk = self.engine, self.trunk
        engine.clear()
        for p, rows in ((1 - player, trunk.profile.rows[1 - player]), (player, trunk.rows[player])):
            engine.play(p, rows, trunk.abstract.bucket[p][self.boards.start : self.boards.stop])
        reach = engine.xp.asarray(self.ranges[1 - player])
        return expected(on_host(engine.values(player, respond=respond, reach=reach)), self.masses[player])

    @cached_property
    def estimates(self) -> tuple[Floats, Floats]:
        first, second = (self._worth(p, respond=False) for p in range(2))
        return first, second

    def inputs(self, technique: Technique, opponent: int) -> GadgetInputs:
        """What the technique's gadget needs to know about the opponent's hands at all roots of all boards."""
        boards, roots, hands = self._shape
        door = GadgetInputs(
            mass=self.masses[opponent],
            group=np.repeat(np.arange(boards * roots, dtype=np.int32), hands),
            reach=self.ranges[opponent],
        )
        if not technique.gadget.needs_values:
            return door
        draws = 1.0 if technique.split else float(len(self.trunk.abstract.boards[1].cards))
        worth, deviation = technique.alternatives(
            self.bounds[opponent],
            self.estimates[opponent] if technique.estimated else None,
            draws * self._at_roots(self.trunk.gifts[opponent]) if technique.gift_scale else None,
        )
        return GadgetInputs(door.mass, door.group, door.reach, worth, deviation)

    def search(self, technique: Technique, searcher: int, iterations: int) -> SearchedBoards:
        """Solve all subgames for one player; what that leaves to the opponent."""
        door = self.inputs(technique, 1 - searcher)
        self.engine.clear()
        run = GadgetRun(self.engine, searcher, technique.gadget, door, self.ranges[searcher])
        run.advance(iterations)
        return self._found(technique, searcher, on_host(run.answer()), door)

    def _found(self, technique: Technique, searcher: int, answer: Floats, door: GadgetInputs) -> SearchedBoards:
        """Lines that cannot be searched stay as they were."""
        values = np.where(self._searchable(technique, searcher), answer, self.bounds[1 - searcher] * door.mass)
        whole = self.trunk.abstract
        weight = whole.boards[1].share[self.boards.start : self.boards.stop] * whole.deal.chances[1]
        by_board = values.reshape(self._shape) * weight[:, None, None]
        placed = [np.bincount(self.hands.ravel(), row.ravel(), whole.first.hands) for row in by_board.swapaxes(0, 1)]
        margin = tolerance = float("nan")
        if door.alternative is not None:
            over = expected(values, door.mass) - door.alternative
            margin = float(np.where(door.mass > 0, -over, np.inf).min())
            gained = (np.maximum(over, 0.0) * door.mass).reshape(self._shape).sum(axis=(1, 2))
            tolerance = float(gained @ weight) * whole.first.relabellings / whole.first.pairs
        return SearchedBoards(np.stack(placed), margin, tolerance)

    def _searchable(self, technique: Technique, searcher: int) -> Bools:
        """Where the searcher comes at all and, if the technique believes in ranges, the opponent too."""
        believed = (searcher,) if technique.gadget.needs_values else (0, 1)
        reached = [self.ranges[p].reshape(self._shape).sum(axis=2) > 0 for p in believed]
        return np.repeat(np.logical_and.reduce(reached).ravel(), self._shape[2])
