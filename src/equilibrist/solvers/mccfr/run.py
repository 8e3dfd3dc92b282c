"""Monte Carlo CFR at work: trees packed for the samplers, tables, weights, measuring and going on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Ints
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
)
from equilibrist.solvers.mccfr._kernels.sampling import Tables, match_all
from equilibrist.solvers.mccfr.period_discounts import NO_LIMIT, PeriodDiscounts
from equilibrist.solvers.mccfr.public_chance_sampling import public_chance_walk
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
            self.table[place] = fitting(state[name], place.size, name)
        self.random[:] = fitting(state["random"], 4, "random")
        self.iteration, *counted, self.discounts.number = fitting(state["progress"], 4, "progress").tolist()
        self.tally[:] = counted


def fitting(array: npt.NDArray[Any], size: int, name: str) -> npt.NDArray[Any]:
    """An array of a saved state, refused if its size is another."""
    if array.shape != (size,):
        raise ValueError(f"'{name}' has {array.size} entries instead of {size}")
    return array


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


_WALKS: Mapping[str, Callable[[MCCFRRun], Walk]] = {
    "external": _external,
    "outcome": _outcome,
    "chance": _chance,
    "public-chance": public_chance_walk,
}
