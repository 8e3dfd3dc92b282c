"""What a file says about itself besides its values: what can be checked is, the rest is told apart from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.core.errors import NotApplicableError
from equilibrist.core.solution import Solution

STATED = ("solver", "iterations", "seconds", "cpu_seconds", "threads", "memory_bytes", "interrupted")


@dataclass(frozen=True)
class Claims:
    """Claims that were found wrong, found right, and those that nothing can check."""

    wrong: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    stated: Mapping[str, Any] | None = None


NO_CLAIMS = Claims()


def claims_of(solution: Solution, exploitability: float, tolerance: float) -> Claims:
    """The claims of a solution whose exploitability was recomputed (NaN: it cannot be)."""
    wrong, right = list[str](), list[str]()
    stated = {name: getattr(solution.record, name) for name in STATED}
    goal = solution.settings.get("until")
    if solution.converged and solution.interrupted:
        wrong.append("the file says that solving was interrupted, and that it came to its end")
    if solution.converged and goal is None:
        stated["converged"] = True  # by the solver's own measure
    elif solution.converged:
        reached = isinstance(goal, int | float) and exploitability <= goal + tolerance
        said = f"exploitability {goal:g}" if isinstance(goal, int | float) else f"{goal!r}"
        (right if reached else wrong).append(
            f"the goal, {said}, was reached"
            if reached
            else f"the file says that its goal, {said}, was reached, but the exploitability is {exploitability:.6g}"
        )
    _check_state(solution, wrong, right)
    return Claims(tuple(wrong), tuple(right), stated)


def _check_state(solution: Solution, wrong: list[str], right: list[str]) -> None:
    """Tables to go on from hold numbers, and were left after as many iterations as the file says."""
    try:
        state = solution.state
    except NotApplicableError:  # saved without
        return
    broken = [
        name for name, table in state.items() if np.issubdtype(table.dtype, np.floating) and np.isnan(table).any()
    ]
    if broken:
        wrong.append(f"the state to go on from holds what is no number ({broken[0]})")
    if "iteration" in state:
        after = int(np.ravel(state["iteration"])[0])
        if after != solution.iterations:
            wrong.append(f"the file says {solution.iterations:,} iterations, but its state was left after {after:,}")
        elif not broken:
            right.append("the state to go on from holds numbers, and is of the iteration that is stated")
