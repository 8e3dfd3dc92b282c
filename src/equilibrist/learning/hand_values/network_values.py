"""NetworkValues: a network of values as the leaves of a search; PyTorch is imported when one is bound."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.learning.hand_values.belief_states import BOARD_CARDS
from equilibrist.learning.networks.torch_extra import need_torch

if TYPE_CHECKING:
    from equilibrist.learning.hand_values.edge_values import NetStreetEnds
    from equilibrist.learning.hand_values.value_file import SavedValues

READY = Path(__file__).parent / "ready"


@dataclass(frozen=True)
class NetworkValues:
    """A network of values as the leaves of a search: `Continuations(values=NetworkValues("runs/river"))`.

    Without a file or folder it is the one that comes with the package, where there is one for the street.
    """

    path: str | Path | None = None

    def bind(self, spot: CompiledSpot, threads: int = 1, device: str = "cpu") -> NetStreetEnds:
        """For one spot; refuses a network of another street."""
        need_torch()
        from equilibrist.learning.hand_values.edge_values import NetStreetEnds

        return NetStreetEnds(self.saved(len(spot.deal.board_cards)), spot, threads, device)

    def saved(self, cards: int) -> SavedValues:
        """The network, for boards of so many cards; refuses those that it is not for."""
        need_torch()
        if self.path is None:
            return ready_values(cards + 1)
        from equilibrist.learning.hand_values.value_file import VALUES, load_values

        path = Path(self.path)
        found = load_values(path / VALUES if path.is_dir() else path)
        if (wanted := BOARD_CARDS[found.street] - 1) != cards:
            raise NotApplicableError(
                f"These values are of the start of the {found.street}, so they are for spots with {wanted} cards on the board, "
                f"but this one has {cards}."
            )
        return found


@cache
def ready_values(cards: int) -> SavedValues:
    """The network that comes with the package for boards of so many cards."""
    from equilibrist.learning.hand_values.value_file import load_values

    street = next((name for name, count in BOARD_CARDS.items() if count == cards), None)
    if street is None:
        raise NotApplicableError(
            "Values are learned for the turn and the river, so flops and turns can be searched with them."
        )
    path = READY / f"{street}.eqb"
    if not path.is_file():
        raise NotApplicableError(
            f"No values of the {street} come with this version; train them with 'equilibrist learn start FOLDER --preset values-{street}' "
            "and give --values FOLDER, or leave --leaves out."
        )
    return load_values(path)
