"""Fast hand strengths for arrays of hands: larger is stronger, equal numbers split the pot.

Five to seven cards: the best five of them, numbered 1 (the weakest) to `class_count(deck)`; in the full deck 7462 is the royal
flush. The common numbering from 1 = best is `class_count(deck) + 1 - strength`. One to three cards: `strength_table`.

How: every card adds a key, and the sum of keys finds the hand in a table. Ranks are split into a lower and an upper half; the
table holds, for each multiset of lower ranks, all upper ones that complete the hand, so that no room is lost and 7-card hands
of the full deck need 98 kB. Tables are made at first use for any deck of up to 16 ranks, in some 30 ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import comb
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equilibrist.cards._kernels import evaluator as loops
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator_tables import MOST_CARDS, MOST_RANKS, class_scores, evaluator_tables
from equilibrist.cards.strength import hand_strength
from equilibrist.core.errors import NotApplicableError, ParameterError, TooLargeError

Cards = NDArray[np.integer]
Strengths = NDArray[np.uint16]

FULL_DECK = Deck()
LISTED_HANDS = 1 << 25  # most hands in one list: a gigabyte is a mistake, not a table
SMALL_CLASSES = np.iinfo(np.uint16).max


# -- five to seven cards -------------------------------------------------------------------------------------------


def evaluate(cards: Cards, deck: Deck = FULL_DECK) -> Strengths:
    """Strength of every row of `cards` [N, 5 to 7], in any order; arrays of bytes are fastest."""
    rows = _card_rows(cards, 5, MOST_CARDS, deck)
    out = np.empty(len(rows), np.uint16)
    bad = loops.rank_hands(rows, *evaluator_tables(deck.ranks, deck.suits, rows.shape[1]), out)
    if bad >= 0:
        raise _bad_row(cards, bad, deck)
    return out


def boards_strengths(boards: Cards, deck: Deck = FULL_DECK, out: Strengths | None = None) -> Strengths:
    """[B, pair]: strength of every two cards with each of `boards` [B, 3 to 5], 0 where they collide.

    The loop runs without the interpreter's lock: callers may share boards among threads, each with its part of `out`.
    """
    rows = _card_rows(boards, 3, MOST_CARDS - 2, deck)
    _refuse_deck(deck, rows.shape[1] + 2)
    shape = (len(rows), comb(deck.size, 2))
    if out is None:
        out = np.empty(shape, np.uint16)
    elif out.shape != shape or out.dtype != np.uint16 or not out.flags.c_contiguous:
        raise ParameterError(f"'out' must be a contiguous uint16 array of shape {shape}, not {out.dtype} {out.shape}.")
    tables = evaluator_tables(deck.ranks, deck.suits, rows.shape[1] + 2)
    spare = (
        np.zeros((deck.ranks + 1, 64), np.uint16), np.zeros(64, np.int64), np.zeros(64, np.uint16), np.zeros(shape[1] + 64, np.uint16)
    )  # fmt: skip
    bad = loops.rank_boards(rows, deck.ranks, deck.suits, *tables, spare, out)
    if bad >= 0:
        raise _bad_row(boards, bad, deck)
    return out


def board_strengths(board: Sequence[int], hands: ArrayLike | None = None, deck: Deck = FULL_DECK) -> Strengths:
    """[pair]: strength of every two cards on a board of 3 to 5, 0 where they collide; or of `hands` [H, 2] alone."""
    strengths: Strengths = boards_strengths(np.asarray([board]), deck)[0]
    if hands is None:
        return strengths
    asked = _card_rows(np.asarray(hands), 2, 2, deck)
    wrong = (asked.max(axis=1, initial=0) >= deck.size) | (asked[:, 0] == asked[:, 1])
    if wrong.any():
        raise _bad_row(np.asarray(hands), int(wrong.argmax()), deck)
    return strengths[hand_index(asked)]


def lookup_tables(deck: Deck, cards: int) -> tuple[NDArray[Any], ...]:
    """keys, places, offset, number, plain and flush for hands of so many cards, as kernels read them."""
    _refuse_deck(deck, cards)
    return evaluator_tables(deck.ranks, deck.suits, cards)


def class_count(deck: Deck = FULL_DECK) -> int:
    """How many different strengths five cards of a deck have: 7462 in the full deck."""
    _refuse_deck(deck, 5)
    return len(class_scores(deck.ranks, deck.suits))


# -- one to three cards --------------------------------------------------------------------------------------------


@cache
def strength_table(deck: Deck, cards: int) -> Strengths:
    """[C(size, cards)]: strength, from 1, of every set of one to three cards, as `hand_strength` ranks them."""
    if not 1 <= cards <= 3:
        raise ParameterError(f"Tables are made for 1 to 3 cards, but {cards} were asked for; try evaluate for 5 to 7.")
    if deck.merged and cards == 3:
        raise NotApplicableError(
            "Three cards can be a flush, but this deck has merged suits; use one that keeps suits."
        )
    hands = all_hands(deck, cards).tolist()
    found = [hand_strength([deck.rank(c) for c in h], [deck.suit(c) for c in h], deck.ranks) for h in hands]
    classes = {strength: place for place, strength in enumerate(sorted(set(found)), start=1)}
    if len(classes) > SMALL_CLASSES:
        raise TooLargeError(
            f"This deck has {len(classes)} different hands of {cards} cards, more than {SMALL_CLASSES}."
        )
    table = np.array([classes[strength] for strength in found], np.uint16)
    table.flags.writeable = False
    return table


def small_hand_strengths(deck: Deck, hole: int = 1, board: Sequence[int] = ()) -> Strengths:
    """[C(size, hole)]: strength of every private hand together with a board, one to three cards in all; 0 if they collide."""
    table = strength_table(deck, hole + len(board))
    if len(set(board)) < len(board) or not all(0 <= card < deck.size for card in board):
        raise ParameterError(f"A board needs different cards from 0 to {deck.size - 1}, but {list(board)} was given.")
    private = all_hands(deck, hole)
    free = ~np.isin(private, board).any(axis=1)
    shared = np.broadcast_to(np.array(board, private.dtype), (int(free.sum()), len(board)))
    out = np.zeros(len(private), np.uint16)
    out[free] = table[hand_index(np.hstack([private[free], shared]))]
    return out


# -- numbering hands -----------------------------------------------------------------------------------------------


@overload
def pair_index(h1: int, h2: int) -> int: ...


@overload
def pair_index(h1: Cards, h2: Cards) -> NDArray[np.int64]: ...


def pair_index(h1: Any, h2: Any) -> Any:
    """C(higher, 2) + lower: place of two cards in `pairs` ([Ganzfried15, Algorithm 15]), in either order."""
    if isinstance(h1, int) and isinstance(h2, int):
        return comb(max(h1, h2), 2) + min(h1, h2)
    high = np.maximum(h1, h2).astype(np.int64)
    return high * (high - 1) // 2 + np.minimum(h1, h2)


def hand_index(cards: Cards) -> NDArray[np.int64]:
    """Place of every row [N, k] of different cards in `all_hands`."""
    rows = np.sort(cards, axis=1).astype(np.int64)
    index = np.zeros(len(rows), np.int64)
    for position in range(rows.shape[1]):
        below = np.ones(len(rows), np.int64)
        for step in range(position + 1):
            below = below * (rows[:, position] - step) // (step + 1)  # C(card, step + 1): no remainder
        index += below
    return index


def all_hands(deck: Deck, cards: int) -> Cards:
    """[C(size, cards), cards]: every set of cards, ascending in its row; the row's highest card grows slowest."""
    if comb(deck.size, cards) > LISTED_HANDS:
        raise TooLargeError(
            f"There are {comb(deck.size, cards):,} sets of {cards} out of {deck.size} cards, too many for one array; "
            "list fewer cards and add the others."
        )
    rows: Cards = np.zeros((1, 0), np.int8 if deck.size <= 128 else np.int32)
    for taken in range(cards):
        below = [rows[: comb(top, taken)] for top in range(deck.size)]  # all sets of `taken` cards lower than `top`
        tops = np.repeat(np.arange(deck.size, dtype=rows.dtype), [len(block) for block in below])
        rows = np.column_stack([np.concatenate(below), tops])
    return rows


