"""Infinitely repeated games with lack of information on one side: value and strategies ([Gilpin09, chapter 11]).

The value is cav v(p), the smallest concave function above v at the prior, where v(q) is the value of the average game of a
belief q (Aumann and Maschler). The informed player gets it by one lottery, the uninformed player by approachability.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError, suggest
from equilibrist.core.solution import SolveRecord
from equilibrist.games.library.repeated import RepeatedGame
from equilibrist.solvers.linear_programs.matrix_games import solve_matrices
from equilibrist.solvers.repeated_games.concavification import Concavification, adaptively, by_grid
from equilibrist.version import __version__

__all__ = [
    "InformedStrategy",
    "RepeatedGame",
    "RepeatedSolution",
    "UninformedStrategy",
    "non_revealing_value",
    "solve_repeated",
]

METHODS = {"adaptive": adaptively, "grid": by_grid}
FINEST = 1e-8  # programs are solved to 1e-9


@dataclass(frozen=True)
class InformedStrategy:
    """Draw a belief once, by a lottery that depends on the state; then play its average game for ever ([Gilpin09, §11.5.1])."""

    beliefs: Floats  # [L, state] what the opponent will believe
    weights: Floats  # [L] probability of each; their mean is the prior
    lottery: Floats  # [state, L] probability of each belief given the state
    rows: Floats  # [L, row] what is then played at every stage

    def choose(self, state: int, rng: np.random.Generator) -> int:
        """The lottery, once the state is known; `rows` of the answer is played at every stage."""
        return int(rng.choice(len(self.weights), p=self.lottery[state]))


@dataclass(frozen=True)
class UninformedStrategy:
    """Keep the mean payoff of every state at most at its target, by approachability ([Gilpin09, §11.5.2])."""

    game: RepeatedGame
    target: Floats  # [state] a plane above v; its mean over the prior is what the strategy concedes in the long run
    idle: Floats  # [column] played while no target is exceeded, when anything may be

    def mix(self, average: Floats | None) -> Floats:
        """The mix of the next stage from the mean payoffs [state] of all past stages; None before the first."""
        excess = np.zeros(len(self.target)) if average is None else np.maximum(average - self.target, 0.0)
        if not excess.any():
            return self.idle
        return np.asarray(solve_matrices(self.game.average(excess / excess.sum())[None]).columns[0])

    def distance(self, averages: Floats) -> Floats:
        """Of mean payoffs [..., state] to the set of those within the targets."""
        return np.asarray(np.sqrt((np.maximum(averages - self.target, 0.0) ** 2).sum(axis=-1)))

    def distance_bound(self, stages: int) -> float:
        """On the root mean square of that distance, against any opponent: payoff range times sqrt(states / stages)."""
        low, high = self.game.range
        return (high - low) * math.sqrt(len(self.game.possible) / stages)

    def guarantee(self, stages: int) -> float:
        """The most that any opponent expects as mean payoff of so many stages."""
        prior = self.game.prior
        return float(prior @ self.target + np.sqrt((prior**2).sum()) * self.distance_bound(stages))


@dataclass(frozen=True)
class RepeatedSolution:
    """Strategies of both players and the interval between what they guarantee, which holds the value."""

    game: RepeatedGame = field(repr=False)
    lower: float  # guaranteed to the informed player in every number of stages
    upper: float  # conceded by the uninformed player in the long run
    informed: InformedStrategy = field(repr=False)
    uninformed: UninformedStrategy = field(repr=False)
    record: SolveRecord

    @property
    def games(self) -> int:
        """Average games that were solved."""
        return self.record.iterations

    @property
    def converged(self) -> bool:
        """The interval is as short as was asked for."""
        return self.record.converged

    @property
    def value(self) -> float:
        """The value of the best lottery that was found, short of the true value by `error` at most."""
        return self.lower

    @property
    def error(self) -> float:
        """Length of the interval, in payoffs of the game."""
        return self.upper - self.lower


def non_revealing_value(game: RepeatedGame, beliefs: Floats) -> Floats:
    """v(q) of beliefs [..., state]: the value if the informed player does not use what it knows."""
    beliefs = np.asarray(beliefs, dtype=np.float64)
    if beliefs.shape[-1:] != (game.shape[0],):
        raise ParameterError(
            f"A belief gives each of {game.shape[0]} states its probability; got shape {beliefs.shape}."
        )
    flat = game.average(beliefs.reshape(-1, game.shape[0]))
    return solve_matrices(flat).lower.reshape(beliefs.shape[:-1])


def solve_repeated(game: RepeatedGame, epsilon: float = 1e-6, method: str = "adaptive") -> RepeatedSolution:
    """Value and strategies to within ε times the payoff range; `grid` is the text's method, `adaptive` bisects."""
    check_accuracy(epsilon, method)
    begin = time.perf_counter()
    low, high = game.range
    unit = high - low or 1.0
    kept = game.possible
    found = METHODS[method]((game.payoffs[kept] - low) / unit, game.prior[kept], epsilon)
    upper = low + unit * found.upper
    lower = low + unit * found.lower
    return RepeatedSolution(
        game=game,
        lower=lower,
        upper=upper,
        informed=_informed(game, found),
        uninformed=_uninformed(game, low + unit * found.plane),
        record=SolveRecord(
            f"concavification(method={method})",
            iterations=found.games,
            seconds=time.perf_counter() - begin,
            converged=bool(upper - lower <= epsilon * unit * (1.0 + 1e-9)),
            settings={"epsilon": epsilon, "method": method},
            provenance={"version": __version__, "exploitability": "an interval that both strategies prove"},
        ),
    )


def check_accuracy(epsilon: float, method: str) -> None:
    """Refuse what cannot be asked for."""
    if method not in METHODS:
        raise ParameterError(f"The method '{method}' is not one of {', '.join(METHODS)}.{suggest(method, METHODS)}")
    if not FINEST <= epsilon <= 1.0:
        raise ParameterError(f"epsilon is a share of the payoff range, from {FINEST:g} to 1, but {epsilon} was given.")


def _informed(game: RepeatedGame, found: Concavification) -> InformedStrategy:
    beliefs = np.zeros((len(found.weights), game.shape[0]))
    beliefs[:, game.possible] = found.beliefs
    lottery = (found.weights[:, None] * beliefs).T
    lottery[lottery.sum(axis=1) == 0.0] = (
        found.weights
    )  # states that never come, or too rarely to be seen: anything will do
    lottery /= lottery.sum(axis=1, keepdims=True)
    return InformedStrategy(beliefs, found.weights, lottery, solve_matrices(game.average(beliefs)).rows)


def _uninformed(game: RepeatedGame, plane: Floats) -> UninformedStrategy:
    target = game.payoffs.max(axis=(1, 2))  # of states that never come, nothing is kept
    target[game.possible] = plane
    return UninformedStrategy(game, target, solve_matrices(game.average(game.prior)[None]).columns[0])
