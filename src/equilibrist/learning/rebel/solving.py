"""Searches of one shape in lock-step, their leaves asked at every iteration: linear CFR or fictitious play ([Brown20, §5.3.3, §5.3.7])."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.learning.rebel._kernels.subgame import (
    SearchTables,
    answer_averages,
    begin_averages,
    keep,
    match_regrets,
    play_averages,
    play_on,
    reach_of,
    run_without_leaves,
    update,
)
from equilibrist.learning.rebel.templates import Template

Updates = Literal["alternating", "simultaneous"]
Algorithm = Literal["cfr-d", "fp"]
AT_ONCE = 512  # searches


class EdgeValues(Protocol):
    """Who knows what leaves are worth."""

    def ask(self, template: Template, player: int, reach: Floats, out: Floats) -> None:
        """Expected values [B, L, N] of a player's hands, given own reach [B, M, 2, N] of both players at all nodes."""


@dataclass(frozen=True)
class SolvedSearches:
    """B searches."""

    start: Floats  # [B, 2, N] own reach at the root
    average: Floats  # [B, S, N] linear average, realisation-weighted
    root: Floats  # [B, 2, N] mean expected values at the root, both playing their iterates
    kept: Floats  # [B, K, S, N] strategies of the iterations that were wanted

    @staticmethod
    def together(parts: Sequence[SolvedSearches]) -> SolvedSearches:
        """Side by side."""
        if len(parts) == 1:
            return parts[0]
        return SolvedSearches(
            *(np.concatenate([getattr(p, name) for p in parts]) for name in ("start", "average", "root", "kept"))
        )


@dataclass(frozen=True)
class SubgameSolver:
    """`iterations` of both players; in each, leaves are asked at beliefs.

    `cfr-d`: those of the present strategies, which are what is kept. `fp` (linear fictitious play): those of the averages so far, which are
    kept; root values are then those of best responses to them.
    """

    values: EdgeValues
    iterations: int
    updates: Updates = "alternating"
    algorithm: Algorithm = "cfr-d"

    def solve(self, template: Template, beliefs: Floats, wanted: Ints) -> SolvedSearches:
        """From beliefs [B, 2, N] given as reach; `wanted` [B, K] iterations (from 1) whose strategies are kept."""
        start = normalised(template.prior, beliefs)
        spans = [slice(at, at + AT_ONCE) for at in range(0, len(start), AT_ONCE)]
        return SolvedSearches.together([self._solve(template, start[span], wanted[span]) for span in spans])

    def _solve(self, template: Template, start: Floats, wanted: Ints) -> SolvedSearches:
        tables = _tables(template, start)
        kept = np.zeros((*wanted.shape, *tables.regret.shape[1:]))
        if len(template.leaves) or self.algorithm == "fp":
            self._lock_step(template, tables, wanted, kept)
        else:
            alternating = self.updates == "alternating"
            run_without_leaves(self.iterations, alternating, template.shape, tables, wanted, kept)
        return SolvedSearches(start, _average(template, tables), self._root(template, tables), kept)

    def _lock_step(self, template: Template, tables: SearchTables, wanted: Ints, kept: Floats) -> None:
        turns = ((0,), (1,)) if self.updates == "alternating" else ((0, 1),)
        shape, learn, play = template.shape, update, play_on
        if self.algorithm == "fp":
            learn, play = answer_averages, play_averages
            begin_averages(shape, tables)
        for t in range(1, self.iterations + 1):
            keep(t, wanted, tables, kept)
            for turn in turns:
                for player in turn:
                    if len(template.leaves):
                        self.values.ask(template, player, tables.reach, tables.leaf)
                    learn(player, float(t), shape, tables)
                for player in turn:
                    play(player, shape, tables)

    def _root(self, template: Template, tables: SearchTables) -> Floats:
        """Sums of counterfactual values as expected values."""
        weight = template.shape.chance[0]
        mass = np.stack([tables.start[:, 1] @ weight.T, tables.start[:, 0] @ weight], axis=1)
        total = 0.5 * self.iterations * (self.iterations + 1)
        out: Floats = tables.root / total / np.where(mass > 0.0, mass, 1.0)
        return out


def normalised(prior: Floats, reach: Floats) -> Floats:
    """Reach [B, 2, N] scaled so that beliefs, chance included, sum to one; where nobody gets, by chance alone."""
    mass = (reach * prior).sum(axis=-1, keepdims=True)
    even = np.ones_like(reach) / prior.sum(axis=-1)[..., None]
    out: Floats = np.where(mass > 1e-60, reach / np.where(mass > 1e-60, mass, 1.0), even)
    return out


def leaf_reach(template: Template, strategy: Floats, start: Floats) -> Floats:
    """[J, M, 2, N] own reach at all nodes under strategies [J, S, N] from [J, 2, N]."""
    reach = np.empty((len(start), len(template.nodes), *start.shape[1:]))
    reach_of(template.shape, np.ascontiguousarray(strategy), np.ascontiguousarray(start), reach)
    return reach


def _tables(template: Template, start: Floats) -> SearchTables:
    many, hands = len(start), start.shape[-1]
    nodes, slots = len(template.nodes), template.slots
    tables = SearchTables(
        start=np.ascontiguousarray(start),
        regret=np.zeros((many, slots, hands)),
        average=np.zeros((many, slots, hands)),
        strategy=np.zeros((many, slots, hands)),
        reach=np.zeros((many, nodes, 2, hands)),
        value=np.zeros((many, nodes, hands)),
        leaf=np.zeros((many, len(template.leaves), hands)),
        root=np.zeros((many, 2, hands)),
    )
    for player in range(2):
        play_on(player, template.shape, tables)
    return tables


def _average(template: Template, tables: SearchTables) -> Floats:
    """Sums of reach times strategy as strategies."""
    out: Floats = np.empty_like(tables.average)
    for b in range(len(out)):
        for player in range(2):
            match_regrets(player, template.shape, tables.average[b], out[b])
    return out
