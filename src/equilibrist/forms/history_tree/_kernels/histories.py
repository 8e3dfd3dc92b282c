"""What kernels read of a game tree."""

from typing import Any, NamedTuple


class Histories(NamedTuple):
    """N histories in an order in which parents come first, I infosets."""

    player: Any  # [N] who acts, -1 for chance, -2 at the end
    parent: Any  # [N] int32, -1 at the root
    first_child: Any  # [N] int32
    children: Any  # [N] int32
    infoset: Any  # [N] int32 where a player acts
    chance: Any  # [N] float64 probability of the step into n, 1 where a player made it
    terminal: Any  # [N] int32 number of the end, -1 elsewhere
    first_slot: Any  # [I + 1] int32 where the actions of an infoset begin
