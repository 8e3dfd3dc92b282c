"""Linear CFR: iteration t weighs t in regrets and averages ([Brown19]); LCFR+ also floors regrets."""

from __future__ import annotations

import math
from typing import Any

from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.family import COMMON, ROOT_T, member
from equilibrist.solvers.cfr.schedules import Discounted
from equilibrist.solvers.registry import SolverEntry


def lcfr(**given: Any) -> CFR:
    return member("lcfr", COMMON, COMMON | given, Discounted(1.0, 1.0, 1.0))


def lcfr_plus(**given: Any) -> CFR:
    return member("lcfr+", COMMON, COMMON | given, Discounted(1.0, -math.inf, 1.0))


ENTRIES = [
    SolverEntry("lcfr", "linear CFR: iteration t weighs t", lcfr, COMMON, "Brown19", ROOT_T),
    SolverEntry(
        "lcfr+",
        "linear CFR with floored regrets: a negative control",
        lcfr_plus,
        COMMON,
        "Brown20",
        "none known",
    ),
]
