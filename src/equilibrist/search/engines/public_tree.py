"""SubgameRun: vector CFR on a subgame, with an entry at its roots and values at its leaves ([Brown20] 5.1; brown-search 2.5.8)."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.public_tree.public_layout import PublicLayout
from equilibrist.search.gadgets import Doorstep, Entry
from equilibrist.search.subgame import Subgame
from equilibrist.solvers.cfr._kernels import public_cfr
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.runs import LayoutRun
from equilibrist.solvers.responses.public_response import infostate_values, reach_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


class Leaves(Protocol):
    """Values where the search stops, asked for before every pass."""

    def refresh(self, run: SubgameRun) -> None:
        """Write counterfactual values of leaf infostates to `run.leaf`."""


class SubgameRun(LayoutRun):
    """The searcher learns a strategy for the subgame, the opponent learns against it and chooses how to enter.

    The searcher's range stands in the opponent's payoffs, so inside the subgame its own reach begins at 1 for every hand.
    """

    def __init__(
        self,
        solver: CFR,
        subgame: Subgame,
        searcher: int,
        entry: Entry,
        doorstep: Doorstep,
        *,
        layout: PublicLayout | None = None,
        leaves: Leaves | None = None,
    ) -> None:
        if solver.minimiser == "hedge":
            raise NotApplicableError(
                "Subgames are solved by regret matching; Hedge needs payoff bounds of whole games."
            )
        super().__init__(solver, subgame.layout if layout is None else layout)
        self.subgame, self.searcher, self.opponent = subgame, searcher, 1 - searcher
        self.doorstep, self.fixed = doorstep, entry.fixed
        self.gadget = entry.begin(doorstep)
        self.leaves = leaves
        self.hands: Ints = self.layout.at(subgame.roots, self.opponent)
        self.range = np.ones_like(self.start)
        self.range[self.layout.at(subgame.roots, searcher)] = subgame.ranges[searcher]
        self.payoff = self.layout.payoff.copy()
        self.payoff[:, self.opponent] *= self.range[self.layout.origin[self.layout.joint[:, searcher]]]
        self.start[self.hands] = entry.first(doorstep)
        self._down(0)
        self._down(1)

    def advance(self, iterations: int) -> None:
        if self.fixed and self.leaves is None:
            super().advance(iterations)
            return
        positive, negative, keep = self.factors(iterations)
        for step in range(iterations):
            self.average_sum *= keep[step]
            self.iteration += 1
            self._iterate(float(positive[step]), float(negative[step]))

    def _iterate(self, positive: float, negative: float) -> None:
        """The opponent first, then its entry, then the searcher; at once where updates are simultaneous."""
        order = (self.opponent, self.searcher)
        if self.solver.updates == "simultaneous":
            self._collect(0, 2)
            self._enter()
            for player in order:
                self._learn(player, positive, negative)
            for player in order:
                self._down(player)
            return
        for player in order:
            self._collect(player, player + 1)
            if player == self.opponent:
                self._enter()
            self._learn(player, positive, negative)
            self._down(player)

    def _enter(self) -> None:
        door = self.doorstep
        alternative = door.mass if door.alternative is None else door.alternative  # unused without alternatives
        if not self.fixed:
            values = self.value[self.hands]
            self.start[self.hands] = self.gadget.entry(values, door.mass, alternative, self.iteration)

    def _collect(self, first: int, last: int) -> None:
        layout = self.layout
        if self.leaves is not None:
            self.leaves.refresh(self)
        public_cfr.collect(
            first, last, layout.base, layout.parent, layout.action, layout.row, layout.first_choice, layout.joint,
            self.payoff, layout.first_slot, self.strategy, self.reach, self.leaf, self.value, self.choice_value, self.q,
        )  # fmt: skip

    def _learn(self, player: int, positive: float, negative: float) -> None:
        layout = self.layout
        kind, nonpositive, rule, horizon, _ = self.codes()
        public_cfr.learn(
            player, self.iteration, positive, negative, kind, nonpositive, rule, horizon, layout.base, layout.row,
            layout.first_slot, layout.row_player, self.spread, self.reach, self.q, self.strategy, self.regret,
            self.memory, self.average_sum,
        )  # fmt: skip

    def _down(self, player: int) -> None:
        layout = self.layout
        public_cfr.private_reach(
            layout.base[player], layout.base[player + 1], layout.parent, layout.action, layout.row, layout.first_slot,
            self.strategy, self.start, self.reach,
        )  # fmt: skip

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

    def answer(self, strategy: Floats) -> Floats:
        """Counterfactual value of each of the opponent's hands when it responds best to the searcher's strategy."""
        reach = reach_of(self.layout, strategy)
        values = infostate_values(self.layout, reach, self.opponent, payoff=self.payoff, leaf=self.leaf)
        return values.value[self.hands]
