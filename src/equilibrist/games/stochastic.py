"""Stochastic games: stages that follow one another, undiscounted; how a stage ends decides who is paid and what comes next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from equilibrist.core.arrays import Floats
from equilibrist.games.rules import Game, State


@dataclass(frozen=True)
class StageEnd:
    """What the end of a stage leads to: payments, and the states that may follow; none of them where all is over."""

    rewards: tuple[float, ...]  # by role
    following: tuple[tuple[int, float], ...] = ()  # state and probability; what is missing to one ends the game
    roles: tuple[int, ...] | None = None  # the role of each in the next stage (default: the same)


class StochasticGame(ABC):
    """States, each with a stage: an ordinary game for the same roles. Strategies are stationary, payments add up undiscounted."""

    name: str
    players: int  # roles in each stage; whoever has a role may have another one in the next

    @property
    @abstractmethod
    def states(self) -> Sequence[str]:
        """Names of the states in which the game goes on."""

    @abstractmethod
    def stage(self, state: int) -> Game:
        """The game played at a state; payoffs of its own are not used."""

    @abstractmethod
    def end(self, state: int, history: State) -> StageEnd:
        """What a terminal history of the stage leads to."""

    def guess(self) -> Floats | None:
        """[state, role] values to begin with, such as those of ICM; None: nothing is known."""
        return None
