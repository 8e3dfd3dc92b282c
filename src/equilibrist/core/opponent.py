"""Opponent models: a policy that binds a player for a share of the time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.policy import Policy, TabularPolicy


@runtime_checkable
class FormPolicy(Protocol):
    """Policies of games that are not laid out: they say themselves what is played on the form that the game is solved on."""

    def on_form(self, form: Any) -> npt.NDArray[np.float64]:
        """[S] probability of each sequence's last action, numbered as the form numbers sequences."""


@dataclass(frozen=True)
class Binding:
    """`player` follows `policy` with probability `weight` and is free otherwise.

    `per_hand` draws once, secretly, for the whole hand (restricted Nash response); `per_infoset` draws anew at every
    infoset (data-biased response, partial node lock). These are different games. Per infoset the weight may be an array over
    the infosets of the policy's index: trust that grows with what was observed there.
    """

    policy: Policy | FormPolicy
    player: int
    weight: float | npt.NDArray[np.float64]
    mode: Literal["per_hand", "per_infoset"] = "per_hand"

    def __post_init__(self) -> None:
        weight = np.asarray(self.weight, dtype=np.float64)
        if not ((weight >= 0.0) & (weight <= 1.0)).all():
            raise ParameterError(f"A binding weight is a probability, but {self.weight} was given.")
        if self.mode not in ("per_hand", "per_infoset"):
            raise ParameterError(f"A binding's mode is 'per_hand' or 'per_infoset', not '{self.mode}'.")
        infosets = len(self.policy.infosets) if isinstance(self.policy, TabularPolicy) else -1
        if weight.ndim and (self.mode == "per_hand" or weight.shape != (infosets,)):
            raise ParameterError(
                f"Only bindings per infoset of games with a table take one weight for each of their {max(infosets, 0)} infosets, but "
                f"{weight.size} weights were given {self.mode.replace('_', ' ')}."
            )

    @property
    def table(self) -> TabularPolicy:
        """The policy, where a game is laid out."""
        if not isinstance(self.policy, TabularPolicy):
            raise NotApplicableError(
                "This model belongs to a game that is not laid out as a tree; bind a policy with a table (`tabular()`) here."
            )
        return self.policy

    @property
    def stated_weight(self) -> float | str:
        """The weight as settings show it."""
        return float(self.weight) if np.ndim(self.weight) == 0 else "by infoset"
