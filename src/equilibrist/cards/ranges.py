"""Ranges: how likely a player is to hold each two-card hand, up to a common factor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equilibrist.cards.deck import Deck
from equilibrist.cards.range_text import (
    STANDARD,
    RangeTextError,
    format_weights,
    hand_name,
    hand_number,
    hands_of,
    parse_cards,
    parse_weights,
)
from equilibrist.core.errors import FormatError, ParameterError
from equilibrist.core.reading import read_text

__all__ = [
    "Range",
    "RangeTextError",
    "from_classes",
    "from_lexicographic_shdc",
    "hand_name",
    "hand_number",
    "load_range",
    "parse_cards",
    "parse_range",
]

FAINTEST = 1e-20  # of the largest weight: what is made of less is soon taken for nothing in single precision
LARGEST_FILE = 1 << 20  # bytes; 1,326 weights need a thirtieth of it


@dataclass(frozen=True, eq=False)
class Range:
    """A weight from 0 to 1 for each hand of two cards, in pair order."""

    weights: NDArray[np.float64]  # [hand]
    deck: Deck = STANDARD

    def __post_init__(self) -> None:
        weights = np.array(self.weights, dtype=np.float64)
        count = hands_of(self.deck).count
        if weights.shape != (count,):
            raise ParameterError(f"A range of this deck has {count:,} weights, but {weights.size:,} were given.")
        outside = np.flatnonzero(~((weights >= 0.0) & (weights <= 1.0)))
        if len(outside):
            name, weight = hand_name(int(outside[0]), self.deck), weights[outside[0]]
            raise ParameterError(
                f"Weights of a range lie between 0 and 1, but {name} has {weight}; divide by the largest."
            )
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)

    @property
    def total(self) -> float:
        """Sum of the weights: the number of combinations."""
        return float(self.weights.sum())

    @property
    def hands(self) -> NDArray[np.intp]:
        """Indices of the hands that are in the range at all."""
        return np.flatnonzero(self.weights)

    @property
    def normalised(self) -> Range:
        """The same range as probabilities that sum to one."""
        if not self.total > 0.0:
            raise ParameterError("An empty range cannot be normalised; give at least one hand a weight above 0.")
        return Range(self.weights / self.total, self.deck)

    def scaled(self) -> Range:
        """The same range with the largest weight 1; refuses weights that are too small beside it."""
        top = float(self.weights.max(initial=0.0))
        faint = np.flatnonzero((self.weights > 0.0) & (self.weights < FAINTEST * top))
        if len(faint):
            raise ParameterError(
                f"{hand_name(int(faint[0]), self.deck)} has the weight {self.weights[faint[0]]:g}, less than {FAINTEST:g} of the "
                f"largest, {top:g}; leave the hand out, or give it more."
            )
        return self if top in (0.0, 1.0) else Range(np.minimum(self.weights / top, 1.0), self.deck)

    def combos(self) -> dict[str, float]:
        """Weight by hand name, best cards first, without the hands that are absent."""
        return {hand_name(int(hand), self.deck): float(self.weights[hand]) for hand in self.hands[::-1]}

    def without(self, cards: str | Iterable[int]) -> Range:
        """Card removal: hands that hold one of these cards get weight 0."""
        gone = parse_cards(cards, self.deck) if isinstance(cards, str) else tuple(cards)
        table, dead = hands_of(self.deck), np.zeros(self.deck.size, dtype=np.bool_)
        dead[[card for card in gone if 0 <= card < self.deck.size]] = True
        return Range(np.where(dead[table.low] | dead[table.high], 0.0, self.weights), self.deck)

    def grid(self) -> NDArray[np.float64]:
        """Average weight of each class [rank, rank]: best rank first, suited above the diagonal, 0 where no hand is."""
        cell, ranks = hands_of(self.deck).cell, self.deck.ranks
        sums = np.bincount(cell, self.weights, minlength=ranks * ranks)
        counts = np.bincount(cell, minlength=ranks * ranks)
        grid: NDArray[np.float64] = (sums / np.maximum(counts, 1)).reshape(ranks, ranks)
        return grid

    def __or__(self, other: Range) -> Range:
        """Union: of each hand the larger weight."""
        return Range(np.maximum(self.weights, self._fellow(other)), self.deck)

    def __and__(self, other: Range) -> Range:
        """Intersection: of each hand the smaller weight."""
        return Range(np.minimum(self.weights, self._fellow(other)), self.deck)

    def __mul__(self, factor: float) -> Range:
        """All weights scaled."""
        return Range(self.weights * factor, self.deck)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and self.deck == other.deck and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash((self.deck, self.weights.tobytes()))

    def __str__(self) -> str:
        return format_weights(self.weights, self.deck)

    def __repr__(self) -> str:
        text = str(self)
        return f"Range({text if len(text) <= 80 else text[:77] + '...'})"

    def _fellow(self, other: Range) -> NDArray[np.float64]:
        if other.deck != self.deck:
            raise ParameterError("Two ranges can be combined only if they are of the same deck.")
        return other.weights


def parse_range(text: str, deck: Deck = STANDARD) -> Range:
    """A range from text such as `AA,AKs,QJo:0.5,TT+,A5s-A2s,AsKd`; files are read by `load_range`."""
    if text.lstrip().startswith("@"):
        raise RangeTextError(
            "range", text, text.index("@"), "it names a file, and files are not read here; use load_range"
        )
    return Range(parse_weights(text, deck), deck)


def load_range(text: str, deck: Deck = STANDARD) -> Range:
    """A range from its text, or with `@path` from a file of one weight per hand in pair order."""
    if not text.lstrip().startswith("@"):
        return parse_range(text, deck)
    path = Path(text.strip()[1:])
    return Range(_read_weights(path, hands_of(deck).count), deck)


def _read_weights(path: Path, count: int) -> NDArray[np.float64]:
    """Numbers separated by white space or commas."""
    expected = f"expected {count:,} weights from 0 to 1 as text, separated by spaces, commas or line breaks"
    words = read_text(path, "The range file", expected, most=LARGEST_FILE).replace(",", " ").split()
    weights = [_number(word, place, path, expected) for place, word in enumerate(words, start=1)]
    if len(weights) != count:
        raise FormatError(f"The range file '{path}' has {len(weights):,} numbers; {expected}.")
    return np.array(weights)


def _number(word: str, place: int, path: Path, expected: str) -> float:
    try:
        weight = float(word)
    except ValueError:
        weight = float("nan")
    if not 0.0 <= weight <= 1.0:
        shown = word if len(word) <= 20 else word[:20] + "…"
        raise FormatError(f"Entry {place:,} of the range file '{path}' is '{shown}'; {expected}.")
    return weight


def from_classes(weights: ArrayLike, deck: Deck = STANDARD) -> Range:
    """A range from one weight per class: 169 numbers row by row, or the 13 x 13 grid of `Range.grid`."""
    given = np.asarray(weights, dtype=np.float64).reshape(-1)
    if given.size != deck.ranks**2:
        raise ParameterError(f"There are {deck.ranks**2} classes of hands, but {given.size} weights were given.")
    return Range(given[hands_of(deck).cell], deck)


def from_lexicographic_shdc(weights: ArrayLike) -> Range:
    """A range from 1,326 weights in the order 2s2h, 2s2d, 2s2c, 2s3s, … AdAc ([Brown20, §3.1.3], subgame files)."""
    given = np.asarray(weights, dtype=np.float64).reshape(-1)
    first, second = np.triu_indices(52, 1)
    if given.size != len(first):
        raise ParameterError(f"Expected {len(first):,} weights in lexicographic order, but {given.size:,} were given.")
    ours = 4 * (np.arange(52) // 4) + 3 - np.arange(52) % 4  # shdc is cdhs backwards
    low, high = np.minimum(ours[first], ours[second]), np.maximum(ours[first], ours[second])
    ordered = np.zeros(len(first))
    ordered[high * (high - 1) // 2 + low] = given
    return Range(ordered)
