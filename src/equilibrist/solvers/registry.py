"""Solvers by the names people type, with parameters: `dcfr(beta=0.5)`, `cfr+(average=quadratic)`, `lp`."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from equilibrist.core.errors import ParameterError, UnknownNameError, suggest
from equilibrist.core.names import parse_name
from equilibrist.solvers.iteration_loop import Solver

# where each solver lives, so that asking for one does not import the others
MODULES: Mapping[str, tuple[str, ...]] = {
    "cfr.family": ("cfr", "cfr+", "lcfr", "lcfr+", "dcfr", "pcfr+", "pdcfr+", "hs-dcfr", "hs-pcfr+"),
    "mccfr.mccfr": ("mccfr", "es-mccfr", "os-mccfr", "cs-mccfr", "pcs-mccfr", "pure-cfr"),
    "fictitious_play.fictitious_play": ("fp", "linear-fp", "flop"),
    "fictitious_play.cfr_br": ("cfr-br",),
    "bet_sizing.regret_transfer": ("transfer-cfr",),
    "bet_sizing.saef": ("saef",),
    "cfr.regret_free": ("regret-free-cfr",),
    "linear_programs.sequence_lp": ("lp",),
    "linear_programs.refinements": ("undominated", "quasi-perfect"),
    "first_order.excessive_gap": ("egt",),
    "first_order.smoothing": ("smoothing", "iterated-smoothing"),
    "first_order.mirror": ("mirror-prox", "optimistic-md", "magnetic-md"),
    "first_order.sampling": ("sampled-egt",),
}


@dataclass(frozen=True)
class SolverEntry:
    """What the catalogue says about a solver."""

    name: str
    summary: str
    make: Callable[..., Solver]  # keyword parameters
    parameters: Mapping[str, Any]  # name -> default, for display
    reference: str
    guarantee: str
    status: str = "verified"


@functools.cache
def _entries(module: str) -> dict[str, SolverEntry]:
    return {entry.name: entry for entry in importlib.import_module(f"equilibrist.solvers.{module}").ENTRIES}


def solver_catalogue() -> dict[str, SolverEntry]:
    """All solvers by name."""
    return {name: entry for module in MODULES for name, entry in _entries(module).items()}


def find_solver(name: str) -> SolverEntry:
    """The entry of a solver; only its own module is imported."""
    for module, names in MODULES.items():
        if name in names:
            return _entries(module)[name]
    known = [other for names in MODULES.values() for other in names]
    raise UnknownNameError(
        f"There is no solver '{name}'.{suggest(name, known)} 'equilibrist solvers' lists all of them."
    )


def make_solver(text: str) -> Solver:
    """A solver from its name and parameters."""
    name = parse_name(text)
    entry = find_solver(name.base.lower())
    for key in name.parameters:
        if key not in entry.parameters:
            options = ", ".join(entry.parameters) or "none"
            raise ParameterError(
                f"The solver '{entry.name}' has no parameter '{key}' (it has: {options}).{suggest(key, entry.parameters)}"
            )
    try:
        inspect.signature(entry.make).bind(**name.parameters)
    except TypeError as error:
        raise ParameterError(f"The solver '{entry.name}' cannot be made from these parameters: {error}.") from None
    return entry.make(**name.parameters)
