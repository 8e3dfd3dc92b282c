"""The 169 classes of hole cards in the order of the 13 x 13 grid: best rank first, suited above the diagonal, row by row."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError, suggest

CLASSES = 169
RANKS = "AKQJT98765432"
NAMES = tuple(
    RANKS[row] * 2
    if row == column
    else f"{RANKS[min(row, column)]}{RANKS[max(row, column)]}{'s' if column > row else 'o'}"
    for row in range(13)
    for column in range(13)
)


@lru_cache(maxsize=1)
def combinations() -> Longs:
    """[class] how many combinations of cards a class has: 6 for pairs, 4 suited, 12 offsuit."""
    counts: Longs = np.bincount(hands_of(STANDARD).cell, minlength=CLASSES)
    counts.setflags(write=False)
    return counts


@lru_cache(maxsize=1)
def disjoint_pairs() -> Longs:
    """W [class, class]: pairs of combinations, one of each class, that share no card."""
    hands = hands_of(STANDARD)
    member = np.zeros((CLASSES, hands.count), np.int64)
    member[hands.cell, np.arange(hands.count)] = 1
    holds = np.zeros((hands.count, STANDARD.size), np.int64)
    holds[np.arange(hands.count), hands.low] = holds[np.arange(hands.count), hands.high] = 1
    by_card = member @ holds  # [class, card] combinations that hold the card
    same = np.diag(combinations())  # counted through both of its cards, so once too often
    pairs: Longs = np.outer(combinations(), combinations()) - by_card @ by_card.T + same
    pairs.setflags(write=False)
    return pairs


def class_number(name: str) -> int:
    """The place of a class by its name, such as AKs, 72o or TT."""
    tidy = name[:-1].upper() + name[-1:].lower() if len(name) == 3 else name.upper()
    if tidy not in NAMES:
        raise ParameterError(
            f"'{name[:20]}' is no class of hands; expected one such as AKs, 72o or TT.{suggest(name[:20], NAMES)}"
        )
    return NAMES.index(tidy)


def split_class(weights: Floats) -> str:
    """The first class of which a range of 1,326 hands weighs some otherwise than others, or nothing."""
    cell = hands_of(STANDARD).cell
    low, high = np.full(CLASSES, np.inf), np.full(CLASSES, -np.inf)
    np.minimum.at(low, cell, weights)
    np.maximum.at(high, cell, weights)
    apart = np.flatnonzero(high - low > 1e-9 * high)
    return NAMES[int(apart[0])] if len(apart) else ""


def class_weights(weights: Floats) -> Floats:
    """[class] average weights of a range of 1,326 hands."""
    cell = hands_of(STANDARD).cell
    sums: Floats = np.bincount(cell, weights, minlength=CLASSES) / combinations()
    return sums
