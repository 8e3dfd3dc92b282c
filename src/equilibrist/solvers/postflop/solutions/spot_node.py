"""SpotNode: a place in a solved spot, with strategy, reach, expected values and equity of every hand.

Boards that are alike but for suits are solved once. A cursor holds the cards as they were dealt and the relabelling of suits
that leads to the board that was solved; hands are given as people see them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equilibrist.cards.equity import equity
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.ranges import Range
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError, UnknownNameError, suggest
from equilibrist.forms.boards.street_betting import DEAL, FOLD, SHOWDOWN, StreetForest
from equilibrist.games.spots.locks import EVERY_HAND, Lock
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.solvers.postflop.locks.frequency_locks import lock_at
from equilibrist.solvers.postflop.solutions.board_node import BoardNode
from equilibrist.solvers.postflop.solutions.lazy_boards import Boards, ResolvedStreet, SolvedBoards

NOBODY = 1e-7  # share of the opponent's range below which a hand has nobody to play against
_HANDS = hands_of(STANDARD)


@dataclass(frozen=True, eq=False)
class SpotNode(BoardNode):
    """A node of the game after real cards; every move gives another cursor."""

    boards: SolvedBoards = field(repr=False)
    suits: Longs = field(default_factory=lambda: np.arange(52), repr=False)  # [card] as called on the solved board
    _equity: dict[int, Floats] = field(default_factory=dict, repr=False)

    @property
    def players(self) -> tuple[str, ...]:
        return PLAYERS

    @property
    def _players_said(self) -> str:
        return "players are 'oop' and 'ip'"

    @property
    def _first_pot(self) -> float:
        return self.boards.spot.pot

    @property
    def forest(self) -> StreetForest:
        return self.boards.forests[len(self.path)]

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
    def stacks(self) -> tuple[float, float]:
        """Chips behind: oop, ip."""
        oop, ip = (
            stack - paid for stack, paid in zip(self.boards.spot.stacks, self.forest.paid[self.node], strict=True)
        )
        return float(oop), float(ip)

    def back(self) -> SpotNode:
        """One move or card earlier."""
        if self.before is None:
            raise ParameterError("This is where the spot begins; there is nothing before it.")
        return self.before

    def _act(self, move: str) -> SpotNode:
        try:
            node = self.forest.child(self.node, move)
        except UnknownNameError:
            legal = ", ".join(f"{label} ({name})" for label, name in zip(self.labels, self.actions, strict=True))
            hint = suggest(self._nearest_size(move), (*self.actions, *self.labels))
            place = f"after '{self.line}'" if self.line else "at the beginning"
            raise ParameterError(f"There is no action '{move}' {place}; expected one of {legal}.{hint}") from None
        return replace(self, node=node, line=self._after(self.forest.action[node]), before=self, _equity={})

    def _nearest_size(self, move: str) -> str:
        """For a bet that is not on offer the one with the nearest number of chips, otherwise the move itself."""
        chips = {label: float(label[1:]) for label in self.labels if label[1:]}
        given = re.fullmatch(r"(?:b|r|bet|raise|all-in)?\s*(\d+(?:\.\d+)?)", move.strip().lower())
        if given is None or not chips:
            return move.strip()
        return min(chips, key=lambda label: abs(chips[label] - float(given[1])))

    def _deal(self, move: str) -> SpotNode:
        card = self._card(move)
        boards, path, node, suits = self.boards.after(self.path, self.node, self.suits, card)
        return SpotNode(
            boards, node, (*self.cards, card), path, self._after(STANDARD.label(card)), before=self, suits=suits
        )

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

    @cached_property
    def strategy(self) -> Floats:
        """[hand, action] of the player who acts; rows sum to one."""
        self._check_acting("is no strategy")
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

    def best_response_ev(self, player: int | str | None = None) -> Floats:
        """[hand] the same if the player answers the opponent's strategy as well as it can from here on."""
        seat = self._seat(player)
        return self._share(self.node, seat, self.boards.bound)

    @property
    def best_response_ev_by_action(self) -> Floats:
        """[hand, action] of the player who acts, if it goes on as well as it can after each action."""
        return np.stack([self._share(node, self.kind, self.boards.bound) for node in self._following], axis=1)

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
