"""OperatorForm: treeplexes with any payoff operator, explicit or implicit."""

from __future__ import annotations

from dataclasses import dataclass

from equilibrist.core.arrays import Floats, Ints
from equilibrist.forms.sequence_form.sequence_form import PayoffOperator, SparsePayoff


@dataclass(frozen=True)
class OperatorForm:
    """Arrays as in `forms._kernels.treeplex.Treeplex`; products are asked of the operator."""

    name: str
    offset: Ints
    first_infoset: Ints
    first_sequence: Ints
    actions: Ints
    parent: Ints
    operator: PayoffOperator
    largest: float | None = None  # entry of the matrix, where it is known: smoothing starts there

    @property
    def matrix(self) -> tuple[Ints, Ints, Floats] | None:
        given = self.operator
        return (given.start, given.column, given.value) if isinstance(given, SparsePayoff) else None

    def gradient(self, player: int, plan: Floats, out: Floats) -> None:
        out[:] = self.operator.gradient(player, plan)
