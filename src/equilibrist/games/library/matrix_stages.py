"""Stochastic games of matrices: at every state all choose at the same time, and the choices decide what is paid and what comes next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from equilibrist.core.errors import ParameterError
from equilibrist.games.rules import TERMINAL, Game, State
from equilibrist.games.stochastic import StageEnd, StochasticGame

Choices = tuple[int, ...]


@dataclass(frozen=True)
class MatrixStage(Game):
    """One stage: everybody chooses one of its actions without seeing the others'."""

    name: str
    actions: tuple[tuple[str, ...], ...]  # by role
    zero_sum = False

    @property
    def players(self) -> int:  # type: ignore[override]
        return len(self.actions)

    def start(self) -> State:
        return MatrixStageState(self, ())


class MatrixStageState(State):
    """What was chosen so far, role by role."""

    __slots__ = ("chosen", "stage")

    def __init__(self, stage: MatrixStage, chosen: Choices) -> None:
        self.stage, self.chosen = stage, chosen

    @property
    def player(self) -> int:  # type: ignore[override]
        return len(self.chosen) if len(self.chosen) < len(self.stage.actions) else TERMINAL

    def actions(self) -> Sequence[str]:
        return self.stage.actions[len(self.chosen)]

    def child(self, index: int) -> State:
        return MatrixStageState(self.stage, (*self.chosen, index))

    def infoset(self, player: int) -> str:
        return f"player {player + 1}"

    def public(self) -> str:
        return f"{len(self.chosen)} chosen"

    def returns(self) -> tuple[float, ...]:
        return (0.0,) * len(self.stage.actions)


class MatrixStages(StochasticGame):
    """Stages as tables from choices to ends; `stages[state]` has a `StageEnd` for every tuple of choices, numbered from 0."""

    def __init__(self, name: str, stages: Sequence[Mapping[Choices, StageEnd]]) -> None:
        self.name, self._stages = name, [dict(table) for table in stages]
        self.players = len(next(iter(self._stages[0]))) if self._stages and self._stages[0] else 0
        self._actions = [self._counted(number, table) for number, table in enumerate(self._stages)]

    def _counted(self, number: int, table: Mapping[Choices, StageEnd]) -> tuple[tuple[str, ...], ...]:
        sizes = [1 + max(choices[role] for choices in table) for role in range(self.players)]
        if set(table) != set(product(*map(range, sizes))):
            raise ParameterError(
                f"Stage {number} of '{self.name}' needs an end for each of {' x '.join(map(str, sizes))} choices, but has {len(table)}."
            )
        return tuple(tuple(f"a{choice}" for choice in range(size)) for size in sizes)

    @property
    def states(self) -> Sequence[str]:
        return [str(number) for number in range(len(self._stages))]

    def stage(self, state: int) -> Game:
        return MatrixStage(f"{self.name}, state {state}", self._actions[state])

    def end(self, state: int, history: State) -> StageEnd:
        assert isinstance(history, MatrixStageState)
        return self._stages[state][history.chosen]
