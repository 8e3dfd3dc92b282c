"""The rules that a form must keep, tried at random plans: shapes, adjointness, linearity."""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms._kernels.plans import behave, follow_own
from equilibrist.forms.form import Form, precision_of, trees_of


def checked(form: Form) -> Form:
    """The same form, if its arrays fit together and its two products belong to one zero-sum payoff matrix."""
    _check_trees(form)
    generator = np.random.default_rng(0)
    x, y = random_plan(form, generator), random_plan(form, generator)
    tolerance = precision_of(form)
    worth = []
    for player in range(2):
        out = _product(form, player, x)
        own = _own(form, player)
        worth.append((float(x[own] @ out), float(x[own] @ np.abs(out))))
    if abs(worth[0][0] + worth[1][0]) > tolerance * max(worth[0][1], worth[1][1], 1e-300):
        raise NotApplicableError(
            f"The two products of the payoff operator of '{form.name}' are not those of one zero-sum matrix: the same plans are "
            f"worth {worth[0][0]:.6g} to player 1 and {worth[1][0]:.6g} to player 2."
        )
    for player in range(2):
        apart = 0.5 * (_product(form, player, x) + _product(form, player, y))
        together = _product(form, player, 0.5 * (x + y))
        off = np.abs(together - apart)
        if off.max(initial=0.0) > 10.0 * tolerance * np.abs(apart).max(initial=1e-300):
            worst = int(off.argmax())
            raise NotApplicableError(
                f"The gradient of player {player + 1} in '{form.name}' is not linear: at its sequence {worst} the mean of two plans "
                f"gives {together[worst]:.6g}, but the mean of their gradients is {apart[worst]:.6g}."
            )
    return form


def _check_trees(form: Form) -> None:
    sequences, infosets = int(form.offset[2]), int(form.first_infoset[2])
    lengths = {len(form.first_sequence), len(form.actions), len(form.parent)}
    if lengths != {infosets} or int(form.actions.sum()) + 2 != sequences:
        raise NotApplicableError(
            f"The infoset trees of '{form.name}' do not fit together: {infosets} infosets with "
            f"{int(form.actions.sum())} actions cannot have {sequences} sequences with two empty ones among them."
        )
    player = np.repeat(np.arange(2), np.diff(form.first_infoset))
    begin, end = form.first_sequence, form.first_sequence + form.actions
    low, high = form.offset[player], form.offset[player + 1]
    wrong = np.flatnonzero(
        (begin <= low) | (end <= begin) | (end > high) | (form.parent < low) | (form.parent >= begin)
    )
    if len(wrong):
        i = int(wrong[0])
        raise NotApplicableError(
            f"Infoset {i} of '{form.name}' has the sequences {begin[i]} to {end[i] - 1} and follows sequence {form.parent[i]}, but player "
            f"{player[i] + 1} owns {low[i]} to {high[i] - 1}, has its empty sequence first, and an infoset comes after its parent."
        )


def _own(form: Form, player: int) -> slice:
    return slice(int(form.offset[player]), int(form.offset[player + 1]))


def _product(form: Form, player: int, plan: Floats) -> Floats:
    out = np.zeros(int(form.offset[player + 1] - form.offset[player]))
    try:
        form.gradient(player, plan[_own(form, 1 - player)], out)
    except (ValueError, IndexError, ParameterError) as error:
        sizes = np.diff(form.offset).tolist()
        raise NotApplicableError(
            f"The payoff operator of '{form.name}' does not fit its infoset trees ({sizes[0]} and {sizes[1]} sequences): {error}; "
            "build both from the same game."
        ) from None
    return out


def random_plan(form: Form, generator: np.random.Generator) -> Floats:
    """[S] plans of both players whose behaviours are drawn evenly from their simplices."""
    trees = trees_of(form)
    behaviour, plan = np.ones(int(trees.offset[2])), np.ones(int(trees.offset[2]))
    behave(trees, generator.exponential(size=len(plan)), behaviour)
    for player in range(2):
        follow_own(player, trees, behaviour, plan)
    return plan
