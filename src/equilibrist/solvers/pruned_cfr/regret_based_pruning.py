"""Pruning: what a walk may leave out, and with which members of the CFR family that is sound ([Brown20, §3.3 to §3.5]).

`partial` skips what the opponent does not play; it changes no number. `rbp` (regret-based, over intervals) also skips own
actions for as long as their regret is provably negative and settles up afterwards. `brp` (best-response pruning, published
first as total RBP) proves the same against the opponent's average, forgets everything below and gives the memory back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from equilibrist.core.errors import NotApplicableError, ParameterError, suggest

if TYPE_CHECKING:
    from equilibrist.solvers.cfr.cfr import CFR

Method = Literal["none", "partial", "rbp", "brp"]
METHODS = ("none", "partial", "rbp", "brp")
ZERO_REACH = ("play", "safe", "scaled", "always")
BOUNDS = ("infoset", "history")
SHORTEST = 0.9  # a factor on negative regrets below this, far into a run, forgets them within a few iterations
FAR = 1e6  # iterations


@dataclass(frozen=True)
class Pruning:
    """What may be left out, and from when on it is worth it."""

    method: Method = "none"
    skip: float = 25  # fewest iterations that an own action should stay pruned
    bound: str = "infoset"  # "history": bounds summed over histories, tighter and a little dearer
    forget: float = 0.0  # brp: C, the average of a pruned action is dropped below C / sqrt(T)
    zero_reach: str = "play"  # below actions never played: assume a best response where regret is low enough

    def __post_init__(self) -> None:
        _word("pruning", self.method, METHODS)
        _word("bound", self.bound, BOUNDS)
        _word("zero_reach", self.zero_reach, ZERO_REACH)
        for name, amount in (("skip", self.skip), ("forget", self.forget)):
            if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 <= amount < math.inf:
                raise ParameterError(f"'{name}' is a number of at least 0, but {amount!r} was given.")
        if self.forget and self.method != "brp":
            raise ParameterError("'forget' drops averages of best-response pruning; add pruning=brp or leave it out.")
        if self.bound != "infoset" and self.method not in ("rbp", "brp"):
            raise ParameterError("'bound' is about own actions; add pruning=rbp or pruning=brp, or leave it out.")
        if self.zero_reach != "play" and self.method in ("rbp", "brp"):
            raise ParameterError(
                f"pruning={self.method} answers below unplayed actions already; leave 'zero_reach' out."
            )

    @property
    def walks(self) -> bool:
        """Whether histories have to be walked for it."""
        return self.method != "none" or self.zero_reach != "play"

    @property
    def own_actions(self) -> bool:
        return self.method in ("rbp", "brp")


def check_sound(solver: CFR) -> None:
    """Refuse what is not sound, or could never prune, with the reason ([Brown20, §3.3.4, §3.4.2 and §3.5.4])."""
    pruning = solver.pruning
    if not pruning.walks:
        return
    if solver.minimiser == "predictive-rm+":
        raise NotApplicableError(
            "Predictive regret matching expects the last regret again, also where the opponent did not come; pruned walks "
            "would leave it stale. Prune cfr, cfr+(average=uniform), lcfr or dcfr(beta=0.5) instead."
        )
    if solver.minimiser == "hedge" and solver.threshold <= 0:
        raise NotApplicableError(
            "Hedge plays every action with positive probability, so there is nothing to prune; add threshold=0.5 "
            "(dynamic thresholding)."
        )
    if pruning.own_actions:
        _check_own_actions(solver)


def _check_own_actions(solver: CFR) -> None:
    positive, negative, keep = (
        float(factor(np.array([FAR]))[0])
        for factor in (solver.schedule.positive, solver.schedule.negative, solver.schedule.keep)
    )
    if solver.when_nonpositive != "uniform":
        raise NotApplicableError(
            "With pruned actions the strategy without positive regrets is uniform over the others; leave 'when_nonpositive' out."
        )
    if negative == 0.0 and positive != 1.0:
        raise NotApplicableError(
            "Regrets that are floored and discounted at once have no guarantee under pruning; use cfr+, lcfr or dcfr(beta=0.5)."
        )
    if 0.0 < negative < SHORTEST:
        raise NotApplicableError(
            f"This schedule multiplies negative regrets by {negative:.2g} in every iteration, so none stays low enough to prove "
            "anything for long: pruning own actions is pointless. Use cfr, lcfr or dcfr(beta=0.5), or pruning=partial."
        )
    if solver.pruning.method == "brp":
        _check_responses(solver, positive, negative, keep)


def _check_responses(solver: CFR, positive: float, negative: float, keep: float) -> None:
    if solver.minimiser == "hedge" or solver.threshold > 0:
        raise NotApplicableError(
            "Best-response pruning is proven for regret matching without thresholds; use pruning=rbp with Hedge."
        )
    if negative not in (0.0, positive):
        raise NotApplicableError(
            "Best-response pruning rebuilds regrets from averages, which needs positive and negative regrets weighted alike; "
            "use cfr, cfr+(average=uniform) or lcfr, or pruning=rbp."
        )
    regret = 1.0 if negative == 0.0 else float(solver.schedule.negative(np.array([FAR - 1.0]))[0])
    if not math.isclose(keep, regret, rel_tol=1e-12):
        raise NotApplicableError(
            "Best-response pruning rebuilds regrets from averages, so both must weigh iterations alike; use "
            "average=uniform (cfr, cfr+) or lcfr."
        )


def _word(what: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ParameterError(
            f"'{what}' is one of {', '.join(known)}, but {given!r} was given.{suggest(str(given), known)}"
        )
