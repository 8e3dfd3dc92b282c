"""SpotEntryRun: CFR on the boards of a spot whose opponent enters by a gadget (brown-search 2.5.8)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.search.entry import Doorstep, Entry, Maxmargin, Resolve
from equilibrist.solvers.board_run import BoardRun

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class EntryGap:
    """How far the searcher's and the opponent's averages are from an equilibrium of the spot with its entry."""

    exploitability: float  # chips; NaN where the entry has no such measure


class SpotEntryRun:
    """The opponent learns against the searcher's range, decides how to enter, then the searcher learns against those who enter."""

    first_check = 20
    check_growth = 1.1
    steepest = 4.0

    def __init__(self, run: BoardRun, searcher: int, entry: Entry, doorstep: Doorstep) -> None:
        self.run, self.searcher, self.opponent = run, searcher, 1 - searcher
        self.entry, self.doorstep, self.iteration = entry, doorstep, run.iteration
        self.gadget = entry.begin(doorstep)
        self.range = run.root_weights[searcher][: run.streets[0].boards.player[searcher].count[0]].astype(np.float64)
        self.weights = entry.first(doorstep)
        self.entered, self.counted = np.zeros_like(self.weights), 0.0

    @property
    def alternative(self) -> Floats:
        given = self.doorstep.alternative
        return np.zeros_like(self.weights) if given is None else given

    def advance(self, iterations: int) -> None:
        for _ in range(iterations):
            run, keep = self.run, float(self.run.schedule.keep(np.array([self.run.iteration + 1.0]))[0])
            values = run.learn(self.opponent, self.range)
            self.weights = self.gadget.entry(values, self.doorstep.mass, self.alternative, run.iteration + 1)
            self.entered, self.counted = self.entered * keep + self.weights, self.counted * keep + 1.0
            run.learn(self.searcher, self.weights)
            run.iteration += 1
        self.iteration = self.run.iteration

    def answer(self) -> Floats:
        """Counterfactual value of each of the opponent's hands when it responds best to the searcher's average."""
        return self.run.values(self.opponent, respond=True, reach=self.range)

    def evaluate(self) -> EntryGap:
        """What the opponent can get less what the searcher concedes at most, halved."""
        mass, staying = self.doorstep.mass, self.alternative * self.doorstep.mass
        entered = self.entered / self.counted if self.counted else self.weights
        conceded = -float(self.range @ self.run.values(self.searcher, respond=True, reach=entered))
        if isinstance(self.entry, Resolve):
            most = float(np.maximum(self.answer(), staying).sum())
            least = conceded + float((1.0 - entered) @ staying)
            return EntryGap((most - least) / (2.0 * float(mass.sum())))
        if isinstance(self.entry, Maxmargin):
            held = mass > 0
            most = float((self.answer()[held] / mass[held] - self.alternative[held]).max())
            return EntryGap((most - conceded + float(entered @ staying)) / 2.0)
        return EntryGap(math.nan)
