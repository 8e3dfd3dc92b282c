"""CompiledSeats: a three-way spot with its betting grown and its boards dealt, once for everything that is done with it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.forms.three_way.seat_boards import SeatDeal, deal_seats
from equilibrist.forms.three_way.seat_ends import SeatEnds, seat_ends
from equilibrist.forms.three_way.seat_forest import SeatForest, seat_forests
from equilibrist.games.spots.three_way_spot import SEATS, ThreeWaySpot


@dataclass(frozen=True, eq=False)
class CompiledSeats:
    """What solvers, screens and verification of one three-way spot share."""

    spot: ThreeWaySpot
    forests: tuple[SeatForest, ...]  # the betting from the spot's street to the river

    @cached_property
    def deal(self) -> SeatDeal:
        return deal_seats(self.spot)

    @cached_property
    def ends(self) -> tuple[tuple[SeatEnds, ...], ...]:
        """[street][seat]"""
        spot = self.spot
        return tuple(
            tuple(seat_ends(each, seat, spot.pot, spot.rake) for seat in range(SEATS)) for each in self.forests
        )

    @property
    def decisions(self) -> dict[str, int]:
        """Decision nodes by street, cards not counted."""
        return {POSTFLOP_STREETS[forest.street]: forest.decisions for forest in self.forests}

    @property
    def hands(self) -> tuple[int, ...]:
        """How many hands each seat can hold."""
        return tuple(int((self.spot.weights(seat) > 0.0).sum()) for seat in range(SEATS))

    @property
    def infosets(self) -> int:
        """Decisions of all hands on all boards."""
        return sum(
            int((forest.kind == seat).sum()) * int(boards.seats[seat].count.sum())
            for forest, boards in zip(self.forests, self.deal.streets, strict=True)
            for seat in range(SEATS)
        )

    @cached_property
    def table_bytes(self) -> int:
        """Bytes of regrets and averages, before they are allocated."""
        entries = sum(
            len(boards) * boards.seats[seat].places * forest.slots[seat]
            for forest, boards in zip(self.forests, self.deal.streets, strict=True)
            for seat in range(SEATS)
        )
        return 2 * 4 * entries

    def bytes_needed(self, threads: int = 1) -> int:
        """All that a solver will take: tables, and reach and values of one board for each thread."""
        total = self.table_bytes
        for depth, (forest, boards) in enumerate(zip(self.forests, self.deal.streets, strict=True)):
            places = [own.places for own in boards.seats]
            reach = sum((forest.roots + slots) * own for slots, own in zip(forest.slots, places, strict=True))
            total += 8 * (reach + 2 * len(forest) * max(places)) * (threads if depth else 1)
        return total


def compile_seats(spot: ThreeWaySpot | CompiledSeats) -> CompiledSeats:
    """Grow the betting of a three-way spot; what is compiled already is taken as it is."""
    return spot if isinstance(spot, CompiledSeats) else CompiledSeats(spot, seat_forests(spot))
