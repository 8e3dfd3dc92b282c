"""What kernels read of a sequence form: I infosets, S sequences, E pairs of sequences that end the game together."""

from typing import Any, NamedTuple


class Treeplex(NamedTuple):
    """Infosets of both players, grouped by player and after the sequence that they follow."""

    offset: Any  # [3] int32 first sequence of each player (its empty one), and S
    first_infoset: Any  # [3] int32 first infoset of each player, and I
    first_sequence: Any  # [I] int32
    actions: Any  # [I] int32
    parent: Any  # [I] int32 own sequence before the infoset


class PayoffRows(NamedTuple):
    """Payoffs by row: rows are the sequences of both players."""

    start: Any  # [S + 1] int32 where each row begins
    column: Any  # [E] int32 sequence of the other player
    value: Any  # [E] float64, or [E, 1 + d] coefficients: chance times the payoff to the owner of the row
