"""ESCHER: regrets read off learned values of histories, without importance weights ([McAleer23])."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilibrist.core.catalogue import Entry
from equilibrist.forms.compiled import Compiled
from equilibrist.learning.outcome_sampling._kernels.plays import SampledSums
from equilibrist.learning.outcome_sampling.dream import CumulativeLearner, Dream
from equilibrist.learning.outcome_sampling.settings import bounds, defaults

EVEN = 1.0  # the exploring player plays by one fixed policy: evenly


@dataclass(frozen=True)
class Escher(Dream):
    """Settings; the exploring player always plays evenly, so `exploration` is no setting."""

    exploration: float = EVEN
    plays: int = 1000

    def start(self, game: Compiled, *, seed: int = 0, device: str = "cpu") -> CumulativeLearner:
        return EscherLearner(game, self, seed, device)


class EscherLearner(CumulativeLearner):
    """ESCHER at work."""

    def _improve(self, player: int) -> None:
        found = self._play(player, exploration=EVEN)
        self._fit_values(player)  # for the strategies that were just played
        self._add_regrets(player, found)
        self._fit_advantages(player)

    def _add_regrets(self, player: int, found: SampledSums) -> None:
        """q(h, a) - v(h) at every own history met: each infoset counts as often as the fixed policy and the other player lead there."""
        plays, sign = self.plays, 1.0 - 2.0 * player
        visits = self._regret_weight() * found.visits[plays.above]
        value = plays.expected(self.strategy, self.values.q)
        gain = sign * (self.values.q[plays.child] - value[plays.above])
        self.total += np.bincount(plays.slot, weights=visits * gain, minlength=len(self.total))
        at = np.flatnonzero(found.visits)
        infoset = self.game.tree.infoset[at]
        self.mass += np.bincount(infoset, weights=self._regret_weight() * found.visits[at], minlength=len(self.mass))


_SETTINGS = {key: value for key, value in defaults(Escher()).items() if key != "exploration"}
ENTRIES = (
    Entry(
        "escher",
        "ESCHER: regrets from learned values of histories, no importance weights",
        Escher,
        _SETTINGS,
        bounds={key: value for key, value in bounds().items() if key != "exploration"},
    ),
)
