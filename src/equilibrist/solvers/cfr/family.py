"""The CFR family by name: each is `CFR` with another schedule or minimiser."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

from equilibrist.core.errors import EquilibristError, ParameterError
from equilibrist.core.names import Name, readable
from equilibrist.solvers.cfr.cfr import CFR, infinite
from equilibrist.solvers.cfr.schedules import Discounted, FlooredWith, HyperparameterSchedule, Schedule
from equilibrist.solvers.pruned_cfr.pruning import Pruning
from equilibrist.solvers.registry import SolverEntry

PRUNING: dict[str, Any] = {"pruning": "none", "skip": 25.0, "bound": "infoset", "forget": 0.0, "zero_reach": "play"}
COMMON: dict[str, Any] = {"updates": "alternating", "on": "auto", "when_nonpositive": "uniform", **PRUNING}
AVERAGES = {"uniform": 0.0, "linear": 1.0, "quadratic": 2.0}


def _make(base: str, defaults: dict[str, Any], given: dict[str, Any], schedule: Schedule, **settings: Any) -> CFR:
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


def _averaging(average: str | float) -> float:
    """`uniform`, `linear`, `quadratic` or the exponent itself."""
    if isinstance(average, str):
        if average not in AVERAGES:
            raise ParameterError(
                f"'average' is one of {', '.join(AVERAGES)} or an exponent, but '{average}' was given."
            )
        return AVERAGES[average]
    return infinite(average)


def _all(defaults: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    return {**defaults, **given}


CFR_DEFAULTS = COMMON | {"minimiser": "rm", "rate": "variance", "horizon": 1000, "average": "uniform", "threshold": 0.0}


def cfr(**given: Any) -> CFR:
    """Vanilla CFR; `minimiser=hedge` or `signed-rm+` exchanges regret matching."""
    chosen = _all(CFR_DEFAULTS, given)
    schedule = Discounted(math.inf, math.inf, _averaging(chosen["average"]))
    return _make(
        "cfr", CFR_DEFAULTS, chosen, schedule,
        minimiser=chosen["minimiser"], rate=chosen["rate"], horizon=chosen["horizon"],
        threshold=infinite(chosen["threshold"]),
    )  # fmt: skip


PLUS_DEFAULTS = COMMON | {"average": "linear"}


def cfr_plus(**given: Any) -> CFR:
    """RM+; with own actions pruned it remembers how negative a regret is, and plays the same."""
    chosen = _all(PLUS_DEFAULTS, given)
    schedule = Discounted(math.inf, -math.inf, _averaging(chosen["average"]))
    minimiser = "signed-rm+" if chosen["pruning"] in ("rbp", "brp") else "rm"
    return _make("cfr+", PLUS_DEFAULTS, chosen, schedule, minimiser=minimiser)


def lcfr(**given: Any) -> CFR:
    return _make("lcfr", COMMON, _all(COMMON, given), Discounted(1.0, 1.0, 1.0))


def lcfr_plus(**given: Any) -> CFR:
    return _make("lcfr+", COMMON, _all(COMMON, given), Discounted(1.0, -math.inf, 1.0))


DCFR_DEFAULTS = COMMON | {"alpha": 1.5, "beta": 0.0, "gamma": 2.0}


def dcfr(**given: Any) -> CFR:
    chosen = _all(DCFR_DEFAULTS, given)
    schedule = Discounted(infinite(chosen["alpha"]), infinite(chosen["beta"]), infinite(chosen["gamma"]))
    return _make("dcfr", DCFR_DEFAULTS, chosen, schedule)


PCFR_DEFAULTS = COMMON | {"average": "quadratic"}


def pcfr_plus(**given: Any) -> CFR:
    chosen = _all(PCFR_DEFAULTS, given)
    schedule = Discounted(math.inf, -math.inf, _averaging(chosen["average"]))
    return _make("pcfr+", PCFR_DEFAULTS, chosen, schedule, minimiser="predictive-rm+")


PDCFR_DEFAULTS = COMMON | {"alpha": 2.3, "gamma": 5.0}


def pdcfr_plus(**given: Any) -> CFR:
    chosen = _all(PDCFR_DEFAULTS, given)
    schedule = Discounted(infinite(chosen["alpha"]), -math.inf, infinite(chosen["gamma"]))
    return _make("pdcfr+", PDCFR_DEFAULTS, chosen, schedule, minimiser="predictive-rm+")


HS_DEFAULTS = COMMON | {"start": 30.0, "horizon": 1000}


def _hyperparameters(chosen: dict[str, Any]) -> HyperparameterSchedule:
    start, horizon = infinite(chosen["start"]), infinite(chosen["horizon"])
    if not (0 < start < math.inf and 1 <= horizon < math.inf):
        raise ParameterError(
            f"A hyperparameter schedule starts at a positive exponent over a horizon of iterations, but start={start} and "
            f"horizon={horizon} were given."
        )
    return HyperparameterSchedule(start, horizon)


def hs_dcfr(**given: Any) -> CFR:
    chosen = _all(HS_DEFAULTS, given)
    return _make("hs-dcfr", HS_DEFAULTS, chosen, _hyperparameters(chosen))


def hs_pcfr_plus(**given: Any) -> CFR:
    chosen = _all(HS_DEFAULTS, given)
    schedule = FlooredWith(_hyperparameters(chosen))
    return _make("hs-pcfr+", HS_DEFAULTS, chosen, schedule, minimiser="predictive-rm+")


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
    for make, defaults in _MEMBERS:
        try:
            made = make(**{key: (shared | own).get(key, usual) for key, usual in defaults.items()})
        except EquilibristError:
            continue
        if replace(made, bindings=solver.bindings) == solver:
            return made.name
    return f"cfr[{re.sub(r' at 0x[0-9a-f]+', '', readable(solver))}]"  # functions without their addresses


_MEMBERS = (
    (cfr, CFR_DEFAULTS), (cfr_plus, PLUS_DEFAULTS), (lcfr, COMMON), (lcfr_plus, COMMON), (dcfr, DCFR_DEFAULTS),
    (pcfr_plus, PCFR_DEFAULTS), (pdcfr_plus, PDCFR_DEFAULTS), (hs_dcfr, HS_DEFAULTS), (hs_pcfr_plus, HS_DEFAULTS),
)  # fmt: skip

_AVERAGE: dict[str, tuple[type, ...]] = {"average": (int, float)}  # words, or the exponent itself
_ROOT_T = "exploitability O(1/sqrt(T)), two-player zero-sum"

ENTRIES = [
    SolverEntry(
        "cfr", "vanilla counterfactual regret minimisation", cfr, CFR_DEFAULTS, "Zinkevich07", _ROOT_T, also=_AVERAGE
    ),
    SolverEntry(
        "cfr+",
        "regrets floored at zero, linear averaging",
        cfr_plus,
        PLUS_DEFAULTS,
        "Tammelin14",
        _ROOT_T,
        also=_AVERAGE,
    ),
    SolverEntry("lcfr", "linear CFR: iteration t weighs t", lcfr, COMMON, "Brown19", _ROOT_T),
    SolverEntry(
        "lcfr+",
        "linear CFR with floored regrets: a negative control",
        lcfr_plus,
        COMMON,
        "Brown20",
        "none known",
    ),
    SolverEntry("dcfr", "discounted CFR(1.5, 0, 2): the default", dcfr, DCFR_DEFAULTS, "Brown19", _ROOT_T),
    SolverEntry(
        "pcfr+", "predictive CFR+, quadratic averaging", pcfr_plus, PCFR_DEFAULTS, "Farina21", _ROOT_T, also=_AVERAGE
    ),
    SolverEntry("pdcfr+", "predictive discounted CFR+", pdcfr_plus, PDCFR_DEFAULTS, "Xu24", _ROOT_T, "lightly tested"),
    SolverEntry(
        "hs-dcfr", "DCFR with exponents that move with t", hs_dcfr, HS_DEFAULTS, "Zhang24", _ROOT_T, "lightly tested"
    ),
    SolverEntry(
        "hs-pcfr+",
        "PCFR+ with a moving averaging exponent",
        hs_pcfr_plus,
        HS_DEFAULTS,
        "Zhang24",
        _ROOT_T,
        "lightly tested",
    ),
]
