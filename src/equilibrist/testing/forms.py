"""`check_form`: tries a form's arrays and products and says which rule is broken, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.contract import checked, random_plan
from equilibrist.forms.form import Form, precision_of

if TYPE_CHECKING:
    from equilibrist.forms.compiled import Compiled


def check_form(form: Form, game: Compiled | str | None = None, *, plans: int = 3, seed: int = 0) -> None:
    """Raises an `AssertionError` that names the broken rule. With `game`, values and best responses are compared with its own tree's.

    The comparison asks for one thing more: the value of uniform play and of the best responses to it must be those of the game.
    """
    try:
        checked(form)
    except NotApplicableError as error:
        raise AssertionError(str(error)) from None
    generator = np.random.default_rng(seed)
    for _ in range(plans):
        _same_twice(form, random_plan(form, generator))
    if game is not None:
        _same_as(form, game)


def _same_twice(form: Form, plan: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    """A gradient depends on the plan alone, whatever was asked before and whatever stands in `out`."""
    for player in range(2):
        theirs = plan[form.offset[1 - player] : form.offset[2 - player]]
        first = np.zeros(int(form.offset[player + 1] - form.offset[player]))
        second = np.full_like(first, 7.0)
        form.gradient(player, theirs, first)
        form.gradient(player, theirs, second)
        assert np.array_equal(first, second), (
            f"The gradient of player {player + 1} in '{form.name}' differs when it is asked again: it must overwrite `out` and depend on "
            "the plan alone."
        )


def _same_as(form: Form, game: Compiled | str) -> None:
    from equilibrist.forms.compiled import compiled
    from equilibrist.solvers.plan_space.field import Field
    from equilibrist.solvers.responses.best_response import evaluate_policy

    known = compiled(game)
    expected = evaluate_policy(known, known.infosets.uniform())
    field = Field(form)
    found = field.evaluate(field.plan(field.uniform()))
    scale = max(abs(x) for x in (*expected.value, *(expected.best_response_value or ()), 1e-12))
    pairs = [(found.value, expected.value), (found.best_response_value or (), expected.best_response_value or ())]
    for what, (mine, theirs) in zip(("uniform play", "best responses to uniform play"), pairs, strict=True):
        assert np.allclose(mine, theirs, rtol=0.0, atol=10.0 * precision_of(form) * scale), (
            f"'{form.name}' is not the game '{known.game.name}': {what} is worth {mine} on the form and {theirs} in the game."
        )
