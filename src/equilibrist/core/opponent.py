"""Opponent models: a policy that binds a player for a share of the time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from equilibrist.core.errors import ParameterError
from equilibrist.core.policy import TabularPolicy


@dataclass(frozen=True)
class Binding:
    """`player` follows `policy` with probability `weight` and is free otherwise.

    `per_hand` draws once, secretly, for the whole hand (restricted Nash response); `per_infoset` draws anew at every
    infoset (data-biased response, partial node lock). These are different games.
    """

    policy: TabularPolicy
    player: int
    weight: float
    mode: Literal["per_hand", "per_infoset"] = "per_hand"

    def __post_init__(self) -> None:
        if not 0.0 <= self.weight <= 1.0:
            raise ParameterError(f"A binding weight is a probability, but {self.weight} was given.")
        if self.mode not in ("per_hand", "per_infoset"):
            raise ParameterError(f"A binding's mode is 'per_hand' or 'per_infoset', not '{self.mode}'.")
