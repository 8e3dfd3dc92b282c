"""VI-FP, PI-FP, FP-MDP and FTPL-MDP: equilibria of undiscounted stochastic games ([Ganzfried15, Algorithms 7, 10, 11, 12]).

No one of them is sure to converge with more than two players. What PI-FP and FP-MDP converge to is an equilibrium; VI-FP may settle
elsewhere. Each iteration is judged by the exact gain of the best deviation (`ex_post_check`), whatever made it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np

from equilibrist.core.arrays import Array, Floats
from equilibrist.core.errors import ParameterError
from equilibrist.solvers.stochastic_games.evaluation import plan_values
from equilibrist.solvers.stochastic_games.policy_iteration import Deviation, best_policy, ex_post_check
from equilibrist.solvers.stochastic_games.stage_play import StagePlay, fictitious_stages
from equilibrist.solvers.stochastic_games.stages import Stages

PRINTED: dict[str, Any] = {"first_gamma": 0.0, "linear": False, "memory": 10}  # settings as in the text

Method = Literal["vi-fp", "pi-fp", "fp-mdp", "ftpl-mdp"]
METHODS: tuple[Method, ...] = ("vi-fp", "pi-fp", "fp-mdp", "ftpl-mdp")


@dataclass(frozen=True)
class StochasticSettings:
    """`gamma`: what a stage may leave to gain; the first iterations begin at `first_gamma` and come down by a third each.

    `linear` weighs sweep t of fictitious play by t; [Ganzfried15, Equation 9.1] has all alike, which takes ten times as many. `noise` is
    the scale of FTPL's random rewards.
    """

    gamma: float = 0.01
    first_gamma: float = 0.1
    linear: bool = True
    memory: int = 3  # sweeps that the profile of the iteration before counts for
    most_sweeps: int = 400  # of one iteration
    noise: float = 0.5
    seed: int = 0

    def gamma_at(self, iteration: int) -> float:
        """Values are wrong by much at first: stages need not be solved better than that."""
        return max(self.gamma, self.first_gamma * 3.0**-iteration)


class Search:
    """Where a method stands after some iterations; `state` and `restore` let it go on."""

    def __init__(
        self,
        stages: Stages,
        method: Method,
        settings: StochasticSettings | None = None,
        *,
        values: Floats | None = None,
        plan: Floats | None = None,
    ) -> None:
        """`values` [state, role] to begin with (default: zero), `plan` [state, width] (default: every action alike)."""
        if method not in METHODS:
            raise ParameterError(f"There is no method '{method}'; expected one of {', '.join(METHODS)}.")
        self.stages, self.method, self.settings = stages, method, settings or StochasticSettings()
        self.values = np.zeros((stages.ends.states, stages.ends.roles)) if values is None else values
        self.plan = stages.start() if plan is None else plan
        self.iteration, self.sweeps, self.seconds = 0, 0, 0.0  # sweeps of fictitious play; seconds without checks
        self.change = np.inf  # of values, in the last iteration
        self.begun: StagePlay | None = None  # what there is of the next iteration
        self._rng = np.random.default_rng(self.settings.seed)

    def advance(self, tell: Callable[[float], None] = lambda gain: None) -> None:
        """One iteration of the outer loop."""
        begin = time.perf_counter()
        if self.method in ("vi-fp", "pi-fp"):
            self._advance_values(tell)
        else:
            tell(np.inf)
            self._advance_play()
        self.seconds += time.perf_counter() - begin

    def _advance_values(self, tell: Callable[[float], None]) -> None:
        """Fictitious play in every stage; then values by one step (VI) or by solving for the profile (PI)."""
        found = fictitious_stages(
            self.stages,
            self.stages.ends.payoffs(self.values),
            self.plan,
            gamma=self.settings.gamma_at(self.iteration),
            most=self.settings.most_sweeps,
            linear=self.settings.linear,
            memory=self.settings.memory if self.iteration else 0,
            check=tell,
            begun=self.begun,
            keep=self._begin,
        )
        later = found.values
        if self.method == "pi-fp":
            others = self.stages.against(found.plan, exact=True)
            later = plan_values(self.stages.ends, others.probabilities(found.plan))
        self._complete(found.plan, later, found.sweeps)

    def _begin(self, play: StagePlay) -> None:
        self.begun = play

    def _complete(self, plan: Floats, values: Floats, sweeps: int = 0) -> None:
        """All of an iteration at once, so that an interrupt leaves it done or undone."""
        done, change = (self.iteration + 1, self.sweeps + sweeps), float(np.abs(values - self.values).max())
        self.plan, self.values, self.change, (self.iteration, self.sweeps), self.begun = (
            plan,
            values,
            change,
            done,
            None,
        )

    def _advance_play(self) -> None:
        """Each role answers the average profile over the whole game; FTPL with random rewards. The start counts as one answer."""
        others, bonus = self.stages.against(self.plan, exact=True), None
        if self.method == "ftpl-mdp":
            bonus = self.stages.noise(self._rng) * self.settings.noise / np.sqrt(self.iteration + 1.0)
        values, policy, _, _ = best_policy(self.stages, others, self.plan, bonus)
        self._complete(self.plan + (policy - self.plan) / (self.iteration + 2.0), values)

    @property
    def reached(self) -> Floats | None:
        """The profile of the last iteration; in the first one, of the sweeps so far, or None before them."""
        if self.iteration:
            return self.plan
        return self.begun.plan if self.begun is not None and self.begun.sweeps else None

    def check(self) -> Deviation:
        """The gain of the best deviation from what was found."""
        return ex_post_check(self.stages, self.plan)

    def state(self) -> dict[str, Array]:
        numbers = np.array([self.iteration, self.seconds, self.sweeps, self.change])
        out = {"values": self.values, "plan": self.plan, "numbers": numbers}
        if self.begun is not None:
            out |= {f"begun_{each.name}": np.asarray(getattr(self.begun, each.name)) for each in fields(StagePlay)}
        return out

    def restore(self, state: Mapping[str, Any]) -> None:
        self.values, self.plan = state["values"], state["plan"]
        iteration, self.seconds, sweeps, self.change = state["numbers"].tolist()
        self.iteration, self.sweeps = int(iteration), int(sweeps)
        if "begun_plan" in state:
            begun = {each.name: state[f"begun_{each.name}"] for each in fields(StagePlay)}
            self.begun = StagePlay(**{**begun, "sweeps": int(begun["sweeps"])})
        for _ in range(
            self.iteration if self.method == "ftpl-mdp" else 0
        ):  # the same noise as without the interruption
            self.stages.noise(self._rng)
