"""Search from belief to belief, playing a secret random iterate of each search ([Brown20, §5.3.4])."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from equilibrist.core.policy import TabularPolicy, normalise
from equilibrist.forms.public_tree.public_layout import lay_out
from equilibrist.forms.public_tree.public_tree import PublicTree
from equilibrist.games.rules import TERMINAL
from equilibrist.search.depth_limited.cfr_d import OracleLeaves, SolvedLeaves
from equilibrist.search.engines.public_tree import LayoutEngine
from equilibrist.search.gadget_run import GadgetRun
from equilibrist.search.gadgets import GadgetInputs, Unsafe
from equilibrist.search.subgame import Subgame
from equilibrist.search.subgame_solving import cfr_settings
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.responses.public_response import reach_of


def states_at_depth(tree: PublicTree, root: int, depth: int) -> tuple[int, ...]:
    """Public states `depth` steps below a root where play still goes on."""
    steps = np.full(len(tree.states), -1)
    steps[root] = 0
    for s, above in enumerate(tree.parent.tolist()):
        if s != root and above >= 0 and steps[above] >= 0:
            steps[s] = steps[above] + 1
    return tuple(int(s) for s in np.flatnonzero((steps == depth) & (tree.player != TERMINAL)))


@dataclass(frozen=True)
class DepthByDepth:
    """Settings of a search that goes down `depth` public states at a time with exact leaves."""

    tree: PublicTree
    root: int
    depth: int = 2
    iterations: int = 64
    solver: str = "lcfr(updates=simultaneous)"
    leaf_iterations: int = 100

    def average(self) -> TabularPolicy:
        """Always the final average, and the beliefs that follow from it: the usual way, which is not safe."""
        return self._play(lambda: (self.iterations, True))

    def sample(self, rng: random.Random) -> TabularPolicy:
        """One hand's policy: in every subgame the iterate of a secret iteration, drawn with linear weights."""
        return self._play(lambda: (_linear(rng, self.iterations), False))

    def mean_of_samples(self, hands: int, seed: int = 0) -> TabularPolicy:
        """What an opponent faces who knows the algorithm, not its draws: the realisation-weighted mean over hands."""
        layout, rng = lay_out(self.tree), random.Random(seed)
        weights = np.zeros(self.tree.infosets.slots)
        for _ in range(hands):
            policy = self.sample(rng)
            reach = reach_of(layout, policy.probabilities)
            acting = np.flatnonzero(layout.row >= 0)
            own = np.zeros(len(self.tree.infosets))
            np.maximum.at(own, layout.row[acting], reach[acting])
            weights += np.repeat(own, np.diff(self.tree.infosets.first_slot)) * policy.probabilities
        return normalise(self.tree.infosets, weights)

    def _play(self, draw: Callable[[], tuple[int, bool]]) -> TabularPolicy:
        """From the root down, all subgames of one depth side by side; iterations are drawn once for each depth."""
        policy = self.tree.infosets.uniform()
        roots: tuple[int, ...] = (self.root,)
        while roots:
            leaves = tuple(sorted(s for root in roots for s in states_at_depth(self.tree, root, self.depth)))
            subgame = Subgame.of(TreeProfile(self.tree, policy), roots, leaves)
            iterations, averaged = draw()
            engine = self._engine(subgame)
            inputs = GadgetInputs(subgame.mass(1), subgame.groups(1), subgame.ranges[1])
            GadgetRun(engine, 0, Unsafe(), inputs, subgame.ranges[0]).advance(iterations)
            policy = engine.splice(policy, engine.average_strategy() if averaged else engine.strategy, (0, 1))
            roots = leaves
        return policy

    def _engine(self, subgame: Subgame) -> LayoutEngine:
        """Leaves are solved at the current beliefs (CFR-D)."""
        leaves = None
        if subgame.leaves:
            leaves = OracleLeaves(SolvedLeaves(self.tree, subgame.leaves, iterations=self.leaf_iterations))
        return LayoutEngine.of(cfr_settings(self.solver), subgame, leaves=leaves)


def _linear(rng: random.Random, iterations: int) -> int:
    """An iteration from 1 to the last, t with probability proportional to t; its strategy is what t - 1 updates left."""
    return rng.choices(range(1, iterations + 1), range(1, iterations + 1))[0] - 1
