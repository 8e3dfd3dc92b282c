"""BoardPolicy: strategies kept board by board, read by public line and hand; suit-copies of boards are found on the way."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np

from equilibrist.cards.evaluator import hand_index
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import UnknownNameError, suggest
from equilibrist.forms.boards.street_betting import DEAL, StreetForest
from equilibrist.forms.boards.street_boards import board_after
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

_CARD = re.compile(r"[2-9TJQKA][cdhs]?")
_NUMBERED_CARD = re.compile(r"\d+[cdhs]?")  # in decks of more than thirteen ranks


@dataclass(frozen=True)
class Place:
    """A public state: a node of a street's forest on a kept board, and how cards are called there."""

    path: tuple[int, ...] = ()  # a board of each street after the first
    node: int = 0
    cards: tuple[int, ...] = ()  # the board as it was dealt
    called: tuple[int, ...] = ()  # [deck] every card's name on the kept board; empty: its own


class BoardPolicy:
    """Average strategies of a run on boards."""

    def __init__(self, game: Poker, forests: tuple[StreetForest, ...], run: Callable[[], BoardCFR]) -> None:
        self.game, self.forests, self._build = game, forests, run

    @cached_property
    def run(self) -> BoardCFR:
        return self._build()

    @property
    def has_grid(self) -> bool:
        """Two private cards of the full deck, as the 13×13 grid shows them."""
        return self.run.deal.hole == 2 and self.run.deal.deck.size == 52

    def __getitem__(self, key: str) -> dict[str, float]:
        """At an infoset such as `Ks:x:b:7d`; a hand without suits stands for the mean of its combinations."""
        hand, _, line = key.partition(":")
        place = self.find(line)
        player, actions = self._acting(place, line)
        numbers = self.hands(place, player)
        wanted = self._matching(hand, numbers, key)
        mean = self.table(place, player)[wanted].mean(axis=0)
        return dict(zip(actions, mean.tolist(), strict=True))

    def at(self, public_state: str, player: int) -> Floats:
        """[hand, action], hands as in `hands`."""
        place = self.find(public_state)
        acting, _ = self._acting(place, public_state)
        if acting != player:
            raise UnknownNameError(f"Player {player + 1} does not act at the public state '{public_state}'.")
        return self.table(place, player)

    def by_label(self, public_state: str) -> dict[str, Floats]:
        """Probabilities of the actions of every hand at a public state; hands that the game does not tell apart are alike."""
        place = self.find(public_state)
        player, _ = self._acting(place, public_state)
        labels = self.labels(place, player)
        return dict(zip(labels, self.table(place, player), strict=True))

    def hands(self, place: Place, player: int) -> Longs:
        """Numbers of the hands that a player can hold at a public state, rising."""
        return self._order(place, player)[0]

    def places(self, place: Place, player: int) -> Longs:
        """Where these hands stand in the tables of the kept board."""
        return self._order(place, player)[1]

    def labels(self, place: Place, player: int) -> list[str]:
        """The same hands as people write them."""
        return [self.game.hole_label(tuple(own)) for own in self.run.deal.hands[self.hands(place, player)].tolist()]

    def reach(self, place: Place, player: int) -> Floats:
        """[hand] probability that the player's own actions lead to a public state."""
        chance = math.prod(self.run.deal.chances[: len(place.path) + 1])
        held = self.run.reach_at(place.path, player)[place.node, self._order(place, player)[1]]
        return np.asarray(held, dtype=np.float64) / chance

    def frequencies(self, place: Place, player: int) -> Floats:
        """[action] over all hands by their reach, without regard to what the opponent may hold."""
        weights = self.reach(place, player)
        mean: Floats = np.average(self.table(place, player), axis=0, weights=weights if weights.any() else None)
        return mean

    def find(self, line: str) -> Place:
        """The public state after a line such as `x:b:c:7d:x`; in games with merged suits cards are ranks."""
        place = Place()
        for token in line.strip().split(":") if line.strip() else ():
            forest = self.forests[len(place.path)]
            if forest.kind[place.node] == DEAL:
                place = self.deal(place, self.read_cards(token, place, line))
            else:
                place = Place(place.path, forest.child(place.node, token), place.cards, place.called)
        return place

    def actions(self, place: Place) -> tuple[str, ...]:
        return self.forests[len(place.path)].labels(place.node)

    def names(self, place: Place) -> tuple[str, ...]:
        """The actions in words."""
        return self.forests[len(place.path)].names(place.node)

    def player(self, place: Place) -> int:
        """Who acts, or -1 where nobody does."""
        kind = int(self.forests[len(place.path)].kind[place.node])
        return kind if kind < 2 else -1

    def board(self, place: Place) -> str:
        return "".join(map(self.run.deal.deck.label, place.cards))

    def coming(self, place: Place) -> tuple[int, tuple[str, ...]]:
        """How many cards are dealt there, and which they can be; suits that are merged are not told apart."""
        if self.forests[len(place.path)].kind[place.node] != DEAL:
            return 0, ()
        deck = self.run.deal.deck
        free = dict.fromkeys(deck.label(card) for card in range(deck.size) if card not in place.cards)
        return int(self.run.deal.streets[len(place.path)]), tuple(free)

    def what_follows(self, place: Place) -> str:
        """What to do where nobody acts."""
        if self.forests[len(place.path)].kind[place.node] == DEAL:
            cards = self.run.deal.streets[len(place.path)]
            return "a card comes there, add it" if cards == 1 else f"{cards} cards come there, add them"
        return "the hand is over there, take a shorter line"

    def _acting(self, place: Place, line: str) -> tuple[int, tuple[str, ...]]:
        player = self.player(place)
        if player < 0:
            raise UnknownNameError(f"Nobody acts after '{line}' in '{self.game.name}'; {self.what_follows(place)}.")
        return player, self.actions(place)

    def deal(self, place: Place, cards: Sequence[int]) -> Place:
        """Where cards lead from a public state at which they are dealt."""
        deck = self.run.deal.deck
        called = np.array(place.called if place.called else range(deck.size))
        number, move = board_after(
            self.run.deal,
            [street.boards for street in self.run.streets],
            self.run.weights,
            place.path,
            [int(called[card]) for card in cards],
            self.run.isomorphism,
        )
        root = int(self.forests[len(place.path)].next_root[place.node])
        return Place((*place.path, number), root, (*place.cards, *cards), tuple(move[called].tolist()))

    def read_cards(self, token: str, place: Place, line: str) -> tuple[int, ...]:
        """Cards of the next deal; a rank alone is its first free card, which is all that merged suits can mean."""
        deck, free = self.run.deal.deck, [c for c in range(self.run.deal.deck.size) if c not in place.cards]
        wanted = self.run.deal.streets[len(place.path)]
        read: list[int] = []
        for label in self._labels(token):
            left = [c for c in free if c not in read and label in (deck.label(c), deck.rank_label(deck.rank(c)))]
            if not left:
                break
            read.append(left[0])
        if len(read) != wanted or len(self._labels(token)) != wanted:
            count = "a card is" if wanted == 1 else f"{wanted} cards are"
            raise UnknownNameError(
                f"In the line '{line}' {count} dealt where '{token}' was given; expected such as "
                f"{''.join(deck.label(c) for c in free[-wanted:])}, not on the board yet."
            )
        return tuple(read)

    def _labels(self, text: str) -> list[str]:
        """Single cards of a text; a text that is something else is one label that no card has."""
        found = (_CARD if self.run.deal.deck.ranks <= 13 else _NUMBERED_CARD).findall(text)
        return found if "".join(found) == text else [text]

    def _order(self, place: Place, player: int) -> tuple[Longs, Longs]:
        """Hands as they were dealt, rising, and their places on the kept board."""
        own = self.run.streets[len(place.path)].boards.player[player]
        board = place.path[-1] if place.path else 0
        numbers = own.pair[board, : own.count[board]].astype(np.int64)
        if place.called:
            back = np.argsort(place.called)
            numbers = hand_index(back[self.run.deal.hands.astype(np.int64)[numbers]])
        order = np.argsort(numbers)
        return numbers[order], order

    def table(self, place: Place, player: int) -> Floats:
        """[hand, action] of the player who acts, hands as in `hands`."""
        street = self.run.streets[len(place.path)]
        mixed = street.strategy(place.path[-1] if place.path else 0, place.node)
        table: Floats = mixed[:, self._order(place, player)[1]].T
        return table

    def slots(self, place: Place, player: int) -> Floats:
        """[slot, hand] probabilities of all actions of a player on the board of a public state, whatever the betting."""
        depth, board = len(place.path), place.path[-1] if place.path else 0
        table: Floats = self.run.streets[depth].strategies(board, player)[:, self._order(place, player)[1]]
        return table

    def _matching(self, hand: str, numbers: Longs, key: str) -> Longs:
        """Rows of the hands that a text stands for."""
        deck, cards = self.run.deal.deck, self.run.deal.hands[numbers].tolist()
        names = [{deck.label(card), deck.rank_label(deck.rank(card))} for card in range(deck.size)]
        orders = [order for order in permutations(self._labels(hand)) if len(order) == self.run.deal.hole]
        found = [
            row
            for row, own in enumerate(cards)
            if any(all(label in names[card] for label, card in zip(order, own, strict=True)) for order in orders)
        ]
        if not found:
            known = [self.game.hole_label(tuple(own)) for own in cards]
            raise UnknownNameError(f"There is no infoset '{key}' in '{self.game.name}'.{suggest(hand, known)}")
        return np.array(found)
