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
from equilibrist.solvers.driver import Solver

MODULES = ("cfr_family", "mccfr", "fictitious_play", "cfr_br", "sequence_lp")


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
def solver_catalogue() -> dict[str, SolverEntry]:
    """All solvers by name."""
    entries: dict[str, SolverEntry] = {}
    for module in MODULES:
        for entry in importlib.import_module(f"equilibrist.solvers.{module}").ENTRIES:
            entries[entry.name] = entry
    return entries


def make_solver(text: str) -> Solver:
    """A solver from its name and parameters."""
    name = parse_name(text)
    entries = solver_catalogue()
    entry = entries.get(name.base.lower())
    if entry is None:
        raise UnknownNameError(
            f"There is no solver '{name.base}'.{suggest(name.base, entries)} 'equilibrist solvers' lists all of them."
        )
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
