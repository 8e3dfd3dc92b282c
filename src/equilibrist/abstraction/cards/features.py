"""Features of hands: numbers that say how a hand will fare, one row per canonical hand.

`Strength` (E[HS], E[HS²]), `Histogram` (of final equity) and `NextBuckets` (buckets of the next street, card by card) are values with one
method; so is `AgainstGroups` of `ochs.py`. Sums are whole numbers wherever that is
possible, so results depend neither on threads nor on which of several like hands is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import comb
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.cards._kernels.hands import (
    add_bins,
    count_scores,
)
from equilibrist.abstraction.cards.deals import (
    HandBatch,
    Streets,
    board_count,
    complete,
    hands_on,
    hole_columns,
    indexer_of,
)
from equilibrist.cards._kernels.scores import add_scores, score_boards
from equilibrist.cards.evaluator import boards_strengths, pairs
from equilibrist.core.errors import NotApplicableError

BINS = 50
BOARDS_AT_ONCE = 2048  # complete boards whose strengths are held together: five megabytes

Rows = NDArray[np.float32]
Scores = NDArray[np.int16]


class Feature(Protocol):
    """Rows of numbers for hands."""

    def rows(self, streets: Streets, hands: HandBatch) -> NDArray[np.float32] | NDArray[np.uint16]:
        """[n, width] for the hands of a batch."""
        ...

    def of_scores(self, streets: Streets, scores: NDArray[np.int64]) -> NDArray[np.float32] | None:
        """[n, width] for complete hands of these scores; None where a row says more than the score."""
        ...


@dataclass(frozen=True)
class Strength:
    """E[HS] and E[HS²]: means of equity against a random hand, and of its square, over all runouts ([Lu16, §3.3.2])."""

    sample: int = 0  # runouts of each board; 0: all of them
    seed: int = 0

    def rows(self, streets: Streets, hands: HandBatch) -> Rows:
        points, squares, counts = _score_sums(streets, hands, self.sample, self.seed)
        met = np.maximum(counts, 1)
        full = float(streets.full_score)
        return np.stack([points / (full * met), squares / (full * full * met)], axis=1).astype(np.float32)

    def of_scores(self, streets: Streets, scores: NDArray[np.int64]) -> Rows:
        full = float(streets.full_score)
        return np.stack([scores / full, scores * scores / (full * full)], axis=1).astype(np.float32)


@dataclass(frozen=True)
class Histogram:
    """Shares of runouts by final equity, in bins of equal width ([Ganzfried15, chapter 5])."""

    bins: int = BINS
    sample: int = 0
    seed: int = 0

    def rows(self, streets: Streets, hands: HandBatch) -> Rows:
        if not hands.boards.shape[1]:
            return _preflop_histogram(streets, self.bins)[hands.index]
        counts = np.empty((len(hands.index), self.bins), np.float32)
        for start, stop, places in slices(streets, hands, self.sample):
            scores, runouts = _scored(hands.boards[start:stop], streets, self.sample, self.seed)
            found = np.zeros((stop - start, scores.shape[1], self.bins), np.uint16)
            add_bins(scores, runouts, streets.full_score, found)
            counts[places] = found[hands.board[places] - start, hands.pair[places]]
        total = counts.sum(axis=1, keepdims=True)
        shares: Rows = counts / np.maximum(total, 1.0)
        return shares

    def of_scores(self, streets: Streets, scores: NDArray[np.int64]) -> Rows:
        rows: Rows = np.zeros((len(scores), self.bins), np.float32)
        rows[np.arange(len(scores)), np.minimum(self.bins * scores // streets.full_score, self.bins - 1)] = 1.0
        return rows


@dataclass(frozen=True, eq=False)
class NextBuckets:
    """Bucket of the next street for every card that may come, ascending ([Ganzfried15, Algorithm 1]); one card at a time."""

    street: int
    dealt: tuple[int, ...]  # of the next street's table
    table: NDArray[np.integer] = field(repr=False)  # [hands of the next street]

    def rows(self, streets: Streets, hands: HandBatch) -> NDArray[np.uint16]:
        if streets.dealt[self.street + 1] != 1:
            raise NotApplicableError(
                "Next buckets are listed card by card, but several cards come next; use their shares."
            )
        cards = hands.cards(streets.deck)
        size, held = streets.deck.size, cards.shape[1]
        free = np.ones((len(cards), size), np.bool_)
        np.put_along_axis(free, cards.astype(np.int64), False, axis=1)
        coming = np.nonzero(free)[1].astype(np.int8).reshape(len(cards), size - held)
        rows = np.empty((*coming.shape, held + 1), np.int8)
        rows[:, :, :held] = cards[:, None, :]
        rows[:, :, held] = coming
        index = indexer_of(self.dealt, streets.deck).index(rows.reshape(-1, held + 1))
        buckets = self.table[index].reshape(coming.shape).astype(np.uint16)
        buckets.sort(axis=1)
        return buckets

    def of_scores(self, streets: Streets, scores: NDArray[np.int64]) -> None:
        return None


def batches(streets: Streets, dealt: tuple[int, ...], at_once: int) -> Iterator[tuple[int, int]]:
    """Ranges of canonical boards that cover a street."""
    boards = board_count(dealt, streets.deck)
    for start in range(0, boards, at_once):
        yield start, min(start + at_once, boards)


def feature_table(streets: Streets, street: int, feature: Feature, *, ordered: bool = False) -> NDArray[np.generic]:
    """[hands, width]: the rows of all hands of a street, by number; for streets whose table fits in memory."""
    dealt = streets.ordered(street) if ordered else streets.merged(street)
    table: NDArray[np.generic] | None = None
    for start, stop in batches(streets, dealt, at_once=boards_at_once(streets, dealt)):
        hands = hands_on(dealt, streets.deck, np.arange(start, stop))
        rows = feature.rows(streets, hands)
        if table is None:
            table = np.empty((indexer_of(dealt, streets.deck).size, rows.shape[1]), rows.dtype)
        table[hands.index] = rows
    assert table is not None
    return table


def boards_at_once(streets: Streets, dealt: tuple[int, ...]) -> int:
    """So many canonical boards make a batch of some tens of thousands of hands."""
    return max(1, 65536 // len(pairs(streets.deck)))


def slices(streets: Streets, hands: HandBatch, sample: int) -> Iterator[tuple[int, int, slice]]:
    """Boards of a batch, few at once, and the places of their hands."""
    runouts = comb(streets.deck.size - hands.boards.shape[1], streets.final_board - hands.boards.shape[1])
    step = max(1, BOARDS_AT_ONCE // (min(sample, runouts) if sample else runouts))
    for start in range(0, len(hands.boards), step):
        stop = min(start + step, len(hands.boards))
        begin, end = np.searchsorted(hands.board, [start, stop])
        yield start, stop, slice(int(begin), int(end))


def _scored(boards: NDArray[np.int8], streets: Streets, sample: int, seed: int) -> tuple[Scores, int]:
    full, runouts = complete(boards, streets, sample, seed)
    strengths = boards_strengths(full, streets.deck)
    scores = np.empty(strengths.shape, np.int16)
    score_boards(strengths, np.arange(strengths.shape[1]), *hole_columns(streets.deck), True, scores)
    return scores, runouts


def _score_sums(streets: Streets, hands: HandBatch, sample: int, seed: int) -> NDArray[np.int64]:
    """Sums of scores, of their squares, and of runouts [3, n]."""
    if not hands.boards.shape[1]:
        scores = _preflop_scores(streets)
        values = np.arange(scores.shape[1])
        sums = np.stack([scores @ values, scores @ values**2, scores.sum(axis=1)])
        return np.asarray(sums[:, hands.index])
    out = np.empty((3, len(hands.index)), np.int64)
    for start, stop, places in slices(streets, hands, sample):
        scores16, runouts = _scored(hands.boards[start:stop], streets, sample, seed)
        sums = np.zeros((3, stop - start, scores16.shape[1]), np.int64)
        add_scores(scores16, runouts, *sums)
        out[:, places] = sums[:, hands.board[places] - start, hands.pair[places]]
    return out


_PREFLOP: dict[Streets, NDArray[np.int64]] = {}


def _preflop_scores(streets: Streets) -> NDArray[np.int64]:
    """[classes of hole cards, score]: how many deals of a board end with each score; canonical boards stand for their copies."""
    if streets not in _PREFLOP:
        last = (2, streets.final_board)
        classes = indexer_of((2,), streets.deck).index(pairs(streets.deck))
        out = np.zeros((int(classes.max()) + 1, streets.full_score + 1), np.int64)
        boards = indexer_of(last[1:], streets.deck)
        for start, stop in batches(streets, last, 512):
            numbers = np.arange(start, stop)
            scores, _ = _scored(boards.unindex(numbers), streets, 0, 0)
            count_scores(scores, boards.multiplicity(numbers), classes, out)
        _PREFLOP[streets] = out
    return _PREFLOP[streets]


def _preflop_histogram(streets: Streets, bins: int) -> Rows:
    scores = _preflop_scores(streets)
    places = np.minimum(bins * np.arange(scores.shape[1]) // streets.full_score, bins - 1)
    counts = np.zeros((len(scores), bins))
    np.add.at(counts.T, places, scores.T.astype(np.float64))
    shares: Rows = (counts / counts.sum(axis=1, keepdims=True)).astype(np.float32)
    return shares
