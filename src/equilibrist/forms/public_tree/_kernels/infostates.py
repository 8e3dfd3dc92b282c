"""What kernels read of a public layout."""

from typing import Any, NamedTuple


class Infostates(NamedTuple):
    """K infostates of all players, end to end; C choices; R rows with S slots; Z joint entries at the ends."""

    base: Any  # [players + 1] int32: player p owns base[p] .. base[p + 1] - 1
    parent: Any  # [K] int32, -1 at the roots
    action: Any  # [K] int32 the choice of the parent that leads here, -1 where the parent does not choose
    row: Any  # [K] int32 where its owner chooses, -1 elsewhere
    first_choice: Any  # [K + 1] int32
    first_slot: Any  # [R + 1] int32
    row_player: Any  # [R] int32, -1 where nothing is learned
    joint: Any  # [Z, players] int32 infostates that end together
