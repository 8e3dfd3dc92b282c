"""Hands up to suits: a perfect index of deals in rounds, and which next cards are the same but for suits.

Each round's cards are a set; two deals are alike if some relabelling of suits turns one into the other ([Ganzfried15]; every
class gets one number, without gaps). How it works is told in `docs/isomorphism.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equilibrist.core.errors import ParameterError, TooLargeError
from equilibrist.games.cards._kernels import isomorphism as kernels
from equilibrist.games.cards.deck import Deck

LARGEST_RANKS = 16
_SUITS = 4  # smaller decks are indexed as if they had four suits, the further ones always empty
_MOST_ASSIGNMENTS = 1 << 18  # of cards per round to suits; bounds the tables to tens of megabytes
_MOST_HANDS = 1 << 61  # the kernels multiply by up to four before they divide

Shape = tuple[int, ...]  # four configurations, falling


@dataclass(frozen=True, eq=False)
class _Tables:
    """What the kernels need to number the hands of one sequence of rounds (D configurations, H shapes)."""

    rounds: NDArray[np.int64]  # [R]
    strides: NDArray[np.int64]  # [R]; a configuration is the sum of count * stride
    choose: NDArray[np.int64]  # [ranks + 1, ranks + 1]
    ones: NDArray[np.int64]  # [2^ranks]
    values: NDArray[np.int64]  # [D]; in how many ways one suit can fill a configuration
    configurations: NDArray[np.int64]  # [H, 4]
    pair: NDArray[np.int32]  # [D, D]; number of the first two configurations of a shape
    shape: NDArray[np.int32]  # [pairs, D]; number of the shape that goes on with a third
    offset: NDArray[np.int64]  # [H + 1]; first index of each shape
    weight: NDArray[np.int64]  # [H, 4]; what one step of a suit's multiset rank adds to the index
    place: NDArray[np.int64]  # [H, 4]; suits of the same configuration from here on

    @property
    def size(self) -> int:
        return int(self.offset[-1])


def _build_tables(rounds: tuple[int, ...], deck: Deck) -> _Tables:
    radices = [min(cards, deck.ranks) + 1 for cards in rounds]
    strides = [prod(radices[r + 1 :]) for r in range(len(rounds))]
    counts = list(product(*(range(radix) for radix in radices)))  # by configuration
    values = [_suit_ways(each, deck.ranks) for each in counts]
    shapes = list(_shapes(rounds, counts, values, deck.suits))
    place = [[shape[s:].count(shape[s]) for s in range(_SUITS)] for shape in shapes]
    offset, weight = [0], []
    for shape, places in zip(shapes, place, strict=True):
        weights, size = _mixed_radix(shape, places, values)
        weight.append(weights)
        offset.append(offset[-1] + size)
    if offset[-1] >= _MOST_HANDS:
        raise TooLargeError(f"Rounds of {rounds} cards have {offset[-1]} hands, more than fit an index; deal fewer cards.")
    pair, shape_table = _lookup(shapes, len(counts))
    choose = [[comb(n, k) for k in range(deck.ranks + 1)] for n in range(deck.ranks + 1)]
    return _Tables(
        rounds=np.array(rounds, np.int64),
        strides=np.array(strides, np.int64),
        choose=np.array(choose, np.int64),
        ones=np.bitwise_count(np.arange(1 << deck.ranks)).astype(np.int64),
        values=np.array(values, np.int64),
        configurations=np.array(shapes, np.int64),
        pair=pair,
        shape=shape_table,
        offset=np.array(offset, np.int64),
        weight=np.array(weight, np.int64),
        place=np.array(place, np.int64),
    )


def _suit_ways(counts: Sequence[int], ranks: int) -> int:
    """Ways to choose the ranks of one suit round by round; 0 if the suit has too few."""
    used = [sum(counts[:r]) for r in range(len(counts))]
    return prod(comb(max(ranks - before, 0), count) for before, count in zip(used, counts, strict=True))


def _shapes(
    rounds: tuple[int, ...], counts: list[tuple[int, ...]], values: list[int], suits: int
) -> Iterator[Shape]:
    """All falling sequences of configurations that deal out the rounds, padded with empty suits."""
    number = {each: i for i, each in enumerate(counts)}

    def extend(chosen: Shape, left: tuple[int, ...]) -> Iterator[Shape]:
        bound = chosen[-1] if chosen else len(counts)
        if len(chosen) == suits - 1:
            last = number.get(left, bound + 1)
            if last <= bound and values[last] > 0:
                yield (*chosen, last, *[0] * (_SUITS - suits))
            return
        for taken in product(*(range(min(rest, widest) + 1) for rest, widest in zip(left, counts[-1], strict=True))):
            if number[taken] <= bound and values[number[taken]] > 0:
                yield from extend((*chosen, number[taken]), tuple(a - b for a, b in zip(left, taken, strict=True)))

    return extend((), rounds)


def _mixed_radix(shape: Shape, places: list[int], values: list[int]) -> tuple[list[int], int]:
    """Weight of every suit and the number of hands of a shape; equal configurations form multisets."""
    weights: list[int] = []
    size = 1
    for s, (configuration, place) in enumerate(zip(shape, places, strict=True)):
        first = s == 0 or places[s - 1] == 1
        weights.append(size if first else weights[-1])
        if place == 1:
            group = s + 1 - shape.index(configuration)
            size *= comb(values[configuration] + group - 1, group)
    return weights, size


def _lookup(shapes: list[Shape], configurations: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Two steps from the first three configurations to a shape; the fourth follows from them."""
    pairs = {each: i for i, each in enumerate(dict.fromkeys(shape[:2] for shape in shapes))}
    pair = np.zeros((configurations, configurations), np.int32)
    table = np.zeros((len(pairs), configurations), np.int32)
    for (a, b), i in pairs.items():
        pair[a, b] = i
    for h, (a, b, c, _) in enumerate(shapes):
        table[pairs[a, b], c] = h
    return pair, table
