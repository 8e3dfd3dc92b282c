"""Nested percentile buckets and their pairs the slow way: every board, every hand, every opponent, one by one."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations

from equilibrist.cards.deck import Deck
from equilibrist.cards.strength import hand_strength

Cards = tuple[int, ...]


def strength(cards: Cards, deck: Deck) -> tuple[int, ...]:
    return hand_strength([deck.rank(c) for c in cards], [deck.suit(c) for c in cards], deck.ranks)


def equity(hand: Cards, board: Cards, deck: Deck) -> Fraction:
    """Against a random hand: wins and half the ties."""
    mine, points, met = strength((*hand, *board), deck), Fraction(0), 0
    for other in combinations([c for c in range(deck.size) if c not in (*hand, *board)], 2):
        theirs = strength((*other, *board), deck)
        points += 1 if mine > theirs else Fraction(1, 2) if mine == theirs else 0
        met += 1
    return points / met


def expected_square(hand: Cards, board: Cards, cards: int, deck: Deck, known: dict) -> Fraction:
    """E[HS²] of a hand on a board that is still to be completed to `cards` cards."""
    left = [c for c in range(deck.size) if c not in (*hand, *board)]
    squares = []
    for rest in combinations(left, cards - len(board)):
        full = tuple(sorted((*board, *rest)))
        if (hand, full) not in known:
            known[hand, full] = equity(hand, full, deck) ** 2
        squares.append(known[hand, full])
    return sum(squares, Fraction(0)) / len(squares)


def flop_game(deck: Deck, buckets: int) -> tuple[dict, dict]:
    """All deals of two hands and a flop: how many meet in each pair of bucket sequences, and wins minus losses.

    A sequence is (bucket before the flop, bucket on it), 0 the weakest.
    """
    known: dict = {}
    hands = list(combinations(range(deck.size), 2))
    flops = list(combinations(range(deck.size), 3))
    dealt = [(hand, flop) for flop in flops for hand in hands if not set(hand) & set(flop)]
    before = {hand: expected_square(hand, (), 3, deck, known) for hand in hands}
    first = percentiles([((), before[hand]) for hand, _ in dealt], buckets)
    on_flop = [((first[(), before[hand]],), expected_square(hand, flop, 3, deck, known)) for hand, flop in dealt]
    second = percentiles(on_flop, buckets)
    sequence = {place: (parent[0], second[parent, key]) for place, (parent, key) in zip(dealt, on_flop, strict=True)}
    deals: dict = defaultdict(int)
    balance: dict = defaultdict(int)
    for flop in flops:
        free = [hand for hand in hands if not set(hand) & set(flop)]
        for one in free:
            for other in free:
                if set(one) & set(other):
                    continue
                pair = sequence[one, flop], sequence[other, flop]
                mine, theirs = strength((*one, *flop), deck), strength((*other, *flop), deck)
                deals[pair] += 1
                balance[pair] += (mine > theirs) - (mine < theirs)
    return deals, balance


def percentiles(entries: list, parts: int) -> dict:
    """(parent, key) -> part: keys of a parent in order, each where the middle of its share of the entries lies."""
    by_parent: dict = defaultdict(lambda: defaultdict(int))
    for parent, key in entries:
        by_parent[parent][key] += 1
    found = {}
    for parent, count in by_parent.items():
        total, seen = sum(count.values()), 0
        for key in sorted(count):
            middle = Fraction(2 * seen + count[key], 2)
            found[parent, key] = min(int(parts * middle / total), parts - 1)
            seen += count[key]
    return found
