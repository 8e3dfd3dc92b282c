"""`verify`: an independent route for every kind of solution, found by the kind."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol, cast

from equilibrist.core.errors import NotApplicableError
from equilibrist.core.solution import Solution, TabularSolution
from equilibrist.evaluation.verification.claims import Claims, claims_of
from equilibrist.games.rules import Game

Report = Callable[[float | None, str], None]  # told the share that is done, if it is known, and what was counted

# the module of each kind's route, which defines `verify_saved(solution, full, report)`
ROUTES: Mapping[str, str] = {
    "solution": "tabular",
    "boards": "boards",
    "buckets": "hand_classes",
    "spot-solution": "spots",
    "table-solution": "tables",
    "three-way-solution": "three_way",
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
    def recomputed(self) -> Any: ...

    @property
    def claims(self) -> Claims:
        """What the file says besides its values."""

    @property
    def problems(self) -> tuple[str, ...]: ...

    @property
    def histories(self) -> int: ...

    @property
    def walked(self) -> str: ...

    @property
    def seconds(self) -> float: ...

    def to_json(self) -> dict[str, Any]: ...


def verify(
    solution: Solution,
    game: Game | None = None,
    *,
    full: bool = False,
    report: Report = lambda share, text: None,
) -> Verified:
    """Recompute value and exploitability by a route that shares nothing with the solver; `.agrees` says whether all is as stated.

    `game` is found by the solution's name unless given (tabular solutions). `full` also walks what takes minutes: a flop, many boards.
    """
    if not hasattr(solution, "kind"):
        raise NotApplicableError(f"Only solutions can be verified, but {type(solution).__name__!r} was given.")
    if solution.kind not in ROUTES:
        raise NotApplicableError(f"There is no independent route for solutions of the kind '{solution.kind}'.")
    if solution.settings.get("bindings"):
        raise NotApplicableError(
            "This solution was found with opponent models bound to a player, so its numbers belong to that other game; "
            "solve without bindings to verify."
        )
    if game is not None and solution.kind != TabularSolution.kind:
        raise NotApplicableError("This solution holds its own game; leave 'game' out.")
    route = importlib.import_module(f"equilibrist.evaluation.verification.{ROUTES[solution.kind]}")
    found: Verified = route.verify_saved(solution, full, report, *([] if game is None else [game]))
    gap = math.nan if found.recomputed is None else found.recomputed.exploitability
    claims = claims_of(solution, gap, found.tolerance)
    stated = {**(claims.stated or {}), **(found.claims.stated or {})}
    right = (*found.claims.right, *claims.right)
    checked: Verified = replace(cast(Any, found), claims=replace(claims, right=right, stated=stated))
    return checked
