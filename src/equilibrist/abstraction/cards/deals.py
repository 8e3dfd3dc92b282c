"""Streets: what is dealt when, which hands there are up to suits, and the canonical boards they lie on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.cards._kernels.hands import find_alike, list_hands
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import hand_index, pairs
from equilibrist.cards.isomorphism import STANDARD_DECK, HandIndexer
from equilibrist.cards.streets import STREETS
from equilibrist.core.arrays import Longs
from equilibrist.core.errors import ParameterError

HOLE = 2
FEWEST_BOARD, MOST_BOARD = 3, 5


@lru_cache(maxsize=32)
def indexer_of(dealt: tuple[int, ...], deck: Deck) -> HandIndexer:
    """One indexer per sequence of streets: its tables take some milliseconds."""
    return HandIndexer(dealt, deck)


@dataclass(frozen=True)
class Streets:
    """Two hole cards, then board cards street by street; a deck may be small."""

    deck: Deck = STANDARD_DECK
    dealt: tuple[int, ...] = (2, 3, 1, 1)

    def __post_init__(self) -> None:
        board = sum(self.dealt[1:])
        if self.dealt[:1] != (HOLE,) or min(self.dealt) < 1 or not 2 <= len(self.dealt) <= len(STREETS):
            raise ParameterError(
                f"Streets are two hole cards and one to three deals of board cards, but {list(self.dealt)} were given."
            )
        if not FEWEST_BOARD <= board <= MOST_BOARD:
            raise ParameterError(f"A complete board has three to five cards, but {list(self.dealt)} deal {board}.")
        if self.deck.merged or self.deck.size < board + 2 * HOLE or self.deck.size > 52:
            raise ParameterError(
                f"Two hands and a board of {board} need a deck of {board + 2 * HOLE} to 52 cards with suits, not {self.deck}."
            )

    @property
    def count(self) -> int:
        return len(self.dealt)

    @property
    def names(self) -> tuple[str, ...]:
        return STREETS[: self.count]

    def board_cards(self, street: int) -> int:
        return sum(self.dealt[1 : self.check(street) + 1])

    @property
    def final_board(self) -> int:
        return self.board_cards(self.count - 1)

    def check(self, street: int) -> int:
        if not 0 <= street < self.count:
            raise ParameterError(f"Street {street} was asked for, but the streets are 0 to {self.count - 1}.")
        return street

    def merged(self, street: int) -> tuple[int, ...]:
        """Hole cards and the board as one set: all that hand strength depends on."""
        board = self.board_cards(street)
        return (HOLE, board) if board else (HOLE,)

    def ordered(self, street: int) -> tuple[int, ...]:
        """Hole cards and the board street by street: what a player who forgets nothing tells apart."""
        return self.dealt[: self.check(street) + 1]

    def hands(self, street: int, *, ordered: bool = False) -> HandIndexer:
        return indexer_of(self.ordered(street) if ordered else self.merged(street), self.deck)

    @cached_property
    def full_score(self) -> int:
        """Points of a hand that beats all others at the end: two for each."""
        return 2 * comb(self.deck.size - HOLE - self.final_board, 2)

    def runouts(self, street: int) -> int:
        """How many ways a board of this street is completed, hole cards unknown."""
        return comb(self.deck.size - self.board_cards(street), self.final_board - self.board_cards(street))


HOLDEM = Streets()


@dataclass(frozen=True, eq=False)
class HandBatch:
    """The hands of some canonical boards, one of each kind; every hand of a street lies on exactly one such board."""

    boards: NDArray[np.int8]  # [B, c]
    board: Longs  # [n]; place in `boards`
    pair: NDArray[np.int16]  # [n]; hole cards, a place in `pairs(deck)`
    index: Longs  # [n]; number of the hand
    weight: Longs  # [n]; deals that it stands for

    def only(self, kept: NDArray[np.bool_]) -> HandBatch:
        return HandBatch(self.boards, self.board[kept], self.pair[kept], self.index[kept], self.weight[kept])

    def cards(self, deck: Deck) -> NDArray[np.int8]:
        """[n, 2 + c]"""
        return np.hstack([pairs(deck)[self.pair].astype(np.int8), self.boards[self.board]])


def board_count(dealt: tuple[int, ...], deck: Deck) -> int:
    """How many canonical boards a street has, given what is dealt; before the flop there is one, the empty one."""
    return indexer_of(dealt[1:], deck).size if len(dealt) > 1 else 1


def hands_on(dealt: tuple[int, ...], deck: Deck, numbers: Longs) -> HandBatch:
    """The hands of the canonical boards with these numbers."""
    if len(dealt) == 1:
        boards, times = np.zeros((len(numbers), 0), np.int8), np.ones(len(numbers), np.int64)
    else:
        indexer = indexer_of(dealt[1:], deck)
        boards, times = indexer.unindex(numbers), indexer.multiplicity(numbers)
    both = pairs(deck)
    most = len(boards) * len(both)
    rows = np.empty((most, HOLE + boards.shape[1]), np.int8)
    first, pair = np.empty(len(boards) + 1, np.int64), np.empty(most, np.int16)
    list_hands(boards, *hole_columns(deck), rows, first, pair)
    index = indexer_of(dealt, deck).index(rows[: first[-1]])
    kept, alike = np.empty(len(index), np.int64), np.empty(len(index), np.int64)
    found = int(find_alike(index, first, kept, alike))
    kept = kept[:found]
    board = np.searchsorted(first, kept, side="right") - 1
    return HandBatch(boards, board, pair[kept], index[kept], alike[:found] * times[board])


@lru_cache(maxsize=8)
def hole_columns(deck: Deck) -> tuple[Longs, Longs]:
    """Lower and higher card of every pair."""
    both = pairs(deck).astype(np.int64)
    return np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])


@lru_cache(maxsize=8)
def _choices(free: int, count: int) -> Longs:
    return np.array(list(combinations(range(free), count)), np.int64).reshape(comb(free, count), count)


def complete(
    boards: NDArray[np.int8], streets: Streets, sample: int = 0, seed: int = 0
) -> tuple[NDArray[np.uint8], int]:
    """Complete boards [B * R, cards] and R; with `sample`, at most so many completions of each, drawn by board and seed."""
    held = boards.shape[1]
    choices = _choices(streets.deck.size - held, streets.final_board - held)
    runouts = len(choices) if not 0 < sample < len(choices) else sample
    out = np.empty((len(boards), runouts, streets.final_board), np.uint8)
    out[:, :, :held] = boards[:, None, :]
    if not choices.shape[1]:
        return out.reshape(-1, streets.final_board), runouts
    everything = np.arange(streets.deck.size)
    for number, board in enumerate(boards):
        free = np.delete(everything, board)
        chosen = choices
        if runouts < len(choices):
            identity = int(hand_index(board[None, :])[0]) if held else 0
            chosen = choices[np.random.default_rng([seed, held, identity]).permutation(len(choices))[:runouts]]
        out[number, :, held:] = free[chosen]
    return out.reshape(-1, streets.final_board), runouts
