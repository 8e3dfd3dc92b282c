"""How leaves are asked: at the beliefs of the iterates or of the averages ([Brown20, §5.3.3, §5.3.9]).

What comes back are counterfactual values, for players update one after the other.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.learning.rebel._kernels.subgame import SearchTables, weigh_leaves
from equilibrist.learning.rebel.templates import Template


class EdgeValues(Protocol):
    """Who knows what leaves are worth."""

    def ask(self, template: Template, player: int, reach: Floats, out: Floats) -> None:
        """Expected values [B, L, N] of a player's hands, given own reach [B, M, 2, N] of both players at all nodes."""


@runtime_checkable
class EdgePolicies(EdgeValues, Protocol):
    """Who also knows how both play below leaves."""

    def ask_at(self, template: Template, player: int, beliefs: Floats, reach: Floats, out: Floats) -> None:
        """Expected values at `reach` where both play below what was found at `beliefs`, both [B, M, 2, N]."""


class AtIterates:
    """CFR-D and fictitious play: beliefs of what is played now."""

    def __init__(self, values: EdgeValues) -> None:
        self.values = values

    def ask(self, template: Template, player: int, weight: float, tables: SearchTables) -> None:
        """Into `tables.leaf`; `weight` is that of the iteration."""
        self.values.ask(template, player, tables.reach, tables.leaf)
        weigh_leaves(player, template.leaves, template.shape, tables.reach, tables.value, tables.leaf)


class Recycled(AtIterates):
    """Fictitious play: what leaves were worth holds until iterations have grown by a share of `growth`; converges with none alone."""

    def __init__(self, values: EdgeValues, growth: float) -> None:
        super().__init__(values)
        self.growth = growth
        self.count, self.due = [0, 0], [1.0, 1.0]
        self.held: list[Floats | None] = [None, None]

    def ask(self, template: Template, player: int, weight: float, tables: SearchTables) -> None:
        self.count[player] += 1
        held = self.held[player]
        if held is None or self.count[player] >= self.due[player]:
            self.due[player] = self.count[player] * (1.0 + self.growth)
            self.held[player] = held = np.empty_like(tables.leaf) if held is None else held
            self.values.ask(template, player, tables.reach, held)
        tables.leaf[:] = held
        weigh_leaves(player, template.leaves, template.shape, tables.reach, tables.value, tables.leaf)


class AtAverages:
    """Beliefs of the averages so far, the present iterate included.

    Each player has an average of its own: of what it has met, which is one iterate further where players update in turn.
    """

    def __init__(self) -> None:
        self.total = [0.0, 0.0]
        self.sums: list[Floats | None] = [None, None]

    def average(self, player: int, weight: float, reach: Floats) -> Floats:
        """Mean reach [B, M, 2, N] as a player has met it: that of the average strategies."""
        sums = self.sums[player]
        self.sums[player] = sums = weight * reach if sums is None else sums + weight * reach
        self.total[player] += weight
        out: Floats = sums / self.total[player]
        return out


class PolicyBelow(AtAverages):
    """CFR-AVG: the solution below is that of the average beliefs, and is evaluated where the iterates lead ([Brown20, Theorem 28])."""

    def __init__(self, values: EdgeValues) -> None:
        super().__init__()
        if not isinstance(values, EdgePolicies):
            raise NotApplicableError(NEEDS_POLICIES)
        self.values = values

    def ask(self, template: Template, player: int, weight: float, tables: SearchTables) -> None:
        beliefs = self.average(player, weight, tables.reach)
        self.values.ask_at(template, player, beliefs, tables.reach, tables.leaf)
        weigh_leaves(player, template.leaves, template.shape, tables.reach, tables.value, tables.leaf)


class Differences(AtAverages):
    """Modified CFR-AVG: what the average's counterfactual values gain from one iteration to the next; not proven to converge.

    The text takes differences of expected values; those of counterfactual ones leave payoffs of finished hands as they are.
    """

    def __init__(self, values: EdgeValues) -> None:
        super().__init__()
        self.values = values
        self.before: list[Floats | None] = [None, None]

    def ask(self, template: Template, player: int, weight: float, tables: SearchTables) -> None:
        beliefs = self.average(player, weight, tables.reach)
        self.values.ask(template, player, beliefs, tables.leaf)
        weigh_leaves(player, template.leaves, template.shape, beliefs, tables.value, tables.leaf)
        now = self.total[player] * tables.leaf
        before = self.before[player]
        tables.leaf[:] = (now if before is None else now - before) / weight
        self.before[player] = now


NEEDS_POLICIES = (
    "CFR-AVG evaluates how both would play below leaves, and a network of values does not know that; use cfr-d or "
    "modified-cfr-avg, or give it exact leaves."
)
