"""ThreeWayPolicy: the strategies of a solved three-way spot, read by public line and hand as those of any other game are."""

from __future__ import annotations

import numpy as np

from equilibrist.cards.range_text import hand_name, hand_number
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import EquilibristError, UnknownNameError
from equilibrist.solvers.three_way.three_way_node import ThreeWayNode


class ThreeWayPolicy:
    """Average strategies of all seats; a place is a node after real cards."""

    has_grid = True

    def __init__(self, root: ThreeWayNode) -> None:
        self.root = root

    def __getitem__(self, key: str) -> dict[str, float]:
        """At an infoset such as `AsKs:x:b60`."""
        hand, _, line = key.partition(":")
        place = self.find(line)
        self._acting(place)
        try:
            number = hand_number(hand)
        except EquilibristError as error:
            raise UnknownNameError(f"There is no infoset '{key}' in this spot: {error}") from None
        row = np.flatnonzero(place.hands == number)
        if not len(row):
            raise UnknownNameError(f"'{hand}' is not in the range of {place.player} on {place.board}.")
        return dict(zip(place.labels, place.strategy[row[0]].tolist(), strict=True))

    def at(self, public_state: str, player: int) -> Floats:
        """[hand, action], hands as in `labels`."""
        place = self.find(public_state)
        if self._acting(place) != player:
            raise UnknownNameError(f"Player {player + 1} does not act at the public state '{public_state}'.")
        return place.strategy

    def find(self, line: str) -> ThreeWayNode:
        """The node after a line such as `x:b60:c`."""
        return self.root.at(line)

    def player(self, place: ThreeWayNode) -> int:
        """Who acts, or -1 where nobody does."""
        return -1 if place.player is None else place.kind

    def actions(self, place: ThreeWayNode) -> tuple[str, ...]:
        return place.labels

    def names(self, place: ThreeWayNode) -> tuple[str, ...]:
        """The actions in words."""
        return place.actions

    def labels(self, place: ThreeWayNode, player: int) -> list[str]:
        """Hands that a seat can hold there, as people write them."""
        return [hand_name(int(number)) for number in place.hands_of(player)]

    def table(self, place: ThreeWayNode, player: int) -> Floats:
        """[hand, action] of the seat that acts."""
        return place.strategy

    def reach(self, place: ThreeWayNode, player: int) -> Floats:
        """[hand] range weight times the probability that the seat's own actions lead there."""
        return place.reach(player)

    def frequencies(self, place: ThreeWayNode, player: int) -> Floats:
        """[action] weighted by reach and card removal."""
        return place.frequencies

    def board(self, place: ThreeWayNode) -> str:
        return place.board

    def coming(self, place: ThreeWayNode) -> tuple[int, tuple[str, ...]]:
        """One card, where one is dealt, and which it can be."""
        return (1, place.next_cards) if place.is_deal else (0, ())

    def what_follows(self, place: ThreeWayNode) -> str:
        """What to do where nobody acts."""
        return "a card comes there, add it" if place.is_deal else "the hand is over there, take a shorter line"

    def _acting(self, place: ThreeWayNode) -> int:
        if place.player is None:
            raise UnknownNameError(f"Nobody acts after '{place.line}'; {self.what_follows(place)}.")
        return place.kind
