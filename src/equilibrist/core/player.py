"""What a player must do to sit at a table."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Event:
    """Something a player sees: its own cards, a public card, anybody's action, the result."""

    kind: str  # "deal", "action", "reveal", "result"
    player: int | None  # who acted, or None for chance
    label: str
    public_state: str  # after the event


@dataclass(frozen=True)
class View:
    """All that a player may use to decide."""

    seat: int
    infoset: str
    public_state: str
    actions: tuple[str, ...]


@runtime_checkable
class Player(Protocol):
    """A seat filled. `strategy`, where offered, is reproducible from (seed, public history)."""

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        """A new hand begins."""

    def observe(self, event: Event) -> None:
        """Something happened that this seat can see."""

    def act(self, view: View, deadline: float | None = None) -> str:
        """Choose one of `view.actions`; `deadline` is a `time.monotonic()` moment."""


@runtime_checkable
class StrategicPlayer(Player, Protocol):
    """A player that can state what it would do with every hand (for local best response and AIVAT)."""

    def strategy(self, public_history: str) -> npt.NDArray[np.float64]:
        """[hand, action] at a public history."""
