"""Solvers by the names people type, with parameters: `dcfr(beta=0.5)`, `cfr+(average=quadratic)`, `lp`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from equilibrist.core.catalogue import Entry, Makers, signature_parameters, summary_of
from equilibrist.core.errors import EquilibristError, FormatError, ParameterError

if TYPE_CHECKING:
    from equilibrist.solvers.iteration_loop import Solver


@dataclass(frozen=True)
class SolverEntry(Entry):
    """What the catalogue says about a solver."""

    reference: str = ""
    guarantee: str = "none stated"
    status: str = "verified"


def plugged_solver(name: str, found: Any) -> SolverEntry:
    """A solver of a plug-in: an entry, or a class or function that makes the solver."""
    if isinstance(found, SolverEntry):
        return found
    if not callable(found):
        raise FormatError(
            f"The solver '{name}' of a plug-in is {found!r}; it must name a class, a function or a SolverEntry."
        )
    return SolverEntry(name, summary_of(found), found, signature_parameters(found), "plug-in", status="plug-in")


SOLVERS: Makers[SolverEntry, Solver] = Makers(
    kind="solver",
    package="equilibrist.solvers",
    table={
        "cfr.family": ("cfr",),
        "cfr.cfr_plus": ("cfr+",),
        "cfr.linear_cfr": ("lcfr", "lcfr+"),
        "cfr.dcfr": ("dcfr", "hs-dcfr"),
        "cfr.predictive_cfr": ("pcfr+", "pdcfr+", "hs-pcfr+"),
        "mccfr.mccfr": ("mccfr", "es-mccfr", "os-mccfr", "cs-mccfr", "pcs-mccfr"),
        "mccfr.pure_cfr": ("pure-cfr",),
        "fictitious_play.fictitious_play": ("fp",),
        "fictitious_play.flop": ("linear-fp", "flop"),
        "fictitious_play.cfr_br": ("cfr-br",),
        "bet_sizing.regret_transfer": ("transfer-cfr",),
        "bet_sizing.saef": ("saef",),
        "cfr.regret_free": ("regret-free-cfr",),
        "linear_programs.sequence_lp": ("lp",),
        "linear_programs.refinements": ("undominated", "quasi-perfect"),
        "linear_programs.support_enumeration": ("support-enumeration",),
        "repeated_games.stage_play": ("concavification",),
        "first_order.excessive_gap": ("egt",),
        "first_order.smoothing": ("smoothing", "iterated-smoothing"),
        "first_order.mirror_prox": ("mirror-prox", "optimistic-md"),
        "first_order.magnetic_mirror_descent": ("magnetic-md",),
        "first_order.sampling": ("sampled-egt",),
    },
    hint="'equilibrist solvers' lists all of them.",
    group="equilibrist.solvers",
    adapt=plugged_solver,
)


def list_solvers() -> list[str]:
    """Names of all solvers; `solve` takes them, with parameters in brackets."""
    return SOLVERS.names()


def make_solver(text: str) -> Solver:
    """A solver from its name and parameters."""
    return SOLVERS.make(text)


def check_solver_object(solver: object) -> None:
    """Refuses what is no solver: one has a `name` and `solve`."""
    named, solves = isinstance(getattr(solver, "name", None), str), callable(getattr(solver, "solve", None))
    if named and solves and not isinstance(solver, type):
        return
    fault = "has no `name`, a text" if solves else "has no `solve(game, stop, ...)`"
    if isinstance(solver, type):
        fault = f"is a class; make one with {solver.__name__}()"
    raise ParameterError(
        f"A solver is a name such as 'dcfr', or an object with `name` and `solve`, but {solver!r} {fault}."
    )


def solver_name(solver: str | Solver) -> str:
    """What a solution records: the name as it was typed, or that of the object."""
    return solver if isinstance(solver, str) else solver.name


def remade(name: str) -> Solver | None:
    """The solver that a recorded name makes; None for objects of a user that no name makes."""
    try:
        return make_solver(name)
    except EquilibristError:
        return None
