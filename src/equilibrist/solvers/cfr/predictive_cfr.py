"""Predictive CFR+: the last regret is expected again ([Farina21]); PDCFR+ discounts, HS-PCFR+ moves the averaging exponent."""

from __future__ import annotations

import math
from typing import Any

from equilibrist.solvers.cfr.cfr import CFR, infinite
from equilibrist.solvers.cfr.family import AVERAGE, COMMON, HS_DEFAULTS, ROOT_T, averaging, hyperparameters, member
from equilibrist.solvers.cfr.schedules import Discounted, FlooredWith
from equilibrist.solvers.registry import SolverEntry

PCFR_DEFAULTS = COMMON | {"average": "quadratic"}


def pcfr_plus(**given: Any) -> CFR:
    chosen = PCFR_DEFAULTS | given
    schedule = Discounted(math.inf, -math.inf, averaging(chosen["average"]))
    return member("pcfr+", PCFR_DEFAULTS, chosen, schedule, minimiser="predictive-rm+")


PDCFR_DEFAULTS = COMMON | {"alpha": 2.3, "gamma": 5.0}


def pdcfr_plus(**given: Any) -> CFR:
    chosen = PDCFR_DEFAULTS | given
    schedule = Discounted(infinite(chosen["alpha"]), -math.inf, infinite(chosen["gamma"]))
    return member("pdcfr+", PDCFR_DEFAULTS, chosen, schedule, minimiser="predictive-rm+")


def hs_pcfr_plus(**given: Any) -> CFR:
    chosen = HS_DEFAULTS | given
    schedule = FlooredWith(hyperparameters(chosen))
    return member("hs-pcfr+", HS_DEFAULTS, chosen, schedule, minimiser="predictive-rm+")


ENTRIES = [
    SolverEntry(
        "pcfr+", "predictive CFR+, quadratic averaging", pcfr_plus, PCFR_DEFAULTS, "Farina21", ROOT_T, also=AVERAGE
    ),
    SolverEntry("pdcfr+", "predictive discounted CFR+", pdcfr_plus, PDCFR_DEFAULTS, "Xu24", ROOT_T, "lightly tested"),
    SolverEntry(
        "hs-pcfr+",
        "PCFR+ with a moving averaging exponent",
        hs_pcfr_plus,
        HS_DEFAULTS,
        "Zhang24",
        ROOT_T,
        "lightly tested",
    ),
]
