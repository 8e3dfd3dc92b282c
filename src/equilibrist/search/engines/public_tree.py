"""LayoutEngine: vector CFR on a part of a public tree, with values at its leaves ([Brown20, §5.1, §5.2])."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.public_tree.public_layout import PublicLayout
from equilibrist.search._kernels.entry import CONSTANT
from equilibrist.search._kernels.public_run import Roots, learn_with_entry
from equilibrist.search.gadget_run import GadgetRun, kept_count
from equilibrist.search.gadgets import DOUBLE
from equilibrist.search.subgame import Subgame
from equilibrist.solvers.cfr._kernels import public_cfr
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.runs import LayoutRun
from equilibrist.solvers.cfr.schedules import factors_of
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
        self._begun, self._now = 0, (1.0, 1.0, 1.0)  # iteration under way, and its discounts
        for player in range(2):
            self._down(player)

    @classmethod
    def of(
        cls, solver: CFR, subgame: Subgame, *, layout: PublicLayout | None = None, leaves: Leaves | None = None
    ) -> LayoutEngine:
        """A subgame, or its layout with something more at the leaves."""
        return cls(solver, layout or subgame.layout, subgame.roots, start=subgame.ranges, leaves=leaves)

    def keep(self, t: int) -> float:
        return (
            self._now[2] if t == self._begun else float(factors_of(self.solver.schedule, np.array([float(t)])).keep[0])
        )

    def learn(self, player: int, reach: Floats) -> Floats:
        first = self._begin()
        self.start[self.hands[1 - player]] = reach
        self._down(1 - player)
        if self.leaves is not None and (first or not self.simultaneous):
            self.leaves.refresh(self)
        public_cfr.collect(player, player + 1, self.infostates, self.stakes, self.played, self.scratch)
        values: Floats = self.scratch.value[self.hands[player]]
        positive, negative, _ = self._now
        public_cfr.learn(
            player, self.iteration + 1, positive, negative, self.codes, self.infostates, self.stakes.spread, self.tables,
            self.scratch,
        )  # fmt: skip
        if not self.simultaneous:
            self._down(player)
        return values

    def advance_gadget(self, run: GadgetRun, iterations: int) -> None:
        """Whole iterations in one kernel; where leaves ask for values in between or updates are simultaneous, pass by pass."""
        if self.leaves is not None or self.simultaneous:
            for _ in range(iterations):
                run.step()
            return
        entry, discounts = run.entry, self.factors(iterations)
        hands, other = self.hands[run.searcher], self.hands[run.opponent]
        roots = Roots(run.searcher, hands, other, run.held, np.zeros(len(other)), run.entered, run.stayed)
        learn_with_entry(
            self.iteration, discounts, self.codes, self.infostates, self.stakes, self.tables, self.scratch,
            roots, CONSTANT if run.gadget.fixed else entry.kind, entry.door, entry.memory,
        )  # fmt: skip
        run.counted = kept_count(discounts.keep, run.counted)
        self.iteration += iterations

    def _begin(self) -> bool:
        """Averages fade once an iteration, before its first pass."""
        if self._begun == self.iteration + 1:
            return False
        self._begun = self.iteration + 1
        positive, negative, keep = self.factors(1)
        self._now = (float(positive[0]), float(negative[0]), float(keep[0]))
        self.average_sum *= self._now[2]
        if self.simultaneous:
            self.played = self.strategy.copy()
            for player in range(2):
                self._down(player)
        return True

    def _down(self, player: int) -> None:
        public_cfr.private_reach(player, self.infostates, self.played, self.start, self.reach)

    def values(self, player: int, *, respond: bool = False, reach: Floats | None = None) -> Floats:
        strategy, start = self.average_strategy(), self.start.copy()
        if reach is not None:
            start[self.hands[1 - player]] = reach
        met = reach_of(self.layout, strategy, start)
        found = infostate_values(self.layout, met, player, strategy=None if respond else strategy, leaf=self.leaf)
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