@cache
def pairs(deck: Deck = FULL_DECK) -> Cards:
    """[C(size, 2), 2]: all hole cards, lower card first, at their `pair_index`."""
    out = all_hands(deck, 2)
    out.flags.writeable = False
    return out


PAIRS = pairs()


# -- refusals ------------------------------------------------------------------------------------------------------


def _card_rows(cards: Cards, fewest: int, most: int, deck: Deck) -> NDArray[np.uint8]:
    """Rows of bytes; a byte that is no card is left to the kernel, which sees it for nothing."""
    given = np.asarray(cards)
    if given.ndim != 2 or not fewest <= given.shape[1] <= most or given.dtype.kind not in "iu":
        expected = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        raise ParameterError(
            f"Cards must be whole numbers in rows of {expected}, but {given.dtype} of shape {given.shape} was given."
        )
    _refuse_deck(deck, given.shape[1])
    if given.dtype.itemsize > 1:
        foreign = (given < 0) | (given >= deck.size)
        if foreign.any():
            raise _bad_row(given, int(foreign.any(axis=1).argmax()), deck)
        given = given.astype(np.uint8)
    return np.ascontiguousarray(given).view(np.uint8)


def _refuse_deck(deck: Deck, cards: int) -> None:
    if deck.merged:
        raise NotApplicableError(
            "Flushes need suits, but this deck has merged suits; use a Deck that keeps them apart."
        )
    if deck.ranks > MOST_RANKS:
        raise ParameterError(f"Hands of five cards are ranked in decks of up to {MOST_RANKS} ranks, not {deck.ranks}.")
    if deck.size < cards:
        raise ParameterError(f"A hand of {cards} cards was asked for, but the deck has {deck.size}; use a larger deck.")


def _bad_row(rows: Cards, row: int, deck: Deck) -> ParameterError:
    return ParameterError(
        f"Row {row} is {np.asarray(rows)[row].tolist()}, but needs different cards (suits * rank + suit) "
        f"from 0 to {deck.size - 1}."
    )
