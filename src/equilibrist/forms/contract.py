"""The rules that a form must keep, tried at random plans: members, shapes, adjointness, linearity, optional members that agree."""

from __future__ import annotations

from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms._kernels.plans import behave, follow_own
from equilibrist.forms.form import Form, MatrixForm, RangedForm, precision_of, trees_of

ARRAYS = ("offset", "first_infoset", "first_sequence", "actions", "parent")


def checked(form: Form) -> Form:
    """The same form, if its arrays fit together and its products, and its matrix, belong to one zero-sum payoff matrix."""
    _check_members(form)
    _check_trees(form)
    generator = np.random.default_rng(0)
    x, y = random_plan(form, generator), random_plan(form, generator)
    tolerance = precision_of(form)
    at_x = [_product(form, player, x) for player in range(2)]
    worth = [(float(x[_own(form, p)] @ at_x[p]), float(x[_own(form, p)] @ np.abs(at_x[p]))) for p in range(2)]
    if abs(worth[0][0] + worth[1][0]) > tolerance * max(worth[0][1], worth[1][1], 1e-300):
        raise NotApplicableError(
            f"The two products of the payoff operator of '{form.name}' are not those of one zero-sum matrix: the same plans are "
            f"worth {worth[0][0]:.6g} to player 1 and {worth[1][0]:.6g} to player 2."
        )
    for player in range(2):
        apart = 0.5 * (at_x[player] + _product(form, player, y))
        together = _product(form, player, 0.5 * (x + y))
        off = np.abs(together - apart)
        if off.max(initial=0.0) > 10.0 * tolerance * np.abs(apart).max(initial=1e-300):
            worst = int(off.argmax())
            raise NotApplicableError(
                f"The gradient of player {player + 1} in '{form.name}' is not linear: at its sequence {worst} the mean of two plans "
                f"gives {together[worst]:.6g}, but the mean of their gradients is {apart[worst]:.6g}."
            )
    _check_matrix(form, x, at_x)
    return form


def checked_spread(form: RangedForm, name: str, infosets: int) -> Floats:
    """What a form says is at stake below each infoset, if it says it for each."""
    try:
        spread = np.asarray(form.spread(), dtype=np.float64)
    except Exception as error:  # a form of a user may raise anything
        raise NotApplicableError(f"`spread()` of '{name}' raised {type(error).__name__}: {error}.") from error
    if spread.shape != (infosets,):
        raise NotApplicableError(
            f"`spread()` of '{name}' gives an array of shape {spread.shape}, but there are {infosets} infosets; give one number for each."
        )
    wrong = np.flatnonzero(~(np.isfinite(spread) & (spread >= 0.0)))
    if len(wrong):
        raise NotApplicableError(
            f"`spread()` of '{name}' says {spread[wrong[0]]:g} at infoset {wrong[0]}; what is at stake is a finite number of at least 0."
        )
    return spread


def _check_members(form: Any) -> None:
    """A name, five arrays of whole numbers, and a gradient."""
    name = getattr(form, "name", None)
    if not isinstance(name, str):
        raise NotApplicableError(f"A form has a `name`, a text, but {type(form).__name__} has {name!r}.")
    for member in ARRAYS:
        given = getattr(form, member, None)
        whole = isinstance(given, np.ndarray) and given.ndim == 1 and np.issubdtype(given.dtype, np.integer)
        if not whole:
            told = f"an array of {given.dtype}" if isinstance(given, np.ndarray) else f"{type(given).__name__}"
            raise NotApplicableError(
                f"`{member}` of '{name}' is {told if given is not None else 'missing'}; a form has NumPy arrays of whole numbers, with "
                f"one axis: {', '.join(ARRAYS)}."
            )
    for member in ARRAYS[:2]:
        given = getattr(form, member)
        if len(given) != 3 or given[0] != 0 or np.any(np.diff(given) < 0):
            raise NotApplicableError(
                f"`{member}` of '{name}' is {given.tolist()!s:.60}; it has three numbers: 0, where player 2 begins, and the end."
            )
    if not callable(getattr(form, "gradient", None)):
        raise NotApplicableError(f"'{name}' has no `gradient(player, plan, out)`, the payoff operator of a form.")
    precision = precision_of(form)
    if isinstance(precision, bool) or not isinstance(precision, float) or not 0.0 < precision < 1.0:
        raise NotApplicableError(f"`precision` of '{name}' is {precision!r}; it is relative, between 0 and 1.")


