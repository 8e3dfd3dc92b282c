"""Passes over a `KroneckerForm`, row by row in lane order: plans downwards, best responses upwards, strategies evaluated.

A strategy is held as *weights*: for each player and round an array [classes, lane columns] of which the positive parts, divided by
their sum at each infoset, are the behaviour. Regrets and averages are weights, and so are behaviours themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equilibrist.compute.threads import Span, share_out
from equilibrist.core.arrays import Array, Floats
from equilibrist.core.errors import ParameterError
from equilibrist.core.solution import Evaluation
from equilibrist.forms.hand_classes._kernels.kronecker import multiply_row
from equilibrist.forms.hand_classes.betting_rounds import Columns
from equilibrist.forms.hand_classes.kronecker import WORTH_SHARING, KroneckerForm
from equilibrist.solvers.cfr._kernels.matching import match_lanes
from equilibrist.solvers.hand_classes._kernels import class_cfr as kernels
from equilibrist.solvers.hand_classes._kernels.class_cfr import MeetingPairs, RoundTree

DENSE = 0.5  # share of pairs of classes that meet from which whole matrices are multiplied,
WORTH_MATRICES = 100_000  # and how many pairs there must be: below that nothing is gained

Weights = tuple[list[Array], list[Array]]  # by player and round


@dataclass(frozen=True, eq=False)
class RoundTables:
    """One player in one round: what the kernels read, in one number type."""

    columns: Columns
    parent: NDArray[np.int64]  # [classes] class of the round before
    start: NDArray[np.int64]
    column: NDArray[np.int32]
    chance: Array
    balance: Array
    folds: int
    payoff: Array  # [leaves] to the opponent: what this player's plan is packed with
    spans: list[Span]  # classes of each thread; no two threads share a parent
    dense: bool  # most classes meet: products are made of whole matrices, and kernels read their rows

    @property
    def classes(self) -> int:
        return len(self.parent)

    @property
    def leaves(self) -> int:
        return len(self.payoff)

    @property
    def tree(self) -> RoundTree:
        return RoundTree(self.columns.groups, self.columns.lane_parent, self.columns.runs, self.parent)

    @property
    def pairs(self) -> MeetingPairs:
        return MeetingPairs(self.start, self.column, self.chance, self.balance, self.folds)

    @property
    def rows_made(self) -> MeetingPairs:
        """`pairs` for products that are made already: every class reads its own row."""
        rows, ones = np.arange(self.classes + 1), np.ones(self.classes, self.chance.dtype)
        return MeetingPairs(rows, rows[:-1].astype(np.int32), ones, ones, self.folds)

    @cached_property
    def matrices(self) -> tuple[Array, Array]:
        """How likely classes meet, and wins minus losses [classes, classes of the opponent]; for dense rounds."""
        row = np.repeat(np.arange(self.classes), np.diff(self.start))
        out = np.zeros((2, self.classes, int(self.column.max()) + 1), self.chance.dtype)
        out[0, row, self.column], out[1, row, self.column] = self.chance, self.balance
        return out[0], out[1]

    @cached_property
    def unpaid(self) -> Array:
        """1 / payoff, 0 where a leaf pays nothing."""
        nothing = self.payoff == 0
        out: Array = np.where(nothing, 0, 1 / np.where(nothing, 1, self.payoff)).astype(self.payoff.dtype)
        return out


def round_tables(form: KroneckerForm, player: int, kind: Any) -> list[RoundTables]:
    """All rounds of one player, in numbers of one type."""
    out = []
    layout = form.layouts[player]
    for r, (betting, pairs) in enumerate(zip(form.rounds, form.pairs[player], strict=True)):
        parent = layout.ancestors[r][r]
        assert (np.diff(parent) >= 0).all()  # classes of one parent stand together
        threads = form.team.threads if pairs.meeting * betting.leaves > WORTH_SHARING else 1
        families = np.concatenate([np.flatnonzero(np.diff(parent, prepend=-1)), [len(parent)]])
        out.append(
            RoundTables(
                columns=betting.columns[player],
                parent=parent,
                start=pairs.start,
                column=pairs.column,
                chance=(pairs.deals / pairs.total).astype(kind),
                balance=(pairs.balance / pairs.total).astype(kind),
                folds=betting.folds,
                payoff=betting.payoff_to(1 - player).astype(kind),
                spans=share_out(pairs.start, threads, families),
                dense=pairs.meeting >= max(WORTH_MATRICES, DENSE * pairs.shape[0] * pairs.shape[1]),
            )
        )
    return out


class ClassPass:
    """Plans of both players, packed for the opponent's products, and what can be said about them."""

    def __init__(self, form: KroneckerForm, kind: Any = np.float64) -> None:
        self.form, self.kind = form, kind
        self.tables = tuple(round_tables(form, p, kind) for p in range(2))
        self.packed = tuple([np.zeros((t.classes, t.leaves), kind) for t in side] for side in self.tables)
        self.plan = tuple(  # of all rounds but the last, which nothing follows
            [np.zeros((t.classes if r < self.last else 0, t.columns.width), kind) for r, t in enumerate(side)]
            for side in self.tables
        )
        self._top = np.ones((1, 1), kind)
        self._products: dict[tuple[int, int], Array] = {}
        longest = max(max(t.columns.width, t.leaves) for side in self.tables for t in side)
        self.rooms = [np.zeros((5, longest), kind) for _ in range(form.team.threads)]

    @property
    def last(self) -> int:
        return len(self.form.rounds) - 1

    def met(self, player: int, round: int) -> tuple[Array, MeetingPairs]:
        """What kernels read of the opponent's plan, and how: its packed rows, or rows of a product that is made here."""
        t = self.tables[player][round]
        if t.dense:
            return self.product(player, round), t.rows_made
        return self.packed[1 - player][round], t.pairs

    def product(self, player: int, round: int) -> Array:
        """[classes, leaves]: what each leaf is worth to a class against the opponent's plan; overwritten by the next product."""
        t, packed = self.tables[player][round], self.packed[1 - player][round]
        if (player, round) not in self._products:
            self._products[player, round] = np.empty((t.classes, t.leaves), self.kind)
        out = self._products[player, round]

        def multiply(begin: int, end: int) -> None:
            if t.dense:
                for matrix, part in zip(t.matrices, (slice(t.folds), slice(t.folds, None)), strict=True):
                    np.matmul(matrix[begin:end], packed[:, part], out=out[begin:end, part])
                return
            for row in range(begin, end):
                multiply_row(row, *t.pairs[:-1], packed, t.folds, out[row])

        self.form.team.run([partial(multiply, *span) for span in t.spans])
        return out

    def above(self, player: int, round: int) -> Array:
        """Plans of the round before: rows are its classes."""
        return self.plan[player][round - 1] if round else self._top

    def nothing_below(self, player: int) -> Array:
        """What the last round gets from later ones."""
        return np.zeros((1, self.tables[player][-1].columns.width), self.kind)

    def room_above(self, player: int, round: int) -> Array:
        """Zeros, to collect what a round is worth to the one before."""
        if round == 0:
            return np.zeros((1, 1), self.kind)
        t = self.tables[player][round - 1]
        return np.zeros((t.classes, t.columns.width), self.kind)

    def follow(self, player: int, weights: Sequence[Array]) -> None:
        """New plans from weights, first round first, and packed rows for the opponent."""
        for r, t in enumerate(self.tables[player]):
            arrays = (weights[r], self.above(player, r), t.payoff, self.plan[player][r], self.packed[player][r])
            self.form.team.run(
                [partial(kernels.follow_rows, *span, t.tree, *arrays, self.rooms[n]) for n, span in enumerate(t.spans)]
            )

    def respond(self, player: int) -> tuple[float, float]:
        """What the plan of a player earns against the opponent's, and what its best response would."""
        below, earned = self.nothing_below(player), 0.0
        for r in range(self.last, -1, -1):
            t, up = self.tables[player][r], self.room_above(player, r)
            packed, pairs = self.met(player, r)
            arrays = (packed, below, up, self.packed[player][r], t.unpaid)
            jobs = [
                partial(kernels.respond_rows, *span, t.tree, pairs, *arrays, self.rooms[n])
                for n, span in enumerate(t.spans)
            ]
            earned += sum(self.form.team.run(jobs))
            below = up
        return earned, float(below[0, 0])

    def best(self, player: int) -> tuple[float, list[Array]]:
        """Value and weights of a best response to the opponent's plan; ties go to checking and calling."""
        below = self.nothing_below(player)
        choice = [np.zeros((t.classes, t.columns.width), self.kind) for t in self.tables[player]]
        for r in range(self.last, -1, -1):
            t, up = self.tables[player][r], self.room_above(player, r)
            packed, pairs = self.met(player, r)
            arrays = (packed, t.columns.passive, below, up, choice[r])
            self.form.team.run(
                [
                    partial(kernels.choose_rows, *span, t.tree, pairs, *arrays, self.rooms[n])
                    for n, span in enumerate(t.spans)
                ]
            )
            below = up
        return float(below[0, 0]), choice

    def evaluate(self, weights: Weights) -> Evaluation:
        """Value and best responses of a strategy."""
        for p in range(2):
            self.follow(p, weights[p])
        (first, best), (_, second_best) = self.respond(0), self.respond(1)
        return Evaluation((first, -first), (best, second_best))


