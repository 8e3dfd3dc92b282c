"""`solve_stochastic`: stationary strategies of an undiscounted stochastic game, judged by the exact gain of the best deviation."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError
from equilibrist.core.policy import TabularPolicy
from equilibrist.games.stochastic import StochasticGame
from equilibrist.solvers.stochastic_games.outer_loops import Method, Search, StochasticSettings
from equilibrist.solvers.stochastic_games.policy_iteration import Deviation, ex_post_check
from equilibrist.solvers.stochastic_games.stages import unwatched
from equilibrist.solvers.stochastic_games.tree_stages import TreeStages

Progress = Callable[[int, float], None]  # iterations so far, and the gain of the best deviation
Report = Callable[[str, float | None], None]  # what is done, and the share
SWEEPING = ("vi-fp", "pi-fp")  # by fictitious play in the stages
CHECK_EVERY = {"vi-fp": 1, "pi-fp": 1, "fp-mdp": 10, "ftpl-mdp": 10}


@dataclass(frozen=True)
class StochasticSolution:
    """Strategies for every state, and what they are worth; no more than `gain` is left to any role, wherever the game starts."""

    game: StochasticGame
    method: str
    policies: tuple[TabularPolicy, ...]  # by state
    values: Floats  # [state, role]
    gain: float  # nan: not measured, after a second Ctrl-C
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
    policies = tuple(stages.policy(found.plan, state) for state in range(stages.ends.states))
    return StochasticSolution(game, method, policies, found.values, found.gain, search.iteration)


@dataclass(frozen=True)
class Reached:
    """What a search has come to."""

    plan: Floats  # [state, width]
    values: Floats  # [state, role]; nan where they are not known
    gain: float  # of the best deviation; nan: not measured
    interrupted: bool = False


def search_until(
    search: Search,
    gain: float,
    iterations: int,
    progress: Progress | None = None,
    kept: Checkpoints | None = None,
    *,
    report: Report = lambda text, share: None,
    unmeasured: Callable[[Reached], None] = lambda reached: None,
) -> Reached:
    """Iterations, checked now and then, until the gain is reached. Goes on from what was kept of the same search, in midst of an iteration.

    Ctrl-C answers with the last iteration, or with the sweeps of the first one; before these it is raised. If their gain is not known,
    `unmeasured` gets them at once, they are measured, and a second Ctrl-C leaves that.
    """
    if not gain > 0.0 or iterations < 1:
        raise ParameterError(
            f"A gain above 0 and at least one iteration are needed, but {gain:g} and {iterations} were given."
        )
    kept = kept or Checkpoints(None, "")
    before = kept.load("search")
    if before is not None:
        search.restore(before)
    teller = _Teller(search, report)
    with HeldInterrupts() as held:

        def watch(done: int, states: int) -> None:
            teller.tell(done, states)
            held.checkpoint()  # what a pass over the states has begun is left undone
            kept.save_now_and_then("search", search.state)

        try:
            search.stages.watch = watch
            while True:
                often = search.begun is None and search.iteration and not search.iteration % CHECK_EVERY[search.method]
                if often or search.iteration >= iterations:
                    found = teller.check()
                    if progress is not None:
                        progress(search.iteration, found.gain)
                    if found.gain <= gain or search.iteration >= iterations:
                        return Reached(search.plan, found.values, found.gain)
                search.advance(teller.swept)
                kept.save("search", search.state())
        except KeyboardInterrupt:
            with suppress(KeyboardInterrupt):  # impatience changes nothing: what there is is answered
                kept.save("search", search.state())
            search.stages.watch = teller.tell
            return _interrupted(search, teller, unmeasured)
        finally:
            search.stages.watch = unwatched


def _interrupted(search: Search, teller: _Teller, unmeasured: Callable[[Reached], None]) -> Reached:
    """What there is, measured unless a second Ctrl-C comes."""
    plan = search.reached
    if plan is None:
        raise KeyboardInterrupt
    found = teller.checked
    if found is None or teller.checked_at != search.iteration:
        known = search.iteration and search.method == "pi-fp"  # its values are those of its profile
        rough = Reached(plan, search.values if known else np.full_like(search.values, np.nan), np.nan, True)
        try:
            unmeasured(rough)
            found = teller.check(plan)
        except KeyboardInterrupt:
            return rough
    return Reached(plan, found.values, found.gain, True)


class _Teller:
    """Says where a search is, and remembers its last check."""

    def __init__(self, search: Search, report: Report) -> None:
        self.search, self.report = search, report
        self.checked: Deviation | None = None
        self.checked_at = 0  # the iteration
        self._checking, self._left = False, np.inf

    def swept(self, left: float) -> None:
        """What the stages leave to gain."""
        self._left = left

    def check(self, plan: Floats | None = None) -> Deviation:
        self._checking = True
        self.checked = ex_post_check(self.search.stages, self.search.plan if plan is None else plan)
        self.checked_at, self._checking, self._left = self.search.iteration, False, np.inf
        return self.checked

    def tell(self, done: int, states: int) -> None:
        search, begun = self.search, self.search.begun
        if self._checking:
            text = f"after iteration {search.iteration}, best deviation"
        elif search.method not in SWEEPING or (begun is not None and not len(begun.rows)):
            text = f"iteration {search.iteration + 1}, values"
        else:
            text = f"iteration {search.iteration + 1}, sweep {1 if begun is None else begun.sweeps + 1}"
        text += f", {done:,} of {states:,} states"
        if np.isfinite(self._left):
            text += f"  hands leave {self._left:.3g}"
        if self.checked is not None:
            text += f"  largest gain {self.checked.gain:.3g}"
        self.report(text, None)
