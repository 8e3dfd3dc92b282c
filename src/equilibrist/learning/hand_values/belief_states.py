"""Public belief states: a board, what both players may hold and how deep the stacks are; drawn at random as play may reach them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from equilibrist.cards.evaluator import boards_strengths
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.compute.threads import in_spans
from equilibrist.core.arrays import Array, Bools, Floats, Floats32, Longs
from equilibrist.core.errors import ParameterError

Street = Literal["turn", "river"]
BOARD_CARDS: dict[Street, int] = {"turn": 4, "river": 5}
HANDS = hands_of(STANDARD)
KINDS = ("split", "smooth", "thinned", "played", "blueprint")
PLAIN = 3  # of these are drawn without any betting (the others: `played_states.py`, `blueprint_states.py`)
LEAST_WEIGHT = (
    1e-3  # of every hand beside the largest: only hands that are held have values, and a search asks about all
)
DRAWN_TOGETHER = 32  # states from one generator, by one thread


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


def strengths_to_come(boards: Longs) -> Array:
    """[N, runout, 1326] of N boards with as many cards."""
    whole = np.concatenate([complete_boards(board) for board in boards]).astype(np.uint8)
    return boards_strengths(whole).reshape(len(boards), -1, HANDS.count)


def possible_hands(boards: Longs) -> Bools:
    """[N, 1326] hands that share no card with the board."""
    taken = np.zeros((len(boards), STANDARD.size), dtype=bool)
    np.put_along_axis(taken, boards, True, axis=1)
    out: Bools = ~(taken[:, HANDS.low] | taken[:, HANDS.high])
    return out


def even_equities(board: Sequence[int]) -> tuple[Floats, Floats]:
    """[1326] each hand's equity against an even range, and the standard deviation of it over the cards to come."""
    mean, deviation, _ = even_outcomes(board, 0)
    return mean, deviation


def even_outcomes(board: Sequence[int], knots: int) -> tuple[Floats, Floats, Floats]:
    """The same, and [1326, knot] how often its equity on the river is near each of so many knots from 0 to 1."""
    from equilibrist.learning.hand_values._kernels.meetings import equities

    mean, square, outcomes = np.empty(HANDS.count), np.empty(HANDS.count), np.empty((HANDS.count, knots))
    equities(runout_strengths(board), np.arange(HANDS.count), HANDS.low, HANDS.high, mean, square, outcomes)
    return mean, np.sqrt(np.maximum(square - mean * mean, 0.0)), outcomes


def random_states(street: Street, count: int, random: np.random.Generator, depths: Sequence[float]) -> BeliefStates:
    """Boards drawn evenly, depths from a list, both ranges of the same kind.

    `split`: all weight is split at random between the better and the worse half of the hands, and so on [Moravcik17, supplement]. `smooth`:
    weights that change slowly with a hand's equity, more or less polarised, with noise. `thinned`: the same of some classes of hole cards
    alone, as betting before the flop leaves them.
    """
    drawers, parts = random.spawn(-(-count // DRAWN_TOGETHER)), dict[int, BeliefStates]()

    def draw(some: slice) -> None:
        for number in range(some.start, some.stop):
            size = min(DRAWN_TOGETHER, count - number * DRAWN_TOGETHER)
            parts[number] = _drawn(street, size, drawers[number], depths)

    in_spans(len(drawers), draw, least=1)
    return joined_states([parts[number] for number in range(len(drawers))])


def joined_states(parts: Sequence[BeliefStates]) -> BeliefStates:
    """One after the other."""
    boards, ranges, depth, kind = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("boards", "ranges", "depth", "kind")
    )
    return BeliefStates(boards, ranges, depth, kind)


def _drawn(street: Street, count: int, random: np.random.Generator, depths: Sequence[float]) -> BeliefStates:
    from equilibrist.learning.hand_values._kernels.meetings import equities_of_boards

    boards = random.permuted(np.broadcast_to(np.arange(STANDARD.size), (count, STANDARD.size)), axis=1)
    boards = boards[:, : BOARD_CARDS[street]]
    kind = random.integers(PLAIN, size=count)
    equity = np.empty((count, HANDS.count))  # not a number where a hand cannot be
    equities_of_boards(strengths_to_come(boards), HANDS.low, HANDS.high, equity)
    size = np.isfinite(equity).sum(axis=1)
    order = np.argsort(np.round(equity, 9) + 1e-10 * random.random(equity.shape), axis=1)  # those come last
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(HANDS.count)[None], axis=1)
    place = (
        np.minimum(place, size[:, None] - 1)[:, None] / size[:, None, None]
    )  # [N, 1, 1326] share of the hands that are worse
    weights = np.where(
        (kind == KINDS.index("split"))[:, None, None], _split(place, random), smooth_weights(place, random)
    )
    classes = random.random((count, 2, STANDARD.ranks**2)) < random.uniform(0.2, 0.9, (count, 2, 1))
    weights *= classes[:, :, HANDS.cell] | (kind != KINDS.index("thinned"))[:, None, None]
    depth = np.asarray(depths, dtype=np.float64)[random.integers(len(depths), size=count)]
    return BeliefStates(boards, as_stored(weights, np.isfinite(equity)[:, None]), depth, kind)


def as_stored(weights: Floats | Floats32, possible: Bools) -> Floats32:
    """[..., 1326] scaled so that the largest is 1 and no possible hand is left out, in the numbers that 16 bits hold."""
    largest = np.where(possible, weights, 0.0).max(axis=-1, keepdims=True)
    scaled = np.where(largest > 0.0, weights / np.where(largest > 0.0, largest, 1.0), 1.0)
    out: Floats32 = np.where(possible, np.maximum(scaled, LEAST_WEIGHT), 0.0).astype(np.float16).astype(np.float32)
    return out


def _split(place: Floats, random: np.random.Generator) -> Floats:
    """[N, 2, 1326] by places [N, 1, 1326] from 0 to 1."""
    mass = np.ones((len(place), 2, 1))
    while mass.shape[2] < HANDS.count:
        share = random.random(mass.shape)
        mass = np.stack([mass * share, mass * (1.0 - share)], axis=3).reshape(len(place), 2, -1)
    return np.take_along_axis(mass, (place * mass.shape[2]).astype(np.int64), axis=2)


def smooth_weights(place: Floats, random: np.random.Generator) -> Floats:
    """[N, 2, H] that change slowly with places [N, 1 or 2, H] from 0 to 1."""
    one = (len(place), 2, 1)
    waves = np.zeros((len(place), 2, place.shape[2]))
    for k in range(1, 6):
        phase = random.uniform(0.0, 2.0 * np.pi, one)
        waves += random.normal(size=one) * np.cos(np.pi * k * place + phase) / k**0.7
    sharp, noise, shift = random.uniform(1.0, 6.0, one), random.uniform(0.0, 1.5, one), 0.5 * random.normal(size=one)
    out: Floats = random.random(waves.shape) ** noise / (1.0 + np.exp(-sharp * (waves + shift)))
    return out