@dataclass(frozen=True, eq=False)
class RoundStrategy:
    """How both players play a game of classes."""

    form: KroneckerForm
    weights: Weights

    def evaluate(self) -> Evaluation:
        """Value and best responses, in 64-bit floats whatever the weights hold."""
        return ClassPass(self.form).evaluate(self.weights)

    def behaviour(self, player: int) -> list[Floats]:
        """By round [classes, columns in walk order]: probability of every action; uniform where nothing was learnt."""
        return [self._in_walk_order(player, r, self._rows(player, r)) for r in range(len(self.form.rounds))]

    def plan(self, player: int) -> Floats:
        """[sequences] realisation plan, numbered as `form` numbers sequences."""
        out = [np.ones(1)]
        above = np.ones((1, 1))
        for r, betting in enumerate(self.form.rounds):
            parent = self.form.layouts[player].ancestors[r][r]
            above = _follow(betting.columns[player], parent, above, self._rows(player, r))
            out.append(self._in_walk_order(player, r, above).ravel())
        return np.concatenate(out)

    def on_form(self, form: KroneckerForm) -> Floats:
        """[S] behaviour of both players, numbered as a form of the same classes numbers sequences."""
        if (
            not isinstance(form, KroneckerForm)
            or form.rules != self.form.rules
            or form.sequences != self.form.sequences
        ):
            raise ParameterError(f"The strategy is of other classes or rules than those of '{form.name}'.")
        parts = [[np.ones(1), *(rows.ravel() for rows in self.behaviour(p))] for p in range(2)]
        return np.concatenate([*parts[0], *parts[1]])

    def lifted(self, form: KroneckerForm) -> RoundStrategy:
        """The same play in a finer game of the same rules: every class plays as the coarser class it lies in."""
        if form.rules != self.form.rules:
            raise ParameterError("A strategy is lifted to finer classes of the same rules; these rules differ.")
        sides = []
        for p in range(2):
            inside = [form.hand_classes(p).within(self.form.hand_classes(p), betting.number) for betting in form.rounds]
            sides.append([weights[rows] for weights, rows in zip(self.weights[p], inside, strict=True)])
        return replace(self, form=form, weights=(sides[0], sides[1]))

    def _rows(self, player: int, round: int) -> Floats:
        """Behaviour [classes, lane columns]."""
        columns, weights = self.form.rounds[round].columns[player], self.weights[player][round]
        out, total = np.empty(weights.shape), np.empty(columns.width)
        for row in range(len(weights)):
            match_lanes(columns.groups, weights[row], out[row], total)
        return out

    def _in_walk_order(self, player: int, round: int, rows: Floats) -> Floats:
        columns = self.form.rounds[round].columns[player]
        here = columns.place[:, 0] == round  # the rest is carried
        out = np.empty((len(rows), columns.count))
        out[:, columns.place[here, 1]] = rows[:, here]
        return out


def _follow(columns: Columns, parent: NDArray[np.int64], above: Floats, strategy: Floats) -> Floats:
    out, total = np.empty_like(strategy), np.empty(columns.width)
    for row in range(len(strategy)):
        kernels.follow_row(columns.groups, columns.lane_parent, above[parent[row]], strategy[row], out[row], total)
    return out


def in_lanes(form: KroneckerForm, player: int, sequences: Floats, kind: Any = np.float64) -> list[Array]:
    """A number for each of a player's sequences as arrays [classes, lane columns] by round; 0 in columns that are carried."""
    out, layout = [], form.layouts[player]
    for r, betting in enumerate(form.rounds):
        columns, classes = betting.columns[player], int(layout.classes[r + 1])
        begin, count = int(layout.base[r + 1]), int(layout.count[r + 1])
        rows = sequences[begin : begin + classes * count].reshape(classes, count)
        here = columns.place[:, 0] == r
        table = np.zeros((classes, columns.width), kind)
        table[:, here] = rows[:, columns.place[here, 1]]
        out.append(table)
    return out
