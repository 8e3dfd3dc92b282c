"""HandClasses: what one player tells apart in each betting round, as tables from suit-canonical hands to classes.

A class never forgets: it lies inside one class of the round before (information preservation of [Gilpin09, Definition 6]), so
a game played with classes instead of cards has perfect recall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equilibrist.cards.isomorphism import HandIndexer
from equilibrist.core.arrays import Longs
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.games.poker.rules import PokerRules


class ClassTree(Protocol):
    """What a game played with classes needs to know of them: how many there are, and which one each lies in."""

    @property
    def parent(self) -> tuple[Longs, ...]:
        """By betting round [classes]: the class one round earlier."""

    @property
    def counts(self) -> tuple[int, ...]:
        """Classes in each betting round."""


@dataclass(frozen=True, eq=False)
class HandClasses:
    """One table per betting round; hands are numbered by `indexer`, which sees private cards first, then each deal."""

    indexer: HandIndexer
    seen: tuple[int, ...]  # the latest deal that a player has seen in each betting round
    table: tuple[Longs, ...]  # by betting round [canonical hands]: the class
    parent: tuple[Longs, ...]  # by betting round [classes]: the class one round earlier; 0 in the first round

    recall = "perfect"  # no class forgets, so best responses by classes are exact

    @property
    def counts(self) -> tuple[int, ...]:
        """Classes in each betting round: (13, 205, 1774)."""
        return tuple(len(parent) for parent in self.parent)

    def find(self, cards: ArrayLike, round: int) -> Longs:
        """Classes of hands [N, private cards and board so far] in a betting round."""
        classes: Longs = self.table[round][self.indexer.index(cards, self.seen[round])]
        return classes

    def within(self, coarser: HandClasses, round: int) -> Longs:
        """[classes]: the class of `coarser` in which each class lies; refuses partitions that cut across each other."""
        mine, theirs = self.table[round], coarser.table[round]
        if mine.shape != theirs.shape:
            raise ParameterError("The two partitions are of different games; make both from the same rules.")
        out = np.zeros(self.counts[round], np.int64)
        out[mine] = theirs
        if not np.array_equal(out[mine], theirs):
            raise NotApplicableError(
                f"In round {round + 1} some class lies in several classes of the other partition, which is not coarser."
            )
        return out


def view_of(rules: PokerRules) -> tuple[HandIndexer, tuple[int, ...]]:
    """How one player sees the deals of a game: an indexer, and the latest deal seen in each betting round."""
    deck = replace(rules.deck, merged=False)  # where suits are merged they matter to nobody, but cards have them
    deals = [rules.hole, *(cards for cards in rules.board if cards)]
    seen, latest = [], 0
    for cards in rules.board:
        latest += cards > 0
        seen.append(latest)
    return HandIndexer(deals, deck), tuple(seen)


def parent_hands(indexer: HandIndexer, deal: int) -> Longs:
    """[canonical hands of a deal]: the canonical hand before it."""
    hands = indexer.unindex(np.arange(indexer.sizes[deal]), deal)
    return indexer.index(hands[:, : sum(indexer.dealt[:deal])], deal - 1)


def classes_from_labels(rules: PokerRules, labels: Sequence[ArrayLike]) -> HandClasses:
    """Hands of a round are one class if their labels agree and their hands one round earlier were one class.

    `labels` holds one array per betting round, over the canonical hands of the deal seen in it.
    """
    indexer, seen = view_of(rules)
    if len(labels) != len(seen):
        raise ParameterError(f"There are {len(seen)} betting rounds, but labels for {len(labels)} were given.")
    tables: list[Longs] = []
    parents: list[Longs] = []
    before, deal = np.zeros(indexer.sizes[seen[0]], np.int64), seen[0]
    for round, given in enumerate(labels):
        label = np.asarray(given)
        if seen[round] > deal:
            deal = seen[round]
            before = tables[-1][parent_hands(indexer, deal)]
        elif tables:
            before = tables[-1]
        if label.shape != before.shape:
            raise ParameterError(
                f"Round {round + 1} has {len(before)} hands up to suits, but {label.size} labels were given."
            )
        table, parent = _numbered(before, label)
        tables.append(table)
        parents.append(parent)
    return HandClasses(indexer, seen, tuple(tables), tuple(parents))


def classes_from_parents(rules: PokerRules, parents: Sequence[ArrayLike]) -> HandClasses:
    """Classes of which only the succession is known: tables stay empty, and hands are looked up where the classes were made.

    `parents` holds for every betting round and class the class one round earlier, in ascending order.
    """
    indexer, seen = view_of(rules)
    before = tuple(np.asarray(given, np.int64) for given in parents)
    if len(before) != len(seen):
        raise ParameterError(f"There are {len(seen)} betting rounds, but parents for {len(before)} were given.")
    for round, (parent, above) in enumerate(zip(before, (1, *map(len, before[:-1])), strict=True)):
        if not np.array_equal(np.unique(parent), np.arange(above)) or (np.diff(parent) < 0).any():
            raise ParameterError(
                f"The classes of round {round + 1} must follow all {above} classes before them, in ascending order."
            )
    return HandClasses(indexer, seen, tuple(np.zeros(0, np.int64) for _ in before), before)


def _numbered(before: Longs, label: NDArray[np.generic]) -> tuple[Longs, Longs]:
    """[hands] class, and [classes] class before: by the class before, then by the first hand of each."""
    numbers = np.unique(label, return_inverse=True)[1].astype(np.int64)
    width = int(numbers.max()) + 1
    found, first, table = np.unique(before * width + numbers, return_index=True, return_inverse=True)
    order = np.lexsort((first, found // width))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place[table].astype(np.int64), (found // width)[order]
