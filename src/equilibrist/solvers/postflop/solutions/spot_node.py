"""SpotNode: a place in a solved spot, with strategy, reach, expected values and equity of every hand.

Boards that are alike but for suits are solved once. A cursor holds the cards as they were dealt and the relabelling of suits
that leads to the board that was solved; hands are given as people see them.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.cards.equity import equity
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.ranges import Range, parse_cards
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import EquilibristError, ParameterError, UnknownNameError, suggest
from equilibrist.forms.boards.street_betting import DEAL, FOLD, IP, SHOWDOWN, StreetForest
from equilibrist.games.spots.locks import EVERY_HAND, Lock
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.solvers.postflop.locks.frequency_locks import any_weight, lock_at
from equilibrist.solvers.postflop.solutions.lazy_boards import Boards, ResolvedStreet, SolvedBoards
from equilibrist.solvers.postflop.solutions.node_report import node_report, weighted_mean, write_csv

NOBODY = 1e-7  # share of the opponent's range below which a hand has nobody to play against
_HANDS = hands_of(STANDARD)


@dataclass(frozen=True, eq=False)
class SpotNode:
    """A node of the game after real cards; every move gives another cursor."""

    boards: SolvedBoards = field(repr=False)
    node: int = 0  # in the forest of this street
    cards: tuple[int, ...] = ()  # the board so far
    path: Boards = ()
    suits: Longs = field(default_factory=lambda: np.arange(52), repr=False)  # [card] as called on the solved board
    line: str = ""  # moves and cards from the spot on: x:b120:c:8h
    before: SpotNode | None = field(default=None, repr=False)
    _equity: dict[int, Floats] = field(default_factory=dict, repr=False)

    @property
    def players(self) -> tuple[str, ...]:
        return PLAYERS

    @property
    def forest(self) -> StreetForest:
        return self.boards.forests[len(self.path)]

    @property
    def kind(self) -> int:
        return int(self.forest.kind[self.node])

    @property
    def player(self) -> str | None:
        """Who acts: "oop", "ip", or nobody, where a card comes or the hand is over."""
        return PLAYERS[self.kind] if self.kind <= IP else None

    @property
    def is_deal(self) -> bool:
        return self.kind == DEAL

    @property
    def is_over(self) -> bool:
        return self.kind in (FOLD, SHOWDOWN)

    @property
    def solved_board(self) -> tuple[SolvedBoards, Boards]:
        """The board that was solved for this one; the same for cards that differ by suits only."""
        return self.boards, self.path

    @property
    def resolve(self) -> ResolvedStreet | None:
        """How well this street was solved again, where it was not in the file."""
        return self.boards.resolve

    @property
    def actions(self) -> tuple[str, ...]:
        """In words: "check", "bet 120", "all-in 900"."""
        return self.forest.names(self.node)

    @property
    def labels(self) -> tuple[str, ...]:
        """As in lines: x, b120."""
        return self.forest.labels(self.node)

    @property
    def board(self) -> str:
        return "".join(STANDARD.label(card) for card in self.cards)

    @property
    def pot(self) -> float:
        """With all bets so far, called or not."""
        return float(self.boards.spot.pot + self.forest.paid[self.node].sum())

    @property
    def stacks(self) -> tuple[float, float]:
        """Chips behind: oop, ip."""
        oop, ip = (
            stack - paid for stack, paid in zip(self.boards.spot.stacks, self.forest.paid[self.node], strict=True)
        )
        return float(oop), float(ip)

    @property
    def next_cards(self) -> tuple[str, ...]:
        """Cards that can be dealt here."""
        return tuple(STANDARD.label(card) for card in range(52) if card not in self.cards) if self.is_deal else ()

    def play(self, move: str) -> SpotNode:
        """Where an action (by name or label) or, where one is dealt, a card leads."""
        if self.is_over:
            raise ParameterError(f"The hand is over after '{self.line}', so '{move}' cannot follow; go back first.")
        return self._deal(move) if self.is_deal else self._act(move)

    def back(self) -> SpotNode:
        """One move or card earlier."""
        if self.before is None:
            raise ParameterError("This is where the spot begins; there is nothing before it.")
        return self.before

    def at(self, line: str) -> SpotNode:
        """The place after a line from the spot on, such as `x:b120:c:8h:x`; the empty line is the spot itself."""
        cursor = self
        while cursor.before is not None:
            cursor = cursor.before
        for move in line.split(":") if line.strip() else ():
            cursor = cursor.play(move)
        return cursor

    def _act(self, move: str) -> SpotNode:
        try:
            node = self.forest.child(self.node, move)
        except UnknownNameError:
            legal = ", ".join(f"{label} ({name})" for label, name in zip(self.labels, self.actions, strict=True))
            hint = suggest(self._nearest_size(move), (*self.actions, *self.labels))
            place = f"after '{self.line}'" if self.line else "at the beginning"
            raise ParameterError(f"There is no action '{move}' {place}; expected one of {legal}.{hint}") from None
        line = f"{self.line}:{self.forest.action[node]}" if self.line else self.forest.action[node]
        return SpotNode(self.boards, node, self.cards, self.path, self.suits, line, self)

    def _nearest_size(self, move: str) -> str:
        """For a bet that is not on offer the one with the nearest number of chips, otherwise the move itself."""
        chips = {label: float(label[1:]) for label in self.labels if label[1:]}
        given = re.fullmatch(r"(?:b|r|bet|raise|all-in)?\s*(\d+(?:\.\d+)?)", move.strip().lower())
        if given is None or not chips:
            return move.strip()
        return min(chips, key=lambda label: abs(chips[label] - float(given[1])))

    def _deal(self, move: str) -> SpotNode:
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
        boards, path, node, suits = self.boards.after(self.path, self.node, self.suits, card)
        line = f"{self.line}:{STANDARD.label(card)}" if self.line else STANDARD.label(card)
        return SpotNode(boards, node, (*self.cards, card), path, suits, line, self)

    @cached_property
    def _places(self) -> tuple[tuple[Longs, Longs], ...]:
        """For each player the hands, rising, and their places on the solved board."""
        street, board = self.boards.street(self.path)
        back = np.argsort(self.suits)
        out = []
        for own in street.boards.player:
            pairs = own.pair[board, : own.count[board]]
            one, other = back[_HANDS.low[pairs]], back[_HANDS.high[pairs]]
            high, low = np.maximum(one, other), np.minimum(one, other)
            hands = high * (high - 1) // 2 + low
            order = np.argsort(hands)
            out.append((hands[order], order))
        return tuple(out)

    def hands_of(self, player: int | str | None = None) -> Longs:
        """Numbers (C(high, 2) + low) of a player's hands, rising; all other results are in this order."""
        return self._places[self._seat(player)][0]

    @property
    def hands(self) -> Longs:
        """Hands of the player who acts (of oop where nobody does)."""
        return self.hands_of()

    @cached_property
    def strategy(self) -> Floats:
        """[hand, action] of the player who acts; rows sum to one."""
        if self.player is None:
            raise ParameterError(f"Nobody acts after '{self.line}', so there is no strategy here.")
        street, board = self.boards.street(self.path)
        mixed: Floats = street.strategy(board, self.node)[:, self._places[self.kind][1]].T
        return mixed

    def reach(self, player: int | str | None = None) -> Floats:
        """[hand] range weight times the probability that the player's own actions lead here."""
        seat = self._seat(player)
        held: Floats = self.boards.reach(self.path, seat)[self.node, self._places[seat][1]]
        return held

    def met(self, player: int | str | None = None) -> Floats:
        """[hand] reach of all hands of the opponent that share no card with it."""
        seat = self._seat(player)
        theirs = np.zeros(_HANDS.count)
        theirs[self.hands_of(1 - seat)] = self.reach(1 - seat)
        by_card = np.bincount(_HANDS.low, theirs, 52) + np.bincount(_HANDS.high, theirs, 52)
        hands, total = self.hands_of(seat), theirs.sum()
        left = total - by_card[_HANDS.low[hands]] - by_card[_HANDS.high[hands]] + theirs[hands]
        return np.where(left > NOBODY * total, left, 0.0)

    @property
    def frequencies(self) -> Floats:
        """[action] weighted by reach and card removal; where the play never comes here, over hands alike."""
        return weighted_mean(self.strategy, any_weight(self.reach() * self.met()))

    def ev(self, player: int | str | None = None) -> Floats:
        """[hand] expected share of the pot as it stands, folding now being 0; nan where the opponent cannot be here."""
        seat = self._seat(player)
        return self._share(self.node, seat)

    @property
    def ev_by_action(self) -> Floats:
        """[hand, action] of the player who acts."""
        if self.player is None:
            raise ParameterError(f"Nobody acts after '{self.line}', so there are no values of actions here.")
        first = int(self.forest.first_child[self.node])
        return np.stack([self._share(first + a, self.kind) for a in range(len(self.labels))], axis=1)

    def best_response_ev(self, player: int | str | None = None) -> Floats:
        """[hand] the same if the player answers the opponent's strategy as well as it can from here on."""
        seat = self._seat(player)
        return self._share(self.node, seat, self.boards.bound)

    @property
    def best_response_ev_by_action(self) -> Floats:
        """[hand, action] of the player who acts, if it goes on as well as it can after each action."""
        if self.player is None:
            raise ParameterError(f"Nobody acts after '{self.line}', so there are no values of actions here.")
        first = int(self.forest.first_child[self.node])
        return np.stack([self._share(first + a, self.kind, self.boards.bound) for a in range(len(self.labels))], axis=1)

    @property
    def ends_at_once(self) -> npt.NDArray[np.bool_]:
        """[action] whether an action ends the hand, by a fold or a showdown."""
        first = int(self.forest.first_child[self.node])
        return np.isin(self.forest.kind[first : first + len(self.labels)], (FOLD, SHOWDOWN))

    def _share(self, node: int, seat: int, look: Callable[[Boards, int], Floats] | None = None) -> Floats:
        """Values are net of half the spot's pot; what was paid up to this node (not to `node`) is in the pot and gone."""
        values = (look or self.boards.value)(self.path, seat)
        value, met = values[node, self._places[seat][1]], self.met(seat)
        net = np.divide(value, met, out=np.full(len(met), np.nan), where=met > 0)
        share: Floats = net + self.boards.spot.pot / 2.0 + self.forest.paid[self.node, seat]
        return share

    def equity(self, player: int | str | None = None) -> Floats:
        """[hand] share of the pot if all cards came now, against the opponent's reach; nan where there is none."""
        seat = self._seat(player)
        if seat not in self._equity:
            self._equity[seat] = self._all_in(seat)
        return self._equity[seat]

    def _all_in(self, seat: int) -> Floats:
        hands, theirs = self.hands_of(seat), self.reach(1 - seat)
        if not self.met(seat).any():
            return np.full(len(hands), np.nan)
        mine, other = np.zeros((2, _HANDS.count))
        mine[hands], other[self.hands_of(1 - seat)] = 1.0, theirs / theirs.max()
        return equity(Range(mine), Range(other), self.cards).hand_equity[0][hands]

    def eqr(self, player: int | str | None = None) -> Floats:
        """[hand] equity realisation: EV over equity times the pot; nan where there is no EV or no equity."""
        due = self.equity(player) * self.pot
        share: Floats = np.divide(self.ev(player), due, out=np.full(len(due), np.nan), where=due > 0.0)
        return share

    def range_eqr(self, player: int | str | None = None) -> float:
        """EV of a player's whole range over its equity times the pot."""
        due = self.range_equity(player) * self.pot
        return self.range_ev(player) / due if due > 0.0 else math.nan

    def range_ev(self, player: int | str | None = None) -> float:
        """Expected share of the pot of a player's whole range here; both players' add up to the pot, less rake."""
        return float(weighted_mean(self.ev(player), self.reach(player) * self.met(player)))

    def range_equity(self, player: int | str | None = None) -> float:
        return float(weighted_mean(self.equity(player), self.reach(player) * self.met(player)))

    def lock(
        self,
        strategy: Mapping[str, float | str] | None = None,
        *,
        frequency: Mapping[str, float] | None = None,
        hands: str = EVERY_HAND,
        weight: float = 1.0,
    ) -> Lock:
        """A lock here, for `spot.changed(lock=[…])`: a strategy, or what hands do here, scaled to a frequency if one is asked for."""
        return lock_at(self, strategy, frequency=frequency, hands=hands, weight=weight)

    def _seat(self, player: int | str | None) -> int:
        if player is None:
            return self.kind if self.kind <= IP else 0
        if player in (0, 1):
            return int(player)
        if player in PLAYERS:
            return PLAYERS.index(str(player))
        raise ParameterError(f"The players are 'oop' and 'ip', but {player!r} was given.")

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
