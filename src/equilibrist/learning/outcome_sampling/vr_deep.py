"""VR-DeepDCFR+ and VR-DeepPDCFR+: cumulative advantages bootstrapped from the net's own predictions, discounted and clipped ([Xu26])."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.catalogue import Entry
from equilibrist.forms.compiled import Compiled
from equilibrist.learning.outcome_sampling.sampled_learner import SampledLearner
from equilibrist.learning.outcome_sampling.settings import OutcomeSampling, bounds, defaults


@dataclass(frozen=True)
class VRDeep(OutcomeSampling):
    """Settings; plays, exploration, discounts and nets as in the code of [Xu26], which takes 750 and 1,000 steps at a rate of 0.001."""

    title: str = field(default="vr-deep-dcfr+", repr=False, compare=False)
    plays: int = 10_000
    exploration: float = 0.6
    steps: int = 100
    value_steps: int = 50
    gamma: float = 2.0
    alpha: float = 2.0  # sums of t - 1 iterations are kept to (t - 1)^alpha / ((t - 1)^alpha + offset)
    offset: float = 1.5
    predictive: bool = False

    def start(self, game: Compiled, *, seed: int = 0, device: str = "cpu") -> SampledLearner:
        return (PredictiveLearner if self.predictive else VRDeepLearner)(game, self, seed, device)

    def kept(self, iteration: int) -> float:
        """Share of the cumulative advantages of the iterations before this one."""
        past = float(float(iteration - 1) ** self.alpha)
        return past / (past + self.offset)


class VRDeepLearner(SampledLearner):
    """VR-DeepDCFR+ at work: one net and one optimiser per player all along."""

    settings: VRDeep
    anneal: ClassVar[bool] = False

    def _improve(self, player: int) -> None:
        found = self._play(player, exploration=self.settings.exploration)
        weight = self.encoding.sums_of_infosets(found.weight)
        sampled = self.encoding.by_row(found.total) / np.where(weight > 0.0, weight, 1.0)[:, None]
        self._fit_sampled(player, sampled, weight)
        self._match(player)
        self._fit_values(player)

    def _fit_sampled(self, player: int, sampled: Floats, weight: Floats) -> None:
        self._fit_table(player, self._carried(self.iteration) + sampled, weight)

    def _carried(self, iteration: int) -> Floats:
        """What is left of the cumulative advantages in an iteration."""
        carried: Floats = self.settings.kept(iteration) * np.maximum(self.tables[0], 0.0)
        return carried


class PredictiveLearner(VRDeepLearner):
    """VR-DeepPDCFR+: strategies also take the last advantages, predicted by a second net, for the next ones."""

    nets_per_player: ClassVar[int] = 2

    def _fit_sampled(self, player: int, sampled: Floats, weight: Floats) -> None:
        super()._fit_sampled(player, sampled, weight)
        self._fit_table(player, sampled, weight, 1)

    def _advantages(self) -> Floats:
        predicted: Floats = self.tables[1]
        return self._carried(self.iteration + 1) + predicted


def _entry(title: str, summary: str, plain: VRDeep) -> Entry:
    def make(**given: Any) -> VRDeep:
        return replace(plain, **given)

    shown = {key: value for key, value in defaults(plain).items() if key not in ("title", "predictive")}
    return Entry(title, summary, make, shown, bounds=bounds() | {"alpha": (0.0, 10.0), "offset": (1e-6, 10.0)})


ENTRIES = (
    _entry(
        "vr-deep-dcfr+",
        "VR-DeepDCFR+: discounted, clipped advantages bootstrapped by one net, with a learned baseline",
        VRDeep(),
    ),
    _entry(
        "vr-deep-pdcfr+",
        "VR-DeepPDCFR+: the same, with a second net that predicts the next advantages",
        VRDeep(title="vr-deep-pdcfr+", alpha=2.3, offset=1.0, predictive=True),
    ),
)
