"""How hands fare against beliefs where nobody bets any more: the first thing that a network of values is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from equilibrist.cards.range_text import STANDARD
from equilibrist.compute.threads import in_spans
from equilibrist.core.arrays import Bools, Floats, Floats32, Ints, Longs
from equilibrist.learning.hand_values.belief_states import (
    HANDS,
    BeliefStates,
    even_outcomes,
    possible_hands,
    runout_strengths,
)

# of ranks: what blockers take away from the other's best hands
BANDS = np.array([0.25, 0.5, 0.75, 0.9], dtype=np.float32)
NOTHING = 1e-9  # shares of a range below this are what subtraction leaves of nothing


@dataclass(frozen=True, eq=False)
class StateFeatures:
    """What N states look like from each of both players' hands; hands that cannot be met have 0."""

    equity: Floats32  # [N, 1326] against an even range
    spread: Floats32  # [N, 1326] its standard deviation over cards to come
    outcomes: Floats32  # [N, 1326, knot] how its equity will be spread on the river
    rank: Floats32  # [N, 2, 1326] share of the own belief that has less equity; hands with the same count half
    edge: Floats32  # [N, 2, 1326] chance to win less chance to lose against the other's belief
    met: Floats32  # [N, 2, 1326] share of the other's belief that leaves the hand's cards
    faced: Floats32  # [N, 2, 1326, band] how much of that is in each of `BANDS` of the other's ranks
    belief: Floats32  # [N, 2, 1326] of each hand; sums to 1


def meetings(states: BeliefStates, knots: int = 0) -> StateFeatures:
    """Exactly, over all boards that can come; outcomes at so many `knots`."""
    number = len(states)
    of_hands, of_both = (number, HANDS.count), (number, 2, HANDS.count)

    def empty(*shape: int) -> Floats32:
        return np.zeros(shape, dtype=np.float32)

    seen = StateFeatures(
        equity=empty(*of_hands),
        spread=empty(*of_hands),
        outcomes=empty(*of_hands, knots),
        rank=empty(*of_both),
        edge=empty(*of_both),
        met=empty(*of_both),
        faced=empty(*of_both, len(BANDS) + 1),
        belief=empty(*of_both),
    )
    possible = possible_hands(states.boards)

    def look(part: slice) -> None:
        for n in range(part.start, part.stop):
            _look(seen, n, states.boards[n].tolist(), states.ranges[n].astype(np.float64) * possible[n], possible[n])

    in_spans(number, look, least=4)
    return seen


def _look(seen: StateFeatures, n: int, board: Sequence[int], ranges: Floats, possible: Bools) -> None:
    """One state."""
    from equilibrist.learning.hand_values._kernels.meetings import face_ranks

    mean, deviation, seen.outcomes[n] = even_outcomes(board, seen.outcomes.shape[2])
    seen.equity[n], seen.spread[n] = np.nan_to_num(mean), np.nan_to_num(deviation)
    seen.belief[n] = ranges / ranges.sum(axis=1, keepdims=True)
    seen.rank[n] = EquityOrder.of(mean).ranks(seen.belief[n])
    seen.edge[n], seen.met[n] = met_on(board, seen.belief[n].astype(np.float64))
    for player, other in ((0, 1), (1, 0)):
        band, belief = bands_of(seen.rank[n, other]).astype(np.int64), seen.belief[n, other].astype(np.float64)
        face_ranks(HANDS.low, HANDS.high, belief, band, seen.met[n, player], seen.faced[n, player])
        seen.faced[n, player, ~possible] = 0.0


def bands_of(rank: Floats32) -> Ints:
    """Which part of a range a hand is in, by its rank there; the best ones last."""
    return np.searchsorted(BANDS, rank, side="right").astype(np.int32)


@dataclass(frozen=True, eq=False)
class EquityOrder:
    """Hands by their equity against an even range: where each stands among those of one board."""

    order: Longs  # [H] hands from the worst up; those that cannot be held come last
    below: Longs  # [H] how many hands have less equity
    up_to: Longs  # [H] how many have no more

    @classmethod
    def of(cls, equity: Floats) -> EquityOrder:
        """`equity` [H], nan for hands that cannot be held."""
        rounded = np.round(equity, 9)
        order = np.argsort(rounded, kind="stable")
        ascending = rounded[order]
        below, up_to = (np.searchsorted(ascending, rounded, side) for side in ("left", "right"))
        return cls(order, below, up_to)

    def ranks(self, belief: Floats32) -> Floats32:
        """[..., H] share of a belief [..., H] with less equity, hands with the same counted half."""
        begun = np.zeros((*belief.shape[:-1], 1), dtype=belief.dtype)
        sums = np.concatenate([begun, np.cumsum(belief[..., self.order], axis=-1)], axis=-1)
        out: Floats32 = np.clip(0.5 * (sums[..., self.below] + sums[..., self.up_to]), 0.0, 1.0)
        return out


def met_on(board: Sequence[int], beliefs: Floats) -> tuple[Floats, Floats]:
    """[2, 1326] each player's edge and what its hands meet, from both players' beliefs [2, 1326]."""
    from equilibrist.learning.hand_values._kernels.meetings import meet_ranges

    edge, met = np.zeros((2, HANDS.count, 2))
    ranges = np.ascontiguousarray(beliefs.T)
    meet_ranges(runout_strengths(board), np.arange(HANDS.count), HANDS.low, HANDS.high, ranges, edge, met)
    boards = comb(STANDARD.size - len(board) - 4, 5 - len(board))
    there = met > NOTHING * boards
    edge = np.where(there, edge / np.where(there, met, 1.0), 0.0)
    met = np.where(there, met / boards, 0.0)
    return edge[:, ::-1].T, met[:, ::-1].T
