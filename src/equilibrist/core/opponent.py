"""Opponent models: a policy that binds a player for a share of the time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import ParameterError
from equilibrist.core.policy import TabularPolicy


@dataclass(frozen=True)
class Binding:
    """`player` follows `policy` with probability `weight` and is free otherwise.

    `per_hand` draws once, secretly, for the whole hand (restricted Nash response); `per_infoset` draws anew at every
    infoset (data-biased response, partial node lock). These are different games. Per infoset the weight may be an array over
    the infosets of the policy's index: trust that grows with what was observed there.
    """

    policy: TabularPolicy
    player: int
    weight: float | npt.NDArray[np.float64]
    mode: Literal["per_hand", "per_infoset"] = "per_hand"

    def __post_init__(self) -> None:
        weight = np.asarray(self.weight, dtype=np.float64)
        if not ((weight >= 0.0) & (weight <= 1.0)).all():
            raise ParameterError(f"A binding weight is a probability, but {self.weight} was given.")
        if self.mode not in ("per_hand", "per_infoset"):
            raise ParameterError(f"A binding's mode is 'per_hand' or 'per_infoset', not '{self.mode}'.")
        if weight.ndim and (self.mode == "per_hand" or weight.shape != (len(self.policy.infosets),)):
            raise ParameterError(
                f"Only bindings per infoset take one weight for each of the {len(self.policy.infosets)} infosets, but "
                f"{weight.size} weights were given {self.mode.replace('_', ' ')}."
            )

    @property
    def stated_weight(self) -> float | str:
        """The weight as settings show it."""
        return float(self.weight) if np.ndim(self.weight) == 0 else "by infoset"
