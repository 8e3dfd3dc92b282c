"""CutForm: a game of classes whose last rounds are left out; hands that get there are worth what fixed play would make of them.

At an end of the last round that is kept, with s chips of each player in the pot, the first player nets `s · share + bet · bets`: who is
left with the pot, and what later bets move ([Gilpin09, §7.2]). Both depend on the two classes alone, so the payoff matrix of the last
round is F ⊗ B + S ⊗ share + bet · (1 ⊗ bets). With `share` the wins minus losses and no bets, cards are simply shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import ParameterError
from equilibrist.forms.hand_classes.kronecker import KroneckerForm, RoundProduct


@dataclass(frozen=True, eq=False)
class CutForm:
    """A `KroneckerForm` with other ends; a `Form` for first-order methods."""

    base: KroneckerForm
    share: Floats  # [classes, classes] of the last round: part of the pot that the first player wins, -1 to 1, times chance
    bets: Floats  # [classes, classes] bets that the first player wins later on, times chance
    bet: float  # chips of one of them

    zero_sum = True

    def __post_init__(self) -> None:
        wanted = self.base.pairs[0][-1].shape
        if self.share.shape != wanted or self.bets.shape != wanted:
            raise ParameterError(
                f"The last round has {wanted[0]} and {wanted[1]} classes, but tables of {self.share.shape} and "
                f"{self.bets.shape} were given."
            )

    @property
    def name(self) -> str:
        return self.base.name

    @property
    def sequences(self) -> tuple[int, int]:
        return self.base.sequences

    @property
    def offset(self) -> Ints:
        return self.base.offset

    @property
    def first_infoset(self) -> Ints:
        return self.base.first_infoset

    @property
    def first_sequence(self) -> Ints:
        return self.base.first_sequence

    @property
    def actions(self) -> Ints:
        return self.base.actions

    @property
    def parent(self) -> Ints:
        return self.base.parent

    def gradient(self, player: int, plan: Floats, out: Floats) -> None:
        """As `forms.form.Form` asks."""
        out[:] = 0.0
        for product in self._products[player]:
            product.add(plan, out, self.base.team)

    @cached_property
    def _products(self) -> tuple[list[RoundProduct], list[RoundProduct]]:
        return self._of(0), self._of(1)

    def _of(self, player: int) -> list[RoundProduct]:
        *before, last = self.base.products[player]
        row = np.repeat(np.arange(len(last.start) - 1), np.diff(last.start))
        share, bets = (table if player == 0 else -table.T for table in (self.share, self.bets))
        later = np.where(np.arange(len(last.payoff)) < last.folds, 0.0, self.bet)
        return [
            *before,
            replace(last, balance=share[row, last.column]),
            replace(last, balance=bets[row, last.column], payoff=later),
        ]
