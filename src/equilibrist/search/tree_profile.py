"""TreeProfile: the profile of a whole game that a search refines, with all that search asks of it, computed once and reused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import InfosetIndex, TabularPolicy
from equilibrist.core.solution import Evaluation
from equilibrist.forms.public_tree.public_layout import PublicLayout, lay_out
from equilibrist.forms.public_tree.public_tree import PublicTree
from equilibrist.solvers.responses.best_response import translate
from equilibrist.solvers.responses.public_response import InfostateValues, external_reach, infostate_values, reach_of


@dataclass(frozen=True)
class TreeProfile:
    """A profile on a public tree; `abstraction` is the same tree with shared rows, if the profile was found in one.

    A profile that does not know all actions of the tree has `hidden` public states: everything is computed without them.
    """

    tree: PublicTree
    policy: TabularPolicy
    abstraction: PublicTree | None = None
    hidden: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.tree.players != 2:
            raise NotApplicableError(
                f"Subgame search is for two players, but '{self.tree.game.name}' has {self.tree.players}."
            )
        if self.policy.infosets is not self.tree.infosets:
            object.__setattr__(self, "policy", _renumbered(self.policy, self.tree.infosets))

    @cached_property
    def layout(self) -> PublicLayout:
        return lay_out(self.tree, hidden=self.hidden)

    @cached_property
    def strategy(self) -> Floats:
        """[slots of the layout]"""
        return self.layout.strategy(self.policy.probabilities)

    @cached_property
    def reach(self) -> Floats:
        """[K] own reach of all infostates, both players end to end."""
        return reach_of(self.layout, self.strategy)

    @cached_property
    def mass(self) -> tuple[Floats, Floats]:
        """Per player [K]: chance times the other player's reach."""
        return external_reach(self.layout, self.reach, 0), external_reach(self.layout, self.reach, 1)

    @cached_property
    def best(self) -> tuple[InfostateValues, InfostateValues]:
        """Per player: counterfactual best response to the other's part of the profile."""
        return infostate_values(self.layout, self.reach, 0), infostate_values(self.layout, self.reach, 1)

    @cached_property
    def followed(self) -> tuple[InfostateValues, InfostateValues]:
        """Per player: values when both follow the profile."""
        first, second = (infostate_values(self.layout, self.reach, p, strategy=self.strategy) for p in range(2))
        return first, second

    @cached_property
    def estimated(self) -> tuple[InfostateValues, InfostateValues]:
        """Per player: best response that stays inside the abstraction, which is what a blueprint believes of itself.

        Where no abstraction is known it believes that both players follow it, as solved spots and boards do.
        """
        if self.abstraction is None:
            return self.followed
        shared = lay_out(self.abstraction, hidden=self.hidden)
        return infostate_values(shared, self.reach, 0), infostate_values(shared, self.reach, 1)

    def at(self, roots: Sequence[int], player: int) -> Ints:
        """A player's infostates at public states, in the numbering of `reach`, `mass` and values."""
        return self.layout.at(roots, player)

    def evaluate(self) -> Evaluation:
        """Values and best responses of the profile itself."""
        ends = [self.at((0,), p) for p in range(2)]
        return Evaluation(
            value=tuple(float(self.followed[p].value[ends[p]].sum()) for p in range(2)),
            best_response_value=tuple(float(self.best[p].value[ends[p]].sum()) for p in range(2)),
        )


def _renumbered(policy: TabularPolicy, infosets: InfosetIndex) -> TabularPolicy:
    """The same behaviour on the tree's own numbering."""
    if policy.infosets.keys == infosets.keys:
        return TabularPolicy(infosets, policy.probabilities)
    return translate(policy, infosets)
