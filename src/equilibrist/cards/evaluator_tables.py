"""Tables of the hand evaluator for one deck: keys of cards, and the strengths that sums of keys stand for.

Everything is made by NumPy in a few milliseconds, so that no loop has to be compiled for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equilibrist.cards._kernels import evaluator as loops
from equilibrist.cards.hand_scores import CATEGORY, score_hands
from equilibrist.cards.strength import FLUSH, STRAIGHT, STRAIGHT_FLUSH

Strengths = NDArray[np.uint16]

MOST_CARDS = 7
MOST_RANKS = 16  # bits for the ranks of a suit
# by suits: the smallest keys, one rank after the other, that give every multiset of at most seven cards its own sum
SMALLEST_KEYS = {
    1: (1, 2, 4, 8, 16, 32, 64, 128),
    2: (1, 3, 9, 27, 80, 236, 696, 2052),
    3: (1, 4, 16, 62, 239, 920, 3373, 12094),
    4: (1, 5, 24, 112, 521, 2247, 9244, 30823),
}


@dataclass(frozen=True)
class _Half:
    """Multisets of up to seven cards of some of the ranks."""

    keys: NDArray[np.int64]  # [rank]
    sums: NDArray[np.int64]  # [multiset], all different
    sizes: NDArray[np.int64]  # [multiset]
    counts: NDArray[np.int64]  # [multiset, rank]

    @property
    def room(self) -> int:
        """Sums up to two cards beyond a hand, so that pairs that collide with a board may be read like others."""
        return int(self.sums.max() + 2 * self.keys.max(initial=0)) + 1


@dataclass(frozen=True)
class _Layout:
    """What all hand sizes of a deck share."""

    low: _Half
    high: _Half
    keys: NDArray[np.uint64]  # [256]
    places: NDArray[np.uint64]  # [256]
    number: NDArray[np.uint16]  # [upper sum]
    classes: NDArray[np.int64]  # scores of five cards, ascending
    flush: Strengths  # [set of ranks]


@cache
def evaluator_tables(ranks: int, suits: int, cards: int) -> tuple[NDArray[Any], ...]:
    """keys, places, offset, number, plain, flush, as the kernels read them."""
    layout = _layout(ranks, suits)
    offset, scores = _plain_scores(layout.low, layout.high, cards)
    plain = np.zeros(len(scores) + len(layout.high.sums), np.uint16)  # padded, see `_Half.room`
    plain[: len(scores)] = np.searchsorted(layout.classes, scores) + 1
    offset = offset.astype(np.uint16 if len(scores) <= 1 << 16 else np.uint32)  # half the cache lines where possible
    return layout.keys, layout.places, offset, layout.number, plain, layout.flush


def class_scores(ranks: int, suits: int) -> NDArray[np.int64]:
    """Scores of five cards, ascending; their places are strengths."""
    return _layout(ranks, suits).classes


@cache
def _layout(ranks: int, suits: int) -> _Layout:
    lower = (ranks + 1) // 2
    low, high = _half(lower, suits), _half(ranks - lower, suits)
    keys = np.full(256, loops.FOREIGN, np.uint64)
    places = np.zeros(256, np.uint64)
    for rank, key in enumerate([*low.keys.tolist(), *(k << int(loops.HALF_BITS) for k in high.keys.tolist())]):
        for suit in range(suits):
            keys[rank * suits + suit] = key + (1 << (loops.SUIT_BIT + 4 * suit))
            places[rank * suits + suit] = 1 << (16 * suit + rank)
    number = np.zeros(high.room, np.uint16)
    for size in range(MOST_CARDS + 1):
        sums = high.sums[high.sizes == size]
        number[sums] = np.arange(len(sums))
    sets, scores = _flush_scores(ranks)
    plain = _plain_scores(low, high, 5)[1] if suits > 1 else scores[:0]  # in one suit everything is a flush
    classes = np.unique(np.concatenate([plain, scores]))
    flush = np.zeros(1 << ranks, np.uint16)
    flush[sets] = np.searchsorted(classes, scores) + 1
    return _Layout(low, high, keys, places, number, classes, flush)


def _half(ranks: int, suits: int) -> _Half:
    """All multisets of these ranks, rank after rank: those of the ranks before, then these with one to four cards of the next."""
    keys = np.array(SMALLEST_KEYS[suits][:ranks], np.int64)
    sums, sizes = np.zeros((2, 1), np.int64)
    counts = np.zeros((1, ranks), np.int64)
    for rank, key in enumerate(keys.tolist()):
        more = np.minimum(suits, MOST_CARDS - sizes)
        row = np.repeat(np.arange(len(sums)), more)
        copies = np.arange(1, len(row) + 1) - np.repeat(np.cumsum(more) - more, more)
        added = counts[row]
        added[:, rank] = copies
        sums = np.concatenate([sums, sums[row] + copies * key])
        sizes, counts = np.concatenate([sizes, sizes[row] + copies]), np.concatenate([counts, added])
    return _Half(keys, sums, sizes, counts)


def _plain_scores(low: _Half, high: _Half, cards: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the hands of each lower multiset begin, and the scores of all hands, flushes left aside."""
    fitting = np.flatnonzero(low.sizes <= cards)
    of_size = [np.flatnonzero(high.sizes == size) for size in range(cards + 1)]
    partners = [of_size[missing] for missing in cards - low.sizes[fitting]]
    lengths = np.array([len(block) for block in partners])
    offset = np.zeros(low.room, np.int64)
    offset[low.sums[fitting]] = np.cumsum(lengths) - lengths
    counts = np.hstack([np.repeat(low.counts[fitting], lengths, axis=0), high.counts[np.concatenate(partners)]])
    return offset, score_hands(counts)


def _flush_scores(ranks: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sets of five to seven ranks in one suit and their scores: those of high cards and straights, lifted."""
    sets = np.arange(1 << ranks)
    held = sets[:, None] >> np.arange(ranks) & 1
    enough = (held.sum(axis=1) >= 5) & (held.sum(axis=1) <= MOST_CARDS)
    scores = score_hands(held[enough])
    straight = scores >= STRAIGHT * CATEGORY
    return sets[enough], scores + np.where(straight, STRAIGHT_FLUSH - STRAIGHT, FLUSH) * CATEGORY
