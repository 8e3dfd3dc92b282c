"""What a walk along the public lines of a solved game gives: places, and the infosets at them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol

from equilibrist.interfaces.pictures.palette import colour_map, describe_action

Kind = Literal["decision", "deal", "over"]


@dataclass(frozen=True)
class WalkedInfoset:
    """One row of a place."""

    key: str
    hand: str
    player: int
    labels: tuple[str, ...]
    strategy: tuple[float, ...]
    weight: float | None
    value: float | None = None
    action_values: tuple[float | None, ...] | None = None


@dataclass(frozen=True)
class WalkStep:
    """A public state without its infosets."""

    line: str
    kind: Kind
    player: int | None = None
    board: str = ""
    labels: tuple[str, ...] = ()
    frequencies: tuple[float, ...] = ()
    following: dict[str, list[str]] = field(default_factory=dict)
    coming: int = 0
    cards: tuple[str, ...] = ()
    note: str = ""
    words: tuple[str, ...] = ()  # the actions, where labels do not say all
    pot: float | None = None
    stacks: tuple[float, ...] = ()  # behind, by player

    @property
    def actions(self) -> list[str]:
        return list(self.words) or [describe_action(label) for label in self.labels]

    @property
    def colours(self) -> list[str]:
        return list(colour_map([self.labels]).values()) if self.labels else []


class StrategyWalk(Protocol):
    """A solved game that is walked along public lines."""

    @property
    def grid(self) -> bool:
        """Whether hands are those of the 13×13 grid."""

    @property
    def weighted(self) -> bool:
        """Whether infosets count by how likely they are."""

    def first(self, line: str) -> str:
        """The line as it is written here; refuses one that does not exist."""

    def path(self, line: str) -> list[tuple[str, str | None]]:
        """Lines of the decisions up to this one, with what was chosen at each."""

    def step(self, line: str) -> WalkStep: ...

    def rows(self, line: str, offset: int, limit: int) -> tuple[int, list[WalkedInfoset]]:
        """How many infosets there are, and some of them."""
