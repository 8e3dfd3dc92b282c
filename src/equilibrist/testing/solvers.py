"""`check_solver`: runs a solver on small games and says which rule of a solver it breaks, and where."""

from __future__ import annotations

from typing import Any

import numpy as np

from equilibrist.forms.compiled import Compiled, compiled

KNOWN = {"kuhn": -1.0 / 18.0, "leduc": -0.0856064}  # values to player 1, by linear program
ROUNDING = 1e-9


def check_solver(
    solver: Any, game: str = "kuhn", *, iterations: int = 400, gap: float = 0.2, value: float | None = None
) -> None:
    """Raises an `AssertionError` that names the broken rule.

    A solver has a `name` and `start(game)` (or `on(form)`, for any `Form`) that gives a run at iteration 0. The run's bracket of the value
    must hold the true one and shrink to `gap` of what it was; its state must be all that is needed to go on.
    """
    target = compiled(game)
    assert isinstance(getattr(solver, "name", None), str), "A solver has a `name`, as people type it."
    run = _start(solver, target)
    assert run.iteration == 0, f"A run begins at iteration 0, but this one at {run.iteration}."
    run.advance(2)
    assert run.iteration == 2, f"After `advance(2)` a run is at iteration 2, but this one at {run.iteration}."
    before = run.evaluate().exploitability
    assert before >= -ROUNDING, f"Exploitability is never negative, but {before} was stated."
    run.advance(iterations)
    found, worth = run.evaluate(), KNOWN.get(game) if value is None else value
    low, high = found.value_bounds
    if worth is not None:
        assert low - ROUNDING <= worth <= high + ROUNDING, (
            f"'{game}' is worth {worth:.6g}, outside of the bracket [{low:.6g}, {high:.6g}] that the run states."
        )
    assert found.exploitability <= gap * before, (
        f"After {iterations} iterations '{game}' is exploitable for {found.exploitability:.3g}, not less than {gap} of the "
        f"{before:.3g} at the start."
    )
    _check_average(run, target)
    _check_state(solver, target)


def _start(solver: Any, target: Compiled) -> Any:
    if hasattr(solver, "start"):
        return solver.start(target)
    assert hasattr(solver, "on"), "A solver has `start(game)` or `on(form)`."
    return solver.on(target.sequence_form)


def _check_average(run: Any, target: Compiled) -> None:
    """The answer is a policy: probabilities that add up to one at every infoset."""
    policy, first = run.average(), target.infosets.first_slot
    assert np.all(policy.probabilities >= -ROUNDING), "A probability of the answer is negative."
    total = np.add.reduceat(policy.probabilities, first[:-1])
    worst = int(np.abs(total - 1.0).argmax())
    assert abs(total[worst] - 1.0) < 1e-6, (
        f"Probabilities at the infoset '{target.infosets.keys[worst]}' add up to {total[worst]:.6g}, not to 1."
    )


def _check_state(solver: Any, target: Compiled) -> None:
    """A run that goes on from a saved state does what the one it was saved from does."""
    whole, again = _start(solver, target), _start(solver, target)
    whole.advance(5)
    again.restore({name: np.array(array) for name, array in whole.state().items()})
    assert again.iteration == whole.iteration, "A restored run is not at the iteration it was saved at."
    whole.advance(7)
    again.advance(7)
    one, other = whole.evaluate().exploitability, again.evaluate().exploitability
    assert one == other, (
        f"A restored run goes another way: exploitability {other:.9g} instead of {one:.9g} after 12 iterations."
    )
