"""Suit isomorphism written down plainly: try every relabelling of suits and keep the smallest deal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from math import factorial

Deal = tuple[tuple[int, ...], ...]  # cards by round, rising


def relabel(deal: Sequence[Sequence[int]], order: Sequence[int]) -> Deal:
    """The deal with suit s called order[s]."""
    suits = len(order)
    return tuple(tuple(sorted(card - card % suits + order[card % suits] for card in cards)) for cards in deal)


def naive_orbit(deal: Sequence[Sequence[int]], suits: int) -> set[Deal]:
    """Every deal that is alike."""
    return {relabel(deal, order) for order in permutations(range(suits))}


def naive_canonical(deal: Sequence[Sequence[int]], suits: int) -> Deal:
    """The smallest deal that is alike."""
    return min(naive_orbit(deal, suits))


def split(row: Sequence[int], rounds: Sequence[int]) -> Deal:
    """A flat row of cards by round."""
    starts = [sum(rounds[:r]) for r in range(len(rounds))]
    return tuple(tuple(int(card) for card in row[at : at + n]) for at, n in zip(starts, rounds, strict=True))


def all_deals(rounds: Sequence[int], cards: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every deal as a flat row, rising within rounds."""
    if not rounds:
        yield ()
        return
    for chosen in combinations(cards, rounds[0]):
        left = [card for card in cards if card not in chosen]
        for rest in all_deals(rounds[1:], left):
            yield chosen + rest


def burnside_count(rounds: tuple[int, ...], ranks: int, suits: int) -> int:
    """Number of classes by Burnside's lemma: deals fixed by each relabelling, averaged.

    A relabelling fixes a deal if the cards of each of its cycles, at each rank, all came in one round or not at all.
    """
    fixed = 0
    for order in permutations(range(suits)):
        ways: Counter[tuple[int, ...]] = Counter({(0,) * len(rounds): 1})
        for length in _cycle_lengths(order) * ranks:
            longer = Counter(ways)
            for dealt, count in ways.items():
                for r in range(len(rounds)):
                    if dealt[r] + length <= rounds[r]:
                        longer[(*dealt[:r], dealt[r] + length, *dealt[r + 1 :])] += count
            ways = longer
        fixed += ways[rounds]
    return fixed // factorial(suits)


def _cycle_lengths(order: Sequence[int]) -> list[int]:
    lengths, met = [], set()
    for start in range(len(order)):
        length, s = 0, start
        while s not in met:
            met.add(s)
            s = order[s]
            length += 1
        if length:
            lengths.append(length)
    return lengths
