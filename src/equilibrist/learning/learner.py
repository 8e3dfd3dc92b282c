"""What every method of learning offers, so that one kind of training runs, stops, measures and resumes them all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

import numpy.typing as npt

from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.compiled import Compiled

State = Mapping[str, npt.NDArray[Any]]


class Learner(ABC):
    """A method at work on one game; random numbers come from its own state alone."""

    iteration: int  # made so far

    @abstractmethod
    def advance(self) -> None:
        """One iteration: new experience, and networks fitted to it."""

    @abstractmethod
    def policy(self) -> TabularPolicy:
        """What it would play now, as a table, so that a best response to it is exact; asking changes nothing that is learned."""

    @abstractmethod
    def counts(self) -> dict[str, int]:
        """Work done so far: "nodes", "episodes", "samples", "fits" …"""

    @abstractmethod
    def small_state(self) -> dict[str, npt.NDArray[Any]]:
        """Networks, optimisers, random state, counters: enough to go on once the memories are filled again."""

    @abstractmethod
    def memories(self) -> dict[str, npt.NDArray[Any]]:
        """Everything else: with it, going on gives bit for bit what an uninterrupted run gives on a CPU."""

    @abstractmethod
    def restore(self, small: State, memories: State | None) -> None:
        """Take a state over; without memories they are filled again from what the small state remembers."""

    def nets(self) -> dict[str, dict[str, npt.NDArray[Any]]]:
        """Weights that are worth publishing, net by net."""
        return {}


class LearningMethod(Protocol):
    """A method with its settings, by name in the catalogue."""

    @property
    def iterations(self) -> int:
        """How many it takes where nobody says otherwise."""

    def start(self, game: Compiled, *, seed: int, device: str) -> Learner:
        """A learner at iteration 0."""

    def memory_bytes(self, game: Compiled) -> int:
        """What its memories take when they are full; known before anything is taken."""
