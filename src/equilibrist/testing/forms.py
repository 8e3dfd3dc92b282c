"""`check_form`: tries a form's arrays and products and says which rule is broken, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.contract import checked, checked_spread, random_behaviour, random_plan
from equilibrist.forms.form import Form, RangedForm, ReadableForm, precision_of
from equilibrist.solvers.run_contract import policy_fault

if TYPE_CHECKING:
    from equilibrist.core.arrays import Floats
    from equilibrist.forms.compiled import Compiled
    from equilibrist.solvers.plan_space.field import Field


def check_form(form: Form, game: Compiled | str | None = None, *, plans: int = 3, seed: int = 0) -> None:
    """Raises an `AssertionError` that names the broken rule. With `game`, values and best responses are compared with its own tree's.

    The comparison asks for one thing more: the value of uniform play and of the best responses to it must be those of the game.
    """
    try:
        checked(form)
        if isinstance(form, RangedForm):
            checked_spread(form, form.name, int(form.first_infoset[2]))
    except NotApplicableError as error:
        raise AssertionError(str(error)) from None
    if isinstance(form, ReadableForm):
        _check_policy(form, form.name, random_behaviour(form, np.random.default_rng(seed)))
    generator = np.random.default_rng(seed)
    for _ in range(plans):
        _same_twice(form, random_plan(form, generator))
    if game is not None:
        _same_as(form, game)


def _check_policy(form: ReadableForm, name: str, behaviour: Floats) -> None:
    """The answer can be read: a policy, and a table of probabilities if it is one."""
    given = behaviour.copy()
    try:
        policy = form.policy(given)
    except Exception as error:
        raise AssertionError(f"`policy(behaviour)` of '{name}' raised {type(error).__name__}: {error}.") from error
    assert np.array_equal(given, behaviour), f"`policy(behaviour)` of '{name}' writes into `behaviour`."
    assert not isinstance(policy, str | bytes | int | float | np.ndarray | None), (
        f"`policy(behaviour)` of '{name}' gives {type(policy).__name__}; it gives a policy of the game, such as a TabularPolicy."
    )
    if isinstance(policy, TabularPolicy):
        assert policy_fault(policy) is None, f"`policy(behaviour)` of '{name}': {policy_fault(policy)}"


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
    _says_what_it_means(field, known)
    scale = max(abs(x) for x in (*expected.value, *(expected.best_response_value or ()), 1e-12))
    pairs = [(found.value, expected.value), (found.best_response_value or (), expected.best_response_value or ())]
    for what, (mine, theirs) in zip(("uniform play", "best responses to uniform play"), pairs, strict=True):
        assert np.allclose(mine, theirs, rtol=0.0, atol=10.0 * precision_of(form) * scale), (
            f"'{form.name}' is not the game '{known.game.name}': {what} is worth {mine} on the form and {theirs} in the game."
        )


def _says_what_it_means(field: Field, known: Compiled) -> None:
    """A behaviour and the policy that is made of it are worth the same."""
    from equilibrist.solvers.responses.best_response import evaluate_policy

    if not isinstance(field.form, ReadableForm):
        return
    behaviour = random_behaviour(field.form, np.random.default_rng(0))
    policy = field.policy(behaviour)
    if not isinstance(policy, TabularPolicy) or policy.infosets.keys != known.infosets.keys:
        return  # in other words than the game's own
    mine, theirs = field.evaluate(field.plan(behaviour)).value[0], evaluate_policy(known, policy).value[0]
    assert np.isclose(mine, theirs, rtol=0.0, atol=10.0 * precision_of(field.form) * max(field.scale, 1e-12)), (
        f"`policy(behaviour)` of '{field.form.name}' is another strategy than `behaviour`: worth {theirs:.6g} instead of {mine:.6g}."
    )
