"""Scores of complete hands, and their sums over all ways to complete a board.

A hand's score on a complete board is twice its wins plus its ties against all hands that it may meet: `hand_scores` counts it when it is
asked for, so that buckets of the last street need no table of all hands. `board_sums` adds scores up over all runouts of all canonical
boards at once: complete boards are looked at up to suits, and sums of short boards are made of sums of longer ones, card by card.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.cards._kernels import final_scores as loops
from equilibrist.abstraction.cards.deals import HandBatch, Streets, hole_columns, indexer_of
from equilibrist.cards._kernels.scores import score_boards
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import boards_strengths, hand_index, lookup_tables, pairs
from equilibrist.compute.workers import ThreadWorkers, Workers

BOARDS_AT_ONCE = 256
LONG_RUN = 200  # hands on one board, from which on all its hands are counted at once

Scores = NDArray[np.int16]


def hand_scores(cards: NDArray[np.integer], deck: Deck) -> NDArray[np.int64]:
    """Scores of complete hands [N, 2 + board]; fast where rows with the same board follow each other."""
    rows = np.ascontiguousarray(cards, np.int8)
    out = np.empty(len(rows), np.int64)
    starts = np.empty(len(rows) // LONG_RUN + 1, np.int64)
    runs = loops.find_runs(rows, starts)
    if runs > 0:
        for first in range(0, runs, BOARDS_AT_ONCE):  # all hands of a board at once
            ends = starts[first : min(first + BOARDS_AT_ONCE, runs) + 1]
            scores = np.empty((len(ends) - 1, comb(deck.size, 2)), np.int16)
            strengths = boards_strengths(rows[ends[:-1], 2:], deck)
            score_boards(strengths, np.arange(scores.shape[1]), *hole_columns(deck), True, scores)
            loops.pick_scores(rows, ends, scores, out)
        return out
    loops.score_hands(rows, deck.ranks, deck.suits, *lookup_tables(deck, rows.shape[1]), out)
    return out


@dataclass(frozen=True, eq=False)
class BoardSums:
    """Sums of scores and of their squares over all runouts, for every canonical board of so many cards."""

    cards: int
    points: NDArray[Any]  # [boards, pair]; 0 where they collide
    squares: NDArray[Any]
    completions: int  # that a hand meets


@dataclass(frozen=True, eq=False)
class SummedStrength:
    """The feature `Strength` with all runouts, read from sums that are known for all canonical boards."""

    sums: BoardSums

    def rows(self, streets: Streets, hands: HandBatch) -> NDArray[np.float32]:
        board = indexer_of((self.sums.cards,), streets.deck).index(hands.boards)[hands.board]
        points, squares = (table[board, hands.pair].astype(np.int64) for table in (self.sums.points, self.sums.squares))
        full, met = float(streets.full_score), self.sums.completions
        return np.stack([points / (full * met), squares / (full * full * met)], axis=1).astype(np.float32)

    def of_scores(self, streets: Streets, scores: NDArray[np.int64]) -> None:
        return None  # these are not complete boards


def board_sums(
    streets: Streets,
    cards: int,
    above: BoardSums | None = None,
    *,
    workers: Workers | None = None,
    ties: bool = True,
    report: Callable[[float], None] = lambda share: None,
) -> BoardSums:
    """Sums of all boards of so many cards; `above` are those of the boards one card longer. Without `ties` only wins count, twice."""
    run = _Sums(streets.deck, streets.final_board, workers or ThreadWorkers(), ties, report)
    if cards == streets.final_board - 1:
        return run.before_last(streets)
    return run.shorter(above or board_sums(streets, cards + 1, workers=workers, ties=ties, report=report))


@dataclass(frozen=True, eq=False)
class _Sums:
    deck: Deck
    final: int
    workers: Workers
    ties: bool
    report: Callable[[float], None]

    def scores(self) -> Scores:
        """[canonical complete boards, pair]; -1 where they collide."""
        indexer, every = indexer_of((self.final,), self.deck), np.arange(comb(self.deck.size, 2))
        out = np.empty((indexer.size, len(every)), np.int16)

        def work(start: int) -> None:
            part = out[start : start + BOARDS_AT_ONCE]
            boards = indexer.unindex(np.arange(start, start + len(part)))
            score_boards(boards_strengths(boards, self.deck), every, *hole_columns(self.deck), self.ties, part)

        self._over(work, indexer.size, 0.0, 0.7)
        return out

    def before_last(self, streets: Streets) -> BoardSums:
        """Boards that one card completes."""
        scores = self.scores()
        made = self._empty(self.final - 1, np.int32)  # 48 times 1980 squared is below 2^31

        def work(start: int) -> None:
            found, kinds, stop = self._longer(made.cards, start, len(made.points))
            points, squares = made.points[start:stop], made.squares[start:stop]
            loops.add_scores_of_cards(found, kinds, _relabelled(self.deck), scores, points, squares)

        self._over(work, len(made.points), 0.7, 1.0)
        return made

    def shorter(self, above: BoardSums) -> BoardSums:
        """Boards of one card fewer."""
        made = self._empty(above.cards - 1, np.int64)
        times = self.final - made.cards

        def work(start: int) -> None:
            found, kinds, stop = self._longer(made.cards, start, len(made.points))
            points, squares = made.points[start:stop], made.squares[start:stop]
            loops.add_sums_of_cards(
                found, kinds, _relabelled(self.deck), times, above.points, above.squares, points, squares
            )

        self._over(work, len(made.points), 0.9, 1.0)
        return made

    def _empty(self, cards: int, kind: Any) -> BoardSums:
        boards = indexer_of((cards,), self.deck).size
        met = comb(self.deck.size - cards - 2, self.final - cards)
        points, squares = (np.empty((boards, comb(self.deck.size, 2)), kind) for _ in range(2))
        return BoardSums(cards, points, squares, met)

    def _longer(self, cards: int, start: int, boards: int) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """Numbers of the canonical boards that every next card leads to, and how suits must be relabelled: [B, cards left]."""
        stop = min(start + BOARDS_AT_ONCE, boards)
        short = indexer_of((cards,), self.deck).unindex(np.arange(start, stop))
        free = np.ones((len(short), self.deck.size), np.bool_)
        np.put_along_axis(free, short.astype(np.int64), False, axis=1)
        coming = np.nonzero(free)[1].astype(np.int8).reshape(len(short), -1)
        rows = np.empty((*coming.shape, cards + 1), np.int8)
        rows[:, :, :cards], rows[:, :, cards] = short[:, None, :], coming
        flat, longer = rows.reshape(-1, cards + 1), indexer_of((cards + 1,), self.deck)
        found, kinds = longer.index(flat), np.empty(len(flat), np.int64)
        loops.relabel(flat, longer.unindex(found), self.deck.suits, _numbers(), kinds)
        return found.reshape(coming.shape), kinds.reshape(coming.shape), stop

    def _over(self, work: Callable[[int], None], size: int, begin: float, end: float) -> None:
        starts = range(0, size, BOARDS_AT_ONCE)
        for number, _ in enumerate(self.workers.map(work, starts), start=1):
            self.report(begin + (end - begin) * number / len(starts))


_ORDERS = tuple(permutations(range(loops.SUITS)))


@lru_cache(maxsize=1)
def _numbers() -> NDArray[np.int64]:
    """[256]: which relabelling has these images, two bits for each suit."""
    out = np.full(256, -1, np.int64)
    for number, order in enumerate(_ORDERS):
        out[sum(image << (2 * suit) for suit, image in enumerate(order))] = number
    return out


@lru_cache(maxsize=8)
def _relabelled(deck: Deck) -> NDArray[np.int64]:
    """[relabelling, pair]: the pair that each becomes; those that leave the deck's suits are never asked for."""
    both = pairs(deck).astype(np.int64)
    out = np.zeros((len(_ORDERS), len(both)), np.int64)
    for number, order in enumerate(_ORDERS):
        images = np.array(order)
        if (images[: deck.suits] < deck.suits).all():
            out[number] = hand_index(both // deck.suits * deck.suits + images[both % deck.suits])
    return out
