"""Monte Carlo CFR: external, outcome, chance and public-chance sampling, and Pure CFR.

One iteration is one walk (or `traversals` walks) per player in turn. A walk by player i changes i's regrets and adds the
strategy of the player after i, as i met it, to that player's average. The kernels are in `_kernels/mccfr.py` and
`_kernels/public_chance.py`; here trees are packed for them, and runs are kept, weighted and resumed.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import NotApplicableError, ParameterError, suggest
from equilibrist.core.names import Name, Value
from equilibrist.core.policy import InfosetIndex, TabularPolicy, normalise
from equilibrist.core.solution import Evaluation, Solution
from equilibrist.games._kernels.descent import chance_reach
from equilibrist.games.compiled import Compiled
from equilibrist.games.public_tree import PublicTree
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.games.tree import GameTree
from equilibrist.solvers._kernels.mccfr import sample_chance, sample_external, sample_outcomes, sample_pure
from equilibrist.solvers._kernels.public_chance import sample_public_chance
from equilibrist.solvers._kernels.sampling import match_rows
from equilibrist.solvers.best_response import evaluate_policy, translate
from equilibrist.solvers.driver import ProgressCallback, Stop, drive
from equilibrist.solvers.registry import SolverEntry

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Walk = Callable[[int, int], int]  # iterations, limit on nodes touched -> iterations done

SAMPLINGS = ("external", "outcome", "chance", "public-chance")
WEIGHTINGS = ("none", "linear", "initial")
PERIOD = 1e7  # nodes touched ([Brown20], 3.1)
INITIAL_DISCOUNT = 0.1
EXPLORATION = 0.6
MOST_TOUCHED = 1 << 16  # rows remembered during the walks of one player; beyond that all rows are matched again
NO_LIMIT = (1 << 63) - 1
_WORD = (1 << 64) - 1


# ------------------------------------------------------------------------------------------------ settings


@dataclass(frozen=True)
class MCCFR:
    """Monte Carlo CFR ([Lanctot09]; linear weights of [Brown20], 3.1; K walks per iteration of [Brown20], 4.1)."""

    sampling: str = "external"
    traversals: int = 1  # walks per player and iteration, all against one fixed profile
    weighting: str = "none"  # linear: all sums times n/(n+1) after period n; initial: times 1/10 after period 1
    period: float | None = None  # nodes touched; None: 10^7
    exploration: float | None = None  # outcome sampling: share of uniform play of the walking player; None: 0.6
    title: str = field(default="mccfr", repr=False)  # the name it was asked for

    def __post_init__(self) -> None:
        for what, given, known in (
            ("sampling", self.sampling, SAMPLINGS),
            ("weighting", self.weighting, WEIGHTINGS),
        ):
            if given not in known:
                raise ParameterError(
                    f"'{what}' must be one of {', '.join(known)}, but '{given}' was given."
                    + suggest(str(given), known)
                )
        if not isinstance(self.traversals, int) or isinstance(self.traversals, bool) or self.traversals < 1:
            raise ParameterError(
                f"'traversals' must be a whole number of at least 1, but {self.traversals} was given."
            )
        self._check_optional()

    def _check_optional(self) -> None:
        if self.period is not None:
            if self.weighting == "none":
                raise ParameterError("'period' belongs to weighting=linear or weighting=initial; name one of them.")
            if not _is_number(self.period) or not 1 <= self.period < 1e18:
                raise ParameterError(f"'period' is a number of nodes, at least 1, but {self.period} was given.")
        if self.exploration is not None:
            if self.sampling != "outcome":
                raise ParameterError("'exploration' belongs to sampling=outcome; leave it out or use os-mccfr.")
            if not _is_number(self.exploration) or not 0.0 < self.exploration <= 1.0:
                raise ParameterError(f"'exploration' must be above 0 and at most 1, but {self.exploration} was given.")

    @property
    def name(self) -> str:
        given: dict[str, Value] = {}
        if self.title == "mccfr" and self.sampling != "external":
            given["sampling"] = self.sampling
        if self.traversals != 1:
            given["traversals"] = self.traversals
        if self.weighting != "none":
            given["weighting"] = self.weighting
        if self.period is not None:
            given["period"] = self.period
        if self.exploration is not None:
            given["exploration"] = self.exploration
        return str(Name(self.title, given))

    def solve(
        self,
        game: Compiled,
        stop: Stop,
        *,
        seed: int = 0,
        progress: ProgressCallback | None = None,
        resume: Solution | None = None,
    ) -> Solution:
        _check_measurable(game, stop)
        run = MCCFRRun(game, self, seed)
        settings = {"sampling": self.sampling, "traversals": self.traversals, "weighting": self.weighting}
        return _finish(run, drive(run, game, self.name, stop, seed=seed, progress=progress, resume=resume, settings=settings))


@dataclass(frozen=True)
class PureCFR:
    """Pure CFR ([Gibson14], 5.5): sampled pure profiles, whole-number tables, averages by counting."""

    @property
    def name(self) -> str:
        return "pure-cfr"

    def solve(
        self,
        game: Compiled,
        stop: Stop,
        *,
        seed: int = 0,
        progress: ProgressCallback | None = None,
        resume: Solution | None = None,
    ) -> Solution:
        _check_measurable(game, stop)
        run = PureRun(game, seed)
        return _finish(run, drive(run, game, self.name, stop, seed=seed, progress=progress, resume=resume))


def _is_number(amount: object) -> bool:
    return isinstance(amount, int | float) and not isinstance(amount, bool)


def _check_measurable(game: Compiled, stop: Stop) -> None:
    """Imperfect recall can be sampled but not measured, so it cannot be a reason to stop."""
    if stop.exploitability is not None:
        _ = game.forest


def _finish(run: SampledRun, solution: Solution) -> Solution:
    return replace(solution, extra={**solution.extra, **run.counts()})


# ---------------------------------------------------------------------------------------------------- runs


class SampledRun(ABC):
    """What all sampling runs share: the random stream, the count of nodes, measuring the average."""

    first_check = 1000
    check_growth = 1.3

    def __init__(self, game: Compiled, seed: int) -> None:
        self.game = game
        self.iteration = 0
        self.random = random_state(seed)
        self.tally = np.zeros(2, dtype=np.int64)  # nodes touched; public states touched or walks begun

    def counts(self) -> dict[str, Any]:
        """Work done, for `Solution.extra`."""
        return {"nodes_touched": int(self.tally[0]), "nodes_unit": "histories"}

    @abstractmethod
    def average(self) -> TabularPolicy: ...

    def evaluate(self) -> Evaluation:
        return measure(self.game, self.average())


class MCCFRRun(SampledRun):
    """MCCFR at work; the layout of `table` is described in `_kernels/sampling.py`."""

    def __init__(self, game: Compiled, settings: MCCFR, seed: int) -> None:
        super().__init__(game, seed)
        self.settings = settings
        self.periods = 1  # the period under way
        self.public = settings.sampling == "public-chance"
        self.infosets = game.public_tree.infosets if self.public else game.infosets
        first, width = self.infosets.first_slot[:-1], np.diff(self.infosets.first_slot)
        self.rows = np.stack([3 * first, width], axis=1).astype(np.int32)
        slot = np.arange(self.infosets.slots, dtype=np.int64)
        self.regret = slot + np.repeat(2 * first, width)  # where each slot's regret is in the table
        self.strategy = self.regret + np.repeat(width, width)
        self.sum = self.strategy + np.repeat(width, width)
        self.table = np.zeros(3 * self.infosets.slots)
        self.touched = np.empty((min(MOST_TOUCHED, max(len(first), 1) * settings.traversals), 2), dtype=np.int32)
        match_rows(self.rows, self.touched, len(self.touched) + 1, self.table)
        self.walk: Walk = _WALKS[settings.sampling](self)

    def counts(self) -> dict[str, Any]:
        if not self.public:
            return super().counts()
        return {
            "nodes_touched": int(self.tally[0]),
            "nodes_unit": "public state x private state",
            "public_states_touched": int(self.tally[1]),
        }

    def advance(self, iterations: int) -> None:
        while iterations > 0:
            with np.errstate(over="ignore"):  # random numbers wrap around; only uncompiled kernels would warn
                done = self.walk(iterations, self._limit())
            self.iteration += done
            iterations -= done
            self._discount()

    def _limit(self) -> int:
        """Nodes at which the period under way ends."""
        weighting = self.settings.weighting
        if weighting == "none" or (weighting == "initial" and self.periods > 1):
            return NO_LIMIT
        return ceil(self.periods * (self.settings.period or PERIOD))

    def _discount(self) -> None:
        """At the end of a period multiply all regrets and averages; strategies do not change by that."""
        factor = 1.0
        while self.tally[0] >= self._limit():
            factor *= INITIAL_DISCOUNT if self.settings.weighting == "initial" else self.periods / (self.periods + 1)
            self.periods += 1
        if factor != 1.0:
            self.table[self.regret] *= factor
            self.table[self.sum] *= factor

    def average(self) -> TabularPolicy:
        return self._policy(normalise(self.infosets, self.table[self.sum]))

    def last(self) -> TabularPolicy:
        return self._policy(TabularPolicy(self.infosets, self.table[self.strategy]))

    def _policy(self, policy: TabularPolicy) -> TabularPolicy:
        if self.infosets is self.game.infosets or self.infosets.keys == self.game.infosets.keys:
            return replace(policy, infosets=self.game.infosets)
        return translate(policy, self.game.infosets)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return {
            "regret": self.table[self.regret],
            "strategy": self.table[self.strategy],
            "average": self.table[self.sum],
            "random": self.random.copy(),
            "progress": np.array([self.iteration, self.periods, *self.tally], dtype=np.int64),
        }

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        for name, place in (("regret", self.regret), ("strategy", self.strategy), ("average", self.sum)):
            self.table[place] = _fitting(state[name], place.shape, name)
        self.random[:] = state["random"]
        self.iteration, self.periods, *counted = (int(count) for count in state["progress"])
        self.tally[:] = counted


class PureRun(SampledRun):
    """Pure CFR at work; payoffs are multiplied to become whole numbers."""

    def __init__(self, game: Compiled, seed: int) -> None:
        super().__init__(game, seed)
        self.infosets = game.infosets
        self.tree = pack_tree(game.tree, entries_per_slot=2)
        self.payoffs, self.payoff_scale = whole_numbers(self.tree.payoffs, game.game.name)
        first, width = self.infosets.first_slot[:-1], np.diff(self.infosets.first_slot)
        self.regret = np.arange(self.infosets.slots, dtype=np.int64) + np.repeat(first, width)
        self.count = self.regret + np.repeat(width, width)
        self.table = np.zeros(2 * self.infosets.slots, dtype=np.int64)
        self.drawn = np.zeros_like(self.table)
        self.frames, self.values = self.tree.scratch(np.int64)

    def counts(self) -> dict[str, Any]:
        return {**super().counts(), "payoff_scale": self.payoff_scale}

    def advance(self, iterations: int) -> None:
        tree = self.tree
        with np.errstate(over="ignore"):
            self.iteration += sample_pure(
                tree.nodes, tree.outcomes, tree.cumulative, self.payoffs, iterations,
                self.table, self.drawn, self.random, self.tally, self.frames, self.values,
            )  # fmt: skip

    def average(self) -> TabularPolicy:
        return normalise(self.infosets, self.table[self.count].astype(np.float64))

    def last(self) -> TabularPolicy:
        return normalise(self.infosets, np.maximum(self.table[self.regret], 0).astype(np.float64))

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return {
            "regret": self.table[self.regret],
            "count": self.table[self.count],
            "random": self.random.copy(),
            "progress": np.array([self.iteration, *self.tally], dtype=np.int64),
        }

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        for name, place in (("regret", self.regret), ("count", self.count)):
            self.table[place] = _fitting(state[name], place.shape, name)
        self.random[:] = state["random"]
        self.iteration, *counted = (int(count) for count in state["progress"])
        self.tally[:] = counted


def _fitting(array: npt.NDArray[Any], shape: tuple[int, ...], name: str) -> npt.NDArray[Any]:
    if array.shape != shape:
        raise ValueError(f"'{name}' has {array.size} entries instead of {shape[0]}")
    return array


def random_state(seed: int) -> npt.NDArray[np.uint64]:
    """Four words of xoshiro256++ from one number, by splitmix64."""
    words, counter = [], seed & _WORD
    for _ in range(4):
        counter = (counter + 0x9E3779B97F4A7C15) & _WORD
        word = ((counter ^ (counter >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _WORD
        words.append(word ^ (word >> 31))
    return np.array(words, dtype=np.uint64)


def whole_numbers(amounts: Floats, game: str) -> tuple[Longs, int]:
    """Payoffs times the smallest factor that makes them whole."""
    scale = 1
    for amount in np.unique(amounts):
        scale = lcm(scale, Fraction(float(amount)).limit_denominator(1_000_000).denominator)
        if scale > 1_000_000_000 or abs(amount * scale - round(amount * scale)) > 1e-6:
            raise NotApplicableError(
                f"Pure CFR counts in whole numbers, but the payoffs of '{game}' have no small common denominator; "
                "use es-mccfr instead."
            )
    return np.rint(amounts * scale).astype(np.int64), scale


def measure(game: Compiled, policy: TabularPolicy) -> Evaluation:
    """Exact values and best responses; with imperfect recall only the values, best responses are NaN."""
    try:
        return evaluate_policy(game, policy)
    except NotApplicableError:
        tree = game.tree
        above = np.maximum(tree.parent, 0)
        decided = (tree.parent >= 0) & (tree.player[above] >= 0)
        slot = tree.infosets.first_slot[tree.infoset[above]] + np.arange(tree.histories) - tree.first_child[above]
        step = np.where(decided, policy.probabilities[np.where(decided, slot, 0)], tree.chance_probability)
        reach = np.empty(tree.histories)
        chance_reach(tree.parent, step, reach)
        ends = tree.terminal >= 0
        value = reach[ends] @ tree.returns[tree.terminal[ends]]
        return Evaluation(tuple(value.tolist()), (float("nan"),) * tree.players)
