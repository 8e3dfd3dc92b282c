"""Maxmargin: a gadget at which the opponent enters with the hand that gains most over what it had ([Brown20, §5.1])."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.search._kernels import entry as kernels
from equilibrist.search.gadgets import DOUBLE, EntryWeights, GadgetInputs, GadgetPlay


@dataclass(frozen=True)
class Maxmargin:
    """One hand is chosen to enter, the one that gains most over its alternative payoff, by regret matching+."""

    fixed: bool = False
    needs_values: bool = True
    sound: bool = True

    def begin(self, inputs: GadgetInputs, *, xp: Any = np, precision: float = DOUBLE) -> EntryWeights:
        inputs.alternatives("Maxmargin")
        return EntryWeights(kernels.ONE_HAND, inputs, xp=xp, precision=precision)

    def gap(self, inputs: GadgetInputs, play: GadgetPlay) -> float:
        """On average over the subgames that are solved side by side."""
        alternative, held = inputs.alternatives("Maxmargin"), inputs.mass > 0
        most = np.full(inputs.groups, -np.inf)
        np.maximum.at(most, inputs.group[held], play.answer[held] / inputs.mass[held] - alternative[held])
        played = np.isfinite(most)
        conceded = play.conceded - float(play.entered @ (alternative * inputs.mass))
        return (float(most[played].sum()) - conceded) / (2.0 * max(int(played.sum()), 1))
