"""Complete boards: all ways a board can run out, looked at once where only an exchange of suits tells them apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equilibrist.cards._kernels.equity import list_runouts
from equilibrist.cards.evaluator import boards_strengths
from equilibrist.cards.range_text import STANDARD, hands_of, parse_cards
from equilibrist.compute.machine import cores
from equilibrist.core.arrays import Longs
from equilibrist.core.errors import ParameterError

BOARDS_AT_ONCE = 2048  # five megabytes of strengths

Sums = NDArray[Any]  # whole numbers or floats
Work = Callable[[NDArray[np.uint16], NDArray[np.uint8]], list[Sums]]  # strengths and multiplicities of some boards


@dataclass(frozen=True)
class Runouts:
    """Complete boards up to an exchange of the suits that the board does not tell apart.

    Sums over all boards of something about a hand are sums over `boards` with `multiplicity`, averaged over the `images`
    of the hand.
    """

    board: tuple[int, ...]  # what lies already
    boards: NDArray[np.uint8]  # [canonical board, 5]
    multiplicity: NDArray[np.uint8]  # [canonical board] boards it stands for
    images: Longs  # [exchange of suits, hand] where each hand goes

    def of_deal(self, players: int) -> int:
        """How many boards are possible once all hands are known."""
        return math.comb(52 - len(self.board) - 2 * players, 5 - len(self.board))

    def sum_over_boards(self, work: Work) -> list[Sums]:
        """Sums of what `work` returns for blocks of canonical boards; the same whatever the number of threads."""
        starts = range(0, len(self.boards), BOARDS_AT_ONCE)

        def block(start: int) -> list[Sums]:
            part = slice(start, start + BOARDS_AT_ONCE)
            return work(boards_strengths(self.boards[part]), self.multiplicity[part])

        if len(starts) == 1:
            return block(0)
        pool = ThreadPoolExecutor(min(len(starts), cores()))
        try:
            sums: list[Sums] = []
            for parts in pool.map(block, starts):
                sums = parts if not sums else [a + b for a, b in zip(sums, parts, strict=True)]
        finally:  # an interrupt leaves the blocks not yet begun undone
            pool.shutdown(cancel_futures=True)
        return sums


def board_cards(board: str | Sequence[int]) -> tuple[int, ...]:
    """Cards of a board given as text or numbers; refuses what cannot lie on a table."""
    cards = parse_cards(board) if isinstance(board, str) else tuple(int(card) for card in board)
    if len(set(cards)) != len(cards) or not all(0 <= card < STANDARD.size for card in cards):
        raise ParameterError(f"A board has different cards from 0 to 51, but {list(cards)} was given.")
    if len(cards) not in (0, 3, 4, 5):
        given = "".join(map(STANDARD.label, cards))
        raise ParameterError(
            f"A board has 3, 4 or 5 cards, or none before the flop, but {len(cards)} were given: {given}."
        )
    return cards


@lru_cache(maxsize=4)
def runouts_of(board: tuple[int, ...]) -> Runouts:
    """All completions of a board of 0 to 5 cards."""
    count = 5 - len(board)
    free = np.array([card for card in range(STANDARD.size) if card not in board])
    ranks = [frozenset(card // 4 for card in board if card % 4 == suit) for suit in range(4)]
    runouts = np.empty((math.comb(len(free), count), count), np.uint8)
    multiplicity = np.empty(len(runouts), np.uint8)
    classes, spare = np.array([ranks.index(each) for each in ranks]), (np.empty(size, np.int64) for size in (count, 4))
    found = list_runouts(free, count, classes, *spare, runouts, multiplicity)
    lying = np.broadcast_to(np.array(board, np.uint8), (found, len(board)))
    exchanges = [p for p in permutations(range(4)) if all(ranks[p[suit]] == ranks[suit] for suit in range(4))]
    images = np.stack([_image(np.array(exchange)) for exchange in exchanges])
    return Runouts(board, np.concatenate([lying, runouts[:found]], axis=1), multiplicity[:found].copy(), images)


def _image(exchange: Longs) -> Longs:
    """Where each hand goes when suits are exchanged."""
    hands = hands_of(STANDARD)
    one, other = (4 * (cards // 4) + exchange[cards % 4] for cards in (hands.low, hands.high))
    low, high = np.minimum(one, other), np.maximum(one, other)
    image: Longs = high * (high - 1) // 2 + low
    return image
