"""Resolve: a gadget at which each of the opponent's hands enters or takes what it had ([Brown20, §5.1])."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.search._kernels import entry as kernels
from equilibrist.search.gadgets import DOUBLE, EntryWeights, GadgetInputs, GadgetPlay


@dataclass(frozen=True)
class Resolve:
    """Each hand enters or takes its alternative payoff, by regret matching+."""

    fixed: bool = False
    needs_values: bool = True
    sound: bool = True

    def begin(self, inputs: GadgetInputs, *, xp: Any = np, precision: float = DOUBLE) -> EntryWeights:
        inputs.alternatives("Resolve")
        return EntryWeights(kernels.TWO_WAYS, inputs, xp=xp, precision=precision)

    def gap(self, inputs: GadgetInputs, play: GadgetPlay) -> float:
        most = float(np.maximum(play.answer, inputs.alternatives("Resolve") * inputs.mass).sum())
        return (most - play.conceded - float(play.stayed @ inputs.mass)) / (2.0 * float(inputs.mass.sum()))
