"""BoardNode: a place in a solved spot, of two players or of three: the moves that lead on, and results by hand and by range."""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from equilibrist.cards.range_text import STANDARD
from equilibrist.cards.ranges import parse_cards
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import EquilibristError, ParameterError
from equilibrist.solvers.postflop.locks.frequency_locks import any_weight
from equilibrist.solvers.postflop.solutions.node_report import node_report, weighted_mean, write_csv


@dataclass(frozen=True, eq=False)
class BoardNode(ABC):
    """A node of the game after real cards; every move gives another cursor."""

    boards: Any = field(repr=False)  # what was solved
    node: int = 0  # in the forest of this street
    cards: tuple[int, ...] = ()  # the board so far
    path: tuple[int, ...] = ()  # a board of each street after the first
    line: str = ""  # moves and cards from the spot on: x:b120:c:8h
    before: Self | None = field(default=None, repr=False)

    @property
    @abstractmethod
    def players(self) -> tuple[str, ...]:
        """In order of action."""

    @property
    @abstractmethod
    def forest(self) -> Any:
        """The betting of this street."""

    @property
    @abstractmethod
    def is_deal(self) -> bool: ...

    @property
    @abstractmethod
    def is_over(self) -> bool: ...

    @property
    @abstractmethod
    def stacks(self) -> tuple[float, ...]: ...

    @property
    @abstractmethod
    def resolve(self) -> Any: ...

    @property
    @abstractmethod
    def strategy(self) -> Floats: ...

    @property
    @abstractmethod
    def _places(self) -> tuple[tuple[Longs, Longs], ...]:
        """For each player the hands, rising, and their places on the solved board."""

    @property
    @abstractmethod
    def _players_said(self) -> str:
        """The players in a sentence."""

    @abstractmethod
    def _act(self, move: str) -> Self: ...

    @abstractmethod
    def _deal(self, move: str) -> Self: ...

    @abstractmethod
    def reach(self, player: int | str | None = None) -> Floats: ...

    @abstractmethod
    def met(self, player: int | str | None = None) -> Floats: ...

    @abstractmethod
    def equity(self, player: int | str | None = None) -> Floats: ...

    @abstractmethod
    def _share(self, node: int, seat: int) -> Floats: ...

    @property
    def kind(self) -> int:
        return int(self.forest.kind[self.node])

    @property
    def player(self) -> str | None:
        """Who acts, or nobody, where a card comes or the hand is over."""
        return self.players[self.kind] if self.kind < len(self.players) else None

    @property
    def actions(self) -> tuple[str, ...]:
        """In words: "check", "bet 120", "all-in 900"."""
        names: tuple[str, ...] = self.forest.names(self.node)
        return names

    @property
    def labels(self) -> tuple[str, ...]:
        """As in lines: x, b120."""
        labels: tuple[str, ...] = self.forest.labels(self.node)
        return labels

    @property
    def board(self) -> str:
        return "".join(STANDARD.label(card) for card in self.cards)

    @property
    def next_cards(self) -> tuple[str, ...]:
        """Cards that can be dealt here."""
        return tuple(STANDARD.label(card) for card in range(52) if card not in self.cards) if self.is_deal else ()

    def play(self, move: str) -> Self:
        """Where an action (by name or label) or, where one is dealt, a card leads."""
        if self.is_over:
            raise ParameterError(f"The hand is over after '{self.line}', so '{move}' cannot follow; go back first.")
        return self._deal(move) if self.is_deal else self._act(move)

    def at(self, line: str) -> Self:
        """The place after a line from the spot on, such as `x:b120:c:8h:x`; the empty line is the spot itself."""
        cursor = self
        while cursor.before is not None:
            cursor = cursor.before
        for move in line.split(":") if line.strip() else ():
            cursor = cursor.play(move)
        return cursor

    def _after(self, move: str) -> str:
        """The line with one more move."""
        return f"{self.line}:{move}" if self.line else move

    def _card(self, move: str) -> int:
        """A card that can be dealt here."""
        try:
            (card,) = parse_cards(move)
        except (EquilibristError, ValueError):
            raise ParameterError(
                f"A card comes after '{self.line}', as in 8h, but '{move}' was given; expected a card not in {self.board}."
            ) from None
        if card in self.cards:
            raise ParameterError(
                f"'{move}' cannot be dealt after '{self.line}': it is on the board {self.board} already."
            )
        return card

    def _seat(self, player: int | str | None) -> int:
        """The number of a player: by name, by number, or the one who acts (the first where nobody does)."""
        if player is None:
            return self.kind if self.kind < len(self.players) else 0
        if player in range(len(self.players)):
            return int(player)
        if player in self.players:
            return self.players.index(str(player))
        raise ParameterError(f"The {self._players_said}, but {player!r} was given.")

    def hands_of(self, player: int | str | None = None) -> Longs:
        """Numbers (C(high, 2) + low) of a player's hands, rising; all other results are in this order."""
        return self._places[self._seat(player)][0]

    @property
    def hands(self) -> Longs:
        """Hands of the player who acts (of the first where nobody does)."""
        return self.hands_of()

    @property
    def frequencies(self) -> Floats:
        """[action] weighted by reach and card removal; where the play never comes here, over hands alike."""
        return weighted_mean(self.strategy, any_weight(self.reach() * self.met()))

    def ev(self, player: int | str | None = None) -> Floats:
        """[hand] expected share of the pot as it stands, folding now being 0; nan where the opponents cannot be here."""
        return self._share(self.node, self._seat(player))

    @property
    def ev_by_action(self) -> Floats:
        """[hand, action] of the player who acts."""
        return np.stack([self._share(node, self.kind) for node in self._following], axis=1)

    @property
    def _following(self) -> range:
        """Where the actions lead."""
        self._check_acting("are no values of actions")
        first = int(self.forest.first_child[self.node])
        return range(first, first + len(self.labels))

    def _check_acting(self, missing: str) -> None:
        if self.player is None:
            raise ParameterError(f"Nobody acts after '{self.line}', so there {missing} here.")

    @property
    def pot(self) -> float:
        """With all bets so far, called or not."""
        return float(self._first_pot + self.forest.paid[self.node].sum())

    @property
    @abstractmethod
    def _first_pot(self) -> float:
        """Where the spot begins."""

    def eqr(self, player: int | str | None = None) -> Floats:
        """[hand] equity realisation: EV over equity times the pot; nan where there is no EV or no equity."""
        due = self.equity(player) * self.pot
        share: Floats = np.divide(self.ev(player), due, out=np.full(len(due), np.nan), where=due > 0.0)
        return share

    def range_ev(self, player: int | str | None = None) -> float:
        """Expected share of the pot of a player's whole range here; those of all players add up to the pot, less rake."""
        return float(weighted_mean(self.ev(player), self.reach(player) * self.met(player)))

    def range_equity(self, player: int | str | None = None) -> float:
        return float(weighted_mean(self.equity(player), self.reach(player) * self.met(player)))

    def range_eqr(self, player: int | str | None = None) -> float:
        """EV of a player's whole range over its equity times the pot."""
        due = self.range_equity(player) * self.pot
        return self.range_ev(player) / due if due > 0.0 else math.nan

    def summary(self) -> dict[str, Any]:
        """Who acts and how often, without hands."""
        frequencies = self.frequencies.tolist() if self.player else []
        return {"player": self.player, "actions": list(self.actions), "frequencies": frequencies}

    def to_json(self, player: int | str | None = None) -> dict[str, Any]:
        """Everything here as plain values, with one player's hands (by default of the one who acts) by name."""
        return node_report(self, self._seat(player))

    def to_csv(self, path: str | os.PathLike[str], player: int | str | None = None) -> None:
        """One row per hand: weight, equity, ev, eqr and, for the player who acts, frequency and ev of each action."""
        write_csv(self, path, self._seat(player))
