"""Flops: all 1,755 that differ by more than suits, weighted subsets that stand for them, and samples.

A flop's weight is how many of the 22,100 flops it stands for. The subsets of 25, 47, 95 and 184 flops were made by
`benchmarks/flop_subsets.py` (docs/reports.md says how, and how well their averages match).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.cards.board_sample import BoardSample
from equilibrist.cards.isomorphism import HandIndexer
from equilibrist.cards.range_text import STANDARD
from equilibrist.cards.ranges import parse_cards
from equilibrist.core.errors import EquilibristError, ParameterError

CLASSES = 1755  # flops that differ by more than suits
FLOPS = 22_100
SUBSETS = (25, 47, 95, 184)
ALL = "all"
HEAVIEST = 1e9  # weight that a flop may be given
_STORED = Path(__file__).with_name("flop_subsets.txt")

WeightedFlop = tuple[str, float]  # cards and weight


def read_flops(given: Any) -> list[WeightedFlop]:
    """Flops as people name them: `all`, the size of a subset, or flops such as `Td9d6h` or `Td9d6h:2.5` in a list or text."""
    if given in (ALL, CLASSES, str(CLASSES)):
        return all_flops()
    if isinstance(given, str):
        number = given.strip().isdecimal() and len(given) < 10  # no card: the size of a subset
        given = int(given) if number else given.replace(",", " ").split()
    if isinstance(given, int) and not isinstance(given, bool):
        return flop_subset(given)
    if not isinstance(given, list | tuple) or not given or not all(isinstance(each, str) for each in given):
        raise ParameterError(
            f'\'flops\' must be "{ALL}", {", ".join(map(str, SUBSETS))}, or flops such as ["Td9d6h", "AsKd2c:12"], but {given!r} '
            "was given."
        )
    return _listed(given)


@cache
def _classes() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Cards [1755, 3], falling, and how many flops each stands for; by rank from the aces down."""
    indexer = HandIndexer((3,))
    numbers = np.arange(indexer.size)
    cards = -np.sort(-indexer.unindex(numbers).astype(np.int64), axis=1)
    order = np.lexsort((*(-cards[:, column] // 4 for column in (2, 1, 0)),))
    return cards[order], indexer.multiplicity(numbers)[order]


def flop_name(cards: Sequence[int]) -> str:
    """Three cards as text."""
    return "".join(map(STANDARD.label, cards))


def all_flops() -> list[WeightedFlop]:
    """Every flop up to suits; the weights are whole numbers and sum to 22,100."""
    cards, copies = _classes()
    return [(flop_name(row), float(count)) for row, count in zip(cards.tolist(), copies.tolist(), strict=True)]


def flop_subset(count: int) -> list[WeightedFlop]:
    """A stored subset; its weights sum to 22,100."""
    if count not in SUBSETS:
        raise ParameterError(
            f'There are subsets of {", ".join(map(str, SUBSETS))} flops, and "{ALL}", but {count} were asked for.'
        )
    rows = [line.split() for line in _STORED.read_text(encoding="ascii").splitlines() if line.startswith(f"{count} ")]
    return [(flop, float(weight)) for _, flop, weight in rows]


def sample_flops(count: int, seed: int = 0) -> list[WeightedFlop]:
    """So many flops and how many each stands for; sums weighted so are unbiased over seeds (`BoardSample`)."""
    if not 1 <= count <= CLASSES:
        raise ParameterError(f"There are {CLASSES:,} flops that differ by more than suits, but {count} were asked for.")
    cards, copies = _classes()
    kept, weight = BoardSample((count,), seed).choose(copies, 0, 0, 1)
    return [
        (flop_name(cards[k].tolist()), float(copies[k] * w))
        for k, w in zip(kept.tolist(), weight.tolist(), strict=True)
    ]


def _listed(words: Sequence[str]) -> list[WeightedFlop]:
    """Flops one by one; without a weight each stands for all flops like it."""
    indexer = HandIndexer((3,))
    seen: dict[int, str] = {}
    out = []
    for word in words:
        name, _, weight = word.partition(":")
        cards = _cards(name)
        number = int(indexer.index(np.array([cards]))[0])
        if number in seen:
            raise ParameterError(
                f"'flops' names {name} and {seen[number]}, which differ by suits only; give one of them."
            )
        seen[number] = name
        copies = int(indexer.multiplicity(np.array([number]))[0])
        out.append((flop_name(cards), _weight(weight, word) if weight else float(copies)))
    return out


def _cards(name: str) -> tuple[int, ...]:
    try:
        cards = parse_cards(name)
    except EquilibristError as error:
        raise ParameterError(f"In 'flops': {error}") from None
    if len(cards) != 3:
        raise ParameterError(f"In 'flops': a flop has three cards, but '{name}' has {len(cards)}.")
    return cards


def _weight(text: str, word: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not 0.0 < weight <= HEAVIEST:
        raise ParameterError(
            f"In 'flops': '{word}' must have a weight above 0 and at most {HEAVIEST:g}, such as Td9d6h:12."
        )
    return weight
