"""Field: two treeplexes and the products between them, with what follows from products alone."""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import Policy
from equilibrist.core.solution import Evaluation
from equilibrist.forms._kernels.plans import behave, best_own, follow_own
from equilibrist.forms.contract import checked, checked_spread
from equilibrist.forms.form import Form, MatrixForm, RangedForm, ReadableForm, trees_of
from equilibrist.forms.sequence_form.operator_form import OperatorForm
from equilibrist.solvers.cfr._kernels.sequence_cfr import gradient


class Field:
    """Arrays [S] hold both players."""

    def __init__(self, form: Form) -> None:
        self.form = checked(form)
        self.sequences, self.infosets = int(form.offset[2]), int(form.first_infoset[2])
        self.trees = trees_of(form)
        self.matrix = (
            form.matrix if isinstance(form, MatrixForm) else None
        )  # without one, products are asked of the form
        self.scale = self._payoff_scale()

    def _payoff_scale(self) -> float:
        """The largest entry of the matrix or, where entries are not known, of the gradients at uniform play."""
        if self.matrix is not None:
            return float(np.abs(self.matrix[2]).max(initial=0.0)) or 1.0
        if isinstance(self.form, OperatorForm) and self.form.largest:
            return self.form.largest
        out = np.zeros(self.sequences)
        self.products(self.plan(self.uniform()), out)
        return float(np.abs(out).max()) or 1.0

    def own(self, player: int) -> slice:
        return slice(int(self.form.offset[player]), int(self.form.offset[player + 1]))

    def product(self, player: int, plan: Floats, out: Floats) -> None:
        """The player's gradient against the opponent's part of a plan."""
        if self.matrix is None:
            self.form.gradient(player, plan[self.own(1 - player)], out[self.own(player)])
        else:
            gradient(self.form.offset[player], self.form.offset[player + 1], *self.matrix, plan, out)

    def products(self, plan: Floats, out: Floats) -> None:
        for player in range(2):
            self.product(player, plan, out)

    def uniform(self) -> Floats:
        """Every action equally likely."""
        out = np.ones(self.sequences)
        behave(self.trees, np.zeros(self.sequences), out)
        return out

    def plan(self, behaviour: Floats) -> Floats:
        out = np.ones(self.sequences)
        for player in range(2):
            follow_own(player, self.trees, behaviour, out)
        return out

    def behaviour(self, plan: Floats) -> Floats:
        out = np.ones(self.sequences)
        behave(self.trees, plan, out)
        return out

    def evaluate(self, plan: Floats) -> Evaluation:
        """Values of both plans and of the best responses to them."""
        worth = np.zeros(self.sequences)
        self.products(plan, worth)
        value = float(plan[self.own(0)] @ worth[self.own(0)])
        return Evaluation((value, -value), tuple(float(best_own(p, self.trees, worth)) for p in range(2)))

    def policy(self, behaviour: Floats) -> Policy:
        """A behaviour [S] in the words of the game."""
        if not isinstance(self.form, ReadableForm):
            raise NotApplicableError(
                f"The infosets of '{self.form.name}' have no names, so there is no policy to show; read the plans in `answer`."
            )
        policy: Policy = self.form.policy(behaviour)
        return policy

    def spread(self) -> Floats:
        """[I] what is at stake below each infoset."""
        if isinstance(self.form, RangedForm):
            return checked_spread(self.form, self.form.name, self.infosets)
        raise NotApplicableError(
            f"Hedge asks what is at stake below each infoset, which '{self.form.name}' does not say; give it `spread()`, or use "
            "'cfr' or 'cfr+'."
        )
