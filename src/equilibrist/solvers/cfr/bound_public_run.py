"""CFR on the public tree where players follow models, per hand or per infoset (`core/opponent.py`)."""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Longs
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import Evaluation
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.public_tree.public_layout import PublicLayout
from equilibrist.solvers.cfr._kernels import bound_public_cfr
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.runs import PublicRun, SequenceRun
from equilibrist.solvers.responses.public_response import reach_of


class BoundPublicRun(PublicRun):
    """The whole public tree; what a player is bound to is played but not learned."""

    def __init__(self, solver: CFR, game: Compiled) -> None:
        if game.game.players != 2 or not game.game.perfect_recall:
            raise NotApplicableError(
                f"Opponent models bind the players of games for two with perfect recall, which '{game.game.name}' is not."
            )
        super().__init__(solver, game)
        self.models = _bind(solver, self.layout)
        self.followed = bound_public_cfr.Followed(np.zeros_like(self.strategy), np.zeros_like(self.reach))

    def advance(self, iterations: int) -> None:
        bound_public_cfr.run_bound_public_cfr(
            self.iteration + 1, self.factors(iterations), self.codes, self.simultaneous, self.infostates, self.stakes,
            self.models, self.tables, self.followed, self.scratch,
        )  # fmt: skip
        self.iteration += iterations

    def evaluate(self) -> Evaluation:
        """In the game as bound, on the sequence form."""
        form = self.game.sequence_form
        return SequenceRun(self.solver, form).measure(form.strategy(self.average()))


def _bind(solver: CFR, layout: PublicLayout) -> bound_public_cfr.PublicModels:
    models = bound_public_cfr.PublicModels(
        hand_weight=np.zeros(layout.players),
        model_reach=np.zeros(int(layout.base[-1])),
        bound=np.zeros(len(layout.row_player)),
        model=np.zeros(layout.slots),
    )
    infoset = _infosets(layout)
    for binding in solver.bindings:
        p, behaviour = binding.player, layout.strategy(_known(binding.table, layout).probabilities)
        if p not in (0, 1):
            raise ParameterError(f"A binding names player 0 or 1, but {p} was given.")
        if binding.mode == "per_hand":
            models.hand_weight[p] = float(binding.weight)
            models.model_reach[layout.own(p)] = reach_of(layout, behaviour)[layout.own(p)]
        else:
            rows, weight = layout.row_player == p, np.asarray(binding.weight, dtype=np.float64)
            models.bound[rows] = weight[infoset[rows]] if weight.ndim else weight
            slots = np.repeat(rows, np.diff(layout.first_slot))
            models.model[slots] = behaviour[slots]
    return models


def _infosets(layout: PublicLayout) -> Longs:
    """[R] the infoset of each row."""
    first = layout.slot[layout.first_slot[:-1]]
    return np.searchsorted(layout.tree.infosets.first_slot, first, side="right") - 1


def _known(policy: TabularPolicy, layout: PublicLayout) -> TabularPolicy:
    if policy.infosets.keys != layout.tree.infosets.keys:
        raise ParameterError(
            f"The model is a table of another game than '{layout.tree.game.name}'; give a policy of this game."
        )
    return policy
