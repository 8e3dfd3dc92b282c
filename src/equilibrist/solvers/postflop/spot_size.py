"""How large a spot is, before anything is allocated: decisions by street, hands, bytes of tables."""

from __future__ import annotations

from dataclasses import dataclass

from equilibrist.forms.boards.compiled_spot import CompiledSpot, compile_spot
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.postflop.solve_spot import DEFAULT_SPOT_SOLVER, bytes_on_spot, solver_on_spots


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


def spot_size(spot: Spot | CompiledSpot, solver: str = DEFAULT_SPOT_SOLVER, bits: int = 32) -> SpotSize:
    """The size of a spot."""
    here = compile_spot(spot)
    need = bytes_on_spot(here, solver_on_spots(solver), bits)
    return SpotSize(here.decisions, here.hands, need)


def memory_text(size: float) -> str:
    """`12.1 MB`."""
    return f"{size / 1e9:.2f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"
