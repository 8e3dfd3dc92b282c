"""CFR+: regrets floored at zero, averages that weigh iteration t by t ([Tammelin14])."""

from __future__ import annotations

import math
from typing import Any

from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.family import AVERAGE, COMMON, ROOT_T, averaging, member
from equilibrist.solvers.cfr.schedules import Discounted
from equilibrist.solvers.registry import SolverEntry

PLUS_DEFAULTS = COMMON | {"average": "linear"}


def cfr_plus(**given: Any) -> CFR:
    """RM+; with own actions pruned it remembers how negative a regret is, and plays the same."""
    chosen = PLUS_DEFAULTS | given
    schedule = Discounted(math.inf, -math.inf, averaging(chosen["average"]))
    minimiser = "signed-rm+" if chosen["pruning"] in ("rbp", "brp") else "rm"
    return member("cfr+", PLUS_DEFAULTS, chosen, schedule, minimiser=minimiser)


ENTRIES = [
    SolverEntry(
        "cfr+",
        "regrets floored at zero, linear averaging",
        cfr_plus,
        PLUS_DEFAULTS,
        "Tammelin14",
        ROOT_T,
        also=AVERAGE,
    ),
]
