"""PlanRun: a method at work on two treeplexes; its answer is a pair of plans, and both best responses certify it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.solution import Evaluation
from equilibrist.solvers.plan_space.field import Field

State = dict[str, npt.NDArray[Any]]


class PlanRun(ABC):
    """Made at iteration 0; the state is what `tables` names."""

    first_check = 4
    check_growth = 1.1

    def __init__(self, field: Field) -> None:
        self.field, self.iteration = field, 0

    @property
    @abstractmethod
    def answer(self) -> Floats:
        """[S] plans of both players."""

    @property
    @abstractmethod
    def tables(self) -> Mapping[str, Floats]:
        """The arrays that make up the state."""

    @abstractmethod
    def advance(self, iterations: int) -> None:
        """Work on."""

    def details(self) -> dict[str, float]:
        """What the method knows of itself, for reports."""
        return {}

    def evaluate(self) -> Evaluation:
        return self.field.evaluate(self.answer)

    def average(self) -> Any:
        return self.field.policy(self.field.behaviour(self.answer))

    def last(self) -> Any:
        return None

    def state(self) -> State:
        return {"iteration": np.array([self.iteration]), **{name: array.copy() for name, array in self.tables.items()}}

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        for name, array in self.tables.items():
            if state[name].shape != array.shape:
                raise ValueError(f"{name} has {state[name].size} entries instead of {array.size}")
            array[:] = state[name]
        self.iteration = int(state["iteration"][0])
