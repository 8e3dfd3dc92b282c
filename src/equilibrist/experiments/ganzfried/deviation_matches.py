"""A match of an adaptive player: hands in blocks, one plan a block, counts of what the opponent did ([Ganzfried15, §12.2])."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError
from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.ganzfried.repeated_matches import random_state
from equilibrist.exploit.response_functions._kernels.responders import SampledTree, probe_counts
from equilibrist.exploit.responses.dbbr import DeviationModel
from equilibrist.exploit.seat import Seat
from equilibrist.forms.history_tree.game_tree import GameTree


@dataclass(frozen=True)
class DeviationMatch:
    """Equilibrium first, then best responses to a model that is built again every `rebuild` hands."""

    warmup: int = 1000
    rebuild: int = 50
    hands: int = 3000
    threshold: float | None = None  # exploit only while the mean payoff since the warm-up exceeds it

    def __post_init__(self) -> None:
        if min(self.warmup, self.rebuild, self.hands) < 1 or self.warmup > self.hands:
            raise ParameterError(
                "A match has a warm-up of at least 1 hand, not longer than itself, and rebuilds after 1 or more."
            )

    def play(
        self,
        side: Seat,
        tree: GameTree,
        model: DeviationModel,
        equilibrium: TabularPolicy,
        opponent: TabularPolicy,
        seed: int,
    ) -> Floats:
        """Expected payoff of every hand [hands]; what is observed is drawn."""
        random = random_state(seed)
        plan, theirs = side.my_plan(equilibrium), side.their_plan(opponent)
        base, earned, at = side.payoff(plan, theirs), np.empty(self.hands), 0
        value = base
        while at < self.hands:
            block = self.warmup if at == 0 else min(self.rebuild, self.hands - at)
            earned[at : at + block] = value
            observe_slots(model, self._draw(side, tree, plan, opponent, block, random))
            at += block
            if self.threshold is not None and at > self.warmup and earned[self.warmup : at].mean() < self.threshold:
                plan = side.my_plan(equilibrium)
            else:
                plan = side.best(side.their_plan(model.policy()))[1]
            value = side.payoff(plan, theirs)
        return earned

    def _draw(
        self,
        side: Seat,
        tree: GameTree,
        plan: Floats,
        opponent: TabularPolicy,
        hands: int,
        random: npt.NDArray[np.uint64],
    ) -> Floats:
        """Counts [slots] of the opponent's actions in some hands."""
        counts = np.zeros(tree.infosets.slots)
        ours = side.policy(plan, side.their_plan(opponent)).probabilities
        sampled = SampledTree(
            tree.player,
            tree.first_child,
            tree.children,
            tree.infoset,
            np.zeros(tree.histories, dtype=np.bool_),
            tree.chance_probability,
            tree.terminal,
            tree.infosets.first_slot,
        )
        probe_counts(hands, side.player, random, sampled, opponent.probabilities, ours, counts)
        return counts


def observe_slots(model: DeviationModel, counts: Floats) -> None:
    """Counts by slot of the game's index, of many hands at once."""
    form = model.side.form
    for n, history in enumerate(model.histories):
        for i in history.infosets:
            first = int(form.slot[int(form.first_sequence[i])])
            model.counts[n] += counts[first : first + len(history.actions)]
