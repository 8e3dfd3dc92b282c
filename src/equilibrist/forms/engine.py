"""Engine: two players' tables below some roots, seen as vectors of hands there; what gadgets and depth limits need of a form.

A vector has one number for each hand of a player at each root, root by root. `learn` and `values` take and give arrays of the
engine's own kind (`xp`): tables stay where the engine keeps them, and one call advances all roots and all boards below them.
"""

from __future__ import annotations

from typing import Any, Protocol


class Engine(Protocol):
    """Learns below the roots against weights that somebody else decides; the caller counts the iterations."""

    iteration: int  # completed; a pass of `learn` belongs to the next one

    @property
    def xp(self) -> Any:
        """The array module of all vectors, with NumPy's names."""

    @property
    def precision(self) -> float:
        """Relative rounding of values: differences below it mean nothing."""

    @property
    def simultaneous(self) -> bool:
        """Both players of an iteration meet each other's strategies of the iteration before; otherwise the second meets the new one."""

    def keep(self, t: int) -> float:
        """Factor on the sums behind averages at iteration t."""

    def learn(self, player: int, reach: Any) -> Any:
        """One learning pass against the opponent's weights at the roots; the counterfactual values of the player's hands there."""

    def values(self, player: int, *, respond: bool = False, reach: Any = None) -> Any:
        """The same against the opponent's average strategy: follow one's own average, or respond as well as possible."""
