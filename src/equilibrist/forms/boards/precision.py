"""How far values found on boards may be off, in chips, and where single precision is no longer enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equilibrist.forms.boards.street_betting import FOLD, SHOWDOWN, StreetForest

SINGLE = 2e-6  # of the largest pot: passes of 32 bits (measured: tests/solvers/postflop/test_terminals.py)
DOUBLE = 1e-11  # of the largest pot: passes of 64 bits
COARSE = (
    4e-8  # of the largest pot: tables of 16 bits, in which hands that are alike but for suits differ by a last digit
)
FOLLOWED = 2e-9  # of the largest pot: depth-limited passes of 64 bits, whose showdown odds of 32 bits tell suits apart by a last digit
PROMISED = 1e-4  # of the starting pot: what is stated is off by no more


@dataclass(frozen=True)
class Precision:
    """Amounts that values are made of: the smallest and the largest pot that a line can end with."""

    pot: float
    largest: float

    @classmethod
    def of(cls, forests: Sequence[StreetForest]) -> Precision:
        """The pots of all lines that end."""
        lost = np.concatenate([-each.lose[np.isin(each.kind, (FOLD, SHOWDOWN))] for each in forests])
        paid = lost[lost > 0.0]
        return cls(2.0 * float(paid.min(initial=np.inf)), 2.0 * float(paid.max(initial=0.0)))

    @property
    def single(self) -> float:
        """Chips that values in single precision may be off."""
        return SINGLE * self.largest

    @property
    def double(self) -> float:
        """Chips that values in double precision may be off."""
        return DOUBLE * self.largest

    @property
    def coarse(self) -> float:
        """The same with tables of 16 bits."""
        return COARSE * self.largest

    @property
    def followed(self) -> float:
        """The same of depth-limited runs."""
        return FOLLOWED * self.largest

    @property
    def promised(self) -> float:
        """Chips that no stated value is off by more."""
        return PROMISED * self.pot

    def allowed(self, stated: object) -> float:
        """Chips that a stated value may be off: by what is said, or else by single precision, and never by more than is promised."""
        said = isinstance(stated, int | float) and stated >= 0.0
        return min(float(stated) if said else self.single, self.promised)  # type: ignore[arg-type]

    @property
    def needs_double(self) -> bool:
        """Whether single precision is off by more than a ten-thousandth of the pot, or of what is bet into it."""
        bet = (self.largest - self.pot) / 2.0
        return self.single > PROMISED * min(self.pot, bet if bet > 0.0 else self.pot)
