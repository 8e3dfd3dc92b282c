"""SpotArrays: many spots of one betting, as arrays of boards, ranges and amounts instead of text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from equilibrist.cards.range_text import STANDARD, hand_name, hands_of
from equilibrist.cards.ranges import FAINTEST, Range, parse_cards
from equilibrist.compute.threads import in_spans
from equilibrist.core.arrays import Array, Floats, Ints, Longs
from equilibrist.core.errors import EquilibristError, ParameterError
from equilibrist.games.spots._kernels import spot_arrays as loops
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_values import FAINT_RANGE
from equilibrist.games.spots.street_menus import PLAYERS

HANDS = 1326


@dataclass(frozen=True, eq=False)
class SpotArrays(Sequence[Spot]):
    """N spots; as a sequence it makes each when it is asked for."""

    boards: Ints  # [N, cards]
    ranges: Array  # [N or 1, 2, 1326] as given
    sized: tuple[Spot, ...]  # the pattern with each pot and stack that occurs
    which: Longs  # [N] of these
    divisors: Floats  # [N or 1, 2]: 1, or the largest weight, where weights do not lie between 0 and 1

    @classmethod
    def of(
        cls, pattern: Spot, *, boards: Any = None, ranges: Any = None, pots: Any = None, stacks: Any = None
    ) -> SpotArrays:
        """What is left out is as in the pattern; one board, one pair of ranges or one amount holds for all spots.

        Cards are numbers from 0 (2c, 2d, 2h, 2s, 3c …) to 51 (As), or boards are text; hands are in pair order, as in `Range.weights`.
        """
        rows = np.array([pattern.board], dtype=np.int32) if boards is None else _read_boards(boards, pattern)
        own = np.stack([each.weights for each in pattern.ranges])[None]
        weights = own if ranges is None else _read_ranges(ranges)
        pot, stack = _read_amounts(pots, "pots", pattern.pot), _read_amounts(stacks, "stacks", pattern.stack)
        given = {"boards": len(rows), "ranges": len(weights), "pots": len(pot), "stacks": len(stack)}
        number = max(given.values())
        wrong = [f"{count:,} {name}" for name, count in given.items() if count not in (1, number)]
        if wrong:
            raise ParameterError(
                f"Arrays of spots hold one entry, or one for each spot, but {' and '.join(wrong)} were given for {number:,} spots."
            )
        rows = np.ascontiguousarray(np.broadcast_to(rows, (number, rows.shape[1])))
        divisors = _check_ranges(rows, weights)
        amounts, first, which = np.unique(
            np.stack([np.broadcast_to(each, number) for each in (pot, stack)], axis=1), axis=0, return_index=True, return_inverse=True
        )  # fmt: skip
        changed = [name for name, amount in (("pot", pots), ("stack", stacks)) if amount is not None]
        sized = tuple(
            _with_amounts(pattern, {name: pair[name != "pot"] for name in changed}, at)
            for pair, at in zip(amounts.tolist(), first.tolist(), strict=True)
        )
        return cls(rows, weights, sized, which.ravel(), divisors)

    def __len__(self) -> int:
        return len(self.boards)

    @overload
    def __getitem__(self, number: int) -> Spot: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Spot]: ...
    def __getitem__(self, number: int | slice) -> Spot | Sequence[Spot]:
        if isinstance(number, slice):
            return [self[k] for k in range(len(self))[number]]
        at = range(len(self))[number]
        row = at if len(self.ranges) > 1 else 0
        oop, ip = (Range(np.minimum(self.ranges[row, p] / self.divisors[row, p], 1.0)) for p in range(2))
        return self.sized[int(self.which[at])].with_cards(self.boards[at].tolist(), (oop, ip))

    @property
    def pots(self) -> Floats:
        """[N]"""
        return np.array([spot.pot for spot in self.sized])[self.which]

    def weights(self, player: int, numbers: Longs | None = None) -> Floats:
        """[spot, 1326] of a player's hands that the boards leave, of all spots or of those of these `numbers`."""
        at = np.arange(len(self)) if numbers is None else numbers
        rows = at if len(self.ranges) > 1 else np.zeros_like(at)
        hands, out = hands_of(STANDARD), np.empty((len(at), HANDS))

        def weigh(part: slice) -> None:
            loops.weigh_hands(
                self.boards, self.ranges, self.divisors, player, at[part], rows[part], hands.low, hands.high, out[part]
            )

        in_spans(len(at), weigh)
        return out


