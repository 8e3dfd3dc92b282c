"""Repeated games with lack of information on one side: one of K matrices is drawn, shown to the row player, repeated.

`RepeatedGame` is the data of the infinite game, which `solvers/repeated_games/repeated_games.py` solves; `FiniteRepetition` are the
rules of its first stages, for every other solver.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError
from equilibrist.core.names import Name
from equilibrist.games.library.matrix import plain
from equilibrist.games.rules import CHANCE, TERMINAL, Game, GameEntry, State

INFORMED, UNINFORMED = 0, 1
SUM_TOLERANCE = 1e-9  # a prior such as (1/3, 1/3, 1/3) may miss one by rounding


@dataclass(frozen=True, eq=False)
class RepeatedGame:
    """K matrix games, payoffs to the informed row player, and the probability of each ([Gilpin09, §11.2.3]).

    Both players see all actions and no payoffs; what counts is the mean payoff.
    """

    payoffs: Floats  # [state, row, column]
    prior: Floats  # [state]

    def __init__(self, payoffs: Any, prior: Any) -> None:
        object.__setattr__(self, "payoffs", _checked_payoffs(payoffs))
        object.__setattr__(self, "prior", _checked_prior(prior, len(self.payoffs)))

    @property
    def shape(self) -> tuple[int, int, int]:
        """States, rows and columns."""
        states, rows, columns = self.payoffs.shape
        return states, rows, columns

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest payoff."""
        return float(self.payoffs.min()), float(self.payoffs.max())

    @property
    def possible(self) -> npt.NDArray[np.int64]:
        """States that can be drawn."""
        return np.flatnonzero(self.prior)

    def average(self, beliefs: Floats) -> Floats:
        """The average games [..., row, column] of beliefs [..., state]: the game if the row player tells nothing."""
        return np.tensordot(beliefs, self.payoffs, axes=1)


def _checked_payoffs(payoffs: Any) -> Floats:
    shape = "The payoffs of a repeated game are one matrix per state, all of one shape, such as [[[1,0],[0,0]],[[0,0],[0,1]]]"
    try:
        found = np.array(payoffs, dtype=np.float64) + 0.0
    except (TypeError, ValueError):
        raise ParameterError(
            f"{shape}; what was given has rows or matrices of different length, or no numbers."
        ) from None
    if found.ndim != 3 or not found.size:
        raise ParameterError(f"{shape}, but an array of shape {found.shape} was given.")
    if not np.isfinite(found).all():
        state, row, column = np.argwhere(~np.isfinite(found))[0]
        raise ParameterError(
            f"Payoffs are finite numbers, but state {state + 1}, row {row + 1}, column {column + 1} "
            f"holds {found[state, row, column]}."
        )
    if np.abs(found).max() > 1e100:
        raise ParameterError("Payoffs above 1e100 leave no digits to compute with; count them in a larger unit.")
    found.flags.writeable = False
    return found


def _checked_prior(prior: Any, states: int) -> Floats:
    try:
        found = np.array(prior, dtype=np.float64) + 0.0
    except (TypeError, ValueError):
        raise ParameterError(f"The prior is a list of numbers such as [0.5, 0.5], but {prior!r} was given.") from None
    if found.shape != (states,):
        raise ParameterError(f"The prior needs one probability per state, {states} of them, but {prior!r} was given.")
    total = float(found.sum())
    if not (np.isfinite(found).all() and (found >= 0.0).all() and abs(total - 1.0) <= SUM_TOLERANCE):
        raise ParameterError(
            f"The prior is made of probabilities from 0 to 1 with sum 1, but {found.tolist()} with sum {total:g} was given."
        )
    if abs(total - 1.0) > 1e-12:  # what is left is rounding, and a name must give the same game again
        found /= total
    found.flags.writeable = False
    return found


# [Gilpin09, §11.3], the first two by Aumann and Maschler, the third by Zamir; both states are equally likely
NON_REVEALING = RepeatedGame([[[1, 0], [0, 0]], [[0, 0], [0, 1]]], [0.5, 0.5])
REVEALING = RepeatedGame([[[-1, 0], [0, 0]], [[0, 0], [0, -1]]], [0.5, 0.5])
PARTIALLY_REVEALING = RepeatedGame([[[4, 0, 2], [4, 0, -2]], [[0, 4, -2], [0, 4, 2]]], [0.5, 0.5])


