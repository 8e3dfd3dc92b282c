"""Values of histories: a net of what player 0 expects from each action, learned from single steps by expected SARSA, or exact ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from equilibrist.core.arrays import Floats
from equilibrist.forms.compiled import Compiled
from equilibrist.learning.encoders.infosets import Encoding
from equilibrist.learning.networks.state import load_net, load_optimiser, net_arrays, optimiser_arrays
from equilibrist.learning.outcome_sampling.fitting import RowNet
from equilibrist.learning.outcome_sampling.histories import read_histories
from equilibrist.learning.outcome_sampling.plays import Plays
from equilibrist.learning.regression.fitting import FitPlan

Array = npt.NDArray[Any]
SYNC = 50  # steps between two looks at what the net says of the next histories ([Xu26])


class ExactValues:
    """Values of the present strategies without any learning: what a net could be at best."""

    def __init__(self, plays: Plays) -> None:
        self.plays = plays
        self.q: Floats = np.zeros(plays.histories)

    def fit(self, strategy: Floats, seed: int) -> None:
        self.q = self.plays.exact(strategy)

    def arrays(self) -> dict[str, Array]:
        return {"values.q": self.q.copy()}

    def restore(self, small: Mapping[str, Array]) -> None:
        self.q = np.array(small["values.q"])

    def nets(self) -> dict[str, dict[str, Array]]:
        return {}


class LearnedValues:
    """One net for both players: what one of them wins, the other one loses."""

    def __init__(
        self,
        game: Compiled,
        plays: Plays,
        encoding: Encoding,
        *,
        plan: FitPlan,
        width: int,
        depth: int,
        restart: bool,
        device: torch.device,
        seed: int,
    ) -> None:
        self.plays, self.plan, self.restart = plays, plan, restart
        histories = read_histories(game)
        self.row = histories.row[plays.above]  # [steps of players]
        self.output = encoding.output[plays.slot]
        self.net = RowNet(histories.features, encoding.width, width, depth, device, seed)
        self.shape = (len(histories.features), encoding.width)
        self.cell = np.full(plays.histories, -1, dtype=np.int64)
        self.cell[plays.child] = self.row.astype(np.int64) * encoding.width + self.output
        self.q: Floats = np.zeros(plays.histories)  # [N] of the step into each history

    def fit(self, strategy: Floats, seed: int) -> None:
        """The net goes on towards reward + what it expects at the next history under `strategy` ([Steinberger20])."""
        if self.restart:
            self.net.renew(seed)
            self._read()
        count = self.plays.steps_taken()
        reached = np.flatnonzero(count)
        count = count[reached].astype(np.float64)
        cell = self.cell[self.plays.entry[reached]]
        size = self.shape[0] * self.shape[1]
        weight = np.bincount(cell, weights=count, minlength=size)
        for k in range(0, self.plan.steps, SYNC):
            value = self.plays.expected(strategy, self.q)[reached]
            mean = np.bincount(cell, weights=count * value, minlength=size) / np.where(weight > 0.0, weight, 1.0)
            plan = FitPlan(min(SYNC, self.plan.steps - k), self.plan.batch, self._rate(k), False)
            self.net.fit(mean.reshape(self.shape), weight.reshape(self.shape), plan, seed + k, clip=False)
            self._read()

    def _rate(self, step: int) -> float:
        """The last tenth of the steps is at a tenth of the rate."""
        return self.plan.rate * (0.1 if self.plan.anneal and step >= 0.9 * self.plan.steps else 1.0)

    def _read(self) -> None:
        self.q[self.plays.child] = self.net.table()[self.row, self.output]

    def arrays(self) -> dict[str, Array]:
        return net_arrays(self.net.net, "values") | optimiser_arrays(self.net.optimiser, "values.adam")

    def restore(self, small: Mapping[str, Array]) -> None:
        load_net(self.net.net, small, "values")
        self.net.forget()
        load_optimiser(self.net.optimiser, small, "values.adam")
        self._read()

    def nets(self) -> dict[str, dict[str, Array]]:
        return {"values": net_arrays(self.net.net, "")}


HistoryValues = ExactValues | LearnedValues
