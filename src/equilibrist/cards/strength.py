"""How strong a hand is, for hands of one to seven cards; readable, for rules and tests (kernels come with the engine).

One card: the higher rank. Two cards: a pair beats no pair. Three cards: straight flush, three of a kind, straight, flush,
pair, high card (Rhode Island hold'em, [Gilpin09, Table 3.1]). Five to seven cards: the best five-card poker hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

HIGH, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)

_THREE_CARD_ORDER = {HIGH: 0, PAIR: 1, FLUSH: 2, STRAIGHT: 3, TRIPS: 4, STRAIGHT_FLUSH: 5}


def hand_strength(ranks: Sequence[int], suits: Sequence[int], deck_ranks: int = 13) -> tuple[int, ...]:
    """A tuple that compares as the hands do: larger wins, equal splits."""
    if len(ranks) > 5:
        return max(
            hand_strength([ranks[i] for i in chosen], [suits[i] for i in chosen], deck_ranks)
            for chosen in combinations(range(len(ranks)), 5)
        )
    return _strength(tuple(ranks), tuple(suits), deck_ranks)


@lru_cache(maxsize=200_000)
def _strength(ranks: tuple[int, ...], suits: tuple[int, ...], deck_ranks: int) -> tuple[int, ...]:
    counts = Counter(ranks)
    grouped = tuple(sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True))
    shape = sorted(counts.values(), reverse=True)
    cards = len(ranks)
    if cards <= 2:
        return (PAIR if shape[0] == 2 else HIGH, *grouped)
    straight = _straight_top(set(ranks), cards, deck_ranks)
    order: tuple[int, ...]
    flush = len(set(suits)) == 1
    if straight is not None:
        category, order = (STRAIGHT_FLUSH if flush else STRAIGHT), (straight,)
    else:
        category, order = _category(shape, flush), grouped
    if cards == 3:
        category = _THREE_CARD_ORDER[category]
    return (category, *order)


def _category(shape: list[int], flush: bool) -> int:
    if shape[0] == 4:
        return QUADS
    if shape[:2] == [3, 2]:
        return FULL_HOUSE
    if flush:
        return FLUSH
    if shape[0] == 3:
        return TRIPS
    if shape[:2] == [2, 2]:
        return TWO_PAIR
    return PAIR if shape[0] == 2 else HIGH


def _straight_top(ranks: set[int], cards: int, deck_ranks: int) -> int | None:
    """Rank of the top card of a straight; the ace (highest rank) also counts below the lowest rank."""
    if len(ranks) != cards:
        return None
    top = max(ranks)
    if top - min(ranks) == cards - 1:
        return top
    ace = deck_ranks - 1
    if ace in ranks and ranks - {ace} == set(range(cards - 1)):
        return cards - 2
    return None
