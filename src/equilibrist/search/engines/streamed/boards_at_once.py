"""Subgames of many boards of a game's last street, all searched side by side in one run ([Brown20, §5.1]).

What `BoardSubgames` does for one board after another this does with vectors [board, root, hand], for engines to which a thousand boards are
one call (`solvers/postflop/gpu/device_boards.py`). Every board and every line to it is a subgame with a gadget of its own. Vectors are made
where the engine computes, and stay there: a game of many lines has a hundred million hands at its roots.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from equilibrist.core.arrays import Floats, Ints, Longs
from equilibrist.forms.engine import Engine
from equilibrist.search.alternatives import expected
from equilibrist.search.engines.board_subgame import NOBODY
from equilibrist.search.engines.streamed.trunk import Trunk
from equilibrist.search.gadget_run import GadgetRun, on_host
from equilibrist.search.gadgets import GadgetInputs
from equilibrist.search.techniques import Technique
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.postflop.gpu.device_boards import DeviceBoards, boards_apart
from equilibrist.solvers.postflop.streamed_buckets.hand_street import met_by_hands


class BoardsEngine(Engine, Protocol):
    """An engine whose roots are the lines to each of some boards."""

    def clear(self) -> None:
        """Forget everything that was learned."""

    def play(self, player: int, rows: Floats, bucket: Ints) -> None:
        """Make rows [slot, bucket] a player's average strategy; `bucket` [board, place]."""


def boards_on_gpu(trunk: Trunk, boards: range, schedule: Schedule) -> BoardsEngine:
    """Some boards of a trunk's game on the device."""
    whole = trunk.abstract
    apart = boards_apart(whole.last_boards, boards)
    return DeviceBoards(whole.last, apart, whole.deal.deck.size, schedule)


@dataclass(frozen=True)
class SearchedBoards:
    """What the opponent can get on some boards together."""

    values: Floats  # [root, (board before,) hand of the deal] counterfactual, times each board's share and probability
    margin: float  # smallest amount by which a hand gets less than its alternative, chips; NaN without alternatives
    tolerance: float  # chips of the whole game that the opponent may have gained; NaN without alternatives


