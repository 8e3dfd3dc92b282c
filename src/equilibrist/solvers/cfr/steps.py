"""One iteration of CFR laid open: what every infoset knew before, what its actions were worth, what it knows now.

For people who want to see the algorithm at work on a small game; `CFR` itself is used, nothing is computed twice ([Brown20, §2.3.5]).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import InfosetIndex
from equilibrist.forms.compiled import Compiled
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.runs import SequenceRun
from equilibrist.solvers.cfr.schedules import factors_of
from equilibrist.solvers.registry import make_solver


@dataclass(frozen=True)
class ActionStep:
    """One action of an infoset in the last iteration."""

    label: str
    before: float  # probability during the iteration
    value: float  # counterfactual value of the action against the opponent as it then was
    gain: float  # the value less that of the infoset: instantaneous regret
    regret_before: float
    regret: float  # cumulative, discounted
    after: float  # probability in the next iteration
    average: float


@dataclass(frozen=True)
class InfosetStep:
    """One infoset in the last iteration."""

    key: str
    player: int
    value: float  # counterfactual, of the strategy during the iteration
    positive_factor: float  # positive regrets are multiplied by it afterwards
    negative_factor: float
    actions: tuple[ActionStep, ...]


class SteppedRun:
    """CFR on the sequence form that remembers the iteration before."""

    def __init__(self, game: Compiled, solver: str) -> None:
        chosen = make_solver(solver)
        if not isinstance(chosen, CFR) or chosen.minimiser != "rm":
            raise NotApplicableError(
                f"Steps are shown for CFR with regret matching (cfr, cfr+, lcfr, dcfr), not for '{solver}'."
            )
        self.game, self.solver = game, chosen
        self.run = SequenceRun(chosen, game.sequence_form)
        self.curve: list[tuple[int, float]] = []
        self._before = (self.run.strategy.copy(), self.run.regret.copy())

    @property
    def iteration(self) -> int:
        return self.run.iteration

    @property
    def infosets(self) -> InfosetIndex:
        return self.game.infosets

    def advance(self, iteration: int) -> None:
        """Go on to an iteration; exploitability is measured at growing distances."""
        while self.run.iteration < iteration:
            behind = iteration - self.run.iteration
            step = 1 if behind == 1 else min(behind - 1, max(1, self.run.iteration // 10))
            self._before = (self.run.strategy.copy(), self.run.regret.copy())
            self.run.advance(step)
            self.curve.append((self.run.iteration, self.run.evaluate().exploitability))

    def slots(self, sequences: Floats) -> Floats:
        """A value per sequence as a value per slot of the game's index."""
        form = self.run.form
        out = np.zeros(form.infosets.slots)
        own = form.slot >= 0
        out[form.slot[own]] = sequences[own]
        return out

    def step(self, number: int) -> InfosetStep:
        """What the last iteration did at an infoset (of the game's index); needs at least one."""
        infosets = self.infosets
        first, end = int(infosets.first_slot[number]), int(infosets.first_slot[number + 1])
        before, regret_before = (self.slots(each)[first:end] for each in self._before)
        value, regret = self.slots(self.run.q)[first:end], self.slots(self.run.regret)[first:end]
        after, average = self.slots(self.run.strategy)[first:end], self.run.average().row(number)
        mean = float(before @ value)
        factors = factors_of(self.solver.schedule, np.array([float(self.iteration)]))
        columns: Sequence[Floats] = (before, value, value - mean, regret_before, regret, after, average)
        return InfosetStep(
            key=infosets.keys[number],
            player=int(infosets.player[number]),
            value=mean,
            positive_factor=float(factors.positive[0]),
            negative_factor=float(factors.negative[0]),
            actions=tuple(
                ActionStep(label, *(float(column[a]) for column in columns))
                for a, label in enumerate(infosets.actions[number])
            ),
        )
