"""Public belief states: a board, what both players may hold and how deep the stacks are; drawn at random as play may reach them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from equilibrist.cards.evaluator import boards_strengths
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.core.arrays import Array, Bools, Floats, Floats32, Longs
from equilibrist.core.errors import ParameterError

Street = Literal["turn", "river"]
BOARD_CARDS: dict[Street, int] = {"turn": 4, "river": 5}
HANDS = hands_of(STANDARD)
KINDS = ("split", "smooth", "thinned")
LEAST_WEIGHT = (
    1e-3  # of every hand beside the largest: only hands that are held have values, and a search asks about all
)


@dataclass(frozen=True, eq=False)
class BeliefStates:
    """N states of one street."""

    boards: Longs  # [N, cards]
    ranges: Floats32  # [N, 2, 1326] the largest weight of each range is 1
    depth: Floats  # [N] chips behind as a share of the pot
    kind: Longs  # [N] which of `KINDS`, or -1

    def __len__(self) -> int:
        return len(self.boards)

    def __getitem__(self, rows: slice | Longs) -> BeliefStates:
        return BeliefStates(self.boards[rows], self.ranges[rows], self.depth[rows], self.kind[rows])

    def hashes(self) -> list[str]:
        """A name of each state by its contents."""
        return [
            hashlib.sha256(np.sort(board).tobytes() + ranges.tobytes() + depth.tobytes()).hexdigest()[:16]
            for board, ranges, depth in zip(self.boards, self.ranges, self.depth, strict=True)
        ]


def complete_boards(board: Sequence[int]) -> Longs:
    """[runout, 5] all boards that can come of one with four or five cards."""
    if len(board) == 5:
        return np.array([board], dtype=np.int64)
    if len(board) != 4:
        raise ParameterError(
            f"Values are learned for turns and rivers, of four and five cards, but {len(board)} were given."
        )
    free = np.setdiff1d(np.arange(STANDARD.size), board)
    return np.column_stack([np.broadcast_to(np.asarray(board), (len(free), 4)), free])


def runout_strengths(board: Sequence[int]) -> Array:
    """[runout, 1326] uint16, 0 for hands that the board leaves out."""
    return boards_strengths(complete_boards(board).astype(np.uint8))


def possible_hands(boards: Longs) -> Bools:
    """[N, 1326] hands that share no card with the board."""
    taken = np.zeros((len(boards), STANDARD.size), dtype=bool)
    np.put_along_axis(taken, boards, True, axis=1)
    out: Bools = ~(taken[:, HANDS.low] | taken[:, HANDS.high])
    return out


def even_equities(board: Sequence[int]) -> tuple[Floats, Floats]:
    """[1326] each hand's equity against an even range, and the standard deviation of it over the cards to come."""
    from equilibrist.learning.hand_values._kernels.meetings import equities

    mean, square = np.empty(HANDS.count), np.empty(HANDS.count)
    equities(runout_strengths(board), np.arange(HANDS.count), HANDS.low, HANDS.high, mean, square)
    return mean, np.sqrt(np.maximum(square - mean * mean, 0.0))


def random_states(street: Street, count: int, random: np.random.Generator, depths: Sequence[float]) -> BeliefStates:
    """Boards drawn evenly, depths from a list, both ranges of the same kind.

    `split`: all weight is split at random between the better and the worse half of the hands, and so on [Moravcik17, supplement]. `smooth`:
    weights that change slowly with a hand's equity, more or less polarised, with noise. `thinned`: the same of some classes of hole cards
    alone, as betting before the flop leaves them.
    """
    boards = random.permuted(np.broadcast_to(np.arange(STANDARD.size), (count, STANDARD.size)), axis=1)[
        :, : BOARD_CARDS[street]
    ]
    kind = random.integers(len(KINDS), size=count)
    ranges = np.zeros((count, 2, HANDS.count), dtype=np.float32)
    for n in range(count):
        equity, _ = even_equities(boards[n])
        possible = np.flatnonzero(np.isfinite(equity))
        order = possible[np.lexsort((random.random(len(possible)), equity[possible]))]
        for player in range(2):
            weights = np.zeros(HANDS.count)
            weights[order] = _split(len(order), random) if KINDS[kind[n]] == "split" else _smooth(len(order), random)
            if KINDS[kind[n]] == "thinned":
                weights *= (random.random(STANDARD.ranks**2) < random.uniform(0.2, 0.9))[HANDS.cell]
            ranges[n, player] = as_stored(weights, order)
    depth = np.asarray(depths, dtype=np.float64)[random.integers(len(depths), size=count)]
    return BeliefStates(boards, ranges, depth, kind)


def as_stored(weights: Floats, possible: Longs) -> Floats32:
    """[1326] scaled so that the largest is 1 and no possible hand is left out, in the numbers that 16 bits hold."""
    largest = weights[possible].max()
    out = np.zeros(HANDS.count, dtype=np.float32)
    out[possible] = np.maximum(weights[possible] / largest if largest > 0.0 else 1.0, LEAST_WEIGHT).astype(np.float16)
    return out


def _split(size: int, random: np.random.Generator) -> Floats:
    mass = np.ones(1)
    while len(mass) < size:
        share = random.random(len(mass))
        mass = np.stack([mass * share, mass * (1.0 - share)], axis=1).ravel()
    return mass[np.arange(size) * len(mass) // size]


def _smooth(size: int, random: np.random.Generator) -> Floats:
    place = np.arange(size) / size
    waves = sum(
        random.normal() * np.cos(np.pi * k * place + random.uniform(0.0, 2.0 * np.pi)) / k**0.7 for k in range(1, 6)
    )
    sharp, noise = random.uniform(1.0, 6.0), random.uniform(0.0, 1.5)
    out: Floats = random.random(size) ** noise / (1.0 + np.exp(-sharp * (waves + 0.5 * random.normal())))
    return out
