"""ThreeWayNode: a place in a solved three-way spot, with strategy, reach, expected values and equity of every hand."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from equilibrist.cards.range_text import STANDARD
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError, UnknownNameError
from equilibrist.forms.three_way.compiled_seats import CompiledSeats
from equilibrist.forms.three_way.seat_forest import DEAL, OVER, SeatForest
from equilibrist.games.spots.three_way_spot import SEATS
from equilibrist.solvers.postflop.solutions.board_node import BoardNode
from equilibrist.solvers.three_way.three_way_cfr import SeatValues, ThreeWayCFR

FIRST = ()  # the path to the first board
KEPT_RIVERS = 8  # whose values are remembered

Path = tuple[int, ...]  # the river's number, where a turn was solved


class SolvedSeats:
    """The tables of a solved spot and what they are worth, worked out where it is looked at."""

    def __init__(self, spot: CompiledSeats, build: Callable[[], ThreeWayCFR]) -> None:
        self.spot, self._build = spot, build
        self._values: OrderedDict[Path, SeatValues] = OrderedDict()

    @cached_property
    def run(self) -> ThreeWayCFR:
        return self._build()

    def values(self, path: Path) -> SeatValues:
        """What hands are worth on a board."""
        if path not in self._values:
            self._values[path] = self.run.river_values(path[0], self.values(FIRST).reach) if path else self.run.values()
            rivers = [each for each in self._values if each]
            for old in rivers[:-KEPT_RIVERS]:
                del self._values[old]
        return self._values[path]


@dataclass(frozen=True, eq=False)
class ThreeWayNode(BoardNode):
    """A node of the game after real cards; every move gives another cursor."""

    boards: SolvedSeats = field(repr=False)
    resolve = None  # nothing is left out of files

    @property
    def players(self) -> tuple[str, ...]:
        """The seats in order of action."""
        return self.boards.spot.spot.seats

    @property
    def _players_said(self) -> str:
        return f"seats are {', '.join(self.players)}"

    @property
    def _first_pot(self) -> float:
        return self.boards.spot.spot.pot

    @property
    def forest(self) -> SeatForest:
        return self.boards.spot.forests[len(self.path)]

    @property
    def is_deal(self) -> bool:
        return self.kind == DEAL

    @property
    def is_over(self) -> bool:
        return self.kind == OVER

    @property
    def stacks(self) -> tuple[float, ...]:
        """Chips behind, seat by seat."""
        return tuple((np.array(self.boards.spot.spot.stacks) - self.forest.paid[self.node]).tolist())

    @property
    def folded(self) -> tuple[bool, ...]:
        """Who is out, seat by seat."""
        return tuple(self.forest.folded[self.node].tolist())

    def _act(self, move: str) -> ThreeWayNode:
        try:
            node = self.forest.child(self.node, move)
        except UnknownNameError as error:
            raise ParameterError(str(error)) from None
        return replace(self, node=node, line=self._after(self.forest.action[node]), before=self)

    def _deal(self, move: str) -> ThreeWayNode:
        card = self._card(move)
        river = int(np.flatnonzero(self.boards.spot.deal.streets[1].cards[:, -1] == card)[0])
        root = int(self.forest.next_root[self.node])
        return ThreeWayNode(self.boards, root, (*self.cards, card), (river,), self._after(STANDARD.label(card)), self)

    @cached_property
    def _places(self) -> tuple[tuple[Longs, Longs], ...]:
        """For each seat the hands, rising, and their places on the board."""
        deal, out = self.boards.spot.deal, []
        for seat in range(SEATS):
            own = deal.streets[len(self.path)].seats[seat]
            hands = own.hand[self._board, : own.count[self._board]]
            order = np.argsort(hands)
            out.append((deal.numbers[seat][hands[order]], order))
        return tuple(out)

    @property
    def _board(self) -> int:
        return self.path[0] if self.path else 0

    @cached_property
    def strategy(self) -> Floats:
        """[hand, action] of the seat that acts; rows sum to one."""
        self._check_acting("is no strategy")
        first, actions = int(self.forest.slot[self.node]), len(self.labels)
        table = self.boards.run.streets[len(self.path)].average[self.kind]
        counts = table[self._board, first : first + actions, self._places[self.kind][1]].astype(np.float64)
        total = counts.sum(axis=1, keepdims=True)
        mixed: Floats = np.divide(counts, total, out=np.full(counts.shape, 1.0 / actions), where=total > 0.0)
        return mixed

    @property
    def _rows(self) -> list[int]:
        return [int(row) for row in self.forest.row[:, self.node]]

    def reach(self, player: int | str | None = None) -> Floats:
        """[hand] range weight times the probability that the seat's own actions lead here."""
        seat = self.seat(player)
        held: Floats = self.boards.values(self.path).reach[seat][self._rows[seat], self._places[seat][1]]
        return held

    def met(self, player: int | str | None = None) -> Floats:
        """[hand] reach of all pairs of opposing hands that share no card with it or with each other."""
        seat = self.seat(player)
        reach = self.boards.values(self.path).reach
        found = self.boards.run.met(len(self.path), self._board, reach, self._rows, seat)[self._places[seat][1]]
        return np.where(found > 1e-12 * found.max(initial=0.0), found, 0.0)  # less is rounding

    def _share(self, node: int, seat: int) -> Floats:
        """What was paid up to this node (not to `node`) is in the pot and gone."""
        hands = self._places[seat][1]
        if self.forest.folded[self.node, seat]:
            return np.zeros(len(hands))
        met = self.met(seat)
        value = self.boards.values(self.path).value[seat][node, hands]
        net = np.divide(value, met, out=np.full(len(met), np.nan), where=met > 0.0)
        share: Floats = net + self.forest.paid[self.node, seat]
        return share

    def equity(self, player: int | str | None = None) -> Floats:
        """[hand] share of the pot if nobody bets any more; 0 for a seat that has folded."""
        seat = self.seat(player)
        hands = self._places[seat][1]
        if self.forest.folded[self.node, seat]:
            return np.zeros(len(hands))
        won = self.boards.run.shares(len(self.path), self._board, self._reaches, seat, self.folded)[hands]
        met = self.met(seat)
        share: Floats = np.divide(won, met, out=np.full(len(met), np.nan), where=met > 0.0)
        return share

    @property
    def _reaches(self) -> list[Floats]:
        """[seat][place]"""
        reach = self.boards.values(self.path).reach
        return [reach[seat][row] for seat, row in enumerate(self._rows)]

    def seat(self, player: int | str | None) -> int:
        """The number of a seat: by name, by number, or the one that acts (the first where nobody does)."""
        return self._seat(player)
