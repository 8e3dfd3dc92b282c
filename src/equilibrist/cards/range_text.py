"""Ranges as text, `AA,AKs,QJo:0.5,TT+,A5s-A2s,AsKd`, and back; hands in pair order, index `C(high, 2) + low`.

Entries are read from left to right and a later one replaces an earlier one, so `TT+,QQ:0.5` holds half of the queens and
`random,!AA` everything but aces. Here ranges are bare weight vectors; `ranges.py` wraps them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from equilibrist.cards.deck import SUITS, Deck
from equilibrist.core.errors import NotApplicableError, ParameterError

STANDARD = Deck()  # 52 cards
EVERY_HAND, NO_HAND = "random", "none"
_ENTRY = re.compile(r"\s*(?P<excluded>!?)\s*(?P<hands>[^:]*?)\s*(?P<weighted>:\s*(?P<weight>[^:]*?)\s*)?")
_SPAN = re.compile(r"(?P<first>\w+)\s*(?:(?P<plus>\+)|-\s*(?P<last>\w+))?")
_WEIGHT = re.compile(r"(?P<number>(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)\s*(?P<percent>%?)", re.IGNORECASE)
_EXPECTED_HAND = "a hand such as AA, AKs, AKo, AK or AsKd, a span such as TT+ or A5s-A2s, or 'random'"


class RangeTextError(ParameterError):
    """Text that is no range or no cards; `index` counts characters from 0, the message from 1."""

    def __init__(self, kind: str, token: str, index: int, problem: str) -> None:
        self.token, self.index = token, index
        super().__init__(f"The {kind} '{token}' at character {index + 1} cannot be read: {problem}.")


@dataclass(frozen=True)
class Hands:
    """All hands of two cards of a deck, in pair order, and where each lies in the grid of ranks."""

    deck: Deck
    low: NDArray[np.int64]  # [hand] the smaller card number
    high: NDArray[np.int64]  # [hand]
    cell: NDArray[np.int64]  # [hand] row * ranks + column; best rank first, suited above the diagonal

    @property
    def count(self) -> int:
        return len(self.low)


@cache
def hands_of(deck: Deck) -> Hands:
    """The table of a deck's hands."""
    if deck.merged or deck.ranks > 13:
        raise NotApplicableError("Ranges need a deck of at most 13 ranks whose suits are told apart.")
    high, low = np.tril_indices(deck.size, -1)
    row, column = deck.ranks - 1 - high // deck.suits, deck.ranks - 1 - low // deck.suits
    offsuit = (high % deck.suits != low % deck.suits) & (row != column)
    cell = np.where(offsuit, column * deck.ranks + row, row * deck.ranks + column)
    for array in (low, high, cell):
        array.setflags(write=False)
    return Hands(deck, low, high, cell)


def hand_name(index: int, deck: Deck = STANDARD) -> str:
    """`AsKd`, the higher card first."""
    hands = hands_of(deck)
    if not 0 <= index < hands.count:
        raise ParameterError(f"Hand numbers run from 0 to {hands.count - 1}, but {index} was given.")
    return deck.label(int(hands.high[index])) + deck.label(int(hands.low[index]))


def hand_number(name: str, deck: Deck = STANDARD) -> int:
    """Index in pair order of a hand such as `AsKd`."""
    cards = parse_cards(name, deck)
    if len(cards) != 2:
        raise ParameterError(f"A hand has two cards, as in AsKd, but '{name}' was given.")
    return _pair_index(cards)


def _pair_index(cards: tuple[int, ...]) -> int:
    low, high = sorted(cards)
    return high * (high - 1) // 2 + low


def parse_cards(text: str, deck: Deck = STANDARD, *, offset: int = 0) -> tuple[int, ...]:
    """Different cards one after the other, as in `Td9d6h`; spaces and commas are ignored, errors count from `offset`."""
    numbers = {deck.label(card).lower(): card for card in range(deck.size)}
    letters_after_first = len(next(iter(numbers))) - 1
    cards: list[int] = []
    for found in re.finditer(rf"[^\s,]\s*.{{0,{letters_after_first}}}", text):
        card = numbers.get(re.sub(r"\s", "", found[0]).lower())
        if card is None:
            problem = f"expected cards such as {deck.label(deck.size - 1)}{deck.label(0)}, {_ranks(deck)}"
            raise RangeTextError("card", found[0], offset + found.start(), problem)
        if card in cards:
            problem = "it was given before, and a deck has only one of it"
            raise RangeTextError("card", found[0], offset + found.start(), problem)
        cards.append(card)
    return tuple(cards)


