"""Multi-valued states: at the edge of a search each hand of the opponent chooses how play goes on ([Brown20, §5.2.2]).

A continuation is a policy for what lies below the edge. Its payoffs are computed once per leaf, never per iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError
from equilibrist.core.policy import TabularPolicy, normalise
from equilibrist.forms.public_tree.public_layout import lay_out
from equilibrist.forms.public_tree.public_tree import PublicTree
from equilibrist.solvers.responses.public_response import reach_of

Payoffs = Mapping[int, Floats]  # leaf -> [choices of player 1, choices of player 2, joint entries, players]

THESIS_FACTOR = 10.0
UNBIASED = "blueprint"
POLICIES = (UNBIASED, "fold", "call", "raise")


def poker_action(label: str) -> str:
    """Fold, call (or check), raise (or bet): what kind of action a label of the poker family names."""
    return {"f": "fold", "c": "call", "x": "call"}.get(label[:1], "raise")


def biased(
    policy: TabularPolicy,
    towards: str,
    factor: float = THESIS_FACTOR,
    kind: Callable[[str], str] = poker_action,
) -> TabularPolicy:
    """A policy that takes one kind of action `factor` times as readily, everywhere."""
    if not factor > 0:
        raise ParameterError(f"Actions are made more or less likely by a positive factor, but {factor} was given.")
    labels = [kind(label) for actions in policy.infosets.actions for label in actions]
    if towards not in labels:
        raise ParameterError(f"No action is of the kind '{towards}'; there are {', '.join(sorted(set(labels)))}.")
    weights = policy.probabilities * np.where(np.array(labels) == towards, factor, 1.0)
    return normalise(policy.infosets, weights)


def biased_set(
    policy: TabularPolicy, factor: float = THESIS_FACTOR, names: Sequence[str] = POLICIES
) -> list[TabularPolicy]:
    """The four continuations of Modicum (factor 10) and Pluribus (factor 5), or some of them: as it is, towards fold, call and raise."""
    return [policy if name == UNBIASED else biased(policy, name, factor) for name in names]


class EdgePayoffs:
    """Expected payoffs of every joint entry of some leaves, for pairs of continuations: a table, by one pass for each pair."""

    def __init__(self, tree: PublicTree, leaves: Sequence[int]) -> None:
        self.tree, self.leaves = tree, sorted(leaves)
        self.layout = lay_out(tree, self.leaves)
        joint, self.weight, _ = self.layout.entries(self.leaves)
        width = int(self.layout.base[-1])
        code = joint[:, 0].astype(np.int64) * width + joint[:, 1]
        order = np.argsort(code)
        origin = self.layout.origin[self.layout.joint].astype(np.int64)
        self.entry = order[np.searchsorted(code[order], origin[:, 0] * width + origin[:, 1])]

    def reach(self, policy: TabularPolicy) -> Floats:
        return reach_of(self.layout, self.layout.strategy(policy.probabilities))

    def of(self, first: Sequence[TabularPolicy], second: Sequence[TabularPolicy]) -> dict[int, Floats]:
        """Payoffs by leaf, for each continuation of the first player and each of the second."""
        reaches, joint = [[self.reach(policy) for policy in own] for own in (first, second)], self.layout.joint
        table = np.empty((len(first), len(second), len(self.weight), 2))
        for a, own in enumerate(reaches[0]):
            for b, other in enumerate(reaches[1]):
                chance = own[joint[:, 0]] * other[joint[:, 1]]
                for p in range(2):
                    sums = np.bincount(self.entry, chance * self.layout.payoff[:, p], minlength=len(self.weight))
                    table[a, b, :, p] = sums / self.weight
        return _by_leaf(self.tree, self.leaves, table)


def exact_payoffs(
    tree: PublicTree, leaves: Sequence[int], first: Sequence[TabularPolicy], second: Sequence[TabularPolicy]
) -> dict[int, Floats]:
    """Expected payoffs at leaves for each pair of continuations."""
    return EdgePayoffs(tree, leaves).of(first, second)


def joined(tables: Sequence[Payoffs], player: int) -> dict[int, Floats]:
    """Payoffs of further continuations of one player set beside each other."""
    return {leaf: np.concatenate([table[leaf] for table in tables], axis=player) for leaf in tables[0]}


def _by_leaf(tree: PublicTree, leaves: Sequence[int], table: Floats) -> dict[int, Floats]:
    sizes = [int(tree.first_joint[s + 1] - tree.first_joint[s]) for s in sorted(leaves)]
    parts = np.split(table, np.cumsum(sizes)[:-1], axis=2)
    return dict(zip(sorted(leaves), parts, strict=True))
