"""How hands fare against beliefs where nobody bets any more: the first thing that a network of values is told."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilibrist.compute.threads import in_spans
from equilibrist.core.arrays import Floats, Floats32, Longs
from equilibrist.learning.hand_values.belief_states import (
    HANDS,
    BeliefStates,
    possible_hands,
    strengths_to_come,
)

# of ranks: what blockers take away from the other's best hands
BANDS = np.array([0.25, 0.5, 0.75, 0.9], dtype=np.float32)
LOOKED_AT = 8  # states in one call
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
        return np.empty(shape, dtype=np.float32)

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

    def look(part: slice) -> None:
        for begin in range(part.start, part.stop, LOOKED_AT):
            _look(seen, states, slice(begin, min(begin + LOOKED_AT, part.stop)))

    in_spans(number, look, least=LOOKED_AT)
    return seen


def _look(seen: StateFeatures, states: BeliefStates, part: slice) -> None:
    """Some states in one call, so that threads do not wait for each other."""
    from equilibrist.learning.hand_values._kernels.meetings import look_at_states

    beliefs = states.ranges[part].astype(np.float64) * possible_hands(states.boards[part])[:, None]
    beliefs /= beliefs.sum(axis=2, keepdims=True)
    seen.belief[part] = beliefs
    look_at_states(
        strengths_to_come(states.boards[part]), HANDS.low, HANDS.high, BANDS, NOTHING, beliefs, seen.equity[part], seen.spread[part],
        seen.outcomes[part], seen.rank[part], seen.edge[part], seen.met[part], seen.faced[part],
    )  # fmt: skip


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
