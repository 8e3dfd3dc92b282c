"""`check_solver`: runs a solver on small games and says which rule of a solver it breaks, and where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.solvers.responses.best_response import evaluate_policy
from equilibrist.solvers.run_contract import checked_average, checked_evaluation, checked_run, checked_state

KNOWN = {"kuhn": -1.0 / 18.0, "leduc": -0.085606424078}  # values to player 1, by linear program
ROUNDING = 1e-9
MEASURED = 1e-6  # of the largest amount, between what a run states and what its average is worth


def check_solver(
    solver: Any, game: str = "kuhn", *, iterations: int = 400, gap: float = 0.2, value: float | None = None
) -> None:
    """Raises an `AssertionError` that names the broken rule.

    A solver has a `name` and `start(game)` (or `on(form)`, for any `Form`) that gives a run at iteration 0. The run states what its average
    is worth, as an independent best response finds it too; its bracket of the value must hold the true one and shrink to `gap` of what it
    was, or to nothing; its state must be all that is needed to go on.
    """
    target = compiled(game)
    name = getattr(solver, "name", None)
    assert isinstance(name, str), "A solver has a `name`, as people type it."
    try:
        run = _start(solver, target)
        assert run.iteration == 0, f"A run begins at iteration 0, but this one at {run.iteration}."
        _advance(run, 2)
        assert run.iteration == 2, f"After `advance(2)` a run is at iteration 2, but this one at {run.iteration}."
        before = _measured(run, target, name)
        assert before >= -ROUNDING, f"Exploitability is never negative, but {before} was stated."
        _advance(run, iterations)
        left = _measured(run, target, name)
        _check_bracket(run, game, KNOWN.get(game) if value is None else value)
        assert left <= max(gap * before, ROUNDING), (
            f"After {iterations} iterations '{game}' is exploitable for {left:.3g}, not less than {gap} of the {before:.3g} at the start."
        )
        _check_state(solver, target, name)
    except NotApplicableError as error:
        raise AssertionError(str(error)) from error


def _start(solver: Any, target: Compiled) -> Any:
    begin = getattr(solver, "start", None)
    if begin is not None:
        return checked_run(_asked("start(game)", lambda: begin(target)), solver.name)
    assert hasattr(solver, "on"), "A solver has `start(game)` or `on(form)`."
    return checked_run(_asked("on(form)", lambda: solver.on(target.sequence_form)), solver.name)


def _asked(what: str, ask: Callable[[], Any]) -> Any:
    """An answer, or the sentence that names what raised instead of answering."""
    try:
        return ask()
    except Exception as error:
        raise AssertionError(f"`{what}` raised {type(error).__name__}: {error}") from error


def _advance(run: Any, iterations: int) -> None:
    _asked(f"advance({iterations})", lambda: run.advance(iterations))


def _measured(run: Any, target: Compiled, name: str) -> float:
    """The exploitability that a run states, if its average is worth what it states."""
    found = checked_evaluation(_asked("evaluate()", run.evaluate), name)
    policy = checked_average(_asked("average()", run.average), name)
    keys = policy.infosets.keys
    assert keys == target.infosets.keys, (
        f"`average()` of '{name}' has {len(keys)} infosets of another game; '{target.game.name}' has {len(target.infosets.keys)}."
    )
    again = evaluate_policy(target, policy)
    pairs = [
        ("value", found.value, again.value),
        ("best responses", found.best_response_value, again.best_response_value),
    ]
    scale = max(1.0, *(abs(x) for _, _, each in pairs for x in each or ()))
    for what, stated, true in pairs:
        assert stated is None or np.allclose(stated, true or (), rtol=0.0, atol=MEASURED * scale), (
            f"At iteration {run.iteration} `evaluate()` of '{name}' does not measure `average()`: it states the {what} "
            f"{_listed(stated)}, an independent best response finds {_listed(true)}."
        )
    return float(found.exploitability)


def _listed(numbers: Any) -> str:
    return ", ".join(f"{x:.6g}" for x in numbers or ())


def _check_bracket(run: Any, game: str, worth: float | None) -> None:
    low, high = run.evaluate().value_bounds
    if worth is not None:
        assert low - ROUNDING <= worth <= high + ROUNDING, (
            f"'{game}' is worth {worth:.6g}, outside of the bracket [{low:.6g}, {high:.6g}] that the run states."
        )


def _check_state(solver: Any, target: Compiled, name: str) -> None:
    """A run that goes on from a saved state does what the one it was saved from does."""
    whole, again = _start(solver, target), _start(solver, target)
    _advance(whole, 5)
    state = checked_state(_asked("state()", whole.state), name)
    _asked("restore(state)", lambda: again.restore({key: np.array(array) for key, array in state.items()}))
    assert again.iteration == whole.iteration, "A restored run is not at the iteration it was saved at."
    _advance(whole, 7)
    _advance(again, 7)
    one, other = whole.evaluate().exploitability, again.evaluate().exploitability
    assert one == other, (
        f"A restored run goes another way: exploitability {other:.9g} instead of {one:.9g} after 12 iterations."
    )
