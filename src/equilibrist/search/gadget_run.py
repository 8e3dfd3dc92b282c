"""GadgetRun: a subgame solved with a gadget at its roots, on any engine ([Brown20, §5.1]).

The opponent learns against the searcher's range and decides how to enter; the searcher learns against those who enter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.forms.engine import Engine
from equilibrist.search.gadgets import Gadget, GadgetInputs, GadgetPlay


@dataclass(frozen=True)
class GadgetGap:
    """How far the searcher's and the opponent's averages are from an equilibrium of the gadget game."""

    exploitability: float  # chips; half of what both sides could gain


@runtime_checkable
class FusedEngine(Protocol):
    """An engine that runs whole iterations, gadget included, in one call."""

    def advance_gadget(self, run: GadgetRun, iterations: int) -> None:
        """The same as that many steps of `GadgetRun.step`."""


class GadgetRun:
    """All techniques of search on all engines."""

    first_check = 20
    check_growth = 1.1
    steepest = 4.0

    def __init__(self, engine: Engine, searcher: int, gadget: Gadget, inputs: GadgetInputs, held: Any) -> None:
        """`held`: the searcher's range at all roots, end to end."""
        self.engine, self.searcher, self.opponent = engine, searcher, 1 - searcher
        self.gadget, self.inputs, self.held = gadget, inputs, engine.xp.asarray(held)
        self.entry = gadget.begin(inputs, xp=engine.xp, precision=engine.precision)
        self.entered, self.stayed = 0.0 * self.entry.weights, 0.0 * self.entry.weights  # sums over iterations
        self.counted = 0.0

    @property
    def iteration(self) -> int:
        return self.engine.iteration

    @iteration.setter
    def iteration(self, t: int) -> None:
        self.engine.iteration = t

    def advance(self, iterations: int) -> None:
        if isinstance(self.engine, FusedEngine):
            self.engine.advance_gadget(self, iterations)
            return
        for _ in range(iterations):
            self.step()

    def step(self) -> None:
        """One iteration by two calls of the engine."""
        engine, t = self.engine, self.engine.iteration + 1
        met, stayed = self.entry.weights, self.entry.stayed
        values = engine.learn(self.opponent, self.held)
        if not self.gadget.fixed:
            self.entry.update(values, t)
            if not engine.simultaneous:
                met, stayed = self.entry.weights, self.entry.stayed
        keep = engine.keep(t)
        self.entered, self.stayed = self.entered * keep + met, self.stayed * keep + stayed
        self.counted = self.counted * keep + 1.0
        engine.learn(self.searcher, met)
        engine.iteration = t

    def answer(self) -> Any:
        """Counterfactual value of each of the opponent's hands when it responds best to the searcher's average."""
        return self.engine.values(self.opponent, respond=True, reach=self.held)

    def evaluate(self) -> GadgetGap:
        """What the opponent can get less what the searcher concedes at most, halved."""
        count = self.counted or 1.0
        entered = self.entered / count if self.counted else self.entry.weights
        stayed = self.stayed / count if self.counted else self.entry.stayed
        conceded = -float(self.held @ self.engine.values(self.searcher, respond=True, reach=entered))
        play = GadgetPlay(on_host(entered), on_host(stayed), on_host(self.answer()), conceded)
        return GadgetGap(self.gadget.gap(self.inputs, play))


def kept_count(keep: Floats, before: float = 0.0) -> float:
    """How many iterations averages stand for after as many more, each counted as often as it is kept."""
    later = np.append(np.cumprod(keep[::-1])[::-1], 1.0)
    return float(before * later[0] + later[1:].sum())


def on_host(vector: Any) -> Floats:
    """An engine's vector as NumPy's."""
    return np.asarray(vector.get() if hasattr(vector, "get") else vector, dtype=np.float64)
