"""Scores of hands by their ranks alone: the category, then up to five ranks, a digit each; many hands at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from equilibrist.cards.strength import FULL_HOUSE, PAIR, QUADS, STRAIGHT, TRIPS, TWO_PAIR

CATEGORY = 1 << 20

Scores = NDArray[np.int64]


def score_hands(counts: Scores) -> Scores:
    """The best five cards of every `counts` [M, rank], at least five in a row, flushes left aside."""
    bits = 1 << np.arange(counts.shape[1])
    once, twice, thrice, fourfold = ((counts > copies) @ bits for copies in range(4))
    pairs, straight = (counts > 1).sum(axis=1), _straight_tops(once, counts.shape[1])
    categories = (
        # which hands, category, set of the leading ranks, how many lead, set of the others, how many follow
        (fourfold > 0, QUADS, fourfold, 1, once, 1),
        ((thrice > 0) & (pairs > 1), FULL_HOUSE, thrice, 1, twice, 1),
        (straight >= 0, STRAIGHT, once, 0, once, 0),
        (thrice > 0, TRIPS, thrice, 1, once, 2),
        (pairs > 1, TWO_PAIR, twice, 2, once, 1),
        (pairs == 1, PAIR, twice, 1, once, 3),
        (pairs >= 0, 0, once, 0, once, 5),
    )
    scores, left = np.zeros(len(counts), np.int64), np.ones(len(counts), np.bool_)
    for which, category, leaders, led, others, followers in categories:
        rows = np.flatnonzero(which & left)
        left[rows] = False
        digits = straight[rows] if category == STRAIGHT else _top_ranks(leaders[rows], led, others[rows], followers)
        scores[rows] = category * CATEGORY + digits
    return scores


def _top_ranks(leaders: Scores, led: int, others: Scores, followers: int) -> Scores:
    """The highest `led` ranks of one set, then the highest `followers` of what is left of another, as digits."""
    digits = np.zeros(len(leaders), np.int64)
    for _ in range(led):
        top = _highest(leaders)
        digits = digits * 16 + top
        leaders, others = leaders ^ (1 << top), others & ~(1 << top)
    for _ in range(followers):
        top = _highest(others)
        digits = digits * 16 + top
        others = others ^ (1 << top)
    return digits


def _highest(held: Scores) -> Scores:
    """The highest rank of each set."""
    highest: Scores = np.frexp(held.astype(np.float64))[1].astype(np.int64) - 1
    return highest


def _straight_tops(held: Scores, ranks: int) -> Scores:
    """Top rank of the best straight in each set of ranks, or -1; the highest rank also counts below the lowest."""
    wheel = 15 | 1 << (ranks - 1)
    tops = np.where((held & wheel == wheel) & (ranks > 4), 3, -1)
    for top in range(4, ranks):
        tops = np.where((held >> (top - 4)) & 31 == 31, top, tops)
    return tops
