"""Who sits where in the next hand: the big blind moves on to the next seat with chips, seats without chips leave."""

from __future__ import annotations

from collections.abc import Sequence


def next_order(stacks: Sequence[float]) -> tuple[int, ...]:
    """Seats with chips in the order in which they act in the next hand, from stacks in the order of this one; the blinds stand last."""
    alive = [seat for seat, chips in enumerate(stacks) if chips > 0.0]
    return (*alive[1:], *alive[:1])
