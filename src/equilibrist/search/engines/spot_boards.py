"""SpotEntryRun: CFR on the boards of a spot whose opponent enters by a gadget (brown-search 2.5.8)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.search._kernels.entry_run import learn_with_entry
from equilibrist.search.gadgets import Doorstep, Entry, Maxmargin, Resolve
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

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

    def __init__(
        self, run: BoardCFR, searcher: int, entry: Entry, doorstep: Doorstep, reach: Floats | None = None
    ) -> None:
        """`reach`: the searcher's range at all roots, end to end; that of the run, if absent."""
        self.run, self.searcher, self.opponent = run, searcher, 1 - searcher
        self.entry, self.doorstep, self.iteration = entry, doorstep, run.iteration
        self.gadget = entry.begin(doorstep)
        own = run.streets[0].boards.player[searcher]
        held = run.root_weights[searcher].reshape(run.roots, -1)[:, : own.count[0]]
        self.range = (held.ravel() if reach is None else reach).astype(np.float64)
        self.weights = entry.first(doorstep)
        self.entered, self.counted = np.zeros_like(self.weights), 0.0

    @property
    def alternative(self) -> Floats:
        given = self.doorstep.alternative
        return np.zeros_like(self.weights) if given is None else given

    def advance(self, iterations: int) -> None:
        if len(self.run.streets) == 1:
            self._on_one_board(iterations)
        else:
            self._on_many_boards(iterations)
        self.iteration = self.run.iteration

    def _on_one_board(self, iterations: int) -> None:
        """In one call: many boards may then be searched side by side by threads."""
        run, own, other = self.run, self.searcher, self.opponent
        t = np.arange(run.iteration + 1, run.iteration + iterations + 1, dtype=np.float64)
        factors = np.stack([run.schedule.positive(t), run.schedule.negative(t), run.schedule.keep(t)], axis=1)
        street, worker = run.streets[0], run.worker
        rows = [np.zeros_like(run.root_weights[p]) for p in (own, other, own, other)]
        learn_with_entry(
            run.iteration, factors.astype(np.float32), own, street.forest, street.hands[own], street.hands[other],
            street.boards.group_start, street.groups, street.payoff[own], street.payoff[other], street.tables[own],
            street.tables[other], street.factor, worker.scratch[0][own], worker.scratch[0][other], worker.nothing,
            self.gadget.kind, self.gadget.door, self.gadget.memory, self.entered, self.range, *rows, np.zeros_like(self.weights),
        )  # fmt: skip
        self.weights = self.gadget.weights
        self.counted = float(np.prod(factors[:, 2])) * self.counted + _counts(factors[:, 2])
        run.iteration += iterations

    def _on_many_boards(self, iterations: int) -> None:
        for _ in range(iterations):
            run, keep = self.run, float(self.run.schedule.keep(np.array([self.run.iteration + 1.0]))[0])
            values = run.learn(self.opponent, self.range)
            self.weights = self.gadget.entry(values, self.doorstep.mass, self.alternative, run.iteration + 1)
            self.entered, self.counted = self.entered * keep + self.weights, self.counted * keep + 1.0
            run.learn(self.searcher, self.weights)
            run.iteration += 1

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


def _counts(keep: Floats) -> float:
    """How many iterations the averages of these stand for, each counted as often as it is kept."""
    later = np.append(np.cumprod(keep[::-1])[::-1][1:], 1.0)
    return float(later.sum())
