"""Monte Carlo CFR: external, outcome, chance and public-chance sampling.

One iteration is one walk (or `traversals` walks) per player in turn. A walk by player i changes i's regrets and adds
the strategy of the player after i, as i met it, to that player's average. The loops are in `_kernels/mccfr.py` and
`_kernels/public_chance.py`, the runs that call them in `run.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from equilibrist.core.errors import ParameterError, suggest
from equilibrist.core.names import Name, readable
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.forms.form import Form, HistoryForm
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.iterative_solver import IterativeSolver
from equilibrist.solvers.mccfr.period_discounts import PERIOD
from equilibrist.solvers.mccfr.run import EXPLORATION, MCCFRRun
from equilibrist.solvers.registry import SolverEntry

SAMPLINGS = ("external", "outcome", "chance", "public-chance")
MOST_TRAVERSALS = 100_000  # in one iteration, which is never cut short
WEIGHTINGS = ("none", "linear", "initial")


@dataclass(frozen=True)
class MCCFR(IterativeSolver):
    """Monte Carlo CFR ([Lanctot09]; linear weights and K walks per iteration of [Brown20, §3.1.5 and §4.1.1])."""

    sampling: str = "external"
    traversals: int = 1  # walks per player and iteration, all against one fixed profile
    weighting: str = "none"  # linear: all sums times n/(n+1) after period n; initial: times 1/10 after period 1
    period: float | None = None  # nodes touched; None: 10^7
    exploration: float | None = None  # outcome sampling: share of uniform play of the walking player; None: 0.6
    title: str = field(default="mccfr", repr=False, compare=False)  # the name it was asked for

    def __post_init__(self) -> None:
        _check_word("sampling", self.sampling, SAMPLINGS)
        _check_word("weighting", self.weighting, WEIGHTINGS)
        if type(self.traversals) is not int or not 1 <= self.traversals <= MOST_TRAVERSALS:
            raise ParameterError(
                f"'traversals' must be a whole number from 1 to {MOST_TRAVERSALS:,}, but {self.traversals} was given."
            )
        if self.period is not None and self.weighting == "none":
            raise ParameterError("'period' needs weighting=linear or weighting=initial; add one of them.")
        if self.period is not None and not _between(self.period, 1, 1e18):
            raise ParameterError(f"'period' is a number of nodes, at least 1, but {self.period} was given.")
        if self.exploration is not None and self.sampling != "outcome":
            raise ParameterError("'exploration' needs sampling=outcome; leave it out or use os-mccfr.")
        if self.exploration is not None and not (_between(self.exploration, 0, 1) and self.exploration > 0):
            raise ParameterError(f"'exploration' must be above 0 and at most 1, but {self.exploration} was given.")

    def __repr__(self) -> str:
        return readable(self)

    @property
    def name(self) -> str:
        plain = {"sampling": "external", "traversals": 1, "weighting": "none", "period": None, "exploration": None}
        given = {key: getattr(self, key) for key, usual in plain.items() if getattr(self, key) != usual}
        if self.title != "mccfr":
            given.pop("sampling", None)
        return str(Name(self.title, given))

    def start(self, game: Compiled, seed: int = 0) -> MCCFRRun:
        return MCCFRRun(game, self, seed)

    def on(self, form: Form, seed: int = 0) -> Any:
        """A run at iteration 0 on a form: over its histories where it knows them, else against plans drawn from the opponent's strategy."""
        if isinstance(form, HistoryForm) and form.tree is not None:
            return self.start(compiled(form.tree), seed)
        from equilibrist.solvers.mccfr.external_sampling import ExternalSamplingRun  # late: games are walked
        from equilibrist.solvers.plan_space.field import Field

        return ExternalSamplingRun(self, Field(form), seed)

    def begin(self, game: Compiled, stop: Stop, seed: int) -> MCCFRRun:
        return self.start(game, seed)

    def settings(self, game: Compiled) -> Mapping[str, Any]:
        return {"sampling": self.sampling, "traversals": self.traversals, "weighting": self.weighting}


def _check_word(what: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ParameterError(
            f"'{what}' must be one of {', '.join(known)}, but '{given}' was given.{suggest(str(given), known)}"
        )


def _between(amount: float, low: float, high: float) -> bool:
    return type(amount) in (int, float) and low <= amount <= high


_BOUNDS = {"traversals": (1, MOST_TRAVERSALS)}
_SHARED = {"traversals": 1, "weighting": "none", "period": PERIOD}
GUARANTEE = "two-player zero-sum with perfect recall: exploitability O(1/sqrt(iterations)), with high probability"


def _alias(title: str, sampling: str, summary: str, reference: str, **more: Any) -> SolverEntry:
    make = functools.partial(MCCFR, sampling=sampling, title=title)
    return SolverEntry(title, summary, make, {**_SHARED, **more}, reference, GUARANTEE, bounds=_BOUNDS)


ENTRIES = (
    SolverEntry(
        "mccfr",
        "Monte Carlo CFR; sampling = external, outcome, chance or public-chance",
        MCCFR,
        {"sampling": "external", **_SHARED, "exploration": EXPLORATION},
        "Lanctot09",
        GUARANTEE,
        bounds=_BOUNDS,
    ),
    _alias("es-mccfr", "external", "MCCFR: chance and the other players are sampled", "Lanctot09"),
    _alias("os-mccfr", "outcome", "MCCFR: one history is sampled", "Lanctot09", exploration=EXPLORATION),
    _alias("cs-mccfr", "chance", "MCCFR: chance is sampled, all actions are walked", "Zinkevich07"),
    _alias("pcs-mccfr", "public-chance", "MCCFR: only public chance is sampled", "Johanson12b"),
)
