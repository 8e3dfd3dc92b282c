"""SpotPolicy: the strategies of a solved spot, read by public line and hand as those of any other game are."""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np
import numpy.typing as npt

from equilibrist.cards.range_text import hand_name, hand_number
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import EquilibristError, UnknownNameError
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.solvers.postflop.solutions.spot_node import SpotNode

KEPT_PLACES = 200  # nodes that are remembered


class SpotPolicy:
    """Average strategies of both players; a place is a node after real cards."""

    has_grid = True

    def __init__(self, root: SpotNode) -> None:
        self.root = root
        self._kept: OrderedDict[str, SpotNode] = OrderedDict()
        self._lock = threading.RLock()

    def __getitem__(self, key: str) -> dict[str, float]:
        """At an infoset such as `AsKs:x:b120:c:8h:x`."""
        hand, _, line = key.partition(":")
        place = self.find(line)
        self._acting(place, line)
        row = place.strategy[self._row(place, hand, key)]
        return dict(zip(place.labels, row.tolist(), strict=True))

    def at(self, public_state: str, player: int) -> Floats:
        """[hand, action], hands as in `hands`."""
        place = self.find(public_state)
        if self._acting(place, public_state) != player:
            raise UnknownNameError(f"Player {player + 1} does not act at the public state '{public_state}'.")
        return place.strategy

    def find(self, line: str) -> SpotNode:
        """The node after a line such as `x:b120:c:8h:x`; nodes on the way are remembered."""
        line = line.strip()
        with self._lock:
            if line in self._kept:
                self._kept.move_to_end(line)
                return self._kept[line]
            before, _, move = line.rpartition(":")
            place = self.find(before).play(move) if line else self.root
            self._kept[line] = place
            while len(self._kept) > KEPT_PLACES:
                self._kept.popitem(last=False)
            return place

    def player(self, place: SpotNode) -> int:
        """Who acts, or -1 where nobody does."""
        return -1 if place.player is None else PLAYERS.index(place.player)

    def actions(self, place: SpotNode) -> tuple[str, ...]:
        return place.labels

    def names(self, place: SpotNode) -> tuple[str, ...]:
        """The actions in words."""
        return place.actions

    def hands(self, place: SpotNode, player: int) -> npt.NDArray[np.int64]:
        """Numbers of the hands that a player can hold there, rising."""
        return place.hands_of(player)

    def labels(self, place: SpotNode, player: int) -> list[str]:
        """The same hands as people write them."""
        return [hand_name(int(number)) for number in self.hands(place, player)]

    def table(self, place: SpotNode, player: int) -> Floats:
        """[hand, action] of the player who acts."""
        return place.strategy

    def reach(self, place: SpotNode, player: int) -> Floats:
        """[hand] range weight times the probability that the player's own actions lead there."""
        return place.reach(player)

    def frequencies(self, place: SpotNode, player: int) -> Floats:
        """[action] weighted by reach and card removal."""
        return place.frequencies

    def board(self, place: SpotNode) -> str:
        return place.board

    def coming(self, place: SpotNode) -> tuple[int, tuple[str, ...]]:
        """One card, where one is dealt, and which it can be."""
        return (1, place.next_cards) if place.is_deal else (0, ())

    def what_follows(self, place: SpotNode) -> str:
        """What to do where nobody acts."""
        return "a card comes there, add it" if place.is_deal else "the hand is over there, take a shorter line"

    def _acting(self, place: SpotNode, line: str) -> int:
        player = self.player(place)
        if player < 0:
            raise UnknownNameError(f"Nobody acts after '{line}'; {self.what_follows(place)}.")
        return player

    def _row(self, place: SpotNode, hand: str, key: str) -> int:
        try:
            number = hand_number(hand)
        except EquilibristError as error:
            raise UnknownNameError(f"There is no infoset '{key}' in this spot: {error}") from None
        hands = place.hands
        row = int(np.searchsorted(hands, number))
        if row == len(hands) or hands[row] != number:
            raise UnknownNameError(f"'{hand}' is not in the range of {place.player} on {place.board}.")
        return row
