"""Discounted CFR: positive regrets, negative ones and averages weighed by powers of t ([Brown19]); HS-DCFR moves the powers."""

from __future__ import annotations

from typing import Any

from equilibrist.solvers.cfr.cfr import CFR, infinite
from equilibrist.solvers.cfr.family import COMMON, HS_DEFAULTS, ROOT_T, hyperparameters, member
from equilibrist.solvers.cfr.schedules import Discounted
from equilibrist.solvers.registry import SolverEntry

DCFR_DEFAULTS = COMMON | {"alpha": 1.5, "beta": 0.0, "gamma": 2.0}


def dcfr(**given: Any) -> CFR:
    chosen = DCFR_DEFAULTS | given
    schedule = Discounted(infinite(chosen["alpha"]), infinite(chosen["beta"]), infinite(chosen["gamma"]))
    return member("dcfr", DCFR_DEFAULTS, chosen, schedule)


def hs_dcfr(**given: Any) -> CFR:
    chosen = HS_DEFAULTS | given
    return member("hs-dcfr", HS_DEFAULTS, chosen, hyperparameters(chosen))


ENTRIES = [
    SolverEntry("dcfr", "discounted CFR(1.5, 0, 2): the default", dcfr, DCFR_DEFAULTS, "Brown19", ROOT_T),
    SolverEntry(
        "hs-dcfr", "DCFR with exponents that move with t", hs_dcfr, HS_DEFAULTS, "Zhang24", ROOT_T, "lightly tested"
    ),
]
