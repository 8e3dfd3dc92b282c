"""BoardHands: all hands on a flop or a turn, with exact wins, ties and losses after every card that may come next.

One board is looked at whole, so nothing has to be kept for the 55 million hands of a turn; suits are not merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.information._kernels.board_hands import add_outcomes
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import FULL_DECK, boards_strengths, pairs
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError

FINAL_BOARD = 5
BOARDS_AT_ONCE = 512


@dataclass(frozen=True, eq=False)
class BoardHands:
    """H hands that a board leaves, C cards that may come next."""

    deck: Deck
    board: tuple[int, ...]
    hands: Longs  # [H] places among all pairs of the deck
    low: Longs  # [H] lower card
    high: Longs  # [H] higher card
    coming: Longs  # [C]
    after: Longs  # [C, H, 3] wins, ties and losses over all opponents and the rest of the board; 0 for hands that hold the card

    @property
    def possible(self) -> NDArray[np.bool_]:
        """[C, H]: the hand does not hold the card."""
        return np.asarray((self.coming[:, None] != self.low) & (self.coming[:, None] != self.high))

    @property
    def outcomes(self) -> Longs:
        """[H, 3] wins, ties and losses over all that can follow."""
        return np.asarray(self.after.sum(axis=0))


def board_hands(board: Sequence[int], deck: Deck = FULL_DECK, *, final: int = FINAL_BOARD) -> BoardHands:
    """Roll out every hand on a board that is one or two cards short of complete."""
    lying = tuple(int(card) for card in board)
    missing = final - len(lying)
    if not 1 <= missing <= 2 or len(set(lying)) != len(lying):
        raise ParameterError(
            f"A flop or a turn lacks one or two of {final} different board cards, but {list(lying)} was given."
        )
    both = pairs(deck).astype(np.int64)
    free = np.array([card for card in range(deck.size) if card not in lying])
    chosen = np.array(list(combinations(range(len(free)), missing)), np.int64)
    after = np.zeros((len(free), len(both), 3), np.int64)
    low, high = np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])
    for start in range(0, len(chosen), BOARDS_AT_ONCE):
        some = chosen[start : start + BOARDS_AT_ONCE]
        whole = np.concatenate([np.broadcast_to(lying, (len(some), len(lying))), free[some]], axis=1)
        add_outcomes(boards_strengths(whole.astype(np.uint8), deck), some, low, high, after)
    held = np.flatnonzero(~np.isin(both, lying).any(axis=1))
    return BoardHands(deck, lying, held, low[held], high[held], free, after[:, held])


def equity(outcomes: Longs) -> Floats:
    """[…] from wins, ties and losses […, 3]: w + d/2 as a share; 0 where there are none."""
    total = outcomes.sum(axis=-1)
    points = 2 * outcomes[..., 0] + outcomes[..., 1]
    share: Floats = np.divide(points, 2.0 * total, out=np.zeros(total.shape), where=total > 0)
    return share
