"""`verify`: an independent route for every kind of solution, found by the kind."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from equilibrist.core.errors import NotApplicableError
from equilibrist.core.solution import Solution

Report = Callable[[float | None, str], None]  # told the share that is done, if it is known, and what was counted

# the module of each kind's route, which defines `verify_saved(solution, full, report)`
ROUTES: Mapping[str, str] = {
    "solution": "tabular",
    "boards": "boards",
    "buckets": "hand_classes",
    "spot-solution": "spots",
    "poker-blueprint": "blueprints",
}


class Verified(Protocol):
    """What the file says beside what the independent route says."""

    @property
    def game(self) -> str: ...

    @property
    def route(self) -> str:
        """The heading of the recomputed numbers."""

    @property
    def agrees(self) -> bool: ...

    @property
    def stated(self) -> Any: ...

    @property
    def difference(self) -> float: ...

    @property
    def tolerance(self) -> float: ...

    @property
    def rows(self) -> list[tuple[str, float | None, float | None]]: ...

    @property
    def problems(self) -> tuple[str, ...]: ...

    @property
    def histories(self) -> int: ...

    @property
    def walked(self) -> str: ...

    @property
    def seconds(self) -> float: ...

    def to_json(self) -> dict[str, Any]: ...


def verify(solution: Solution, *, full: bool = False, report: Report = lambda share, text: None) -> Verified:
    """Recompute value and exploitability by a route that shares nothing with the solver; `full`: also where it takes minutes."""
    if solution.kind not in ROUTES:
        raise NotApplicableError(f"There is no independent route for solutions of the kind '{solution.kind}'.")
    route = importlib.import_module(f"equilibrist.evaluation.verification.{ROUTES[solution.kind]}")
    found: Verified = route.verify_saved(solution, full, report)
    return found
