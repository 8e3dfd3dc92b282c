"""Counterfactual regret minimisation: one solver, composed from minimiser x schedule x update order x averaging.

`CFR.start` picks the representation (sequence form for two players with perfect recall, the game tree otherwise, the public
tree on request); large poker games go to `solve_boards`. The loops are in `_kernels/`; what happens at one
infoset is `_kernels/regret.py`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.names import readable
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.compiled import Compiled
from equilibrist.solvers.cfr._kernels import hedge
from equilibrist.solvers.cfr._kernels import regret as kinds
from equilibrist.solvers.cfr._kernels.regret import Discounts, MinimiserCodes, RegretTables
from equilibrist.solvers.cfr.schedules import VANILLA, Pruning, Schedule, check_schedule, factors_of
from equilibrist.solvers.iterative_solver import IterativeSolver

if TYPE_CHECKING:
    from equilibrist.core.arrays import Floats
    from equilibrist.core.opponent import Binding
    from equilibrist.core.solution import Evaluation
    from equilibrist.forms.form import Form
    from equilibrist.solvers.cfr.warm_start import Substitute


Minimiser = Literal["rm", "predictive-rm+", "signed-rm+", "hedge"]
Updates = Literal["alternating", "simultaneous"]
Representation = Literal["auto", "sequence", "tree", "public", "pruned", "boards"]

MINIMISERS: Mapping[str, int] = {
    "rm": kinds.MATCHING,
    "predictive-rm+": kinds.PREDICTIVE,
    "signed-rm+": kinds.SIGNED,
    "hedge": kinds.HEDGE,
}
NONPOSITIVE: Mapping[str, int] = {"uniform": kinds.UNIFORM, "argmax": kinds.ARGMAX}
RATES: Mapping[str, int] = {"theory": hedge.THEORY, "horizon": hedge.HORIZON, "variance": hedge.VARIANCE}
UPDATES = ("alternating", "simultaneous")
REPRESENTATIONS = ("auto", "sequence", "tree", "public", "pruned", "boards")
OLD_NAMES = {"walk": "pruned"}  # old names of representations


@dataclass(frozen=True)
class CFR(IterativeSolver):
    """Settings of one member of the family ([Brown20, §2.3.5 and chapter 3]); `schedule` makes CFR+, LCFR, DCFR of it.

    RM+ is regret matching with a schedule whose `negative` is 0.
    """

    name: str = field(default="", repr=False, compare=False)  # as people type it; found by itself if left out
    schedule: Schedule = field(default=VANILLA)
    minimiser: Minimiser = "rm"
    updates: Updates = "alternating"
    when_nonpositive: Literal["uniform", "argmax"] = "uniform"
    rate: Literal["theory", "horizon", "variance"] = "variance"  # Hedge only
    horizon: int = 1000  # Hedge with rate = horizon only
    representation: Representation = "auto"
    bindings: tuple[Binding, ...] = ()
    pruning: Pruning = field(default=Pruning())
    threshold: float = 0.0  # d = C - 1 of dynamic thresholding ([Brown20, §3.4.1])

    def __post_init__(self) -> None:
        check_schedule(self.schedule)
        _one_of("minimiser", self.minimiser, tuple(MINIMISERS))
        _one_of("updates", self.updates, UPDATES)
        _one_of("when_nonpositive", self.when_nonpositive, tuple(NONPOSITIVE))
        _one_of("rate", self.rate, tuple(RATES))
        if self.representation in OLD_NAMES:
            raise ParameterError(
                f"on={self.representation} is now called on={OLD_NAMES[self.representation]}; give that name."
            )
        _one_of("on", self.representation, REPRESENTATIONS)
        if self.horizon < 1:
            raise ParameterError(f"The horizon of Hedge is at least 1 iteration, but {self.horizon} was given.")
        if isinstance(self.threshold, bool) or not 0.0 <= self.threshold < math.inf:
            raise ParameterError(f"'threshold' is a number d = C - 1 of at least 0, but {self.threshold} was given.")
        if self.threshold and (self.minimiser not in ("rm", "hedge") or self.schedule != VANILLA):
            raise NotApplicableError(
                "Dynamic thresholds are for Hedge and for regret matching without discounts; use "
                "cfr(minimiser=hedge,threshold=0.5)."
            )
        if self.pruning.walks:
            from equilibrist.solvers.pruned_cfr.regret_based_pruning import check_sound  # late: few prune

            check_sound(self)
        if not self.name:
            from equilibrist.solvers.cfr.family import family_name  # which is built on this class

            object.__setattr__(self, "name", family_name(self))

    def __repr__(self) -> str:
        return readable(self)

    @property
    def plain_matching(self) -> bool:
        """Regret matching with alternating updates, nobody bound and nothing pruned: what the vector engine learns in its passes."""
        known = self.minimiser in ("rm", "predictive-rm+") and self.updates == "alternating"
        return known and self.when_nonpositive == "uniform" and not self.bindings and not self._walks

    def start(self, game: Compiled) -> Any:
        """A run at iteration 0."""
        from equilibrist.solvers.cfr.runs import HistoryRun, PublicRun, SequenceRun

        chosen = self._choose(game)
        if chosen == "boards":
            raise NotApplicableError(
                "Games are solved on boards by `solve`; a run on one tree needs on=sequence, tree or public."
            )
        if chosen != "pruned" and self._walks:
            raise NotApplicableError(
                f"Pruning and thresholds work on walks over histories, but on={chosen} was asked for; leave 'on' out."
            )
        if chosen not in ("sequence", "public") and self.bindings:
            raise NotApplicableError(
                "Opponent models bind players on the sequence form and on the public tree; solve with on=sequence or on=public."
            )
        if chosen == "pruned":
            from equilibrist.solvers.pruned_cfr.run import PrunedCFR

            return PrunedCFR(self, game)
        if chosen == "sequence":
            return SequenceRun(self, game.sequence_form)
        if chosen == "public" and self.bindings:
            from equilibrist.solvers.cfr.bound_public_run import BoundPublicRun

            return BoundPublicRun(self, game)
        return HistoryRun(self, game) if chosen == "tree" else PublicRun(self, game)

    def on(self, form: Form) -> Any:
        """A run at iteration 0 on any form."""
        from equilibrist.solvers.on_form import start_on

        return start_on(self, form)

    def settings(self, game: Compiled) -> Mapping[str, Any]:
        told: dict[str, Any] = {
            "updates": self.updates,
            "minimiser": self.minimiser,
            "representation": self._choose(game),
        }
        told |= bindings_told(self)
        return told | ({"pruning": self.pruning.method} if self.pruning.walks else {})

    @property
    def codes(self) -> MinimiserCodes:
        """The minimiser as kernels take it."""
        return MinimiserCodes(
            MINIMISERS[self.minimiser], NONPOSITIVE[self.when_nonpositive], RATES[self.rate], float(self.horizon)
        )

    @property
    def simultaneous(self) -> bool:
        """All players learn from the same profile, instead of one after the other."""
        return self.updates == "simultaneous"

    @property
    def _walks(self) -> bool:
        return self.pruning.walks or self.threshold > 0.0

    def _choose(self, game: Compiled) -> str:
        if self.representation != "auto":
            return self.representation
        if self._walks:
            return "pruned"
        return "sequence" if game.game.players == 2 and game.game.perfect_recall else "tree"


class RegretRun(ABC):
    """What the runs on all representations share: tables, schedule chunks, saving and going on."""

    first_check = 4
    check_growth = 1.1
    strategy: Floats  # [entries], as the others; the arrays of `tables`, which kernels change in place
    regret: Floats
    memory: Floats
    average_sum: Floats

    def __init__(self, solver: CFR, entries: int) -> None:
        self.solver, self.iteration = solver, 0
        self.codes, self.simultaneous = solver.codes, solver.simultaneous
        self.tables = RegretTables(*(np.zeros(entries) for _ in range(4)))
        self.strategy, self.regret, self.memory, self.average_sum = self.tables

    def factors(self, iterations: int) -> Discounts:
        """Those of the next iterations."""
        t = np.arange(self.iteration + 1, self.iteration + iterations + 1, dtype=np.float64)
        return Discounts(*factors_of(self.solver.schedule, t))

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return {
            "iteration": np.array([self.iteration]),
            "strategy": self.strategy.copy(),
            "regret": self.regret.copy(),
            "memory": self.memory.copy(),
            "average": self.average_sum.copy(),
        }

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        pairs = (
            (self.strategy, "strategy"),
            (self.regret, "regret"),
            (self.memory, "memory"),
            (self.average_sum, "average"),
        )
        for array, name in pairs:
            if state[name].shape != array.shape:
                raise ValueError(f"{name} has {state[name].size} entries instead of {array.size}")
            array[:] = state[name]
        self.iteration = int(state["iteration"][0])

    def start_from(self, start: Substitute) -> None:
        """Go on as if a profile had been played so far; regrets and averages as the schedule would have left them."""
        t = np.arange(1.0, start.iterations + 1.0)
        factors = factors_of(self.solver.schedule, t)
        positive, negative = (steady(factor, before=False) for factor in (factors.positive, factors.negative))
        self.iteration = start.iterations
        self._start_tables(
            start,
            regret=np.where(start.gain > 0.0, positive, negative) * start.gain,
            average=steady(factors.keep, before=True) * start.plan,
        )

    def _start_tables(self, start: Substitute, regret: Floats, average: Floats) -> None:
        """Enter regrets and cumulative plans, both [slots]."""
        raise NotApplicableError("Warm starts do not reach this representation; leave 'on' out.")

    @abstractmethod
    def advance(self, iterations: int) -> None:
        """Run the kernel for some iterations."""

    @abstractmethod
    def average(self) -> TabularPolicy:
        """The average strategy."""

    @abstractmethod
    def last(self) -> TabularPolicy:
        """The current strategy."""

    @abstractmethod
    def evaluate(self) -> Evaluation:
        """Values and best responses of the average."""


def bindings_told(solver: Any) -> dict[str, Any]:
    """Whom a solver binds to a model, as settings show it; nothing where nobody is bound."""
    bound = getattr(solver, "bindings", ())
    told = [{"player": b.player, "weight": b.stated_weight, "mode": b.mode} for b in bound]
    return {"bindings": told} if told else {}


def steady(factor: Floats, *, before: bool) -> float:
    """What a sum of ones comes to when it is multiplied by factor[t] before (or after) each is added."""
    total = 0.0
    for f in factor.tolist():
        total = total * f + 1.0 if before else (total + 1.0) * f
    return total


def _one_of(what: str, given: str, options: tuple[str, ...]) -> None:
    if given not in options:
        raise ParameterError(f"'{what}' is one of {', '.join(options)}, but {given!r} was given.")


def infinite(word: float | str) -> float:
    """Numbers from a name: `inf` and `-inf` are read as floats already; anything else is refused."""
    if isinstance(word, bool) or not isinstance(word, int | float) or math.isnan(word):
        raise ParameterError(f"Expected a number (inf and -inf allowed), but {word!r} was given.")
    return float(word)
