"""Repeated games played stage by stage: what both strategies of a solution are worth against opponents of all kinds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError
from equilibrist.experiments.gilpin.equilibria._kernels.repeated_play import play_against_approach, play_against_bayes
from equilibrist.games.library.repeated import RepeatedGame
from equilibrist.solvers.mccfr._kernels.packing import random_state
from equilibrist.solvers.repeated_games.repeated_games import InformedStrategy, RepeatedSolution, UninformedStrategy

STEPS_PER_DECADE = 10


@dataclass(frozen=True)
class Mixing:
    """A row player that draws from the same mix at every stage."""

    mix: Floats  # [row]


@dataclass(frozen=True)
class Greedy:
    """A row player that is told the column player's mix before every stage and takes the best row for weighted states.

    One that pushes weights them by their excess over the targets, to lead the mean payoffs away from these.
    """

    weights: Floats  # [state]: one of them 1 if the state is known
    pushing: bool = False


@dataclass(frozen=True)
class Course:
    """Mean payoffs after growing numbers of stages, as they would be in each state."""

    stages: npt.NDArray[np.int64]  # [T]
    averages: Floats  # [T, state]

    def mean(self, belief: Floats) -> Floats:
        """[T] over states."""
        return np.asarray(self.averages @ belief)


def oppose_uninformed(strategy: UninformedStrategy, opponent: Mixing | Greedy, stages: int, seed: int = 0) -> Course:
    """The uninformed player's strategy against a row player."""
    game = strategy.game
    mixed, pushing = isinstance(opponent, Mixing), isinstance(opponent, Greedy) and opponent.pushing
    mix = opponent.mix if isinstance(opponent, Mixing) else np.zeros(game.shape[1])
    weights = opponent.weights if isinstance(opponent, Greedy) else game.prior
    _check_length("row", mix, game.shape[1])
    _check_length("state", weights, game.shape[0])
    course, random = _empty_course(game, stages), random_state(seed)
    play_against_approach(
        *_writeable(game.payoffs, strategy.target, strategy.idle), mixed, *_writeable(mix, weights), pushing,
        course.stages, random, course.averages,
    )  # fmt: skip
    return course


def oppose_informed(game: RepeatedGame, strategy: InformedStrategy, chosen: int, stages: int, seed: int = 0) -> Course:
    """The informed player, having drawn one belief, against a best response that knows the lottery but not the draw."""
    course, random = _empty_course(game, stages), random_state(seed)
    cost = np.einsum("lk,li,kij->lj", strategy.beliefs, strategy.rows, game.payoffs)
    known = _writeable(game.payoffs, strategy.rows, cost, strategy.weights)
    play_against_bayes(*known, chosen, course.stages, random, course.averages)
    return course


def both_play(solution: RepeatedSolution, stages: int, seed: int = 0) -> Floats:
    """Mean payoffs [T] of the two strategies of a solution against each other, one course for each belief drawn."""
    informed = solution.informed
    courses = [
        oppose_uninformed(solution.uninformed, Mixing(mix), stages, seed + i) for i, mix in enumerate(informed.rows)
    ]
    return _over_lottery(informed, courses)


def respond_to_informed(solution: RepeatedSolution, stages: int, seed: int = 0) -> Floats:
    """Mean payoffs [T] of the informed player's strategy against a best response."""
    informed = solution.informed
    drawn = range(len(informed.weights))
    return _over_lottery(informed, [oppose_informed(solution.game, informed, i, stages, seed + i) for i in drawn])


def _over_lottery(informed: InformedStrategy, courses: list[Course]) -> Floats:
    """Every belief with its weight, every state as that belief has it: no noise from the lottery itself."""
    means = [course.mean(belief) for course, belief in zip(courses, informed.beliefs, strict=True)]
    return np.asarray(informed.weights @ np.array(means))


def _empty_course(game: RepeatedGame, stages: int) -> Course:
    """Stages to look at, some in each decade, the last one among them."""
    if stages < 1:
        raise ParameterError(f"A repeated game is played for at least 1 stage, but {stages} were given.")
    steps = np.geomspace(1, stages, max(2, round(STEPS_PER_DECADE * np.log10(stages)) + 1))
    marks = np.unique(np.append(np.rint(steps).astype(np.int64), stages))
    return Course(marks, np.zeros((len(marks), game.shape[0])))


def _check_length(what: str, given: Floats, count: int) -> None:
    if len(given) != count:
        raise ParameterError(f"The opponent needs one number per {what}, {count} of them, but {len(given)} were given.")


def _writeable(*arrays: Floats) -> list[Floats]:
    """Of one kind, so that the kernel is compiled once."""
    return [np.array(array, dtype=np.float64, order="C") for array in arrays]
