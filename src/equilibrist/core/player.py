"""What a player must do to sit at a table."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from equilibrist.core.units import chip_text, nearest_multiple


@dataclass(frozen=True)
class Event:
    """Something a player sees: its own cards, a public card, anybody's action, the result."""

    kind: str  # "deal", "action", "reveal", "shown" (cards at the end), "result"
    player: int | None  # who acted, or None for chance
    label: str
    public_state: str  # after the event


@dataclass(frozen=True)
class Chips:
    """The table in a poker game; all amounts are chips, lists go by seat."""

    hole: tuple[int, ...]  # own cards; empty in a view of what everybody sees
    board: tuple[int, ...]
    round: int
    pot: float
    to_call: float
    paid: tuple[float, ...]  # in this hand
    behind: tuple[float, ...]
    folded: tuple[bool, ...]
    round_base: float  # the bet to be called, in this round's chips
    raise_bounds: tuple[float, float] | None  # smallest and largest total of this round's chips; None: no raise
    big_blind: float
    unit: float = 0.0  # smallest chip: bets are multiples of it; 0: real numbers

    @property
    def pot_odds(self) -> float:
        """Share of the pot after a call that the call costs: the equity it needs."""
        return self.to_call / (self.pot + self.to_call) if self.to_call else 0.0

    def raise_to(self, pot_share: float) -> float | None:
        """The total that raises by a share of the pot after the call, as far as it is legal."""
        if self.raise_bounds is None:
            return None
        wanted = self.round_base + pot_share * (self.pot + self.to_call)
        return min(max(wanted, self.raise_bounds[0]), self.raise_bounds[1])


@dataclass(frozen=True)
class View:
    """All that a player may use to decide."""

    seat: int
    infoset: str  # empty in a view of what everybody sees
    public_state: str
    actions: Sequence[str]  # may be long where any size can be bet: ask it with `in` rather than making a list
    chips: Chips | None = None  # in poker games

    def passive(self) -> str:
        """Check or call; in games that are not poker the first action."""
        return next((label for label in ("x", "c") if label in self.actions), self.actions[0])

    def fold(self) -> str:
        """Fold if there is a bet to be answered, otherwise check."""
        return "f" if "f" in self.actions else self.passive()

    def raise_by(self, pot_share: float) -> str:
        """The legal bet or raise nearest to a share of the pot after calling; check or call where there is none."""
        wanted = self.chips.raise_to(pot_share) if self.chips else None
        return self.passive() if wanted is None else self.nearest_raise(wanted)

    def nearest_raise(self, total: float) -> str:
        """The legal bet or raise whose total in this round is nearest."""
        unit = self.chips.unit if self.chips else 0.0
        if unit and not isinstance(self.actions, tuple):  # any size may be bet: no need to look at all of them
            for letter in "br":
                exact = f"{letter}{chip_text(nearest_multiple(total, unit))}"
                if exact in self.actions:
                    return exact
        bounds = self.chips.raise_bounds if self.chips else None
        totals = {label: float(label[1:] or total) for label in self.actions if label[0] in "br"}
        if bounds is not None and "a" in self.actions:  # all-in by name
            totals["a"] = bounds[1]
        return min(totals, key=lambda label: abs(totals[label] - total)) if totals else self.passive()


@dataclass(frozen=True)
class Strategy:
    """What a player does with every hand at one place; rows of hands it cannot hold mean nothing."""

    actions: tuple[str, ...]  # those with any probability; others are never taken
    probabilities: npt.NDArray[np.float64]  # [hand, action], hands numbered as `cards.evaluator.all_hands`


@runtime_checkable
class Player(Protocol):
    """A seat filled."""

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        """A new hand begins; `rules` is the game, `rng` the player's own source of chance in this hand."""

    def observe(self, event: Event) -> None:
        """Something happened that this seat can see."""

    def act(self, view: View, deadline: float | None = None) -> str:
        """Choose one of `view.actions`; `deadline` is a `time.monotonic()` moment."""


@runtime_checkable
class StrategicPlayer(Player, Protocol):
    """A player that can state what it would do with every hand (for local best response and AIVAT)."""

    def strategy(self, view: View) -> Strategy | None:
        """At a place of its own seat as everybody sees it, reproducible from the public history; None: cannot be stated."""
