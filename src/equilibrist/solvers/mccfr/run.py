"""Monte Carlo CFR at work: trees packed for the samplers, tables, weights, measuring and going on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats, Ints, Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import TabularPolicy, normalise
from equilibrist.core.solution import Evaluation
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.history_tree.game_tree import GameTree
from equilibrist.solvers.mccfr._kernels import packing
from equilibrist.solvers.mccfr._kernels.mccfr import (
    PackedTree,
    sample_chance,
    sample_external,
    sample_outcomes,
    sample_pure,
)
from equilibrist.solvers.mccfr._kernels.public_chance import PublicScratch, PublicWalk, sample_public_chance
from equilibrist.solvers.mccfr._kernels.sampling import Tables, match_all
from equilibrist.solvers.mccfr.period_discounts import NO_LIMIT, PeriodDiscounts
from equilibrist.solvers.responses.best_response import evaluate_policy, translate

if TYPE_CHECKING:
    from equilibrist.solvers.mccfr.mccfr import MCCFR

State = Mapping[str, npt.NDArray[Any]]
Walk = Callable[[int, int], int]  # iterations, limit on nodes touched -> iterations done

EXPLORATION = 0.6
MOST_TOUCHED = 1 << 16  # rows noted during one player's walks; beyond that all rows are matched again


class SampledRun(ABC):
    """What all sampling runs share: the random stream, the count of nodes, measuring the average."""

    first_check = 1000
    check_growth = 1.3

    def __init__(self, game: Compiled, seed: int) -> None:
        self.game = game
        self.iteration = 0
        self.random = packing.random_state(seed)
        self.tally = np.zeros(2, dtype=np.int64)  # nodes touched; public states touched or walks begun

    @property
    def nodes_touched(self) -> int:
        return int(self.tally[0])

    def counts(self) -> dict[str, Any]:
        """Work done, for `Solution.extra`."""
        return {"nodes_touched": int(self.tally[0]), "nodes_unit": "histories"}

    def evaluate(self) -> Evaluation:
        return evaluate_policy(self.game, self.average())

    @abstractmethod
    def advance(self, iterations: int, nodes: int = NO_LIMIT) -> None: ...

    @abstractmethod
    def average(self) -> TabularPolicy: ...

    @abstractmethod
    def last(self) -> TabularPolicy: ...

    @abstractmethod
    def state(self) -> dict[str, npt.NDArray[Any]]: ...

    @abstractmethod
    def restore(self, state: State) -> None: ...


class MCCFRRun(SampledRun):
    """MCCFR at work; the layout of `table` is described in `_kernels/sampling.py`."""

    def __init__(self, game: Compiled, settings: MCCFR, seed: int) -> None:
        super().__init__(game, seed)
        self.settings = settings
        self.discounts = PeriodDiscounts(settings.weighting, settings.period)
        self.public = settings.sampling == "public-chance"
        self.infosets = game.public_tree.infosets if self.public else game.infosets
        first, width = self.infosets.first_slot[:-1], np.diff(self.infosets.first_slot)
        self.rows = np.stack([3 * first, width], axis=1).astype(np.int32)
        # where each slot's regret, probability and strategy sum are in the table
        self.regret = np.arange(self.infosets.slots, dtype=np.int64) + np.repeat(2 * first, width)
        self.strategy = self.regret + np.repeat(width, width)
        self.sum = self.strategy + np.repeat(width, width)
        self.table = np.zeros(3 * self.infosets.slots)
        touched = np.empty((min(MOST_TOUCHED, len(first) * settings.traversals), 2), dtype=np.int32)
        self.tables = Tables(self.table, self.rows, touched)
        match_all(self.rows, self.table)
        self.walk: Walk = _WALKS[settings.sampling](self)

    def counts(self) -> dict[str, Any]:
        if not self.public:
            return super().counts()
        return {
            "nodes_touched": int(self.tally[0]),
            "nodes_unit": "public state x private state",
            "public_states_touched": int(self.tally[1]),
        }

    def advance(self, iterations: int, nodes: int = NO_LIMIT) -> None:
        """Work on, up to the iteration that reaches so many nodes touched in all."""
        while iterations > 0 and self.nodes_touched < nodes:
            with np.errstate(over="ignore"):  # random numbers wrap around; kernels left as Python would warn
                done = self.walk(iterations, min(self.discounts.limit, nodes))
            self.iteration += done
            iterations -= done
            self._discount()

    def _discount(self) -> None:
        """Multiply all regrets and averages for each period that has ended; strategies stay as they are."""
        factor = self.discounts.factor(self.nodes_touched)
        if factor != 1.0:
            self.table[self.regret] *= factor
            self.table[self.sum] *= factor

    def average(self) -> TabularPolicy:
        return self._policy(normalise(self.infosets, self.table[self.sum]))

    def last(self) -> TabularPolicy:
        return self._policy(TabularPolicy(self.infosets, self.table[self.strategy]))

    def _policy(self, policy: TabularPolicy) -> TabularPolicy:
        """On the infosets of the game tree, whichever tree was walked."""
        infosets = self.game.infosets
        same = self.infosets is infosets or self.infosets.keys == infosets.keys
        return replace(policy, infosets=infosets) if same else translate(policy, infosets)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return {
            "regret": self.table[self.regret],
            "strategy": self.table[self.strategy],
            "average": self.table[self.sum],
            "random": self.random.copy(),
            "progress": np.array([self.iteration, *self.tally, self.discounts.number], dtype=np.int64),
        }

    def restore(self, state: State) -> None:
        for name, place in (("regret", self.regret), ("strategy", self.strategy), ("average", self.sum)):
            self.table[place] = _fitting(state[name], place.size, name)
        self.random[:] = _fitting(state["random"], 4, "random")
        self.iteration, *counted, self.discounts.number = _fitting(state["progress"], 4, "progress").tolist()
        self.tally[:] = counted


class PureRun(SampledRun):
    """Pure CFR at work; payoffs are multiplied to become whole numbers."""

    def __init__(self, game: Compiled, seed: int) -> None:
        super().__init__(game, seed)
        self.infosets = game.infosets
        tree = pack_tree(game.tree, entries_per_slot=2)
        payoffs, self.payoff_scale = whole_numbers(tree.payoffs, game.game.name)
        self.tree = tree._replace(payoffs=payoffs)
        first, width = self.infosets.first_slot[:-1], np.diff(self.infosets.first_slot)
        self.regret = np.arange(self.infosets.slots, dtype=np.int64) + np.repeat(first, width)
        self.count = self.regret + np.repeat(width, width)
        self.table = np.zeros(2 * self.infosets.slots, dtype=np.int64)
        self.drawn = np.zeros_like(self.table)
        self.frames, self.values = path_scratch(game.tree, np.int64)

    def counts(self) -> dict[str, Any]:
        return {**super().counts(), "payoff_scale": self.payoff_scale}

    def advance(self, iterations: int, nodes: int = NO_LIMIT) -> None:
        with np.errstate(over="ignore"):
            self.iteration += sample_pure(
                self.tree, iterations, nodes, self.table, self.drawn, self.random, self.tally, self.frames, self.values
            )

    def average(self) -> TabularPolicy:
        return normalise(self.infosets, self.table[self.count].astype(np.float64))

    def last(self) -> TabularPolicy:
        return normalise(self.infosets, np.maximum(self.table[self.regret], 0).astype(np.float64))

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return {
            "regret": self.table[self.regret],
            "count": self.table[self.count],
            "random": self.random.copy(),
            "progress": np.array([self.iteration, *self.tally], dtype=np.int64),
        }

    def restore(self, state: State) -> None:
        for name, place in (("regret", self.regret), ("count", self.count)):
            self.table[place] = _fitting(state[name], place.size, name)
        self.random[:] = _fitting(state["random"], 4, "random")
        self.iteration, *counted = _fitting(state["progress"], 3, "progress").tolist()
        self.tally[:] = counted


def _fitting(array: npt.NDArray[Any], size: int, name: str) -> npt.NDArray[Any]:
    if array.shape != (size,):
        raise ValueError(f"'{name}' has {array.size} entries instead of {size}")
    return array


def whole_numbers(amounts: Floats, game: str) -> tuple[Longs, int]:
    """Payoffs times the smallest factor that makes them whole, and that factor."""
    scale = 1
    for amount in np.unique(amounts).tolist():
        scale = lcm(scale, Fraction(amount).limit_denominator(1_000_000).denominator)
        if scale > 1_000_000_000 or abs(amount * scale - round(amount * scale)) > 1e-6:
            raise NotApplicableError(
                f"Pure CFR counts in whole numbers, but the payoffs of '{game}' have no small common "
                "denominator; use es-mccfr instead."
            )
    return np.rint(amounts * scale).astype(np.int64), scale


def pack_tree(tree: GameTree, entries_per_slot: int = 3) -> PackedTree:
    """Lay a tree out for walks over rows of `entries_per_slot` numbers per action."""
    payoffs, payoff_row = np.unique(tree.returns, axis=0, return_inverse=True)
    row = entries_per_slot * tree.infosets.first_slot[tree.infoset]
    end_row = payoff_row.reshape(-1)[tree.terminal]
    nodes = packing.pack_nodes(tree.player, tree.first_child, tree.children, row, end_row)
    outcomes, cumulative = packing.pack_chance(tree.player, tree.parent, tree.chance_probability, nodes)
    return PackedTree(nodes, outcomes, cumulative, np.ascontiguousarray(payoffs))


def path_scratch(tree: GameTree, kind: type[np.generic]) -> tuple[Ints, npt.NDArray[Any]]:
    """Frames [depth, 2] and action values [depth, widest] for one path."""
    steps = packing.depth(tree.parent, tree.terminal >= 0) + 1
    width = int(tree.children[tree.player >= 0].max(initial=1))
    return np.zeros((steps, 2), dtype=np.int32), np.zeros((steps, width), dtype=kind)


def _external(run: MCCFRRun) -> Walk:
    tree, walks = pack_tree(run.game.tree), run.settings.traversals
    scratch = path_scratch(run.game.tree, np.float64)
    return lambda iterations, limit: sample_external(
        tree, walks, iterations, limit, run.tables, run.random, run.tally, *scratch
    )


def _outcome(run: MCCFRRun) -> Walk:
    tree, walks = pack_tree(run.game.tree), run.settings.traversals
    exploration = float(run.settings.exploration or EXPLORATION)
    steps = packing.depth(run.game.tree.parent, run.game.tree.terminal >= 0) + 1
    path, chances = np.zeros((steps, 3), dtype=np.int32), np.zeros(steps)
    return lambda iterations, limit: sample_outcomes(
        tree, walks, iterations, limit, exploration, run.tables, run.random, run.tally, path, chances
    )


def _chance(run: MCCFRRun) -> Walk:
    tree, walks = pack_tree(run.game.tree), run.settings.traversals
    frames, values = path_scratch(run.game.tree, np.float64)
    reach = np.zeros((len(frames), 3))
    return lambda iterations, limit: sample_chance(
        tree, walks, iterations, limit, run.tables, run.random, run.tally, frames, values, reach
    )


def _public_chance(run: MCCFRRun) -> Walk:
    tree, walks = run.game.public_tree, run.settings.traversals
    state_weight = np.add.reduceat(tree.weight, tree.first_joint[:-1])
    private, offset = packing.pack_private(
        [own.parent for own in tree.private],
        [own.action for own in tree.private],
        [3 * tree.infosets.first_slot[own.row] for own in tree.private],  # read only where somebody acts
        [own.first_choice for own in tree.private],
    )
    span = np.stack([own.first + start for own, start in zip(tree.private, offset, strict=True)])
    packed = PublicWalk(
        *packing.pack_states(tree.player, tree.parent, state_weight),
        span=span.astype(np.int32),
        private=private,
        first_entry=tree.first_joint,
        entry=(tree.joint + offset).astype(np.int32),
        stakes=tree.weight[:, None] * tree.returns,
    )
    states, hands = len(tree.states), len(private)
    scratch = PublicScratch(
        stack=np.zeros(states, dtype=np.int32),
        visited=np.zeros(states, dtype=np.int32),
        scale=np.zeros(states),
        reach=np.zeros(hands),
        value=np.zeros(hands),
        choice_value=np.zeros(int(private[:, 3].sum())),
    )
    return lambda iterations, limit: sample_public_chance(
        packed, walks, iterations, limit, run.tables, run.random, run.tally, scratch
    )


_WALKS: Mapping[str, Callable[[MCCFRRun], Walk]] = {
    "external": _external,
    "outcome": _outcome,
    "chance": _chance,
    "public-chance": _public_chance,
}