def parse_weights(text: str, deck: Deck = STANDARD) -> NDArray[np.float64]:
    """Weights [hand] of a range text."""
    weights = np.zeros(hands_of(deck).count)
    for number, (index, entry) in enumerate(_entries(text)):
        found = _ENTRY.fullmatch(entry)
        if found is None:
            raise RangeTextError("range entry", entry.strip(), index, "expected one ':' before a weight")
        if found["excluded"] and number == 0:
            problem = "expected hands to exclude from; try 'random,' before it"
            raise RangeTextError("exclusion", entry.strip(), index, problem)
        if found["excluded"] and found["weighted"]:
            raise RangeTextError(
                "exclusion", entry.strip(), index, "expected no weight, since excluded hands have none"
            )
        weight = _weight(found["weight"], index + found.start("weight")) if found["weighted"] else 1.0
        chosen = _Span(found["hands"], index + found.start("hands"), deck).hands()
        weights[chosen] = 0.0 if found["excluded"] else weight
    return weights


def _entries(text: str) -> Iterator[tuple[int, str]]:
    """Where each entry begins, and the entry; a comma at the end is forgiven."""
    if not text.strip():
        raise RangeTextError("range", text, 0, f"it is empty; expected {_EXPECTED_HAND}, or 'none'")
    pieces = text.rstrip().removesuffix(",").split(",")
    index = 0
    for piece in pieces:
        if not piece.strip():
            raise RangeTextError("range entry", piece.strip(), index, f"it is empty; expected {_EXPECTED_HAND}")
        blanks = len(piece) - len(piece.lstrip())
        yield index + blanks, piece.strip()
        index += len(piece) + 1


def _weight(text: str, index: int) -> float:
    found = _WEIGHT.fullmatch(text)
    weight = float("nan") if found is None else float(found["number"]) / (100.0 if found["percent"] else 1.0)
    if not 0.0 <= weight <= 1.0:
        problem = "expected a number from 0 to 1 or a percentage such as 50%"
        raise RangeTextError("weight", text, index, problem)
    return weight


@dataclass(frozen=True)
class _Class:
    """Hands of two ranks; `kinds` are the ways they may be suited ('' for pairs)."""

    high: int
    low: int
    kinds: str

    @property
    def pair(self) -> bool:
        return self.high == self.low

    @property
    def gap(self) -> int:
        return self.high - self.low

    def cells(self, deck: Deck) -> list[int]:
        row, column = deck.ranks - 1 - self.high, deck.ranks - 1 - self.low
        above, below = row * deck.ranks + column, column * deck.ranks + row
        return [above] if self.pair else [above if kind == "s" else below for kind in self.kinds]


@dataclass(frozen=True)
class _Span:
    """The part of an entry that names hands."""

    text: str
    index: int
    deck: Deck

    def hands(self) -> NDArray[np.intp]:
        """Indices of the hands named."""
        table = hands_of(self.deck)
        if self.text.lower() in (EVERY_HAND, NO_HAND):
            return np.arange(table.count if self.text.lower() == EVERY_HAND else 0)
        found = _SPAN.fullmatch(self.text)
        if found is None:
            self._fail(f"expected {_EXPECTED_HAND}, separated by commas")
        if self._is_combo(found["first"]):
            if found["plus"] or found["last"]:
                self._fail("a single combination takes no + or -; expected classes such as AKs")
            return np.array([_pair_index(parse_cards(self.text, self.deck, offset=self.index))])
        cells = [cell for each in self._classes(found) for cell in each.cells(self.deck)]
        chosen = np.flatnonzero(np.isin(table.cell, cells))
        if not len(chosen):
            self._fail(f"a deck with {self.deck.suits} suit(s) has no such hand")
        return chosen

    def _classes(self, found: re.Match[str]) -> list[_Class]:
        first = self._class(found["first"], found.start("first"))
        if found["plus"]:
            if first.pair:
                return [_Class(rank, rank, "") for rank in range(first.high, self.deck.ranks)]
            return [_Class(first.high, low, first.kinds) for low in range(first.low, first.high)]
        if found["last"] is None:
            return [first]
        return self._between(first, self._class(found["last"], found.start("last")))

    def _between(self, first: _Class, last: _Class) -> list[_Class]:
        """`QQ-22`, `A5s-A2s` (same high card) or `T9s-54s` (same gap); either end may come first."""
        if first.kinds != last.kinds or first.pair != last.pair:
            self._fail("expected both ends to be pairs, both suited, both offsuit, or both without letter")
        top, bottom = max(first.high, last.high), min(first.high, last.high)
        if first.gap == last.gap:
            return [_Class(high, high - first.gap, first.kinds) for high in range(bottom, top + 1)]
        if top != bottom:
            self._fail("expected both ends to share their high card, as A5s-A2s, or their gap, as T9s-54s")
        lows = range(min(first.low, last.low), max(first.low, last.low) + 1)
        return [_Class(top, low, first.kinds) for low in lows]

    def _class(self, token: str, start: int) -> _Class:
        ranks = {self.deck.rank_label(rank).lower(): rank for rank in range(self.deck.ranks)}
        letters = token.lower()
        kind = letters[2:]
        if len(letters) < 2 or letters[0] not in ranks or letters[1] not in ranks or kind not in ("", "s", "o"):
            problem = f"expected {_EXPECTED_HAND}, {_ranks(self.deck)}"
            raise RangeTextError("hand", token, self.index + start, problem)
        high, low = sorted((ranks[letters[0]], ranks[letters[1]]), reverse=True)
        if high == low and kind:
            problem = f"a pair is neither suited nor offsuit; expected {token[:2]}"
            raise RangeTextError("hand", token, self.index + start, problem)
        return _Class(high, low, "" if high == low else kind or "so")

    def _is_combo(self, token: str) -> bool:
        """Rank, suit, rank, suit: no letter is both a rank and a suit."""
        return len(token) == 4 and token[1].lower() in SUITS and token[3].lower() in SUITS

    def _fail(self, problem: str) -> NoReturn:
        raise RangeTextError("range entry", self.text, self.index, problem)


