"""Subgame: what is solved again. Public states, the ranges with which they are reached, and where to stop looking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.public_tree.public_layout import PublicLayout, lay_out
from equilibrist.forms.public_tree.public_tree import PublicTree
from equilibrist.games.rules import TERMINAL
from equilibrist.search.beliefs import Beliefs
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.responses.public_response import external_reach


@dataclass(frozen=True)
class Subgame:
    """One subgame, or several side by side: they share a solver and nothing else."""

    tree: PublicTree
    roots: tuple[int, ...]  # public states in ascending order, none below another
    ranges: tuple[Floats, Floats]  # per player, own reach of the infostates of all roots, end to end
    leaves: tuple[int, ...] = ()  # public states where the search stops
    hidden: tuple[int, ...] = ()  # public states after actions that the search leaves out

    def __post_init__(self) -> None:
        if not self.roots or list(self.roots) != sorted(set(self.roots)):
            raise ParameterError("A subgame has at least one root; roots are given once each, in ascending order.")
        for player, given in enumerate(self.ranges):
            expected = len(self.entrances(player))
            if given.shape != (expected,):
                raise ParameterError(
                    f"The range of player {player + 1} needs {expected} weights, but {given.size} were given."
                )

    @classmethod
    def at(cls, beliefs: Beliefs, leaves: Sequence[int] = ()) -> Subgame:
        """The subgame below one public state with given beliefs."""
        first, second = beliefs.ranges
        return cls(beliefs.tree, (beliefs.state,), (first, second), tuple(leaves))

    @classmethod
    def of(cls, blueprint: TreeProfile, roots: Sequence[int | str], leaves: Sequence[int] = ()) -> Subgame:
        """Subgames below public states with the ranges of a blueprint."""
        numbers = sorted({root_number(blueprint.tree, root) for root in roots})
        first, second = (blueprint.reach[blueprint.at(numbers, p)] for p in range(2))
        return cls(blueprint.tree, tuple(numbers), (first, second), tuple(leaves), blueprint.hidden)

    @cached_property
    def layout(self) -> PublicLayout:
        return lay_out(self.tree, self.roots, self.leaves, self.hidden)

    def entrances(self, player: int) -> Ints:
        """A player's infostates at the roots, in the layout's numbering."""
        return self.layout.at(self.roots, player)

    def groups(self, player: int) -> Ints:
        """Which root each of these infostates belongs to, counted from 0."""
        return np.searchsorted(self.roots, self.layout.state[self.entrances(player)]).astype(np.int32)

    def start(self) -> Floats:
        """[K] ranges at the roots, 1 elsewhere."""
        out = np.ones(int(self.layout.base[-1]))
        for player, given in enumerate(self.ranges):
            out[self.entrances(player)] = given
        return out

    def mass(self, player: int) -> Floats:
        """External reach of a player's infostates at the roots."""
        whole = external_reach(self.layout, self.start(), player, list(self.roots))
        out: Floats = whole[self.entrances(player)]
        return out


def root_number(tree: PublicTree, root: int | str) -> int:
    """The public state a search may start from."""
    number = tree.number(root) if isinstance(root, str) else int(root)
    if not 0 <= number < len(tree.states):
        raise ParameterError(f"Public states are numbered 0 to {len(tree.states) - 1}, but {number} was given.")
    if tree.player[number] == TERMINAL:
        raise NotApplicableError(f"The game is over at '{tree.states[number]}', so there is nothing to search.")
    return number


def after_chance(tree: PublicTree) -> tuple[int, ...]:
    """Public states right after a public draw that is not the first move: the usual places to search again."""
    from equilibrist.games.rules import CHANCE

    drawn = [
        s
        for s, above in enumerate(tree.parent.tolist())
        if above > 0 and tree.player[above] == CHANCE and tree.player[s] >= 0
    ]
    inside = set(drawn)
    return tuple(s for s in drawn if not _below_any(tree, s, inside))


def _below_any(tree: PublicTree, state: int, others: set[int]) -> bool:
    above = int(tree.parent[state])
    while above >= 0:
        if above in others:
            return True
        above = int(tree.parent[above])
    return False