class BoardsAtOnce:
    """All subgames of some boards."""

    def __init__(self, trunk: Trunk, boards: range, engine: BoardsEngine) -> None:
        self.trunk, self.boards, self.engine, self.xp = trunk, boards, engine, engine.xp
        own, span = trunk.abstract.last_boards.player[0], slice(boards.start, boards.stop)
        self.hands: Longs = own.pair[span, : own.count[boards.start]].astype(np.int64)
        self.before = trunk.abstract.last_boards.parent[span].astype(np.int64)
        self.ranges = tuple(self._at_roots(each) for each in trunk.ranges)
        self.masses = tuple(
            self._mass(self.ranges[1 - p]) for p in range(2)
        )  # reach of the other's hands that a hand can meet
        self.bounds = tuple(self._worth(p, respond=True) for p in range(2))

    @property
    def _shape(self) -> tuple[int, int, int]:
        boards, hands = self.hands.shape
        return boards, self.trunk.abstract.roots, hands

    @cached_property
    def _hands(self) -> Any:
        """[board, hand] numbers of the deal."""
        return self.xp.asarray(self.hands)

    def _at_roots(self, rows: Any) -> Any:
        """[board, root, hand of the board] end to end, from [root, (board before,) hand of the deal]."""
        xp, (boards, roots, hands) = self.xp, self._shape
        there = xp.asarray(rows).reshape(roots, -1, rows.shape[-1])
        before, out = xp.asarray(self.before)[:, None], xp.zeros((boards, roots, hands))
        for root in range(roots):
            out[:, root] = there[root][before, self._hands]
        return out.ravel()

    def _mass(self, theirs: Any) -> Any:
        """Less than rounding is nothing, as in the kernels."""
        xp, first, (boards, roots, _) = self.xp, self.trunk.abstract.first, self._shape
        holds, every = xp.asarray(first.holds), xp.arange(boards)[:, None]
        come, out = theirs.reshape(self._shape), xp.zeros(self._shape)
        for root in range(roots):
            held = xp.zeros((boards, first.hands))
            held[every, self._hands] = come[:, root]
            met = met_by_hands(held, holds)[every, self._hands]
            out[:, root] = xp.where(met > NOBODY * held.sum(axis=1, keepdims=True), met, 0.0)
        return out.ravel()

    def _worth(self, player: int, *, respond: bool) -> Any:
        """Expected values against the blueprint: of a best response, or of the one that stays in the abstraction."""
        engine, trunk = self.engine, self.trunk
        engine.clear()
        for p, rows in ((1 - player, trunk.profile.rows[1 - player]), (player, trunk.rows[player])):
            engine.play(p, rows, trunk.abstract.bucket[p][self.boards.start : self.boards.stop])
        return expected(engine.values(player, respond=respond, reach=self.ranges[1 - player]), self.masses[player])

    @cached_property
    def estimates(self) -> tuple[Any, Any]:
        first, second = (self._worth(p, respond=False) for p in range(2))
        return first, second

    @cached_property
    def gifts(self) -> tuple[Any, Any]:
        """What each player's hands gave away on their way here."""
        first, second = (self._at_roots(each) for each in self.trunk.gifts)
        return first, second

    @cached_property
    def unsplit_gifts(self) -> tuple[Any, Any]:
        """The same, counted once for every deal that was crossed since."""
        first, second = (self._at_roots(each) for each in self.trunk.unsplit_gifts)
        return first, second

    @cached_property
    def _group(self) -> Any:
        """Number of the subgame of each hand."""
        boards, roots, hands = self._shape
        return self.xp.asarray(np.repeat(np.arange(boards * roots, dtype=np.int32), hands))

    def inputs(self, technique: Technique, opponent: int) -> GadgetInputs:
        """What the technique's gadget needs to know about the opponent's hands at all roots of all boards."""
        door = GadgetInputs(mass=self.masses[opponent], group=self._group, reach=self.ranges[opponent])
        if not technique.gadget.needs_values:
            return door
        gifts = (self.gifts if technique.split else self.unsplit_gifts) if technique.gift_scale else None
        worth, deviation = technique.alternatives(
            self.bounds[opponent],
            self.estimates[opponent] if technique.estimated else None,
            gifts[opponent] if gifts is not None else None,
        )
        return GadgetInputs(door.mass, door.group, door.reach, worth, deviation)

    def search(self, technique: Technique, searcher: int, iterations: int) -> SearchedBoards:
        """Solve all subgames for one player; what that leaves to the opponent."""
        door = self.inputs(technique, 1 - searcher)
        self.engine.clear()
        run = GadgetRun(self.engine, searcher, technique.gadget, door, self.ranges[searcher])
        run.advance(iterations)
        return self._found(technique, searcher, run.answer(), door)

    def _found(self, technique: Technique, searcher: int, answer: Any, door: GadgetInputs) -> SearchedBoards:
        """Lines that cannot be searched stay as they were."""
        xp, whole = self.xp, self.trunk.abstract
        searched, stayed = answer.reshape(self._shape), (self.bounds[1 - searcher] * door.mass).reshape(self._shape)
        values = xp.where(self._searchable(technique, searcher)[:, :, None], searched, stayed)
        span = slice(self.boards.start, self.boards.stop)
        weight = whole.last_boards.share[span] * whole.deal.chances[-1]
        placed = self._placed(values * xp.asarray(weight)[:, None, None])
        margin = tolerance = float("nan")
        if door.alternative is not None:
            over = expected(values.ravel(), door.mass) - door.alternative
            margin = float(xp.where(door.mass > 0, -over, np.inf).min())
            gained = on_host((xp.maximum(over, 0.0) * door.mass).reshape(self._shape).sum(axis=(1, 2)))
            tolerance = float(gained @ whole.copies[span]) * whole.deal.chances[-1] / whole.first.pairs
        return SearchedBoards(placed, margin, tolerance)

    @cached_property
    def _place(self) -> Any:
        """[board, hand of the deal] where a hand lies on a board; one behind the last if it does not."""
        boards, _, hands = self._shape
        out = np.full((boards, self.trunk.abstract.first.hands), hands)
        np.put_along_axis(out, self.hands, np.broadcast_to(np.arange(hands), self.hands.shape), axis=1)
        return self.xp.asarray(out)

    def _placed(self, values: Any) -> Floats:
        """[root, (board before,) hand of the deal] sums over boards in a fixed order."""
        xp, (boards, roots, hands) = self.xp, self._shape
        every, before = xp.arange(boards)[:, None], self.trunk.boards_before(self.boards)
        ends = np.searchsorted(self.before, np.arange(before.start, before.stop + 1)).tolist()
        out = xp.zeros((roots, len(before), self.trunk.abstract.first.hands))
        for root in range(roots):
            padded = xp.zeros((boards, hands + 1))
            padded[:, :hands] = values[:, root]
            placed = padded[every, self._place]
            for number, (first, last) in enumerate(pairwise(ends)):
                out[root, number] = placed[first:last].sum(axis=0)
        return on_host(out).reshape(self.trunk.summed(self.boards))

    def _searchable(self, technique: Technique, searcher: int) -> Any:
        """[board, root] where the searcher comes at all and, if the technique believes in ranges, the opponent too."""
        reached = self.ranges[searcher].reshape(self._shape).sum(axis=2) > 0
        if technique.gadget.needs_values:
            return reached
        return reached & (self.ranges[1 - searcher].reshape(self._shape).sum(axis=2) > 0)
