"""Features of hands written down plainly: deal every board, compare with every opponent."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from equilibrist.cards.deck import Deck
from equilibrist.cards.strength import hand_strength


def final_equity(hole: Sequence[int], board: Sequence[int], deck: Deck, opponents: Sequence[tuple[int, int]]) -> float:
    """Share won against the opponents' hands that can still be held; nan if there are none."""

    def strength(cards):
        return hand_strength([deck.rank(c) for c in cards], [deck.suit(c) for c in cards], deck.ranks)

    own = strength([*hole, *board])
    scores = []
    for other in opponents:
        if not {*other} & {*hole, *board}:
            theirs = strength([*other, *board])
            scores.append(1.0 if own > theirs else 0.5 if own == theirs else 0.0)
    return float(np.mean(scores)) if scores else float("nan")


def completions(cards: Sequence[int], deck: Deck, missing: int):
    return combinations([c for c in range(deck.size) if c not in cards], missing)


def runout_equities(hole, board, deck: Deck, final: int, opponents=None) -> np.ndarray:
    """Final equity on every completion of the board."""
    opponents = list(combinations(range(deck.size), 2)) if opponents is None else opponents
    return np.array(
        [
            final_equity(hole, [*board, *more], deck, opponents)
            for more in completions([*hole, *board], deck, final - len(board))
        ]
    )