def _ranks(deck: Deck) -> str:
    named = "".join(deck.rank_label(rank) for rank in range(deck.ranks))
    return f"with ranks {named} and suits {SUITS[: deck.suits]}"


def format_weights(weights: NDArray[np.float64], deck: Deck = STANDARD) -> str:
    """The shortest text this grammar has for most ranges; `parse_weights` gives the same weights back.

    Every class is written with its most frequent weight, in spans; the hands of it that differ follow one by one.
    """
    hands = hands_of(deck)
    base = _base_weights(weights, hands)
    entries = _spans(base, deck)
    for hand in np.flatnonzero(weights != base[hands.cell])[::-1]:
        name = hand_name(int(hand), deck)
        entries.append(f"!{name}" if weights[hand] == 0.0 else _weighted(name, weights[hand]))
    return ",".join(entries) or NO_HAND


def _base_weights(weights: NDArray[np.float64], hands: Hands) -> NDArray[np.float64]:
    """The most frequent weight of each class [cell]; of equally frequent ones the smallest; nan where no hand is."""
    ranks = hands.deck.ranks
    base = np.full(ranks * ranks, np.nan)
    order = np.argsort(hands.cell, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(hands.cell[order])) + 1):
        values, counts = np.unique(weights[members], return_counts=True)
        base[hands.cell[members[0]]] = values[np.argmax(counts)]
    return base


def _spans(base: NDArray[np.float64], deck: Deck) -> list[str]:
    """Pairs, then by high card what suited and offsuit hands have in common, suited, offsuit."""
    present = base[~np.isnan(base)]
    if len(present) and present[0] > 0.0 and (present == present[0]).all():
        return [_weighted(EVERY_HAND, present[0])]
    grid, label, top = base.reshape(deck.ranks, deck.ranks), deck.rank_label, deck.ranks - 1
    runs = _runs([grid[top - rank, top - rank] for rank in range(deck.ranks)])
    entries = [_weighted(_span_name([label(low) * 2, label(high) * 2], high == top), w) for low, high, w in runs]
    for rank in range(top, 0, -1):
        suited = _runs([grid[top - rank, top - low] for low in range(rank)])
        offsuit = _runs([grid[top - low, top - rank] for low in range(rank)])
        both = [run for run in suited if run in offsuit]
        kinds = [(both, ""), ([r for r in suited if r not in both], "s"), ([r for r in offsuit if r not in both], "o")]
        for chosen, letter in kinds:
            for low, high, w in chosen:
                ends = [label(rank) + label(end) + letter for end in (low, high)]
                entries.append(_weighted(_span_name(ends, high == rank - 1), w))
    return entries


def _runs(weights: list[float]) -> list[tuple[int, int, float]]:
    """Stretches of one weight above zero, from the top: lowest place, highest place, weight."""
    runs: list[tuple[int, int, float]] = []
    for place in range(len(weights) - 1, -1, -1):
        weight = float(weights[place])
        if not weight > 0.0:  # also nan: no such hand
            continue
        if runs and runs[-1][0] == place + 1 and runs[-1][2] == weight:
            runs[-1] = (place, runs[-1][1], weight)
        else:
            runs.append((place, place, weight))
    return runs


def _span_name(ends: list[str], open_above: bool) -> str:
    lowest, highest = ends
    if lowest == highest:
        return lowest
    return f"{lowest}+" if open_above else f"{highest}-{lowest}"


def _weighted(name: str, weight: float) -> str:
    return name if weight == 1.0 else f"{name}:{float(weight)!r}"
