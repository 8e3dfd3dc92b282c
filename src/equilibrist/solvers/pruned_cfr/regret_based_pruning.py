"""Pruning: what a walk may leave out, and with which members of the CFR family that is sound ([Brown20, §3.3 to §3.5]).

`partial` skips what the opponent does not play; it changes no number. `rbp` (regret-based, over intervals) also skips own
actions for as long as their regret is provably negative and settles up afterwards. `brp` (best-response pruning, published
first as total RBP) proves the same against the opponent's average, forgets everything below and gives the memory back.
`schedules.Pruning` holds the choice, `run.py` the walks.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from equilibrist.core.errors import NotApplicableError
from equilibrist.solvers.cfr.schedules import factors_of

if TYPE_CHECKING:
    from equilibrist.solvers.cfr.cfr import CFR

SHORTEST = 0.9  # a factor on negative regrets below this, far into a run, forgets them within a few iterations
FAR = 1e6  # iterations


def check_sound(solver: CFR) -> None:
    """Refuse what is not sound, or could never prune, with the reason ([Brown20, §3.3.4, §3.4.2 and §3.5.4])."""
    pruning = solver.pruning
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
    positive, negative, keep = (float(factor[0]) for factor in factors_of(solver.schedule, np.array([FAR])))
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
    regret = 1.0 if negative == 0.0 else float(factors_of(solver.schedule, np.array([FAR - 1.0])).negative[0])
    if not math.isclose(keep, regret, rel_tol=1e-12):
        raise NotApplicableError(
            "Best-response pruning rebuilds regrets from averages, so both must weigh iterations alike; use "
            "average=uniform (cfr, cfr+) or lcfr."
        )
