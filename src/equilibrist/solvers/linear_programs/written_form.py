"""The payoff matrix of any form, written out for linear programs: taken where a form has it, else found by products with pure plans.

Gradients are asked at plans only, and on plans many matrices are the same: whatever all actions of an infoset have in common may as well
stand at the sequence before it. The one that is found here has zeros at one *usual* action of every infoset. Let p(s) be the pure plan
that leads to sequence s and takes the usual action everywhere else. Then the empty sequence has the column A p(empty), and any other
that is not usual A (p(s) - p(q)), q being the sequence before its infoset. Sums along a plan cancel to A times that plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from equilibrist.core.arrays import Floats, Ints, Longs
from equilibrist.core.errors import TooLargeError
from equilibrist.forms._kernels.plans import follow_own
from equilibrist.forms.form import Form, MatrixForm, WritableForm, precision_of, trees_of
from equilibrist.forms.sequence_form.sequence_form import SparsePayoff, sparse_payoff

MOST_PRODUCTS = 20_000  # one for each sequence that is not usual; beyond, a program has too many columns anyway
ROUNDING = 1e-3  # of a form's precision: differences of two gradients below it are zeros


@dataclass(frozen=True)
class WrittenForm:
    """The infoset trees of a form, and its payoffs written out."""

    name: str
    offset: Ints
    first_infoset: Ints
    first_sequence: Ints
    actions: Ints
    parent: Ints
    payoff: SparsePayoff

    @property
    def sequences(self) -> tuple[int, int]:
        return int(self.offset[1]), int(self.offset[2] - self.offset[1])


def write_out(form: Form) -> WrittenForm:
    """What a linear program reads of a form."""
    matrix = form.matrix if isinstance(form, MatrixForm) else None
    if matrix is None and isinstance(form, WritableForm):
        matrix = form.write_matrix()
    payoff = _by_products(form) if matrix is None else SparsePayoff(form.offset, *matrix)
    return WrittenForm(form.name, *trees_of(form), payoff)


class _Step(NamedTuple):
    """A pure plan of the second player that leads to a sequence."""

    sequence: int
    gradient: Floats  # [first player's sequences] against it
    chosen: tuple[tuple[int, int], ...]  # infosets on the way where it leaves the usual action, and for which sequence


def _by_products(form: Form) -> SparsePayoff:
    """Columns are the second player's sequences; one gradient of the first for each that is not usual."""
    products = int(form.offset[2] - form.offset[1]) - int(form.first_infoset[2] - form.first_infoset[1])
    if products > MOST_PRODUCTS:
        raise TooLargeError(
            f"The linear program of '{form.name}' would take {products:,} products to write down, more than {MOST_PRODUCTS:,}; use a "
            "method that needs a few hundred, such as dcfr."
        )
    pure, rows, columns, values = _PurePlans(form), list[Longs](), list[Longs](), list[Floats]()

    def enter(column: int, worth: Floats, beside: Floats) -> None:
        row = np.flatnonzero(np.abs(worth) > ROUNDING * precision_of(form) * beside)
        rows.append(row)
        columns.append(np.full(len(row), column))
        values.append(worth[row])

    root = int(form.offset[1])
    first = _Step(root, pure.gradient(()), ())
    enter(root, first.gradient, np.abs(first.gradient))
    open_steps = [first]
    while open_steps:
        step = open_steps.pop()
        for infoset in pure.after.get(step.sequence, ()):
            for s in pure.sequences(infoset):
                if s == pure.usual[infoset]:
                    open_steps.append(step._replace(sequence=s))
                    continue
                chosen = (*step.chosen, (infoset, s))
                gradient = pure.gradient(chosen)
                enter(s, gradient - step.gradient, np.abs(gradient) + np.abs(step.gradient))
                open_steps.append(_Step(s, gradient, chosen))
    row, column, value = np.concatenate(rows), np.concatenate(columns), np.concatenate(values)
    return sparse_payoff(row, column, np.stack([value, -value], axis=1), form.offset)


class _PurePlans:
    """Pure plans of the second player, and what the first gets against them."""

    def __init__(self, form: Form) -> None:
        self.form, self.trees = form, trees_of(form)
        self.after: dict[int, list[int]] = {}
        infosets = range(int(form.first_infoset[1]), int(form.first_infoset[2]))
        for i in infosets:
            self.after.setdefault(int(form.parent[i]), []).append(i)
        self.usual = self._usual(infosets)
        self.behaviour, self.plan = np.zeros(int(form.offset[2])), np.zeros(int(form.offset[2]))
        self.behaviour[list(self.usual.values())] = 1.0

    def sequences(self, infoset: int) -> range:
        first = int(self.form.first_sequence[infoset])
        return range(first, first + int(self.form.actions[infoset]))

    def _usual(self, infosets: range) -> dict[int, int]:
        """By infoset the sequence with the fewest below it: its payoffs are written down with every other action."""
        below = np.zeros(int(self.form.offset[2]), dtype=np.int64)
        usual = {}
        for i in reversed(infosets):
            own = self.sequences(i)
            below[self.form.parent[i]] += len(own) + int(below[own.start : own.stop].sum())
            usual[i] = own.start + int(below[own.start : own.stop].argmin())
        return usual

    def gradient(self, chosen: tuple[tuple[int, int], ...]) -> Floats:
        for infoset, s in chosen:
            self.behaviour[self.usual[infoset]], self.behaviour[s] = 0.0, 1.0
        follow_own(1, self.trees, self.behaviour, self.plan)
        for infoset, s in chosen:
            self.behaviour[s], self.behaviour[self.usual[infoset]] = 0.0, 1.0
        out = np.zeros(int(self.form.offset[1]))
        self.form.gradient(0, self.plan[self.form.offset[1] :].copy(), out)
        return out
