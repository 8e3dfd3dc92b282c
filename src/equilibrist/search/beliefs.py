"""Beliefs: the ranges of all players at a public state, and what they say about the hidden cards together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.public_tree.public_layout import lay_out
from equilibrist.forms.public_tree.public_tree import PublicTree
from equilibrist.solvers.responses.public_response import reach_of


@dataclass(frozen=True)
class Beliefs:
    """One range per player: own reach of every infostate of a public state, unnormalised; chance is in the tree's weights."""

    tree: PublicTree
    state: int
    ranges: tuple[Floats, ...]  # per player, [infostates at the state]

    def __post_init__(self) -> None:
        name = self.tree.states[self.state]
        for player, given in enumerate(self.ranges):
            span = self.tree.privates(self.state, player)
            if given.shape != (span.stop - span.start,) or (given < 0).any() or not np.isfinite(given).all():
                raise ParameterError(
                    f"The range of player {player + 1} at '{name}' needs {span.stop - span.start} weights of zero or more, "
                    f"but {given.size} were given or some are negative."
                )
            if not given.any():
                raise NotApplicableError(
                    f"The beliefs about player {player + 1} at '{name}' sum to zero: this policy never comes here. Give another "
                    "range, for instance Beliefs.even(tree, state)."
                )
        if not self._mass().sum() > 0:
            raise NotApplicableError(
                f"The beliefs at '{name}' sum to zero: no two hands of these ranges can be dealt together."
            )

    @classmethod
    def of(cls, tree: PublicTree, policy: TabularPolicy, state: int | str) -> Beliefs:
        """What an observer who knows the policy believes."""
        number = tree.number(state) if isinstance(state, str) else state
        layout = lay_out(tree)
        reach = reach_of(layout, layout.strategy(policy.probabilities))
        spans = [tree.privates(number, p) for p in range(tree.players)]
        return cls(tree, number, tuple(reach[layout.own(p)][span] for p, span in enumerate(spans)))

    @classmethod
    def even(cls, tree: PublicTree, state: int | str) -> Beliefs:
        """Every infostate as likely as chance makes it."""
        number = tree.number(state) if isinstance(state, str) else state
        spans = [tree.privates(number, p) for p in range(tree.players)]
        return cls(tree, number, tuple(np.ones(span.stop - span.start) for span in spans))

    def joint(self) -> tuple[Ints, Floats]:
        """Combinations of infostates that chance allows, and their probability."""
        mass = self._mass()
        entries = slice(int(self.tree.first_joint[self.state]), int(self.tree.first_joint[self.state + 1]))
        return self.tree.joint[entries], mass / mass.sum()

    def marginal(self, player: int) -> Floats:
        """Probability of each of a player's infostates; hands that block the others' ranges weigh less."""
        joint, probability = self.joint()
        span = self.tree.privates(self.state, player)
        sums = np.bincount(joint[:, player] - span.start, probability, minlength=span.stop - span.start)
        return sums.astype(np.float64)

    def after(self, policy: TabularPolicy, state: int | str) -> Beliefs:
        """Beliefs at a public state that follows this one at once, by Bayes ([Brown20, §5.3.2])."""
        number = self.tree.number(state) if isinstance(state, str) else state
        if self.tree.parent[number] != self.state:
            raise ParameterError(
                f"'{self.tree.states[number]}' does not follow '{self.tree.states[self.state]}' at once; go step by step."
            )
        first_slot, ranges = self.tree.infosets.first_slot, []
        for player, before in enumerate(self.ranges):
            own, span = self.tree.private[player], self.tree.privates(number, player)
            above, action = own.parent[span], own.action[span]
            chance = before[above - self.tree.privates(self.state, player).start]
            slot = first_slot[np.maximum(own.row[above], 0)] + np.maximum(action, 0)
            ranges.append(np.where(action >= 0, chance * policy.probabilities[slot], chance))
        return replace(self, state=number, ranges=tuple(ranges))

    def _mass(self) -> Floats:
        entries = slice(int(self.tree.first_joint[self.state]), int(self.tree.first_joint[self.state + 1]))
        mass = self.tree.weight[entries].copy()
        for player, given in enumerate(self.ranges):
            mass *= given[self.tree.joint[entries, player] - self.tree.privates(self.state, player).start]
        return mass
