"""Leaf values that depend on beliefs: an oracle that solves what lies below, and how a search asks it ([Brown20, §5.3])."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.leaf_values import LeafValues
from equilibrist.forms.public_tree.public_layout import PublicLayout, lay_out
from equilibrist.forms.public_tree.public_tree import PublicTree
from equilibrist.search.engines.public_tree import LayoutEngine
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.runs import LayoutRun
from equilibrist.solvers.cfr.schedules import VANILLA
from equilibrist.solvers.registry import make_solver
from equilibrist.solvers.responses.public_response import infostate_values, reach_of

Asking = Literal["cfr-d", "cfr-avg", "modified-cfr-avg"]
ASKING: tuple[Asking, ...] = ("cfr-d", "cfr-avg", "modified-cfr-avg")


class SolvedLeaves:
    """Fulfils `LeafValues` by solving all leaves at once, with the beliefs given, by CFR+ to the end of the game."""

    unit = "chips"
    depends_on_ranges = True

    def __init__(self, tree: PublicTree, leaves: Sequence[int], solver: str = "cfr+", iterations: int = 200) -> None:
        made = make_solver(solver)
        if not isinstance(made, CFR):
            raise NotApplicableError(f"Leaves are solved by the CFR family, but '{solver}' was given.")
        self.tree, self.solver, self.iterations = tree, made, iterations
        self.leaves = tuple(sorted(leaves))
        self.layout: PublicLayout = lay_out(tree, self.leaves)
        self.hands = [self.layout.at(self.leaves, p) for p in range(2)]

    def solve(self, ranges: Sequence[Floats]) -> Floats:
        """[slots below] both players' average strategies from these ranges, which lie over the leaves end to end."""
        run = LayoutRun(self.solver, self.layout)
        for player, given in enumerate(ranges):
            run.start[self.hands[player]] = given
        run.advance(self.iterations)
        first, widths = self.layout.first_slot[:-1], np.diff(self.layout.first_slot)
        total = np.repeat(np.add.reduceat(run.average_sum, first), widths)
        return np.where(total > 0, run.average_sum / np.where(total > 0, total, 1.0), run.strategy)

    def worth(self, strategy: Floats, ranges: Sequence[Floats]) -> list[Floats]:
        """Counterfactual values of the leaves' infostates when both play `strategy` below, reached with these ranges."""
        start = np.ones(int(self.layout.base[-1]))
        for player, given in enumerate(ranges):
            start[self.hands[player]] = given
        reach = reach_of(self.layout, strategy, start)
        found = [infostate_values(self.layout, reach, p, strategy=strategy).value for p in range(2)]
        return [found[p][self.hands[p]] for p in range(2)]

    def values(self, states: Sequence[str], ranges: Sequence[Sequence[Floats]]) -> list[Floats]:
        """For each state [1, player, private], shorter vectors of private states filled up with zeros."""
        numbers = [self.tree.number(state) for state in states]
        whole = [np.zeros(len(hands)) for hands in self.hands]
        spans = [[self.layout.state[self.hands[p]] == s for p in range(2)] for s in numbers]
        for where, given in zip(spans, ranges, strict=True):
            for p in range(2):
                whole[p][where[p]] = given[p]
        worth = self.worth(self.solve(whole), whole)
        out = []
        for where in spans:
            table = np.zeros((1, 2, max(int(w.sum()) for w in where)))
            for p in range(2):
                table[0, p, : int(where[p].sum())] = worth[p][where[p]]
            out.append(table)
        return out


class AskedLeaves:
    """Values for a search at every iteration, from any `LeafValues`: beliefs are those of the current strategies (CFR-D)."""

    def __init__(self, source: LeafValues, leaves: Sequence[int]) -> None:
        self.source, self.leaves, self.asked = source, tuple(sorted(leaves)), False

    def refresh(self, engine: LayoutEngine) -> None:
        """Write counterfactual values of the leaf infostates; once is enough where they do not depend on ranges."""
        if self.asked and not self.source.depends_on_ranges:
            return
        self.asked = True
        spots = [[engine.layout.at([leaf], p) for p in range(2)] for leaf in self.leaves]
        held = engine.reach
        names = [engine.layout.tree.states[leaf] for leaf in self.leaves]
        answers = self.source.values(names, [[held[where[p]] for p in range(2)] for where in spots])
        for where, table in zip(spots, answers, strict=True):
            for p in range(2):
                engine.leaf[where[p]] = table[0, p, : len(where[p])]


class OracleLeaves:
    """Exact leaves, asked in one of three ways; `modified-cfr-avg` has no proof and fails on Liar's Dice, so it must be named.

    `cfr-d`: solve at the beliefs of the current strategies. `cfr-avg`: solve at those of the average, evaluate at the current ones.
    `modified-cfr-avg`: what the average gains from one iteration to the next.
    """

    def __init__(self, oracle: SolvedLeaves, asking: Asking = "cfr-d") -> None:
        if asking not in ASKING:
            raise ParameterError(f"Leaves are asked by {', '.join(ASKING)}, but {asking!r} was given.")
        self.oracle, self.asking = oracle, asking
        self.before: list[Floats] = []

    def refresh(self, engine: LayoutEngine) -> None:
        oracle, spots = self.oracle, [engine.layout.at(self.oracle.leaves, p) for p in range(2)]
        current = engine.reach
        now = [current[spots[p]] for p in range(2)]
        if self.asking == "cfr-d":
            worth = oracle.worth(oracle.solve(now), now)
        else:
            middle = reach_of(engine.layout, average_with_now(engine), engine.start)
            average = [middle[spots[p]] for p in range(2)]
            strategy = oracle.solve(average)
            worth = oracle.worth(strategy, now if self.asking == "cfr-avg" else average)
            if self.asking == "modified-cfr-avg":
                worth = self._difference(engine, worth)
        for p in range(2):
            engine.leaf[spots[p]] = worth[p]

    def _difference(self, engine: LayoutEngine, worth: list[Floats]) -> list[Floats]:
        """t C_t - (t-1) C_{t-1}, or its linear version; one call an iteration."""
        if engine.solver.updates != "simultaneous":
            raise NotApplicableError(
                "modified-cfr-avg takes differences between iterations, so both players must be updated at once; add updates=simultaneous."
            )
        t = float(engine.iteration + 1)
        old, self.before = (self.before or [np.zeros_like(w) for w in worth]), worth
        if engine.solver.schedule == VANILLA:
            return [t * now - (t - 1.0) * then for now, then in zip(worth, old, strict=True)]
        return [((t + 1.0) * now - (t - 1.0) * then) / 2.0 for now, then in zip(worth, old, strict=True)]


def average_with_now(engine: LayoutEngine) -> Floats:
    """[slots] the average including the current strategy, which CFR adds only after the pass."""
    layout, total = engine.layout, engine.average_sum.copy()
    acting = np.flatnonzero(layout.row >= 0)
    widths = np.diff(layout.first_choice)[acting]
    first = layout.first_slot[layout.row[acting]]
    slots = np.repeat(first - np.cumsum(widths) + widths, widths) + np.arange(int(widths.sum()))
    np.add.at(total, slots, np.repeat(engine.reach[acting], widths) * engine.played[slots])
    sums = np.repeat(np.add.reduceat(total, layout.first_slot[:-1]), np.diff(layout.first_slot))
    return np.where(sums > 0, total / np.where(sums > 0, sums, 1.0), engine.played)
