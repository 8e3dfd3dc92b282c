"""A street whose tables live on a device: who looks at them on the host gets them from there."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from equilibrist.solvers.postflop.tables import Street


def _nothing() -> None:
    pass


class SyncedStreet(Street):
    """As `Street`; `fetch` is called before tables are handed out. `held` are those of the host as they are."""

    fetch: Callable[[], None] = staticmethod(_nothing)
    held: tuple[Any, Any]

    @classmethod
    def of(cls, street: Street) -> SyncedStreet:
        return cls(**{field.name: getattr(street, field.name) for field in dataclasses.fields(street)})

    def __getattribute__(self, name: str) -> Any:
        if name == "tables":
            object.__getattribute__(self, "fetch")()
            return object.__getattribute__(self, "held")
        return object.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, "held" if name == "tables" else name, value)

    def shape(self, player: int) -> tuple[int, int, int, int]:
        hands = self.hands[player]
        return len(self.boards.cards), hands.blocks, self.held[player].slots, hands.size
