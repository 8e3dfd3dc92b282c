"""Subgames on the boards of a game's last street, one at a time: every line that leads to a board is searched again ([Brown20, §5.1]).

The blueprint plays buckets (`trunk.py`); searches tell all hands apart. `BoardSubgames` searches one board for one player by any technique
and says what the opponent can still get there. Summed over boards (`Trunk.carried`, `Trunk.whole_value`) that is an exact best response
to the searched strategy, since boards share nothing below the streets before.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Array, Floats, Longs
from equilibrist.forms.boards.street_boards import Deal, deal_boards
from equilibrist.search.alternatives import expected
from equilibrist.search.engines.board_subgame import NOBODY, BoardProfile, Path
from equilibrist.search.engines.boards import board_engine
from equilibrist.search.engines.streamed.trunk import Trunk
from equilibrist.search.gadget_run import GadgetRun
from equilibrist.search.gadgets import GadgetInputs
from equilibrist.search.techniques import Technique
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.postflop.streamed_buckets.earlier_streets import on_host
from equilibrist.solvers.postflop.vector_cfr import BoardCFR


@dataclass(frozen=True)
class SearchedBoard:
    """What the opponent can get on one board."""

    values: Floats  # [root, hand of the deal] counterfactual, times the board's share and probability
    margins: (
        Floats  # [root] smallest amount by which a hand gets less than its alternative, chips; NaN without alternatives
    )
    tolerances: Floats  # [root] chips of the whole game that the opponent may have gained; NaN without alternatives

    @property
    def margin(self) -> float:
        """The smallest of all lines."""
        return float(self.margins.min())


class BoardSubgames:
    """All subgames of one board of the last street."""

    def __init__(self, trunk: Trunk, board: int, schedule: Schedule) -> None:
        self.trunk, self.board, self.schedule = trunk, board, schedule
        whole = trunk.abstract
        self.deal = Deal(whole.deal.deck, whole.deal.hole, (whole.last_boards.cards[board],), ())
        self.everybody = [np.ones(len(self.deal.hands))] * 2
        self.tables = deal_boards(self.deal, self.everybody)
        own = self.tables[0].player[0]
        self.hands: Longs = own.pair[0, : own.count[0]].astype(np.int64)
        self.ranges = tuple(
            self._range_of(p) for p in range(2)
        )  # per player [root * hand] with which the blueprint comes here
        self.masses = tuple(self._mass(p) for p in range(2))  # reach of the other player's hands that a hand can meet
        self.bounds = tuple(self._worth(p, respond=True) for p in range(2))

    def _run(self) -> BoardCFR:
        forest = self.trunk.abstract.last
        return BoardCFR([forest], self.deal, self.everybody, self.schedule, boards=self.tables)

    def _range_of(self, player: int) -> Floats:
        """The blueprint's reach of the hands that this board leaves."""
        return self.on_board(self.trunk.ranges[player])

    @property
    def before(self) -> int:
        """The board before this one."""
        return int(self.trunk.abstract.last_boards.parent[self.board])

    def on_board(self, rows: Array) -> Floats:
        """[root * hand] from numbers [root, (board before,) hand of the deal]."""
        there = rows.reshape(len(rows), -1, rows.shape[-1])[:, self.before]
        out: Floats = on_host(there[:, self.hands]).ravel()
        return out

    def _mass(self, player: int) -> Floats:
        """Less than rounding is nothing, as in the kernels."""
        first = self.trunk.abstract.first
        held = np.zeros((self.trunk.abstract.roots, first.hands))
        held[:, self.hands] = self.ranges[1 - player].reshape(len(held), -1)
        met = first.met(held)[:, self.hands]
        return np.where(met > NOBODY * held.sum(axis=1, keepdims=True), met, 0.0).ravel()

    def _worth(self, player: int, *, respond: bool) -> Floats:
        """[root * hand] expected values against the blueprint: of a best response, or of the one that stays in the abstraction."""
        run = self._run()
        self._play(run, 1 - player, self.trunk.profile.rows[1 - player])
        self._play(run, player, self.trunk.rows[player])
        return expected(run.values(player, respond=respond, reach=self.ranges[1 - player]), self.masses[player])

    def _play(self, run: BoardCFR, player: int, rows: Floats) -> None:
        """Make rows [slot, bucket] a player's average strategy."""
        street = run.streets[0]
        _, blocks, slots, size = street.shape(player)
        by_hand = rows[:, self.trunk.abstract.bucket[player][self.board]].reshape(slots, blocks, size)
        street.tables[player].average[:] = np.moveaxis(by_hand, 1, 0).ravel()

    @cached_property
    def estimates(self) -> tuple[Floats, Floats]:
        first, second = (self._worth(p, respond=False) for p in range(2))
        return first, second

    def inputs(self, technique: Technique, opponent: int) -> GadgetInputs:
        """What the technique's gadget needs to know about the opponent's hands at all roots."""
        roots = self.trunk.abstract.roots
        door = GadgetInputs(
            mass=self.masses[opponent],
            group=np.repeat(np.arange(roots, dtype=np.int32), len(self.hands)),
            reach=self.ranges[opponent],
        )
        if not technique.gadget.needs_values:
            return door
        gifts = self.trunk.gifts if technique.split else self.trunk.unsplit_gifts
        worth, deviation = technique.alternatives(
            self.bounds[opponent],
            self.estimates[opponent] if technique.estimated else None,
            self.on_board(gifts[opponent]) if technique.gift_scale else None,
        )
        return GadgetInputs(door.mass, door.group, door.reach, worth, deviation)

    def search(self, technique: Technique, searcher: int, iterations: int) -> SearchedBoard:
        """Solve the subgames of all roots side by side for one player; what it finds out about the opponent."""
        return self.found(technique, searcher, self.solve(technique, searcher, iterations)[0])

    def solve(self, technique: Technique, searcher: int, iterations: int) -> tuple[GadgetRun, BoardCFR]:
        """The search, and the run whose averages are the strategies."""
        inner, door = self._run(), self.inputs(technique, 1 - searcher)
        run = GadgetRun(board_engine(inner), searcher, technique.gadget, door, self.ranges[searcher])
        run.advance(iterations)
        return run, inner

    def found(self, technique: Technique, searcher: int, run: GadgetRun) -> SearchedBoard:
        """Lines that cannot be searched stay as they were."""
        door, roots = run.inputs, self.trunk.abstract.roots
        values = np.where(self._searchable(technique, searcher), run.answer(), self.bounds[1 - searcher] * door.mass)
        margins, tolerances = np.full(roots, np.nan), np.full(roots, np.nan)
        if door.alternative is not None:
            over = expected(values, door.mass) - door.alternative
            margins = np.where(door.mass > 0, -over, np.inf).reshape(roots, -1).min(axis=1)
            tolerances = self.chance * (np.maximum(over, 0.0) * door.mass).reshape(roots, -1).sum(axis=1)
        return SearchedBoard(self._placed(values), margins, tolerances)

    def comes(self, technique: Technique, searcher: int, root: int) -> bool:
        """Whether a line to this board can be searched at all."""
        return bool(self._searchable(technique, searcher).reshape(self.trunk.abstract.roots, -1)[root].any())

    @property
    def chance(self) -> float:
        """What a counterfactual value here counts in the whole game: the board and its copies, over all deals of two hands.

        Boards before it come by chance, too, but the ranges that values are met with say so already.
        """
        whole = self.trunk.abstract
        return int(whole.copies[self.board]) * whole.deal.chances[-1] / whole.first.pairs

    def blueprint(self) -> BoardProfile:
        """The blueprint on this board as every search on boards takes it, with the ranges that each line is reached with."""
        run = self._run()
        for player, rows in enumerate(self.trunk.profile.rows):
            self._play(run, player, rows)
            held = self.ranges[player].reshape(self.trunk.abstract.roots, -1)
            run.root_weights[player].reshape(len(held), -1)[:, : held.shape[1]] = held
        return _BoardOfTrunk(run, self, np.full(len(self.deal.hands), self.chance))

    def _searchable(self, technique: Technique, searcher: int) -> npt.NDArray[np.bool_]:
        """[root * hand] where the searcher comes at all and, if the technique believes in ranges, the opponent too."""
        believed = (searcher,) if technique.gadget.needs_values else (0, 1)
        roots = self.trunk.abstract.roots
        reached = [self.ranges[p].reshape(roots, -1).sum(axis=1) > 0 for p in believed]
        return np.repeat(np.logical_and.reduce(reached), len(self.hands))

    def _placed(self, values: Floats) -> Floats:
        """Values of this board's hands among all hands of the deal, weighed by how often the board comes."""
        whole = self.trunk.abstract
        weight = float(whole.last_boards.share[self.board]) * whole.deal.chances[-1]
        out = np.zeros((whole.roots, whole.first.hands))
        out[:, self.hands] = weight * values.reshape(whole.roots, -1)
        return out


class _BoardOfTrunk(BoardProfile):
    """One board of a blueprint in buckets; gifts that were made before it count too."""

    def __init__(self, run: BoardCFR, here: BoardSubgames, dealt: Floats) -> None:
        trunk = here.trunk
        super().__init__(run, (trunk.abstract.last,), (dealt, dealt))
        self.here = here

    def gifts(self, path: Path, node: int, player: int, *, split: bool = True) -> Floats:
        root, forest = node, self.forests[0]
        while root >= forest.roots:
            root = int(forest.parent[root])
        given = self.here.trunk.gifts if split else self.here.trunk.unsplit_gifts
        before = self.here.on_board(given[player]).reshape(forest.roots, -1)[root]
        out: Floats = super().gifts(path, node, player, split=split) + before
        return out
