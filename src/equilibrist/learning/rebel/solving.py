"""Searches of one shape in lock-step, their leaves asked at every iteration ([Brown20, §5.3.3, §5.3.8, §5.3.9])."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import ParameterError
from equilibrist.learning.rebel._kernels.subgame import (
    SearchTables,
    answer_averages,
    backward_induction,
    begin_averages,
    keep,
    keep_averages,
    match_regrets,
    play_averages,
    play_on,
    play_optimistic,
    reach_of,
    run_without_leaves,
    update,
)
from equilibrist.learning.rebel._kernels.warm_start import play_on_from, start_from
from equilibrist.learning.rebel.asking import AtIterates, Differences, EdgeValues, PolicyBelow, Recycled
from equilibrist.learning.rebel.templates import Template
from equilibrist.learning.rebel.warm_start import PolicyStart

Updates = Literal["alternating", "simultaneous"]
Algorithm = Literal["cfr-d", "cfr-avg", "modified-cfr-avg", "fp", "flop"]
Weights = Literal["linear", "plain"]
Targets = Literal["iterates", "averages"]
FICTITIOUS = ("fp", "flop")
AVERAGES = ("cfr-avg", "modified-cfr-avg")
AT_ONCE = 512  # searches


@dataclass(frozen=True)
class SolvedSearches:
    """B searches."""

    start: Floats  # [B, 2, N] own reach at the root
    average: Floats  # [B, S, N] realisation-weighted
    root: Floats  # [B, 2, N] mean expected values at the root, both playing their iterates
    kept: Floats  # [B, K, S, N] what is played in the iterations that were wanted
    iterates: Floats  # [B, K, S, N] and what leads self-play on: where averages are kept, the newest strategies

    @staticmethod
    def together(parts: Sequence[SolvedSearches]) -> SolvedSearches:
        """Side by side."""
        if len(parts) == 1:
            return parts[0]
        names = ("start", "average", "root", "kept", "iterates")
        return SolvedSearches(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))


@dataclass(frozen=True)
class SubgameSolver:
    """`iterations` of both players; in each, leaves are asked at beliefs.

    `cfr-d`: those of the present strategies, which are what is kept. `cfr-avg`: those of the averages so far, which are kept; how both
    play below them is evaluated at the present strategies, so that a network of values is not enough. `modified-cfr-avg`: what
    the averages gain by the present iteration; without a proof. `fp` (fictitious play): those of the averages, which are kept; root
    values are then those of best responses to them. `flop`: the same with averages in which the last answer counts more.
    With `recycle` fictitious play asks about leaves again only once its iterations have grown by that share ([Brown20, §5.3.9] says so
    of CFR-AVG); answers hardly change until then, so that it does not converge: steps become no smaller.

    Root values are means over iterations. Those of fictitious play are worth too much to both, since both answer; with `targets` of
    "averages" they are what the last averages are worth ([Brown20, §5.3.3, footnote 13]).
    """

    values: EdgeValues
    iterations: int
    updates: Updates = "alternating"
    algorithm: Algorithm = "cfr-d"
    weights: Weights = "linear"  # of iteration t: t, or 1
    warm: PolicyStart | None = None  # its iterations count as the first ones
    recycle: float = 0.0
    targets: Targets = "iterates"

    def __post_init__(self) -> None:
        check_weights(self.algorithm, self.weights)
        check_targets(self.algorithm, self.targets)
        if self.begun >= self.iterations:
            raise ParameterError(
                f"A warm start stands for {self.begun} iterations of a search, so that a search needs more, but "
                f"{self.iterations} were given."
            )

    @property
    def begun(self) -> int:
        """Iterations that a warm start stands for."""
        return self.warm.iterations if self.warm else 0

    @property
    def keeps_averages(self) -> bool:
        """Whether what is played are averages up to an iteration."""
        return self.algorithm != "cfr-d"

    def weight(self, t: int) -> float:
        """Of an iteration, counted from 1."""
        return float(t) if self.weights == "linear" else 1.0

    def answer(self, t: int) -> float:
        """How often the answer of an iteration counts in fictitious play, where even play before the first one counts once."""
        return t + 1.0 if self.weights == "linear" else 1.0

    def every_weight(self) -> Floats:
        """[iterations]."""
        return np.array([self.weight(t) for t in range(1, self.iterations + 1)])

    def shares(self) -> Floats:
        """[iterations] how likely each one is the one that is played: none that a warm start stands for."""
        weight = self.every_weight()
        weight[: self.begun] = 0.0
        return weight / float(weight.sum())

    def drawn(self, random: np.random.Generator, shape: tuple[int, ...]) -> Ints:
        """Iterations from 1, each with a probability in proportion to its weight."""
        weight = self.every_weight().astype(np.int64)
        weight[: self.begun] = 0
        below = np.cumsum(weight)
        found = random.integers(0, int(below[-1]), size=shape)
        return np.searchsorted(below, found, side="right").astype(np.int32) + 1

    def solve(self, template: Template, beliefs: Floats, wanted: Ints) -> SolvedSearches:
        """From beliefs [B, 2, N] given as reach; `wanted` [B, K] iterations (from 1) whose strategies are kept."""
        start = normalised(template.prior, beliefs)
        spans = [slice(at, at + AT_ONCE) for at in range(0, len(start), AT_ONCE)]
        return SolvedSearches.together([self._solve(template, start[span], wanted[span]) for span in spans])

    def _solve(self, template: Template, start: Floats, wanted: Ints) -> SolvedSearches:
        tables = _tables(template, start)
        if start.shape[-1] == 1:
            return self._induction(template, tables, wanted)
        kept = np.zeros((*wanted.shape, *tables.regret.shape[1:]))
        iterates = np.zeros_like(kept) if self.keeps_averages else kept
        if self.algorithm in FICTITIOUS:
            self._fictitious(template, tables, wanted, kept, iterates)
        elif self.algorithm == "cfr-d" and self.weights == "linear" and not len(template.leaves) and not self.warm:
            alternating = self.updates == "alternating"
            run_without_leaves(self.iterations, alternating, template.shape, tables, wanted, kept)
        else:
            self._regrets(template, tables, wanted, kept, iterates)
        average = _average(template, tables)
        if self.targets == "averages":
            self._evaluate_averages(template, tables)
        return SolvedSearches(start, average, self._root(template, tables), kept, iterates)

    def _induction(self, template: Template, tables: SearchTables, wanted: Ints) -> SolvedSearches:
        """Where everything is seen beliefs say nothing: leaves are asked once, and minimax solves the search ([Brown20, §5.3.3])."""
        value = np.zeros(tables.reach.shape[:2])
        tables.reach[:] = 1.0
        for player, sign in ((0, 0.5), (1, -0.5)):  # the mean of what is said to be worth to both
            if len(template.leaves):
                AtIterates(self.values).ask(template, player, 1.0, tables)
                value[:, template.leaves] += sign * tables.leaf[..., 0]
        backward_induction(template.shape, tables, value)
        root = value[:, :1, None] / template.shape.chance[0] * np.array([[[1.0], [-1.0]]])
        played = np.broadcast_to(tables.strategy[:, None], (*wanted.shape, *tables.strategy.shape[1:])).copy()
        return SolvedSearches(tables.start, tables.strategy, root, played, played)

    def _asking(self) -> AtIterates | PolicyBelow | Differences:
        if self.algorithm == "cfr-avg":
            return PolicyBelow(self.values)
        return Differences(self.values) if self.algorithm == "modified-cfr-avg" else AtIterates(self.values)

    def _turns(self) -> tuple[tuple[int, ...], ...]:
        return ((0,), (1,)) if self.updates == "alternating" else ((0, 1),)

    def _regrets(self, template: Template, tables: SearchTables, wanted: Ints, kept: Floats, iterates: Floats) -> None:
        asking, begun = self._asking(), None
        if self.warm:
            self.warm.play(template, tables)
            begun, weight = tables.strategy.copy(), float(self.every_weight()[: self.begun].sum())
            for player in range(2):
                if len(template.leaves):
                    asking.ask(template, player, weight, tables)
                start_from(player, weight, template.shape, tables)
        for t in range(self.begun + 1, self.iterations + 1):
            weight = self.weight(t)
            keep(t, wanted, tables.strategy, iterates)
            for turn in self._turns():
                for player in turn:
                    if len(template.leaves):
                        asking.ask(template, player, weight, tables)
                    update(player, weight, template.shape, tables)
                for player in turn:
                    if begun is None:
                        play_on(player, template.shape, tables)
                    else:
                        play_on_from(player, template.shape, tables, begun)
            if self.algorithm in AVERAGES:
                keep_averages(t, wanted, template.shape, tables, kept)

    def _fictitious(
        self, template: Template, tables: SearchTables, wanted: Ints, kept: Floats, iterates: Floats
    ) -> None:
        """Averages begin with even play, so answers count one more than their iteration."""
        shape, asking, scratch = template.shape, Recycled(self.values, self.recycle), np.zeros_like(tables.average)
        if self.warm:
            self.warm.play(template, tables)
            for player in range(2):
                if len(template.leaves):
                    asking.ask(template, player, 1.0, tables)
                answer_averages(player, float(self.every_weight()[: self.begun].sum()), 0.0, shape, tables)
        counted = [1.0 + sum(self.answer(t) for t in range(1, self.begun + 1))] * 2
        begin_averages(counted[0], shape, tables)
        for t in range(self.begun + 1, self.iterations + 1):
            keep_averages(t, wanted, shape, tables, kept)
            keep(t, wanted, tables.regret, iterates)
            answer = self.answer(t)
            for turn in self._turns():
                if self.algorithm == "flop":  # the last answer's share is 2 / (t + 2) more
                    for player in range(2):
                        play_optimistic(player, counted[player] * 2.0 / t, shape, tables, scratch)
                for player in turn:
                    if len(template.leaves):
                        asking.ask(template, player, self.weight(t), tables)
                    answer_averages(player, self.weight(t), answer, shape, tables)
                    counted[player] += answer
                if self.algorithm == "fp":
                    for player in turn:
                        play_averages(player, shape, tables)

    def _evaluate_averages(self, template: Template, tables: SearchTables) -> None:
        """Into the sums of root values; regrets and averages are of no use any more."""
        tables.root[:] = 0.0
        for player in range(2):
            play_averages(player, template.shape, tables)
        for player in range(2):
            if len(template.leaves):
                AtIterates(self.values).ask(template, player, 1.0, tables)
            update(player, float(self.every_weight().sum()), template.shape, tables)

    def _root(self, template: Template, tables: SearchTables) -> Floats:
        """Sums of counterfactual values as expected values."""
        weight = template.shape.chance[0]
        mass = np.stack([tables.start[:, 1] @ weight.T, tables.start[:, 0] @ weight], axis=1)
        out: Floats = tables.root / self.every_weight().sum() / np.where(mass > 0.0, mass, 1.0)
        return out


def check_weights(algorithm: Algorithm, weights: Weights) -> None:
    if algorithm == "flop" and weights == "plain":
        raise ParameterError(
            "FLOP is optimistic linear fictitious play, so its 'weights' are linear, but 'plain' was given; "
            "use fp with plain weights."
        )


def check_targets(algorithm: Algorithm, targets: Targets) -> None:
    if targets == "averages" and algorithm not in FICTITIOUS:
        raise ParameterError(
            f"Values of averages are targets of fictitious play, but 'solver' is {algorithm}; leave 'targets' as it is."
        )


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
