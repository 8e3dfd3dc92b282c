"""`solve_stochastic`: stationary strategies of an undiscounted stochastic game, judged by the exact gain of the best deviation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError
from equilibrist.core.policy import TabularPolicy
from equilibrist.games.stochastic import StochasticGame
from equilibrist.solvers.stochastic_games.outer_loops import Method, Search, StochasticSettings
from equilibrist.solvers.stochastic_games.tree_stages import TreeStages

if TYPE_CHECKING:
    from equilibrist.solvers.stochastic_games.policy_iteration import Deviation

Progress = Callable[[int, float], None]  # iterations so far, and the gain of the best deviation
CHECK_EVERY = {"vi-fp": 1, "pi-fp": 1, "fp-mdp": 10, "ftpl-mdp": 10}


@dataclass(frozen=True)
class StochasticSolution:
    """Strategies for every state, and what they are worth; no more than `gain` is left to any role, wherever the game starts."""

    game: StochasticGame
    method: str
    policies: tuple[TabularPolicy, ...]  # by state
    values: Floats  # [state, role]
    gain: float
    iterations: int

    def __repr__(self) -> str:
        states = len(self.policies)
        return f"<StochasticSolution of {self.game.name!r}: {states:,} states, {self.method}, largest gain {self.gain:.3g}>"


def solve_stochastic(
    game: StochasticGame,
    method: Method = "pi-fp",
    *,
    gain: float = 0.01,
    iterations: int = 100,
    settings: StochasticSettings | None = None,
    progress: Progress | None = None,
) -> StochasticSolution:
    """Search until no deviation gains more than `gain`, for so many iterations at most; Ctrl-C answers with what was found.

    Methods are `vi-fp`, `pi-fp`, `fp-mdp` and `ftpl-mdp`. None is sure to get there with more than two players: look at `.gain`.
    """
    stages = TreeStages(game)
    made = settings or StochasticSettings(gamma=gain / 5.0, first_gamma=10.0 * gain)
    search = Search(stages, method, made, values=game.guess())
    found = search_until(search, gain, iterations, progress)
    policies = tuple(stages.policy(search.plan, state) for state in range(stages.ends.states))
    return StochasticSolution(game, method, policies, found.values, found.gain, search.iteration)


def search_until(
    search: Search,
    gain: float,
    iterations: int,
    progress: Progress | None = None,
    kept: Checkpoints | None = None,
) -> Deviation:
    """Iterations, checked now and then, until the gain is reached; the last check. Goes on from what was kept of the same search."""
    if not gain > 0.0 or iterations < 1:
        raise ParameterError(
            f"A gain above 0 and at least one iteration are needed, but {gain:g} and {iterations} were given."
        )
    before = None if kept is None else kept.load("search")
    if before is not None:
        search.restore(before)
    with HeldInterrupts() as held:
        while search.iteration < iterations:
            try:
                search.advance(lambda left: held.checkpoint())  # what an iteration has begun is left undone
            except KeyboardInterrupt:
                if not search.iteration:
                    raise
                break
            if kept is not None:
                kept.save("search", search.state())
            if search.iteration % CHECK_EVERY[search.method] == 0 and search.iteration < iterations:
                found = search.check()
                if progress is not None:
                    progress(search.iteration, found.gain)
                if found.gain <= gain:
                    return found
        return search.check()
