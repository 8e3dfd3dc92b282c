"""DREAM: Deep CFR by outcome sampling, with a learned baseline ([Steinberger20]); the average is that of SD-CFR ([Steinberger19])."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.catalogue import Entry
from equilibrist.forms.compiled import Compiled
from equilibrist.learning.learner import State
from equilibrist.learning.outcome_sampling.sampled_learner import SampledLearner
from equilibrist.learning.outcome_sampling.settings import OutcomeSampling, bounds, defaults


@dataclass(frozen=True)
class Dream(OutcomeSampling):
    """Settings; plays, exploration and nets as in [Steinberger20] on Leduc poker."""

    linear: bool = True  # iteration t counts t times among the regrets
    restart: bool = False  # each net of advantages is fitted from new random weights

    def start(self, game: Compiled, *, seed: int = 0, device: str = "cpu") -> CumulativeLearner:
        return DreamLearner(game, self, seed, device)


class CumulativeLearner(SampledLearner):
    """Sums of all sampled advantages, to which each new net is fitted."""

    settings: Dream

    def __init__(self, game: Compiled, settings: Dream, seed: int, device: str) -> None:
        super().__init__(game, settings, seed, device)
        self.total = np.zeros(game.infosets.slots)
        self.mass = np.zeros(len(game.infosets))

    def _regret_weight(self) -> float:
        return float(self.iteration) if self.settings.linear else 1.0

    def _fit_advantages(self, player: int) -> None:
        """A mean over all samples so far: regret matching cares for the sign and the shares alone."""
        mass = self.encoding.sums_of_infosets(self.mass)
        mean = self.encoding.by_row(self.total) / np.where(mass > 0.0, mass, 1.0)[:, None]
        self._fit_table(player, mean, mass, restart=self.settings.restart)
        self._match(player)

    def small_state(self) -> dict[str, npt.NDArray[Any]]:
        return super().small_state() | {"mass": self.mass.copy()}

    def memories(self) -> dict[str, npt.NDArray[Any]]:
        return super().memories() | {"total": self.total.copy()}

    def restore(self, small: State, memories: State | None) -> None:
        """Without memories the sums are what the nets say of them."""
        super().restore(small, memories)
        self.mass[:] = small["mass"]
        if memories is not None:
            self.total[:] = memories["total"]
        else:
            widths = np.diff(self.game.infosets.first_slot)
            self.total[:] = self.encoding.by_slot(self.tables[0]) * np.repeat(self.mass, widths)


class DreamLearner(CumulativeLearner):
    """DREAM at work."""

    def _improve(self, player: int) -> None:
        found = self._play(player, exploration=self.settings.exploration, weight=self._regret_weight(), importance=True)
        self.total += found.total
        self.mass += found.weight
        self._fit_advantages(player)
        self._fit_values(player)


ENTRIES = (
    Entry(
        "dream",
        "DREAM: regrets from single plays with a learned baseline; exact average of all strategies",
        Dream,
        defaults(Dream()),
        bounds=bounds(),
    ),
)
