"""Rules of a game, readable: a `Game` makes the first `State`, each `State` is one history and never changes."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equilibrist.core.catalogue import Entry

if TYPE_CHECKING:
    from equilibrist.core.player import Chips

CHANCE = -1
TERMINAL = -2


class State(ABC):
    """One history. `player` is the acting player, CHANCE or TERMINAL."""

    __slots__ = ()
    player: int

    @abstractmethod
    def actions(self) -> Sequence[str]:
        """Labels of the legal actions; only at decision nodes."""

    def chance(self) -> Sequence[tuple[str, float]]:
        """Labelled outcomes with probabilities that sum to one; only at chance nodes."""
        return ()

    @abstractmethod
    def child(self, index: int) -> State:
        """The history after the index-th action or chance outcome."""

    @abstractmethod
    def infoset(self, player: int) -> str:
        """All that `player` has seen, as readable text; at its decision nodes this is the infoset key."""

    @abstractmethod
    def public(self) -> str:
        """All that every player has seen: the public state this history belongs to."""

    @abstractmethod
    def returns(self) -> tuple[float, ...]:
        """Payoff of each player; only at terminal nodes."""

    def chips(self, seat: int, public: bool = False) -> Chips | None:
        """Cards and chips as a seat sees them, or (`public`) everybody; only in poker."""
        return None

    def dealt(self, seat: int) -> tuple[str, str] | None:
        """What chance did last, as a seat sees it: "deal" (own cards) or "reveal", and a label; None: nothing is seen of it."""
        return "reveal", self.infoset(seat)

    def shown(self) -> Mapping[int, str]:
        """Cards that everybody sees when the hand is over, by seat."""
        return {}

    def sample_chance(self, rng: random.Random) -> int:
        """Index of an outcome drawn from `chance()`."""
        threshold = rng.random()
        for index, (_, probability) in enumerate(self.chance()):
            threshold -= probability
            if threshold < 0.0:
                return index
        return index


class Game(ABC):
    """Rules with their parameters fixed."""

    name: str  # as people type it, parameters included: load_game(game.name) gives this game again
    players: int
    zero_sum: bool = True  # payoffs sum to zero at every terminal
    perfect_recall: bool = True
    observations: bool = True  # `public()` says what everybody has seen, so a public tree can be derived
    big_blind: float | None = None  # chips in a big blind (or ante), for mbb units
    pot: float | None = None  # chips at stake at the start, for % units
    seat_names: tuple[str, ...] = ()  # where seats differ (stacks, ranges): who sits where is chosen, and stays so

    @abstractmethod
    def start(self) -> State:
        """The empty history."""

    def __repr__(self) -> str:
        return f"<game {self.name}>"

    @property
    def short_name(self) -> str:
        """What people call it; short where the name is long."""
        return self.name

    @property
    def unit(self) -> str:
        """What a payoff of 1 is called."""
        return "points" if self.pot is None and self.big_blind is None else "chips"

    @property
    def solved_on(self) -> tuple[str, ...]:
        """What it can be solved on besides its tree: "boards" (poker, board by board), "buckets"."""
        return ()

    def histories(self) -> float | None:
        """Number of histories if it is known without building the tree."""
        return None

    def same_place(self, public_state: str, named: str) -> bool:
        """Whether an action added at the public state `named` is added here too."""
        return public_state == named

    def with_action(self, public_state: str, action: str) -> Game:
        """The same game with one more action at a public state (games with open bet sizes)."""
        from equilibrist.core.errors import NotApplicableError

        raise NotApplicableError(
            f"The game '{self.name}' has a fixed set of actions, so '{action}' cannot be added at '{public_state}'; "
            "games with bet menus (nolimit-leduc, nolimit-kuhn, …) can be extended."
        )


@dataclass(frozen=True)
class GameEntry(Entry):
    """What the catalogue says about a family of games."""

    source: str = ""  # a paper, or a key of docs/references.bib and the place in it
    status: str = "verified"  # verified, lightly tested, known problems
