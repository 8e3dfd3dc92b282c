"""What kernels read of a form: I infosets, S sequences, E pairs of sequences that end the game together."""

from typing import Any, NamedTuple


class Treeplex(NamedTuple):
    """Both players' infoset trees.

    Sequences of both players are numbered together: player p owns offset[p] .. offset[p+1]-1, the first of them being its empty
    sequence. Infosets are grouped by player and come after the sequence they follow.
    """

    offset: Any  # [3] int32 first sequence of each player, and S
    first_infoset: Any  # [3] int32 first infoset of each player, and I
    first_sequence: Any  # [I] int32 the actions of an infoset are sequences that stand side by side
    actions: Any  # [I] int32
    parent: Any  # [I] int32 own sequence before the infoset


class PayoffRows(NamedTuple):
    """Payoffs by row: rows are the sequences of both players."""

    start: Any  # [S + 1] int32 where each row begins
    column: Any  # [E] int32 sequence of the other player
    value: Any  # [E] float64, or [E, 1 + d] coefficients: chance times the payoff to the owner of the row
