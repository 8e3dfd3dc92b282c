"""Values at the edge of a depth-limited search: search declares them here, tables and networks fulfil them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from equilibrist.core.arrays import Floats


@runtime_checkable
class LeafValues(Protocol):
    """Counterfactual values of public states where the search stops.

    Multi-valued states depend on pairs of hands instead, and are tables of payoffs (`search/depth_limited/multi_valued_states.py`).
    """

    unit: str  # "chips", "pot" …: what a value of 1 means
    depends_on_ranges: bool  # True: ask every iteration (networks, solved leaves); False: once

    def values(self, states: Sequence[str], ranges: Sequence[Sequence[Floats]]) -> list[Floats]:
        """For each state [choice, player, private]; `ranges[state][player]` is a vector over private states."""
