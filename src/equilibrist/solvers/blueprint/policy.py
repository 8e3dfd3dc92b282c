"""BlueprintPolicy: a trained strategy read by public line and hand, as it stands in the blueprint, without translation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from equilibrist.cards.evaluator import all_hands
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import UnknownNameError, suggest
from equilibrist.forms.betting_tree.betting_tree import DECISION
from equilibrist.solvers.blueprint.strategy import PokerBlueprint


@dataclass(frozen=True)
class BlueprintPlace:
    """A node of the betting tree, and the board as far as it was given."""

    node: int
    cards: tuple[int, ...]


class BlueprintPolicy:
    """Strategies of all players at the decisions of the betting tree."""

    def __init__(self, blueprint: PokerBlueprint) -> None:
        self.blueprint, self.abstract = blueprint, blueprint.abstract
        self.rules, self.tree = self.abstract.rules, self.abstract.tree

    @property
    def has_grid(self) -> bool:
        """Two private cards of the full deck."""
        return self.rules.hole == 2 and self.rules.deck.size == 52

    def __getitem__(self, key: str) -> dict[str, float]:
        """At an infoset such as `AsKs:b300:c:Td9d6h`."""
        hand, _, line = key.partition(":")
        place = self.find(line)
        player = self._acting(place, line)
        labels = self.labels(place, player)
        if hand not in labels:
            raise UnknownNameError(f"There is no infoset '{key}' in this blueprint.{suggest(hand, labels)}")
        row = self.table(place, player)[labels.index(hand)]
        return dict(zip(self.actions(place), row.tolist(), strict=True))

    def at(self, public_state: str, player: int) -> Floats:
        """[hand, action], hands as in `labels`."""
        place = self.find(public_state)
        if self._acting(place, public_state) != player:
            raise UnknownNameError(f"Player {player + 1} does not act at the public state '{public_state}'.")
        return self.table(place, player)

    def find(self, line: str) -> BlueprintPlace:
        """The public state after a line of actions and cards, such as `b300:c:Td9d6h:x`."""
        words, board = [], list[int]()
        for token in filter(None, line.strip().split(":")):
            cards = self._cards(token)
            if cards is None:
                words.append(token)
            else:
                board += cards
        if len(set(board)) < len(board):
            raise UnknownNameError(f"In the line '{line}' a card is dealt twice; give every card once.")
        return BlueprintPlace(self.tree.find(":".join(words)), tuple(board))

    def player(self, place: BlueprintPlace) -> int:
        """Who acts, or -1 where nobody does."""
        acts = self.tree.kind[place.node] == DECISION and self._missing(place) == 0
        return int(self.tree.player[place.node]) if acts else -1

    def actions(self, place: BlueprintPlace) -> tuple[str, ...]:
        return self.tree.actions(place.node)

    def names(self, place: BlueprintPlace) -> tuple[str, ...]:
        return self.actions(place)

    def hands(self, place: BlueprintPlace, player: int) -> npt.NDArray[np.int64]:
        """Numbers of the hands that the board leaves, rising."""
        return np.flatnonzero(~np.isin(self._all, place.cards).any(axis=1))

    def labels(self, place: BlueprintPlace, player: int) -> list[str]:
        """The same hands as people write them."""
        label = self.rules.deck.label
        return ["".join(map(label, reversed(cards))) for cards in self._all[self.hands(place, player)].tolist()]

    def table(self, place: BlueprintPlace, player: int) -> Floats:
        """[hand, action] of the player who acts."""
        return self._strategies(place.node, place, player)

    def reach(self, place: BlueprintPlace, player: int) -> Floats:
        """[hand] probability that the player's own actions lead there."""
        path = [place.node]
        while path[-1] > 0:
            path.append(int(self.tree.parent[path[-1]]))
        held = np.ones(len(self.hands(place, player)))
        for after, node in pairwise(path):
            if int(self.tree.player[node]) == player:
                held *= self._strategies(node, place, player)[:, after - int(self.tree.first_child[node])]
        return held

    def frequencies(self, place: BlueprintPlace, player: int) -> Floats:
        """[action] over all hands by their reach, without regard to what the opponents may hold."""
        weights = self.reach(place, player)
        mean: Floats = np.average(self.table(place, player), axis=0, weights=weights if weights.any() else None)
        return mean

    def board(self, place: BlueprintPlace) -> str:
        return "".join(map(self.rules.deck.label, place.cards))

    def coming(self, place: BlueprintPlace) -> tuple[int, tuple[str, ...]]:
        """How many cards are dealt there, and which they can be."""
        missing = self._missing(place) if self.tree.kind[place.node] == DECISION else 0
        deck = self.rules.deck
        free = dict.fromkeys(deck.label(card) for card in range(deck.size) if card not in place.cards)
        return (missing, tuple(free)) if missing > 0 else (0, ())

    def what_follows(self, place: BlueprintPlace) -> str:
        """What to do where nobody acts."""
        missing = self._missing(place)
        if self.tree.kind[place.node] != DECISION:
            return "the hand is over there, take a shorter line"
        if missing < 0:
            return f"the board has {-missing} cards too many there, leave them out"
        return "a card comes there, add it" if missing == 1 else f"{missing} cards come there, add them"

    def _strategies(self, node: int, place: BlueprintPlace, player: int) -> Floats:
        """[hand, action] at a node on the way; hands are those that the whole board leaves."""
        number = int(self.tree.round[node])
        own = self._all[self.hands(place, player)]
        board = np.array(place.cards[: self._seen[number]], dtype=np.int8)
        cards = np.concatenate([own, np.broadcast_to(board, (len(own), len(board)))], axis=1)
        return self.blueprint.strategies(node, self.abstract.buckets.bucket(number, cards))

    def _missing(self, place: BlueprintPlace) -> int:
        """Cards that are still to be dealt at the node's round; negative: there are too many."""
        return self._seen[int(self.tree.round[place.node])] - len(place.cards)

    def _acting(self, place: BlueprintPlace, line: str) -> int:
        player = self.player(place)
        if player < 0:
            raise UnknownNameError(f"Nobody acts after '{line}'; {self.what_follows(place)}.")
        return player

    def _cards(self, token: str) -> list[int] | None:
        """Cards of a token, or None where it is an action."""
        width = len(self.rules.deck.label(0))
        parts = [token[k : k + width] for k in range(0, len(token), width)]
        return [self._numbers[part] for part in parts] if all(part in self._numbers for part in parts) else None

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {self.rules.deck.label(card): card for card in range(self.rules.deck.size)}

    @cached_property
    def _all(self) -> npt.NDArray[np.int8]:
        return all_hands(self.rules.deck, self.rules.hole).astype(np.int8)

    @cached_property
    def _seen(self) -> list[int]:
        return [int(cards) for cards in np.cumsum(self.rules.board)]
