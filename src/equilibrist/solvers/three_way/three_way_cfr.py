"""Vector CFR for three seats on rivers and turns: alternating updates, exact values and best responses ([Brown20, §3.1.5]).

`ThreeWayCFR` owns the tables of every street and runs passes over them; the loops are in `_kernels/`. Payoffs are chips won less chips
put in since the spot began. Of three players CFR promises no equilibrium; how good a profile is, is measured: what each seat gains by a
best response to the other two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import FormatError
from equilibrist.forms.three_way.compiled_seats import CompiledSeats
from equilibrist.forms.three_way.seat_boards import SeatBoards, SeatHands
from equilibrist.forms.three_way.seat_ends import SeatEnds
from equilibrist.forms.three_way.seat_forest import DEAL, SeatForest
from equilibrist.games.spots.three_way_spot import SEATS
from equilibrist.solvers.cfr.schedules import Schedule, discount_factors
from equilibrist.solvers.seat_evaluation import SeatEvaluation
from equilibrist.solvers.three_way._kernels import meetings, passes

HELD = 6  # cards that three players hold
SPANS = 8  # pieces of work for each thread
TABLES = ("regret", "average")


@dataclass(frozen=True)
class SeatValues:
    """Of the average strategies: what hands are worth at every node of a street on one board."""

    reach: tuple[Floats, ...]  # [seat][row, place]
    value: tuple[Floats, ...]  # [seat][node, place], times the reach of the pairs that the hand meets
    best: tuple[Floats, ...]  # [seat][node, place]


class ThreeWayCFR:
    """CFR with regret matching on all boards of a three-way spot."""

    first_check = 10
    check_growth = 1.25
    bits = 32

    def __init__(self, spot: CompiledSeats, schedule: Schedule, *, threads: int = 1) -> None:
        self.spot, self.schedule, self.iteration = spot, schedule, 0
        self.streets = [
            _street(forest, boards, ends)
            for forest, boards, ends in zip(spot.forests, spot.deal.streets, spot.ends, strict=True)
        ]
        self._team = Team(threads)
        self._top = _scratch(self.streets[0])
        self._rooms = [self._top.room, *(_room() for _ in range(threads - 1))]
        self._below = [_scratch(self.streets[1]) for _ in range(threads)] if len(self.streets) > 1 else []
        self._deals = np.flatnonzero(spot.forests[0].kind == DEAL)
        first = spot.deal.streets[0].seats
        self.weights = [each[own.hand[0]] for each, own in zip(spot.deal.weights, first, strict=True)]  # [seat][place]
        for seat in range(SEATS):
            self._top.reach[seat][0] = self.weights[seat]
            self._follow(seat, learns=True)
        self.normaliser = self._compatible_weight()

    @property
    def memory_bytes(self) -> int:
        """Bytes of regrets and averages."""
        return self.spot.table_bytes

    def advance(self, iterations: int) -> None:
        """So many iterations: each seat in turn improves against the other two."""
        factors = discount_factors(self.schedule, self.iteration, iterations)
        if len(self.streets) == 1 and self._team.threads == 1:
            passes.iterate(factors, self.streets[0], self._top)
        else:
            for row in factors:
                for seat in range(SEATS):
                    self._pass(seat, row)
        self.iteration += iterations

    def _pass(self, seat: int, factors: Floats) -> None:
        if self._below:
            self._rivers(seat, factors)
        self._pay(seat)
        passes.learn_up(seat, 0, self.streets[0], factors, self._top)
        self._follow(seat, learns=True)

    def evaluate(self) -> SeatEvaluation:
        """Expected values of the averages, and what best responses to them are worth; payoffs count from the start of the spot."""
        found = self.values()
        value, best = (
            tuple(
                float(own @ each[0, : len(own)]) / self.normaliser
                for own, each in zip(self.weights, seats, strict=True)
            )
            for seats in (found.value, found.best)
        )
        return SeatEvaluation(value, tuple(max(b, v) for b, v in zip(best, value, strict=True)))

    def values(self) -> SeatValues:
        """Of the average strategies, on the first board."""
        for seat in range(SEATS):
            self._follow(seat, learns=False)
        value, best, none = list[Floats](), list[Floats](), np.ones(3)
        for seat in range(SEATS):
            self._pay(seat)
            passes.copy_ends(seat, 0, self.streets[0], self._top.value, self._top.best)
            if self._below:
                self._rivers(seat, none, learns=False)
            passes.measure_up(seat, 0, self.streets[0], self._top)
            value.append(self._top.value.copy())
            best.append(self._top.best.copy())
        reach = tuple(each.copy() for each in self._top.reach)
        for seat in range(SEATS):
            self._follow(seat, learns=True)
        return SeatValues(reach, tuple(value), tuple(best))

    def river_values(self, board: int, reach: Sequence[Floats]) -> SeatValues:
        """Of the average strategies on one river of a turn, from the reach [seat][row, place] on the turn."""
        street, scratch = self.streets[1], self._below[0]
        value, best, none = list[Floats](), list[Floats](), np.ones(3)
        for seat in range(SEATS):
            out = self._outcomes(seat)
            passes.pass_boards(
                board, board + 1, seat, False, none, street, self.streets[0].betting, self._deals, tuple(reach), scratch, out[0], out[1]
            )  # fmt: skip
            value.append(scratch.value.copy())
            best.append(scratch.best.copy())
        return SeatValues(tuple(each.copy() for each in scratch.reach), tuple(value), tuple(best))

    def _follow(self, seat: int, *, learns: bool) -> None:
        """A seat's reach on the first board, by its regrets or its averages."""
        street = self.streets[0]
        table = street.regret[seat] if learns else street.average[seat]
        passes.reach_down(seat, 0, street, table, self._top.reach[seat], self._top.total)

    def _pay(self, seat: int) -> None:
        """Ends of the first board, shared out over threads."""
        street, top = self.streets[0], self._top
        ends, threads = len(street.ends[seat].node), self._team.threads
        rooms = list(self._rooms)

        def work(begin: int, end: int) -> None:
            room = rooms.pop()  # which is atomic
            passes.pay_ends(begin, end, seat, 0, street, top.reach, top.value, room)
            rooms.append(room)

        self._team.run([partial(work, begin, end) for begin, end in _spans(ends, threads)])

    def _rivers(self, seat: int, factors: Floats, *, learns: bool = True) -> None:
        """Values of a seat where a card comes on the first board, shared out over threads."""
        street, top = self.streets[1], self._top
        out, free = self._outcomes(seat), list(self._below)
        above, below, deals = self.streets[0].betting, top.reach, self._deals

        def work(begin: int, end: int) -> None:
            scratch = free.pop()  # which is atomic
            passes.pass_boards(
                begin, end, seat, learns, factors, street, above, deals, below, scratch, out[0], out[1]
            )  # fmt: skip
            free.append(scratch)

        boards = out.shape[1]
        self._team.run([partial(work, begin, end) for begin, end in _spans(boards, self._team.threads)])
        chance = 1.0 / (boards - HELD)
        count = len(self.weights[seat])
        passes.add_deals(seat, street, deals, chance, count, out[0], top.value)
        if not learns:
            passes.add_deals(seat, street, deals, chance, count, out[1], top.best)

    def _outcomes(self, seat: int) -> Floats:
        """[value or best response, board, root, place]"""
        boards, places = self.streets[1].hands[seat].card1.shape
        return np.zeros((2, boards, len(self._deals), places))

    def _compatible_weight(self) -> float:
        """The sum over all deals of the product of all weights."""
        met = self.met(0, 0, self._top.reach, [0, 0, 0], 0)
        return float(self.weights[0] @ met)

    def met(self, depth: int, board: int, reach: Sequence[Floats], rows: Sequence[int], seat: int) -> Floats:
        """[place] reach of all pairs of opposing hands that each hand of a seat meets; `rows` [seat] are those of a node."""
        i, j = (other for other in range(SEATS) if other != seat)
        hands = self.streets[depth].hands
        out = np.zeros(hands[seat].card1.shape[1])
        meetings.pay_end(
            board, 1.0, 0.0, 0.0, hands[seat], hands[i], hands[j], reach[i], rows[i], reach[j], rows[j], self._rooms[0], out
        )  # fmt: skip
        return out

    def shares(self, depth: int, board: int, reach: Sequence[Floats], seat: int, folded: Sequence[bool]) -> Floats:
        """[place] what a hand of a seat that has not folded wins of a pot of 1 without more betting, times the reach of the pairs it meets.

        `reach` [seat][place] is that on one board; a turn goes on with every river.
        """
        if depth == 0 and len(self.streets) > 1:
            rivers = self.streets[1].hands
            found, chance = np.zeros(len(reach[seat])), 1.0 / (len(rivers[seat].count) - HELD)
            for river in range(len(rivers[seat].count)):
                held = [own.hand[river, : own.count[river]] for own in rivers]
                below = [whole[places] for whole, places in zip(reach, held, strict=True)]
                found[held[seat]] += chance * self.shares(1, river, below, seat, folded)[: len(held[seat])]
            return found
        hands, rows = self.streets[depth].hands, [np.ascontiguousarray(each)[None] for each in reach]
        others = sorted((other for other in range(SEATS) if other != seat), key=lambda other: folded[other])
        i, j = others  # who has folded comes last
        alone, pair = folded[i], folded[j]
        out = np.zeros(hands[seat].card1.shape[1])
        meetings.pay_end(
            board, float(alone), float(pair and not alone), float(not pair), hands[seat], hands[i], hands[j], rows[i], 0, rows[j], 0,
            self._rooms[0], out,
        )  # fmt: skip
        return out

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Everything needed to go on later."""
        tables = {f"{kind}.{depth}.{seat}": table for kind, depth, seat, table in self._tables()}
        return tables | {"iteration": np.array([self.iteration])}

    def _tables(self) -> list[tuple[str, int, int, npt.NDArray[np.float32]]]:
        return [
            (kind, depth, seat, getattr(street, kind)[seat])
            for kind in TABLES
            for depth, street in enumerate(self.streets)
            for seat in range(SEATS)
        ]

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from `state()`; from averages alone they can be read, but not improved."""
        for kind, depth, seat, table in self._tables():
            name = f"{kind}.{depth}.{seat}"
            found = state[name]
            if found.shape != table.shape or found.dtype != table.dtype:
                raise FormatError(f"the table {name} does not fit the spot")
            if not np.isfinite(found).all() or (kind == "average" and found.size and found.min() < 0.0):
                raise FormatError(f"the table {name} holds what is no number or negative")
            table[:] = found
        self.iteration = int(np.ravel(state["iteration"])[0])
        for seat in range(SEATS):
            self._follow(seat, learns=True)