class RepetitionState(State):
    """The state of the world, -1 before it is drawn, and the moves so far: row, column, row, column, …"""

    __slots__ = ("game", "moves", "player", "world")

    def __init__(self, game: FiniteRepetition, world: int, moves: tuple[int, ...]) -> None:
        self.game = game
        self.world = world
        self.moves = moves
        over = len(moves) == 2 * game.stages
        self.player = CHANCE if world < 0 else TERMINAL if over else len(moves) % 2

    def actions(self) -> Sequence[str]:
        return [_label("rc"[self.player], i) for i in range(self.game.base.shape[1 + self.player])]

    def chance(self) -> Sequence[tuple[str, float]]:
        base = self.game.base
        return [(_label("s", k), float(base.prior[k])) for k in base.possible]

    def child(self, index: int) -> RepetitionState:
        if self.world < 0:
            return RepetitionState(self.game, int(self.game.base.possible[index]), ())
        return RepetitionState(self.game, self.world, (*self.moves, index))

    def infoset(self, player: int) -> str:
        if self.world < 0:
            return "start"
        own = self.moves[-1:] if len(self.moves) % 2 and player == INFORMED else ()
        secret = f"{_label('s', self.world)}:" if player == INFORMED else ""
        return secret + self.public() + "".join(f":{_label('r', move)}" for move in own)

    def public(self) -> str:
        if self.world < 0:
            return "start"
        shown = [f"{_label('r', a)}{_label('c', b)}" for a, b in zip(self.moves[::2], self.moves[1::2], strict=False)]
        return "/".join(
            [*shown, "column" if self.player == UNINFORMED else "row" if self.player == INFORMED else "end"]
        )

    def returns(self) -> tuple[float, ...]:
        mean = float(self.game.base.payoffs[self.world, list(self.moves[::2]), list(self.moves[1::2])].mean())
        return mean, 0.0 - mean


class FiniteRepetition(Game):
    """The first stages of a repeated game, counted by their mean payoff: the game called Γ_n in the text.

    Its value falls towards the value of the infinite game as the stages grow in number.
    """

    players = 2

    def __init__(self, base: RepeatedGame, stages: int, name: str | None = None) -> None:
        if stages < 1:
            raise ParameterError(f"A repeated game has at least 1 stage, but stages={stages} was given.")
        self.base = base
        self.stages = stages
        self.name = name or str(Name("repeated", _parameters(base, stages)))

    def start(self) -> RepetitionState:
        return RepetitionState(self, -1, ())

    def histories(self) -> float:
        _, rows, columns = self.base.shape
        pairs = float(rows * columns)
        ends = pairs**self.stages if self.stages * math.log(pairs) < 700.0 else math.inf
        begun = (ends - 1.0) / (pairs - 1.0) if pairs > 1.0 else float(self.stages)  # stages in all histories together
        return 1.0 + len(self.base.possible) * (begun * (1.0 + rows) + ends)


def _label(letter: str, index: int) -> str:
    return f"{letter}{index + 1}"


def _parameters(base: RepeatedGame, stages: int) -> dict[str, Any]:
    """What a name has to say: no defaults, and no prior if all states are equally likely."""
    states = tuple(plain(tuple(map(tuple, matrix))) for matrix in base.payoffs.tolist())
    prior = tuple(base.prior.tolist())
    usual = {"states": DEFAULTS["states"], "prior": (1 / len(prior),) * len(prior), "stages": DEFAULTS["stages"]}
    return {
        key: value for key, value in (("states", states), ("prior", prior), ("stages", stages)) if value != usual[key]
    }


def finite_repetition(states: Any = None, prior: Any = None, stages: int = 2) -> FiniteRepetition:
    """By default the first example of the text; without a prior all states are equally likely."""
    payoffs = _checked_payoffs(DEFAULTS["states"] if states is None else states)
    return FiniteRepetition(
        RepeatedGame(payoffs, (1 / len(payoffs),) * len(payoffs) if prior is None else prior), stages
    )


DEFAULTS: dict[str, Any] = {"states": (((1, 0), (0, 0)), ((0, 0), (0, 1))), "prior": (0.5, 0.5), "stages": 2}
ENTRIES = [
    GameEntry(
        "repeated",
        "one of several matrix games, known to the row player only, played several times",
        finite_repetition,
        DEFAULTS,
        "[Gilpin09, §11.2.3 and §11.3]",
        bounds={"states": (-1e100, 1e100), "prior": (0, 1), "stages": (1, 1_000)},
    )
]
