"""How large a spot is, before anything is allocated: decisions by street, hands, bytes of tables."""

from __future__ import annotations

from dataclasses import dataclass

from equilibrist.forms.boards.street_betting import LARGEST_STREET, street_forests
from equilibrist.forms.boards.street_boards import Deal
from equilibrist.games.spots.bet_sizes import STREETS
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.postflop.locks.lock_symmetry import treat_suits_alike
from equilibrist.solvers.postflop.solve_spot import DEFAULT_SPOT_SOLVER, spot_solver
from equilibrist.solvers.postflop.tables import table_bytes


@dataclass(frozen=True)
class SpotSize:
    """What a solve will have to hold."""

    decisions: dict[str, int]  # by street, cards not counted
    hands: tuple[int, int]  # oop, ip
    table_bytes: int

    @property
    def sentence(self) -> str:
        """`Betting: turn 18 decisions, river 57; 200 and 300 hands; 12.1 MB of tables.`"""
        parts = ", ".join(f"{street} {count:,} decisions" for street, count in self.decisions.items())
        hands = " and ".join(f"{count:,}" for count in self.hands)
        return f"Betting: {parts}; {hands} hands; {memory_text(self.table_bytes)} of tables."


def spot_size(
    spot: Spot, solver: str = DEFAULT_SPOT_SOLVER, bits: int = 32, *, largest: int = LARGEST_STREET
) -> SpotSize:
    """The size of a spot; refuses streets of more than `largest` nodes."""
    forests = street_forests(spot, largest)
    weights = [spot.weights(0), spot.weights(1)]
    need = table_bytes(
        forests,
        Deal.holdem(spot.board),
        weights,
        predictive=spot_solver(solver).minimiser != "rm",
        isomorphism=treat_suits_alike(spot.locks, Deal.holdem(spot.board), weights, forests),
        bits=bits,
    )
    oop, ip = (int((each > 0).sum()) for each in weights)
    return SpotSize({STREETS[forest.street]: forest.counts[0] for forest in forests}, (oop, ip), need)


def memory_text(size: float) -> str:
    """`12.1 MB`."""
    return f"{size / 1e9:.2f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"
