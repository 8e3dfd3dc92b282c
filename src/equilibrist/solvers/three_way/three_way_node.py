"""ThreeWayNode: a place in a solved three-way spot, with strategy, reach, expected values and equity of every hand."""

from __future__ import annotations

import math
import os
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from equilibrist.cards.range_text import STANDARD
from equilibrist.cards.ranges import parse_cards
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import EquilibristError, ParameterError, UnknownNameError
from equilibrist.forms.three_way.compiled_seats import CompiledSeats
from equilibrist.forms.three_way.seat_forest import DEAL, OVER, SeatForest
from equilibrist.games.spots.three_way_spot import SEATS
from equilibrist.solvers.postflop.solutions.node_report import node_report, weighted_mean, write_csv
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
class ThreeWayNode:
    """A node of the game after real cards; every move gives another cursor."""

    boards: SolvedSeats = field(repr=False)
    node: int = 0  # in the forest of this street
    cards: tuple[int, ...] = ()  # the board so far
    path: Path = FIRST
    line: str = ""  # moves and cards from the spot on: x:b60:c:f:8h
    before: ThreeWayNode | None = field(default=None, repr=False)
    resolve = None  # nothing is left out of files

    @property
    def players(self) -> tuple[str, ...]:
        """The seats in order of action."""
        return self.boards.spot.spot.seats

    @property
    def forest(self) -> SeatForest:
        return self.boards.spot.forests[len(self.path)]

    @property
    def kind(self) -> int:
        return int(self.forest.kind[self.node])

    @property
    def player(self) -> str | None:
        """The seat that acts, or nobody, where a card comes or the hand is over."""
        return self.players[self.kind] if self.kind < SEATS else None

    @property
    def is_deal(self) -> bool:
        return self.kind == DEAL

    @property
    def is_over(self) -> bool:
        return self.kind == OVER

    @property
    def actions(self) -> tuple[str, ...]:
        """In words: "check", "bet 60", "all-in 300"."""
        return self.forest.names(self.node)

    @property
    def labels(self) -> tuple[str, ...]:
        """As in lines: x, b60."""
        return self.forest.labels(self.node)

    @property
    def board(self) -> str:
        return "".join(STANDARD.label(card) for card in self.cards)

    @property
    def pot(self) -> float:
        """With all bets so far, called or not."""
        return float(self.boards.spot.spot.pot + self.forest.paid[self.node].sum())

    @property
    def stacks(self) -> tuple[float, ...]:
        """Chips behind, seat by seat."""
        return tuple((np.array(self.boards.spot.spot.stacks) - self.forest.paid[self.node]).tolist())

    @property
    def folded(self) -> tuple[bool, ...]:
        """Who is out, seat by seat."""
        return tuple(self.forest.folded[self.node].tolist())

    @property
    def next_cards(self) -> tuple[str, ...]:
        """Cards that can be dealt here."""
        return tuple(STANDARD.label(card) for card in range(52) if card not in self.cards) if self.is_deal else ()

    def play(self, move: str) -> ThreeWayNode:
        """Where an action (by name or label) or, where one is dealt, a card leads."""
        if self.is_over:
            raise ParameterError(f"The hand is over after '{self.line}', so '{move}' cannot follow; go back first.")
        if self.is_deal:
            return self._deal(move)
        try:
            node = self.forest.child(self.node, move)
        except UnknownNameError as error:
            raise ParameterError(str(error)) from None
        return ThreeWayNode(self.boards, node, self.cards, self.path, self._after(self.forest.action[node]), self)

    def _deal(self, move: str) -> ThreeWayNode:
        try:
            (card,) = parse_cards(move)
        except (EquilibristError, ValueError):
            raise ParameterError(
                f"A card comes after '{self.line}', as in 8h, but '{move}' was given; expected a card not in {self.board}."
            ) from None
        if card in self.cards:
            raise ParameterError(
                f"'{move}' cannot be dealt after '{self.line}': it is on the board {self.board} already."
            )
        river = int(np.flatnonzero(self.boards.spot.deal.streets[1].cards[:, -1] == card)[0])
        root = int(self.forest.next_root[self.node])
        return ThreeWayNode(self.boards, root, (*self.cards, card), (river,), self._after(STANDARD.label(card)), self)

    def _after(self, move: str) -> str:
        return f"{self.line}:{move}" if self.line else move

    def at(self, line: str) -> ThreeWayNode:
        """The place after a line from the spot on, such as `x:b60:c:f:8h:x`; the empty line is the spot itself."""
        cursor = self
        while cursor.before is not None:
            cursor = cursor.before
        for move in line.split(":") if line.strip() else ():
            cursor = cursor.play(move)
        return cursor

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

    def hands_of(self, player: int | str | None = None) -> Longs:
        """Numbers (C(high, 2) + low) of a seat's hands, rising; all other results are in this order."""
        return self._places[self.seat(player)][0]

    @property
    def hands(self) -> Longs:
        """Hands of the seat that acts (of the first where nobody does)."""
        return self.hands_of()

    @cached_property
    def strategy(self) -> Floats:
        """[hand, action] of the seat that acts; rows sum to one."""
        if self.player is None:
            raise ParameterError(f"Nobody acts after '{self.line}', so there is no strategy here.")
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

    @property
    def frequencies(self) -> Floats:
        """[action] weighted by reach and card removal; where the play never comes here, over hands alike."""
        weights = self.reach() * self.met()
        return weighted_mean(self.strategy, weights if weights.any() else np.ones_like(weights))

    def ev(self, player: int | str | None = None) -> Floats:
        """[hand] expected share of the pot as it stands, folding now being 0; nan where the opponents cannot be here."""
        return self._share(self.node, self.seat(player))

    @property
    def ev_by_action(self) -> Floats:
        """[hand, action] of the seat that acts."""
        if self.player is None:
            raise ParameterError(f"Nobody acts after '{self.line}', so there are no values of actions here.")
        first = int(self.forest.first_child[self.node])
        return np.stack([self._share(first + a, self.kind) for a in range(len(self.labels))], axis=1)

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

    def eqr(self, player: int | str | None = None) -> Floats:
        """[hand] equity realisation: EV over equity times the pot; nan where there is no EV or no equity."""
        due = self.equity(player) * self.pot
        share: Floats = np.divide(self.ev(player), due, out=np.full(len(due), np.nan), where=due > 0.0)
        return share

    def range_ev(self, player: int | str | None = None) -> float:
        """Expected share of the pot of a seat's whole range here; all seats' add up to the pot, less rake."""
        return float(weighted_mean(self.ev(player), self.reach(player) * self.met(player)))

    def range_equity(self, player: int | str | None = None) -> float:
        return float(weighted_mean(self.equity(player), self.reach(player) * self.met(player)))

    def range_eqr(self, player: int | str | None = None) -> float:
        """EV of a seat's whole range over its equity times the pot."""
        due = self.range_equity(player) * self.pot
        return self.range_ev(player) / due if due > 0.0 else math.nan

    def seat(self, player: int | str | None) -> int:
        """The number of a seat: by name, by number, or the one that acts (the first where nobody does)."""
        if player is None:
            return self.kind if self.kind < SEATS else 0
        if player in range(SEATS):
            return int(player)
        if player in self.players:
            return self.players.index(str(player))
        raise ParameterError(f"The seats are {', '.join(self.players)}, but {player!r} was given.")

    def summary(self) -> dict[str, Any]:
        """Who acts and how often, without hands."""
        frequencies = self.frequencies.tolist() if self.player else []
        return {"player": self.player, "actions": list(self.actions), "frequencies": frequencies}

    def to_json(self, player: int | str | None = None) -> dict[str, Any]:
        """Everything here as plain values, with one seat's hands (by default of the one that acts) by name."""
        return node_report(self, self.seat(player))

    def to_csv(self, path: str | os.PathLike[str], player: int | str | None = None) -> None:
        """One row per hand: weight, equity, ev, eqr and, for the seat that acts, frequency and ev of each action."""
        write_csv(self, path, self.seat(player))
