"""Form: two infoset trees and a payoff operator, all that a solver has to know of a two-player zero-sum game.

Whoever writes a class with these members can solve its game with every solver that has `on(form)`: CFR with any minimiser and schedule,
CFR-BR, fictitious play, first-order methods, linear programs, external sampling. `testing.check_form` says which rule a form breaks,
and where.

A *plan* holds for each own sequence the product of own probabilities along it; a *treeplex* is the set of all plans of one player. The
problem is `max over x, min over y of x'A y`; everything is said with each player's *own* payoff, so that both are treated alike: the
gradient of player 0 is `A y`, that of player 1 is `-A'x`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from equilibrist.core.arrays import Floats, Ints
from equilibrist.forms._kernels.treeplex import Treeplex

if TYPE_CHECKING:
    from equilibrist.forms.history_tree.game_tree import GameTree


class Form(Protocol):
    """What every form has. Arrays as in `_kernels/treeplex.py`."""

    @property
    def name(self) -> str: ...

    @property
    def offset(self) -> Ints: ...

    @property
    def first_infoset(self) -> Ints: ...

    @property
    def first_sequence(self) -> Ints: ...

    @property
    def actions(self) -> Ints: ...

    @property
    def parent(self) -> Ints: ...

    def gradient(self, player: int, plan: Floats, out: Floats) -> object:
        """out[own sequences] = own expected payoff per unit of plan, against the opponent's plan[its sequences].

        Linear in plans; what is given is always a plan.
        """


@runtime_checkable
class ReadableForm(Protocol):
    """Forms whose answers can be said in the words of their game."""

    def policy(self, behaviour: Floats) -> Any:
        """Behaviour [S] of both players in the words of the game."""


@runtime_checkable
class RangedForm(Protocol):
    """Forms that know what is at stake below each infoset, which Hedge asks."""

    def spread(self) -> Floats:
        """[I] range of what can be won or lost below each infoset, in the units of the gradient."""


@runtime_checkable
class RoundedForm(Protocol):
    """Forms whose gradients are not exact to double precision."""

    precision: float  # relative


@runtime_checkable
class MatrixForm(Protocol):
    """Forms whose payoff matrix is written out; whole runs of iterations are then one kernel."""

    @property
    def matrix(self) -> tuple[Ints, Ints, Floats] | None:
        """Rows of both players' sequences: start [S + 1], column [nonzeros], value [nonzeros]; None if there is none after all."""


@runtime_checkable
class WritableForm(Protocol):
    """Forms whose payoff matrix can be written out, though products are faster without it: for linear programs."""

    def write_matrix(self) -> tuple[Ints, Ints, Floats]:
        """As `MatrixForm.matrix`; refused where it does not fit in memory."""


@runtime_checkable
class HistoryForm(Protocol):
    """Forms that know the histories they were made of, which sampling walks."""

    @property
    def tree(self) -> GameTree | None:
        """None if there is none after all."""


DOUBLE = 1e-9  # relative precision of forms that do not state theirs


def trees_of(form: Form) -> Treeplex:
    """Both players' infoset trees, as kernels take them."""
    return Treeplex(form.offset, form.first_infoset, form.first_sequence, form.actions, form.parent)


def precision_of(form: Form) -> float:
    return form.precision if isinstance(form, RoundedForm) else DOUBLE
