"""AbstractPoker: a betting tree and buckets of hands, the game that blueprints are trained on; 2 to 6 players.

An infoset is (decision node, bucket in the node's round). `Dealer`s draw deals and say what every player holds in terms of buckets and
strengths, once per deal; after that a walk over the tree is pure array access.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from equilibrist.abstraction.cards.card_abstraction import CardAbstraction
from equilibrist.cards.allins.classes import CLASSES
from equilibrist.cards.evaluator import all_hands, evaluate, hand_index, strength_table
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.core.arrays import Ints
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.policy import InfosetIndex, TabularPolicy
from equilibrist.forms.betting_tree.betting_tree import BettingTree
from equilibrist.games.poker.rules import PokerRules

MOST_EXACT = 2_000_000  # hands of a round that are told apart one by one
SMALL_HANDS = 3  # cards


class Buckets(Protocol):
    """Which bucket a hand belongs to in each round, and which hands are stronger at the end."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Buckets of each betting round."""

    @property
    def hash(self) -> str:
        """The same for the same buckets."""

    def bucket(self, round: int, cards: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """[N] of hands [N, hole + board so far]."""

    def strength(self, cards: npt.NDArray[np.int8]) -> npt.NDArray[np.integer]:
        """[N] of complete hands; the larger number wins."""


@dataclass(frozen=True)
class FittedBuckets:
    """A card abstraction of hold'em."""

    cards: CardAbstraction

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.cards.sizes

    @property
    def hash(self) -> str:
        return self.cards.hash

    def bucket(self, round: int, cards: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        return self.cards.bucket(round, cards)

    def strength(self, cards: npt.NDArray[np.int8]) -> npt.NDArray[np.integer]:
        return evaluate(cards.astype(np.uint8), self.cards.streets.deck)


@dataclass(frozen=True)
class ExactBuckets:
    """Every hand by itself, suits and all: for small decks (Kuhn, Leduc, toy hold'em)."""

    rules: PokerRules

    def __post_init__(self) -> None:
        if max(self.sizes) > MOST_EXACT:
            raise NotApplicableError(
                f"A round of this game has {max(self.sizes):,} hands, too many to be told apart one by one; give a card abstraction."
            )

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Hole cards and each deal of board cards, numbered apart."""
        deck, out = self.rules.deck.size, []
        number = comb(deck, self.rules.hole)
        for dealt in self.rules.board:
            number *= comb(deck, dealt)
            out.append(number)
        return tuple(out)

    @property
    def hash(self) -> str:
        return "exact"

    def bucket(self, round: int, cards: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        deck, begin = self.rules.deck.size, self.rules.hole
        index = hand_index(cards[:, :begin])
        for dealt in self.rules.board[: round + 1]:
            if dealt:
                index = index * comb(deck, dealt) + hand_index(cards[:, begin : begin + dealt])
            begin += dealt
        return index

    def strength(self, cards: npt.NDArray[np.int8]) -> npt.NDArray[np.integer]:
        return self._strengths[hand_index(cards)]

    @cached_property
    def _strengths(self) -> npt.NDArray[np.integer]:
        """Of every set of cards that a player can have at the end."""
        deck, total = self.rules.deck, self.rules.hole + sum(self.rules.board)
        if total <= SMALL_HANDS:
            return strength_table(deck, total)
        return evaluate(all_hands(deck, total).astype(np.uint8), deck)


@dataclass(frozen=True)
class ClassBuckets:
    """The 169 classes of hole cards before the flop and one bucket later: for strategies that are searched from there on."""

    rules: PokerRules

    def __post_init__(self) -> None:
        if self.rules.deck.size != STANDARD.size or self.rules.hole != 2:
            raise NotApplicableError(
                "Classes of hole cards are those of two of 52 cards; take other buckets for this game."
            )

    @property
    def sizes(self) -> tuple[int, ...]:
        return (CLASSES, *(1 for _ in self.rules.board[1:]))

    @property
    def hash(self) -> str:
        return "classes"

    def bucket(self, round: int, cards: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        if round:
            return np.zeros(len(cards), dtype=np.int64)
        return np.asarray(hands_of(STANDARD).cell[hand_index(cards[:, :2].astype(np.int64))], dtype=np.int64)

    def strength(self, cards: npt.NDArray[np.int8]) -> npt.NDArray[np.integer]:
        return evaluate(cards.astype(np.uint8), self.rules.deck)


@dataclass(frozen=True)
class AbstractPoker:
    """The abstract game."""

    tree: BettingTree
    buckets: Buckets

    def __post_init__(self) -> None:
        if len(self.buckets.sizes) != self.tree.rounds:
            raise ParameterError(
                f"The game has {self.tree.rounds} betting rounds, but the buckets are for {len(self.buckets.sizes)}; "
                "use those of the same game."
            )

    @property
    def rules(self) -> PokerRules:
        return self.tree.rules

    @cached_property
    def first_slot(self) -> npt.NDArray[np.int64]:
        return self.tree.first_slot(self.buckets.sizes)

    @property
    def slots(self) -> int:
        """Infoset-actions."""
        return int(self.first_slot[-1])

    @cached_property
    def infosets(self) -> int:
        sizes = np.asarray(self.buckets.sizes, dtype=np.int64)
        return int(sizes[self.tree.round[self.tree.decisions]].sum())

    def deal(self, cards: npt.NDArray[np.int8]) -> tuple[Ints, Ints]:
        """Buckets [N, player, round] and strengths [N, player] of shuffled cards [N, players * hole + board]."""
        rules, players = self.rules, self.tree.players
        own = players * rules.hole
        hands = np.empty((len(cards), players, rules.hole + sum(rules.board)), dtype=np.int8)
        hands[:, :, : rules.hole] = cards[:, :own].reshape(len(cards), players, rules.hole)
        hands[:, :, rules.hole :] = cards[:, None, own:]
        rows = hands.reshape(
            len(cards) * players, -1
        )  # hands on one board follow each other: some buckets are found board by board
        bucket = np.empty((len(rows), self.tree.rounds), dtype=np.int32)
        for r, seen in enumerate(np.cumsum(rules.board)):
            bucket[:, r] = self.buckets.bucket(r, rows[:, : rules.hole + seen])
        strength = np.asarray(self.buckets.strength(rows), dtype=np.int32)
        return bucket.reshape(len(cards), players, self.tree.rounds), strength.reshape(len(cards), players)

    @property
    def cards(self) -> int:
        """Cards of a deal: everybody's and the whole board."""
        return self.tree.players * self.rules.hole + sum(self.rules.board)


def lift(game: AbstractPoker, infosets: InfosetIndex, probabilities: npt.NDArray[Any]) -> TabularPolicy:
    """A strategy [slots] of the abstract game as a policy of the game itself, for games small enough to list their infosets."""
    deck, rules = game.rules.deck, game.rules
    number = {deck.label(card): card for card in range(deck.size)}
    width = len(deck.label(0))
    seen, out = np.cumsum(rules.board), np.empty(infosets.slots)
    for i, key in enumerate(infosets.keys):
        parts = key.split(":")
        dealt = [parts[0], *(part for part in parts[1:] if part[:width] in number)]
        line = [part for part in parts[1:] if part[:width] not in number]
        cards = [number[text[k : k + width]] for text in dealt for k in range(0, len(text), width)]
        node = game.tree.find(":".join(line))
        r = int(game.tree.round[node])
        bucket = int(game.buckets.bucket(r, np.array([cards[: rules.hole + seen[r]]], dtype=np.int8))[0])
        first = int(game.first_slot[node]) + bucket * int(game.tree.children[node])
        row = np.asarray(probabilities[first : first + int(game.tree.children[node])], dtype=np.float64)
        out[infosets.first_slot[i] : infosets.first_slot[i + 1]] = row / row.sum()
    return TabularPolicy(infosets, out)
