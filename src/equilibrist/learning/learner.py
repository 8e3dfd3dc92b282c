"""What every method of learning offers, so that one kind of training runs, stops, measures and resumes them all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

import numpy.typing as npt

from equilibrist.core.policy import Policy, TabularPolicy
from equilibrist.core.solution import BaseSolution, Evaluation, SolveRecord, TabularSolution
from equilibrist.forms.compiled import Compiled
from equilibrist.solvers.responses.best_response import evaluate_policy

State = Mapping[str, npt.NDArray[Any]]


class Learner(ABC):
    """A method at work on one game; random numbers come from its own state alone."""

    iteration: int  # made so far
    game: Compiled

    @abstractmethod
    def advance(self) -> None:
        """One iteration: new experience, and networks fitted to it."""

    @abstractmethod
    def policy(self) -> Policy:
        """What it would play now; asking changes nothing that is learned."""

    def measure(self) -> tuple[float, Evaluation | None]:
        """Exact exploitability of what it would play now, mean over players, and values and best responses where they are known."""
        found = evaluate_policy(self.game, self._table())
        return found.exploitability, found

    def solution(self, record: SolveRecord, evaluation: Evaluation | None) -> BaseSolution:
        """What it would play now, for every other command."""
        rules = self.game.game
        return TabularSolution(rules.name, record, self._table(), evaluation, unit=rules.unit)

    def _table(self) -> TabularPolicy:
        policy = self.policy()
        assert isinstance(policy, TabularPolicy), "games without a table have a solution of their own"
        return policy

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
