"""The rules that a run must keep: what `start` gives, and what it answers; each is named where it is broken."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import Evaluation

MEMBERS = ("advance", "evaluate", "average", "state", "restore")
ROUNDING = 1e-9


def checked_run(run: Any, solver: str) -> Any:
    """The same run, if it has what the loop asks of it."""
    if run is None:
        raise NotApplicableError(f"`start(game)` of '{solver}' gave None; it gives a run at iteration 0.")
    missing = [name for name in MEMBERS if not callable(getattr(run, name, None))]
    if missing:
        raise NotApplicableError(
            f"The run of '{solver}' ({type(run).__name__}) has no `{missing[0]}()`; a run has {', '.join(MEMBERS)} and `iteration`."
        )
    iteration = getattr(run, "iteration", None)
    if isinstance(iteration, bool) or not isinstance(iteration, int | np.integer) or iteration < 0:
        raise NotApplicableError(f"`iteration` of the run of '{solver}' is {iteration!r}; it counts from 0.")
    for name, least in (("first_check", 1), ("check_growth", 1.0)):
        given = getattr(run, name, None)
        if isinstance(given, bool) or not isinstance(given, int | float | np.number) or not least <= given < math.inf:
            raise NotApplicableError(
                f"`{name}` of the run of '{solver}' is {given!r}; it is a number of at least {least:g} that says when to measure."
            )
    return run


def checked_evaluation(found: Any, solver: str) -> Any:
    """Values and best responses of all players, in numbers."""
    if not isinstance(found, Evaluation):
        raise NotApplicableError(f"`evaluate()` of '{solver}' gave {_what(found)}; it gives an `Evaluation`.")
    stated = (*found.value, *(found.best_response_value or ()))
    try:
        finite = all(math.isfinite(x) for x in stated)
    except TypeError:
        finite = False
    if not stated or not finite:
        raise NotApplicableError(
            f"`evaluate()` of '{solver}' states {stated!s:.80}; values and best responses are finite."
        )
    return found


def checked_average(policy: Any, solver: str) -> TabularPolicy:
    """A policy of the game whose rows are probabilities."""
    if not isinstance(policy, TabularPolicy):
        raise NotApplicableError(
            f"`average()` of '{solver}' gave {_what(policy)}; it gives a `TabularPolicy` of the game."
        )
    fault = policy_fault(policy)
    if fault is not None:
        raise NotApplicableError(f"`average()` of '{solver}': {fault}")
    return policy


def checked_state(state: Any, solver: str) -> dict[str, Any]:
    """Everything needed to go on, by name."""
    if not isinstance(state, Mapping) or not state:
        raise NotApplicableError(
            f"`state()` of '{solver}' gave {_what(state)}; it gives arrays by name, all that is needed to go on."
        )
    wrong = [name for name, array in state.items() if not isinstance(name, str) or not isinstance(array, np.ndarray)]
    if wrong:
        raise NotApplicableError(
            f"`state()` of '{solver}' has {_what(state[wrong[0]])} under {wrong[0]!r}; it gives NumPy arrays by name."
        )
    return dict(state)


def policy_fault(policy: TabularPolicy) -> str | None:
    """What is wrong with the probabilities of a policy, if anything is."""
    probabilities, first = policy.probabilities, policy.infosets.first_slot
    if not np.all(np.isfinite(probabilities)):
        return "A probability of the answer is no finite number."
    if np.any(probabilities < -ROUNDING):
        return "A probability of the answer is negative."
    total = np.add.reduceat(probabilities, first[:-1]) if len(first) > 1 else np.ones(1)
    worst = int(np.abs(total - 1.0).argmax())
    if abs(total[worst] - 1.0) > 1e-6:
        return f"Probabilities at the infoset '{policy.infosets.keys[worst]}' add up to {total[worst]:.6g}, not to 1."
    return None


def _what(given: Any) -> str:
    return "nothing" if given is None else f"an empty {type(given).__name__}" if given == {} else type(given).__name__