def _read_boards(boards: Any, pattern: Spot) -> Ints:
    """[N, cards] of text or numbers."""
    size = len(pattern.board)
    if isinstance(boards, str) or not isinstance(boards, Iterable):
        raise ParameterError(
            f"'boards' is a list of boards or an array [spot, {size}] of cards, but '{boards}' was given."
        )
    listed = np.atleast_1d(boards) if isinstance(boards, np.ndarray) else list(boards)
    if len(listed) and all(isinstance(each, str) for each in listed):
        listed = [_parsed(number, each, size) for number, each in enumerate(listed)]
    rows = _array(listed)
    if rows.ndim != 2 or rows.shape[1] != size or not len(rows) or rows.dtype.kind not in "iu":
        raise ParameterError(
            f"'boards' is an array [spot, {size}] of card numbers, as many as the spot's own board has, but one of {rows.dtype} with the "
            f"shape {rows.shape} was given."
        )
    wrong = loops.bad_board(np.ascontiguousarray(rows, dtype=np.int64))
    if wrong >= 0:
        raise ParameterError(
            f"Board {wrong} is {rows[wrong].tolist()}; expected {size} different cards from 0 (2c) to 51 (As)."
        )
    return rows.astype(np.int32)


def _array(given: Any) -> Array:
    """As NumPy reads it; rows of different lengths make none."""
    try:
        return np.asarray(given)
    except ValueError:
        return np.zeros(0)


def _parsed(number: int, board: str, size: int) -> tuple[int, ...]:
    try:
        cards = parse_cards(board)
    except EquilibristError as error:
        raise ParameterError(f"Board {number} is '{board}': {error}") from None
    if len(cards) != size:
        raise ParameterError(f"Board {number} is '{board}'; expected {size} cards, as the spot's own board has.")
    return cards


def _read_ranges(ranges: Any) -> Array:
    """[N or 1, 2, 1326] in single or double precision."""
    rows = _array(ranges)
    rows = rows[None] if rows.shape == (2, HANDS) else rows
    if rows.ndim != 3 or rows.shape[1:] != (2, HANDS) or not len(rows) or rows.dtype.kind not in "fiub":
        raise ParameterError(
            f"'ranges' is an array [spot, 2, {HANDS}] of weights, or [2, {HANDS}] for all spots, but one of {rows.dtype} with the shape "
            f"{np.shape(rows)} was given."
        )
    return np.ascontiguousarray(rows, dtype=np.float32 if rows.dtype == np.float32 else np.float64)


def _check_ranges(boards: Ints, ranges: Array) -> Floats:
    """[N or 1, 2] what the ranges are divided by; those that nobody can hold are refused."""
    hands, tops = hands_of(STANDARD), np.zeros((len(ranges), 2))
    found = list[tuple[int, int, int, int]]()

    def check(part: slice) -> None:
        own = part if len(ranges) > 1 else slice(None)
        problem, at, player, hand = loops.check_ranges(
            boards[part], ranges[own], hands.low, hands.high, FAINTEST, tops[own]
        )
        if problem != loops.FINE:
            found.append((part.start + at, problem, player, hand))

    in_spans(len(boards), check)
    if found:
        raise ParameterError(_refusal(boards, ranges, *min(found)))
    return np.where((tops > 1.0) | (tops < FAINT_RANGE), tops, 1.0)


def _refusal(boards: Ints, ranges: Array, number: int, problem: int, player: int, hand: int) -> str:
    where = f"the range of {PLAYERS[player]} of spot {number}"
    board = "".join(STANDARD.label(card) for card in boards[number].tolist())
    weight = f"{hand_name(hand)} has the weight {float(ranges[number if len(ranges) > 1 else 0, player, hand]):g}"
    return {
        loops.NOT_A_WEIGHT: f"In {where} {weight}; expected finite numbers of at least 0.",
        loops.FAINT: f"In {where} {weight}, less than {FAINTEST:g} of the largest; leave the hand out, or give it more.",
        loops.EMPTY: f"In {where} no hand is left on the board {board}; add hands without those cards.",
        loops.COLLIDING: f"The ranges of spot {number} collide: every pair of hands shares a card on {board}; widen one of them.",
    }[problem]


def _read_amounts(given: Any, name: str, usual: float) -> Floats:
    """[N or 1] chips."""
    amounts = np.atleast_1d(_array(usual if given is None else given))
    if amounts.ndim != 1 or not len(amounts) or amounts.dtype.kind not in "fiu":
        raise ParameterError(
            f"'{name}' is an array [spot] of chips, but one of {amounts.dtype} with the shape {amounts.shape} was given."
        )
    return amounts.astype(np.float64)


def _with_amounts(pattern: Spot, amounts: dict[str, float], number: int) -> Spot:
    try:
        return pattern.with_amounts(**amounts) if amounts else pattern
    except ParameterError as error:
        raise ParameterError(f"Spot {number}: {error}") from None
