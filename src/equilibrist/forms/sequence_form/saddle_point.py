"""Saddle points over two treeplexes: all that first-order methods need to know of a game ([Gilpin09] 2.1, 2.18).

A *treeplex* is the set of realisation plans of one player: a tree of simplices, one for each infoset, scaled by the plan of the
sequence before it. The problem is `max over x, min over y of x'A y`; everything is said with each player's *own* payoff, so
that both are treated alike: the gradient of player 0 is `A y`, that of player 1 is `-A'x`.

`SequenceForm` is such a problem with an explicit sparse matrix. An implicit matrix (a Kronecker product, say) joins by the same
five arrays and one product: pass it as `OperatorForm(…, operator)`, or write a class of your own with these members.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.sequence_form.sequence_form import PayoffOperator

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

ADJOINT = 1e-9  # relative difference beyond which two products do not belong to one matrix


class SaddlePoint(Protocol):
    """Two treeplexes and the products with the payoff matrix between them.

    Sequences of both players are numbered together: player p owns offset[p] .. offset[p+1]-1, the first of them being its
    empty sequence. Infosets are grouped by player, first_infoset[p] .. first_infoset[p+1]-1, and come after the sequence
    they follow. The sequences of infoset i are first_sequence[i] .. first_sequence[i] + actions[i] - 1.
    """

    @property
    def name(self) -> str: ...

    @property
    def offset(self) -> Ints: ...  # [3]

    @property
    def first_infoset(self) -> Ints: ...  # [3]

    @property
    def first_sequence(self) -> Ints: ...  # [I]

    @property
    def actions(self) -> Ints: ...  # [I]

    @property
    def parent(self) -> Ints: ...  # [I] own sequence before the infoset

    def gradient(self, player: int, plan: Floats, out: Floats) -> object:
        """out[own sequences] = own expected payoff per unit of plan, against the opponent's plan[its sequences]."""


@dataclass(frozen=True)
class OperatorForm:
    """Treeplexes with any payoff operator."""

    name: str
    offset: Ints
    first_infoset: Ints
    first_sequence: Ints
    actions: Ints
    parent: Ints
    operator: PayoffOperator
    largest: float | None = None  # entry of the matrix, where it is known: smoothing starts there

    def gradient(self, player: int, plan: Floats, out: Floats) -> None:
        out[:] = self.operator.gradient(player, plan)


def checked(form: SaddlePoint) -> SaddlePoint:
    """The same form, if its arrays fit together and its two products belong to one zero-sum payoff matrix."""
    sequences, infosets = int(form.offset[2]), int(form.first_infoset[2])
    lengths = {len(form.first_sequence), len(form.actions), len(form.parent)}
    if lengths != {infosets} or int(form.actions.sum()) + 2 != sequences:
        raise NotApplicableError(
            f"The infoset trees of '{form.name}' do not fit together: {infosets} infosets with "
            f"{int(form.actions.sum())} actions cannot have {sequences} sequences with two empty ones among them."
        )
    generator = np.random.default_rng(0)
    plans = [generator.random(int(n)) for n in np.diff(form.offset)]
    worth = []
    for player in range(2):
        out = np.zeros_like(plans[player])
        try:
            form.gradient(player, plans[1 - player], out)
        except (ValueError, IndexError, ParameterError) as error:
            raise NotApplicableError(
                f"The payoff operator of '{form.name}' does not fit its infoset trees ({len(plans[0])} and {len(plans[1])} "
                f"sequences): {error}; build both from the same game."
            ) from None
        worth.append((float(plans[player] @ out), float(plans[player] @ np.abs(out))))
    if abs(worth[0][0] + worth[1][0]) > ADJOINT * max(worth[0][1], worth[1][1], 1e-300):
        raise NotApplicableError(
            f"The two products of the payoff operator of '{form.name}' are not those of one zero-sum matrix: the same plans are "
            f"worth {worth[0][0]:.6g} to player 1 and {worth[1][0]:.6g} to player 2."
        )
    return form
