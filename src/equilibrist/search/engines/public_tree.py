"""LayoutEngine: vector CFR on a part of a public tree, with values at its leaves ([Brown20, §5.1, §5.2])."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.public_tree.public_layout import PublicLayout
from equilibrist.search.gadgets import DOUBLE
from equilibrist.search.subgame import Subgame
from equilibrist.solvers.cfr._kernels import public_cfr
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.runs import LayoutRun
from equilibrist.solvers.responses.public_response import infostate_values, reach_of


class Leaves(Protocol):
    """Values where the search stops, asked for before every pass (once an iteration where updates are simultaneous)."""

    def refresh(self, engine: LayoutEngine) -> None:
        """Write counterfactual values of leaf infostates to `engine.leaf`."""


class LayoutEngine(LayoutRun):
    """An `Engine` on a part of a public tree.

    A player's averages are counted before it learns, each hand with the weight at the root that its opponent met last.
    """

    xp: Any = np
    precision = DOUBLE

    def __init__(
        self,
        solver: CFR,
        layout: PublicLayout,
        roots: Sequence[int],
        *,
        start: tuple[Floats, Floats] | None = None,
        leaves: Leaves | None = None,
    ) -> None:
        """`start`: weights of both players' hands at the roots before anything is learned (1, if absent)."""
        if solver.minimiser == "hedge":
            raise NotApplicableError(
                "Subgames are solved by regret matching; Hedge needs payoff bounds of whole games."
            )
        super().__init__(solver, layout)
        self.leaves = leaves
        self.hands: list[Ints] = [layout.at(roots, p) for p in range(2)]
        for player, given in enumerate(start or ()):
            self.start[self.hands[player]] = given
        self.played = self.strategy  # what the passes of an iteration follow
        self._begun = 0
        for player in range(2):
            self._down(player)

    @classmethod
    def of(
        cls, solver: CFR, subgame: Subgame, *, layout: PublicLayout | None = None, leaves: Leaves | None = None
    ) -> LayoutEngine:
        """A subgame, or its layout with something more at the leaves."""
        return cls(solver, layout or subgame.layout, subgame.roots, start=subgame.ranges, leaves=leaves)

    @property
    def simultaneous(self) -> bool:
        return self.solver.updates == "simultaneous"

    def keep(self, t: int) -> float:
        return float(self.solver.schedule.keep(np.array([float(t)]))[0])

    def learn(self, player: int, reach: Floats) -> Floats:
        first = self._begin()
        self.start[self.hands[1 - player]] = reach
        self._down(1 - player)
        if self.leaves is not None and (first or not self.simultaneous):
            self.leaves.refresh(self)
        layout = self.layout
        public_cfr.collect(
            player, player + 1, layout.base, layout.parent, layout.action, layout.row, layout.first_choice, layout.joint,
            self.payoff, layout.first_slot, self.played, self.reach, self.leaf, self.value, self.choice_value, self.q,
        )  # fmt: skip
        values = self.value[self.hands[player]]
        positive, negative, _ = self.factors(1)
        kind, nonpositive, rule, horizon, _ = self.codes()
        public_cfr.learn(
            player, self.iteration + 1, positive[0], negative[0], kind, nonpositive, rule, horizon, layout.base, layout.row,
            layout.first_slot, layout.row_player, self.spread, self.reach, self.q, self.strategy, self.regret, self.memory,
            self.average_sum,
        )  # fmt: skip
        if not self.simultaneous:
            self._down(player)
        return values

    def _begin(self) -> bool:
        """Averages fade once an iteration, before its first pass."""
        if self._begun == self.iteration + 1:
            return False
        self._begun = self.iteration + 1
        self.average_sum *= self.keep(self._begun)
        if self.simultaneous:
            self.played = self.strategy.copy()
            for player in range(2):
                self._down(player)
        return True

    def _down(self, player: int) -> None:
        layout = self.layout
        public_cfr.private_reach(
            layout.base[player], layout.base[player + 1], layout.parent, layout.action, layout.row, layout.first_slot,
            self.played, self.start, self.reach,
        )  # fmt: skip

    def values(self, player: int, *, respond: bool = False, reach: Floats | None = None) -> Floats:
        strategy, start = self.average_strategy(), self.start.copy()
        if reach is not None:
            start[self.hands[1 - player]] = reach
        met = reach_of(self.layout, strategy, start)
        found = infostate_values(
            self.layout, met, player, strategy=None if respond else strategy, payoff=self.payoff, leaf=self.leaf
        )
        return found.value[self.hands[player]]

    def average_strategy(self, otherwise: Floats | None = None) -> Floats:
        """[slots] the average; where nothing was played, `otherwise` or the current strategy."""
        first, widths = self.layout.first_slot[:-1], np.diff(self.layout.first_slot)
        if not len(first):
            return self.strategy.copy()
        total = np.repeat(np.add.reduceat(self.average_sum, first), widths)
        fallback = self.strategy if otherwise is None else otherwise
        return np.where(total > 0, self.average_sum / np.where(total > 0, total, 1.0), fallback)

    def splice(self, policy: TabularPolicy, strategy: Floats, players: tuple[int, ...]) -> TabularPolicy:
        """A policy that plays `strategy` inside the subgame for some players."""
        owner = np.repeat(self.layout.row_player, np.diff(self.layout.first_slot))
        inside = (self.layout.slot >= 0) & np.isin(owner, players)
        out = policy.probabilities.copy()
        out[self.layout.slot[inside]] = strategy[inside]
        return TabularPolicy(policy.infosets, out)
