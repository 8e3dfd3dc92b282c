"""Parameters chosen while solving: gradient ascent on bet sizes, with regret transfer after every step ([Brown20, Algorithm 3]).

For each of the d parameters two runs stand at theta + r and theta - r; the difference of their values is the gradient. The radius r
shrinks like s^(-1/4), so iterations per step grow like the square root of the step's number s.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError
from equilibrist.core.solution import TabularSolution
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.history_tree.game_tree import GameTree, affine_tree
from equilibrist.forms.history_tree.parameters import GameFamily, family_of
from equilibrist.games.rules import Game
from equilibrist.solvers.bet_sizing.affine_cfr import SAMPLINGS, AffineRun, start_affine_run
from equilibrist.solvers.bet_sizing.regret_transfer import average_growth, payoff_scale
from equilibrist.solvers.solve import solve

LEAST_SHARE = 0.05  # of a positive parameter is left, whatever the gradient says


@dataclass(frozen=True)
class OptimiserSettings:
    """How steps are taken; the defaults are those published for Leduc."""

    rate: float = 50.0  # alpha
    decay: float = 0.75  # the step is rate * gradient / s^decay
    patience: int = 100  # K: the runs count as s K iterations when step s is taken
    radius: float | None = (
        None  # r of the first pair of points, later r * s^(-1/4); None: a quarter of the least start, at most 1
    )
    largest_step: float | None = None  # the first gradients are noisy; None: half the radius
    burn_in: int = 0  # iterations before the first step
    scale: float | None = None  # U, the size of payoffs; None: their mean absolute value
    sampling: str = "none"

    def __post_init__(self) -> None:
        for name in ("rate", "patience", "radius", "largest_step"):
            if getattr(self, name) is not None and not getattr(self, name) > 0:
                raise ParameterError(f"'{name}' must be positive, but {getattr(self, name)} was given.")
        if not 0.5 <= self.decay <= 1.0:
            raise ParameterError(
                f"'decay' lies from 0.5 to 1, so that steps shrink but never end, but {self.decay} was given."
            )
        if self.sampling not in SAMPLINGS:
            raise ParameterError(f"'sampling' is one of {', '.join(SAMPLINGS)}, but {self.sampling!r} was given.")


@dataclass(frozen=True)
class OptimiserStep:
    """One step: where it led, why, and what it cost."""

    number: int
    theta: tuple[float, ...]  # after the step
    gradient: tuple[float, ...]
    value: float  # of the player, mean of the points' averages before the step
    weight: float  # by which the past was multiplied
    iterations: int  # at each point, in all


class ParameterSearch:
    """Algorithm 3 at work; `step` takes one step."""

    def __init__(
        self,
        tree: GameTree,
        player: int,
        settings: OptimiserSettings | None = None,
        box: Sequence[tuple[float, float]] | None = None,
        seed: int = 0,
    ) -> None:
        self.settings = settings or OptimiserSettings()
        self.player, self.theta = player, tree.parameters.copy()
        quarter = float(np.abs(self.theta).min(initial=4.0)) / 4.0
        self.radius = self.settings.radius or min(1.0, max(quarter, 1e-3))
        self.largest_step = self.settings.largest_step or self.radius / 2.0
        if not 0 <= player < tree.players:
            raise ParameterError(f"The players are 1 to {tree.players}, but player {player + 1} was named.")
        self.low, self.high = _box(box, self.theta)
        self.scale = payoff_scale(tree) if self.settings.scale is None else self.settings.scale
        self.widest = int(np.diff(tree.infosets.first_slot).max(initial=1))
        self.steps: list[OptimiserStep] = []
        self.points: list[AffineRun] = []
        for number, theta in enumerate(self._around(self.theta, 1)):
            self.points.append(start_affine_run(tree.at(theta.tolist()), self.settings.sampling, seed + number))

    @property
    def iterations(self) -> int:
        """Played at each point."""
        return self.points[0].iteration

    def step(self) -> OptimiserStep:
        """Solve on until the gradient can be trusted, then move."""
        settings, number = self.settings, len(self.steps) + 1
        goal = max(settings.patience * number, settings.burn_in if number == 1 else 0)
        missing = math.ceil(goal - self.points[0].weight)
        for run in self.points:
            run.advance(max(missing, 0))
        values = np.array([run.values()[self.player] for run in self.points]).reshape(-1, 2)
        below, above = np.array([run.theta for run in self.points]).reshape(len(self.theta), 2, -1).swapaxes(0, 1)
        width = np.diagonal(above - below)
        gradient = (values[:, 1] - values[:, 0]) / np.maximum(width, 1e-12)
        moved = np.clip(settings.rate * gradient / number**settings.decay, -self.largest_step, self.largest_step)
        weight = self._move(np.clip(self.theta + moved, self.low, self.high), number + 1)
        found = OptimiserStep(
            number, tuple(self.theta.tolist()), tuple(gradient.tolist()), float(values.mean()), weight, self.iterations
        )
        self.steps.append(found)
        return found

    def _move(self, theta: Floats, number: int) -> float:
        """All points to their places around theta; one weight for all of them."""
        places = self._around(theta, number)
        weight = self._weight(average_growth(self.points, places), self.points[0].weight)
        for run, place in zip(self.points, places, strict=True):
            run.move(place, weight)
        self.theta = theta
        return weight

    def _weight(self, growth: float, t: float) -> float:
        step = growth * math.sqrt(t) / self.scale
        return 1.0 / (1.0 + 2.0 * step * math.sqrt(self.widest) + step * step)

    def _around(self, theta: Floats, number: int) -> list[Floats]:
        """theta - r e_d and theta + r e_d for each d; a bet stays a bet."""
        radius = self.radius * number**-0.25
        places = []
        for d in range(len(theta)):
            for sign in (-1.0, 1.0):
                place = theta.copy()
                place[d] += sign * radius
                if self.low[d] >= 0.0 and place[d] < LEAST_SHARE * theta[d]:
                    place[d] = LEAST_SHARE * theta[d]
                places.append(place)
        return places


def _box(box: Sequence[tuple[float, float]] | None, theta: Floats) -> tuple[Floats, Floats]:
    if box is None:
        return np.where(theta > 0.0, LEAST_SHARE * theta, -np.inf), np.full(len(theta), np.inf)  # a bet stays a bet
    if len(box) != len(theta):
        raise ParameterError(f"There are {len(theta)} parameters, but bounds for {len(box)} were given.")
    low, high = np.array(box, dtype=np.float64).T
    if not (low < high).all():
        raise ParameterError(f"Lower bounds must lie below upper ones, but {list(box)} were given.")
    return low, high


@dataclass(frozen=True)
class Optimised:
    """Parameters that are locally best for one player, and an equilibrium there."""

    names: tuple[str, ...]
    theta: tuple[float, ...]
    player: int
    solution: TabularSolution  # of the game at theta
    steps: tuple[OptimiserStep, ...] = field(repr=False)
    interrupted: bool = False

    @property
    def value(self) -> float:
        """Of the game at theta, for the player."""
        return self.solution.value[self.player]


SearchProgress = Callable[[OptimiserStep, float], None]  # the step taken, the share of the work that is over


def optimise_parameters(
    game: str | GameFamily | Callable[..., Game],
    vary: str | Sequence[str] | None = None,
    *,
    player: int = 0,
    start: Sequence[float] | None = None,
    box: Sequence[tuple[float, float]] | None = None,
    iterations: int = 100_000,
    settings: OptimiserSettings | None = None,
    seed: int = 0,
    progress: SearchProgress | None = None,
) -> Optimised:
    """Parameters of a game that are best for `player` (0 is the first) while everybody plays an equilibrium.

    `game` is a name and `vary` its parameters (`"leduc"`, `"bets[2]"`), or a function of numbers with `start`. Stops after so many
    `iterations` at each point; then the game found is solved once more on its own.
    """
    if iterations < 1:
        raise ParameterError(f"'iterations' must be at least 1, but {iterations} was given.")
    names, tree, family = _family(game, vary, start)
    search = ParameterSearch(tree, player, settings, box, seed)
    interrupted = False
    with HeldInterrupts() as interrupts:
        try:
            while search.iterations < iterations:
                taken = search.step()
                if progress is not None:
                    progress(taken, min(1.0, taken.iterations / iterations))
                interrupts.checkpoint()
        except KeyboardInterrupt:
            interrupted = True
        found = tuple(search.theta.tolist())
        member = family(*found)
        solution = solve(Compiled(member, tree.at(found)), "dcfr", iterations=2000)
    assert isinstance(solution, TabularSolution)
    return Optimised(names, found, player, solution, tuple(search.steps), interrupted)


def _family(
    game: str | GameFamily | Callable[..., Game], vary: str | Sequence[str] | None, start: Sequence[float] | None
) -> tuple[tuple[str, ...], GameTree, Callable[..., Game]]:
    if isinstance(game, str):
        if vary is None:
            raise ParameterError(f"Name the parameters of '{game}' to be optimised, such as vary='bets'.")
        game = family_of(game, vary)
    if isinstance(game, GameFamily):
        theta = game.start if start is None else start
        if len(theta) != len(game.names):
            raise ParameterError(
                f"There are {len(game.names)} parameters ({', '.join(game.names)}), but {len(theta)} numbers to start from."
            )
        return game.names, game.tree(theta), game
    if start is None:
        raise ParameterError("A function of numbers needs 'start', the numbers to begin with.")
    return tuple(f"theta[{d + 1}]" for d in range(len(start))), affine_tree(game, start), game