def _check_matrix(form: Form, x: Floats, at_x: list[Floats]) -> None:
    """Where there is a matrix, solvers take products from it; it must be the one that the gradients belong to."""
    given = form.matrix if isinstance(form, MatrixForm) else None
    if given is None:
        return
    sequences = int(form.offset[2])
    rule = f"`matrix` of '{form.name}' is start [{sequences + 1}], column [nonzeros] and value [nonzeros]"
    if not isinstance(given, tuple) or len(given) != 3 or not all(isinstance(each, np.ndarray) for each in given):
        raise NotApplicableError(f"{rule}, three NumPy arrays, but {type(given).__name__} was given.")
    start, column, value = given
    shapes = (start.shape, column.shape, value.shape)
    if start.shape != (sequences + 1,) or value.ndim != 1 or column.shape != value.shape:
        raise NotApplicableError(f"{rule}, but the shapes are {', '.join(map(str, shapes))}.")
    whole = np.issubdtype(start.dtype, np.integer) and np.issubdtype(column.dtype, np.integer)
    rising = whole and start[0] == 0 and start[-1] == len(value) and not np.any(np.diff(start) < 0)
    if not rising or (len(column) and not 0 <= column.min() <= column.max() < sequences):
        raise NotApplicableError(
            f"{rule}; rows begin at 0 and end at {len(value)}, columns are sequences 0 to {sequences - 1}."
        )
    for player in range(2):
        own = _own(form, player)
        rows = start[own.start : own.stop + 1]
        entries = slice(int(rows[0]), int(rows[-1]))
        products, filled = value[entries] * x[column[entries]], np.flatnonzero(np.diff(rows))
        out = np.zeros(own.stop - own.start)
        if len(filled):
            out[filled] = np.add.reduceat(products, rows[filled] - rows[0])
        off = ~(np.abs(out - at_x[player]) <= 10.0 * precision_of(form) * np.abs(at_x[player]).max(initial=1e-300))
        if off.any():
            s = int(off.argmax())
            raise NotApplicableError(
                f"`matrix` and `gradient` of '{form.name}' are not the same game: at sequence {s} of player {player + 1} the matrix gives "
                f"{out[s]:.6g} and the gradient {at_x[player][s]:.6g} for the same plan."
            )


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
    theirs = plan[_own(form, 1 - player)].copy()
    try:
        form.gradient(player, theirs, out)
    except Exception as error:  # a form of a user may raise anything
        sizes = np.diff(form.offset).tolist()
        raise NotApplicableError(
            f"The payoff operator of '{form.name}' does not fit its infoset trees ({sizes[0]} and {sizes[1]} sequences): "
            f"`gradient` of player {player + 1} raised {type(error).__name__} ({error}); build both from the same game."
        ) from error
    if not np.array_equal(theirs, plan[_own(form, 1 - player)]):
        raise NotApplicableError(
            f"The gradient of player {player + 1} in '{form.name}' writes into `plan`; it may write into `out` only."
        )
    wrong = np.flatnonzero(~np.isfinite(out))
    if len(wrong):
        raise NotApplicableError(
            f"The gradient of player {player + 1} in '{form.name}' is {out[wrong[0]]} at its sequence {wrong[0]}; payoffs are finite."
        )
    return out


def random_plan(form: Form, generator: np.random.Generator) -> Floats:
    """[S] plans of both players whose behaviours are drawn evenly from their simplices."""
    trees, behaviour = trees_of(form), random_behaviour(form, generator)
    plan = np.ones_like(behaviour)
    for player in range(2):
        follow_own(player, trees, behaviour, plan)
    return plan


def random_behaviour(form: Form, generator: np.random.Generator) -> Floats:
    """[S] behaviours of both players, drawn evenly from their simplices; 1 at the empty sequences."""
    out = np.ones(int(form.offset[2]))
    behave(trees_of(form), generator.exponential(size=len(out)), out)
    return out
