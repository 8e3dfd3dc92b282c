"""The CFR family by name: each is `CFR` with another schedule or minimiser.

Vanilla CFR and what all members share is here; the others are in the modules that bear their names.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

from equilibrist.core.errors import EquilibristError, ParameterError
from equilibrist.core.names import Name, readable
from equilibrist.solvers.cfr.cfr import CFR, infinite
from equilibrist.solvers.cfr.schedules import Discounted, FlooredWith, HyperparameterSchedule, Pruning, Schedule
from equilibrist.solvers.registry import SOLVERS, SolverEntry

PRUNING: dict[str, Any] = {"pruning": "none", "skip": 25.0, "bound": "infoset", "forget": 0.0, "zero_reach": "play"}
COMMON: dict[str, Any] = {"updates": "alternating", "on": "auto", "when_nonpositive": "uniform", **PRUNING}
FAMILY = ("cfr", "cfr+", "lcfr", "lcfr+", "dcfr", "pcfr+", "pdcfr+", "hs-dcfr", "hs-pcfr+")
AVERAGES = {"uniform": 0.0, "linear": 1.0, "quadratic": 2.0}


def member(base: str, defaults: dict[str, Any], given: dict[str, Any], schedule: Schedule, **settings: Any) -> CFR:
    """A member of the family under the name that makes it again."""
    named = {key: value for key, value in given.items() if value != defaults[key]}
    return CFR(
        name=str(Name(base, named)),
        schedule=schedule,
        updates=given["updates"],
        representation=given["on"],
        when_nonpositive=given["when_nonpositive"],
        pruning=Pruning(given["pruning"], **{key: given[key] for key in ("skip", "bound", "forget", "zero_reach")}),
        **settings,
    )


def averaging(average: str | float) -> float:
    """`uniform`, `linear`, `quadratic` or the exponent itself."""
    if isinstance(average, str):
        if average not in AVERAGES:
            raise ParameterError(
                f"'average' is one of {', '.join(AVERAGES)} or an exponent, but '{average}' was given."
            )
        return AVERAGES[average]
    return infinite(average)


CFR_DEFAULTS = COMMON | {"minimiser": "rm", "rate": "variance", "horizon": 1000, "average": "uniform", "threshold": 0.0}


def cfr(**given: Any) -> CFR:
    """Vanilla CFR; `minimiser=hedge` or `signed-rm+` exchanges regret matching."""
    chosen = CFR_DEFAULTS | given
    schedule = Discounted(math.inf, math.inf, averaging(chosen["average"]))
    return member(
        "cfr", CFR_DEFAULTS, chosen, schedule,
        minimiser=chosen["minimiser"], rate=chosen["rate"], horizon=chosen["horizon"],
        threshold=infinite(chosen["threshold"]),
    )  # fmt: skip


HS_DEFAULTS = COMMON | {"start": 30.0, "horizon": 1000}


def hyperparameters(chosen: dict[str, Any]) -> HyperparameterSchedule:
    start, horizon = infinite(chosen["start"]), infinite(chosen["horizon"])
    if not (0 < start < math.inf and 1 <= horizon < math.inf):
        raise ParameterError(
            f"A hyperparameter schedule starts at a positive exponent over a horizon of iterations, but start={start} and "
            f"horizon={horizon} were given."
        )
    return HyperparameterSchedule(start, horizon)


def family_name(solver: CFR) -> str:
    """The name that makes a solver with these settings, or its settings written out where none does."""
    pruning, schedule = solver.pruning, solver.schedule
    shared = {
        "updates": solver.updates, "on": solver.representation, "when_nonpositive": solver.when_nonpositive,
        "pruning": pruning.method, "skip": pruning.skip, "bound": pruning.bound, "forget": pruning.forget,
        "zero_reach": pruning.zero_reach,
    }  # fmt: skip
    own: dict[str, Any] = {}
    if isinstance(schedule, Discounted):
        average = next((word for word, power in AVERAGES.items() if power == schedule.gamma), schedule.gamma)
        own = {"alpha": schedule.alpha, "beta": schedule.beta, "gamma": schedule.gamma, "average": average}
        own |= {
            "minimiser": solver.minimiser,
            "rate": solver.rate,
            "horizon": solver.horizon,
            "threshold": solver.threshold,
        }
    moving = schedule.average if isinstance(schedule, FlooredWith) else schedule
    if isinstance(moving, HyperparameterSchedule):
        own = {"start": moving.start, "horizon": int(moving.horizon)}
    for entry in map(SOLVERS.find, FAMILY):
        try:
            made = entry.make(**{key: (shared | own).get(key, usual) for key, usual in entry.parameters.items()})
        except EquilibristError:
            continue
        if replace(made, bindings=solver.bindings) == solver:
            return str(made.name)
    return f"cfr[{re.sub(r' at 0x[0-9a-f]+', '', readable(solver))}]"  # functions without their addresses


AVERAGE: dict[str, tuple[type, ...]] = {"average": (int, float)}  # words, or the exponent itself
ROOT_T = "exploitability O(1/sqrt(T)), two-player zero-sum"

ENTRIES = [
    SolverEntry(
        "cfr", "vanilla counterfactual regret minimisation", cfr, CFR_DEFAULTS, "Zinkevich07", ROOT_T, also=AVERAGE
    ),
]