def end_values(
    forest: SeatForest, boards: SeatBoards, ends: SeatEnds, seat: int, reach: Sequence[Floats], board: int = 0
) -> Floats:
    """[end, place] what the ends of a seat pay on one board, from the reach [seat][row, place] of all."""
    street = _street(forest, boards, (ends,) * SEATS)
    value = np.zeros((len(forest), boards.seats[seat].places))
    passes.pay_ends(0, len(ends.node), seat, board, street, tuple(reach), value, _room())
    return value[ends.node]


def _spans(number: int, threads: int) -> list[tuple[int, int]]:
    parts = min(number, SPANS * threads) if threads > 1 else 1
    return [(a, b) for a, b in pairwise([number * k // parts for k in range(parts + 1)]) if b > a] if number else []


def _street(forest: SeatForest, boards: SeatBoards, ends: Sequence[SeatEnds]) -> passes.Street:
    place = np.stack([each.place for each in ends]).astype(np.int64)
    links = [each.astype(np.int64) for each in (forest.kind, forest.first_child, forest.children, forest.slot)]
    shapes = [(len(boards), forest.slots[seat], boards.seats[seat].places) for seat in range(SEATS)]
    return passes.Street(
        passes.Betting(links[0], links[1], links[2], links[3], forest.row.astype(np.int64), place, forest.roots),
        tuple(_hands(each) for each in boards.seats),
        tuple(_ends(each) for each in ends),
        tuple(np.zeros(shape, dtype=np.float32) for shape in shapes),
        tuple(np.zeros(shape, dtype=np.float32) for shape in shapes),
    )


def _hands(own: SeatHands) -> meetings.Hands:
    arrays = (own.hand, own.card1, own.card2, own.count, own.start, own.groups)
    return meetings.Hands(*(each.astype(np.int64) for each in arrays))


def _ends(own: SeatEnds) -> meetings.Ends:
    node, first, second = (each.astype(np.int64) for each in (own.node, own.first, own.second))
    return meetings.Ends(node, first, second, own.base, own.side, own.main)


def _scratch(street: passes.Street) -> passes.Scratch:
    places = [each.card1.shape[1] for each in street.hands]
    nodes, most = len(street.betting.kind), max(places)
    rows = [street.betting.roots + table.shape[1] for table in street.regret]
    return passes.Scratch(
        tuple(np.zeros((row, place)) for row, place in zip(rows, places, strict=True)),
        np.zeros((nodes, most)),
        np.zeros((nodes, most)),
        np.zeros((2, most)),
        _room(),
    )


def _room() -> meetings.Room:
    return meetings.Room(*(_weights() for _ in range(3)))


def _weights() -> meetings.Weights:
    rows = (meetings.ALL + 1, meetings.WIDTH)
    return meetings.Weights(np.zeros(rows), np.zeros(rows), np.zeros(meetings.WIDTH + 1))
