"""Alternative payoffs: what each of the opponent's hands would get by not entering the subgame; gifts are in `reach.py`.

All in expected chips per hand (counterfactual values divided by external reach).
"""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.search.tree_profile import TreeProfile


def expected(values: Floats, mass: Floats) -> Floats:
    """Counterfactual values divided by external reach; 0 where nothing is reached."""
    return np.where(mass > 0, values / np.where(mass > 0, mass, 1.0), 0.0)


def smallest_margin(alternative: Floats | None, values: Floats, mass: Floats) -> float:
    """Smallest amount by which a hand that can be held gets less than its alternative; NaN without alternatives."""
    if alternative is None:
        return float("nan")
    return float((alternative - values)[mass > 0].min(initial=np.inf))


def upper_bounds(blueprint: TreeProfile, hands: Ints, opponent: int) -> Floats:
    """What a counterfactual best response to the blueprint gets with each of these hands (infostates of its layout)."""
    return expected(blueprint.best[opponent].value[hands], blueprint.mass[opponent][hands])


def estimates(blueprint: TreeProfile, hands: Ints, opponent: int) -> Floats:
    """What the blueprint's own abstraction says each hand gets ([Brown20, §5.1.4])."""
    return expected(blueprint.estimated[opponent].value[hands], blueprint.mass[opponent][hands])
