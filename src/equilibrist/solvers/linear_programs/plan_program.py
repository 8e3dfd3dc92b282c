"""Plan programs: what a plan of one player guarantees, as a linear program on the sequence form ([KMvS94]; [Lu16, §3.2.1])."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from equilibrist.core.arrays import Bools, Floats, Ints
from equilibrist.forms.sequence_form.sequence_form import SparsePayoff
from equilibrist.solvers.linear_programs.highs import LinearProgram, Sparse, Start, Status, Watch, maximise

DUST = 1e-12  # plan entries below it are zeros with rounding


class PlanForm(Protocol):
    """What a program reads: infoset trees as in `SequenceForm`, payoffs written out. A `KroneckerForm` has them too."""

    @property
    def name(self) -> str: ...
    @property
    def offset(self) -> Ints: ...
    @property
    def first_infoset(self) -> Ints: ...
    @property
    def first_sequence(self) -> Ints: ...
    @property
    def actions(self) -> Ints: ...
    @property
    def parent(self) -> Ints: ...
    @property
    def sequences(self) -> tuple[int, int]: ...
    @property
    def payoff(self) -> SparsePayoff: ...


def incidence(form: PlanForm, player: int) -> Sparse:
    """E of E x = e: row 0 fixes the empty sequence, row i + 1 splits the sequence before infoset i."""
    infosets = slice(form.first_infoset[player], form.first_infoset[player + 1])
    actions, parent = form.actions[infosets], form.parent[infosets] - form.offset[player]
    count, sequences = len(actions), form.sequences[player]
    row = np.concatenate([[0], np.repeat(np.arange(count), actions) + 1, np.arange(count) + 1])
    column = np.concatenate([np.arange(sequences), parent])
    value = np.concatenate([np.ones(sequences), -np.ones(count)])
    return sparse.csc_array((value, (row, column)), shape=(count + 1, sequences))


def payoff_matrix(form: PlanForm, player: int) -> Sparse:
    """A of x'A y, with the player's sequences as rows: chance probability times the player's payoff."""
    row, column, value = form.payoff.coordinates(player)
    shape = form.sequences[player], form.sequences[1 - player]
    matrix = sparse.csc_array((value, (row, column)), shape=shape)
    matrix.eliminate_zeros()
    return matrix


@dataclass(frozen=True)
class Goal:
    """Maximise payoff·x + weight·p over plans x >= least that guarantee p₀ >= floor."""

    payoff: Floats | None = None  # [sequences]; None: 0
    weight: Floats | None = None  # [opponent infosets + 1]; None: p₀ alone
    floor: float = -np.inf
    least: Floats | None = None  # [sequences]; None: 0


@dataclass(frozen=True)
class PlanSolution:
    """What a plan program found; the multipliers are an equilibrium plan when p₀ alone was the goal."""

    status: Status
    plan: Floats  # [sequences of the player]
    opponent: Floats  # [sequences of the opponent]
    objective: float
    guarantee: float  # p₀: what the plan gets from any opponent
    iterations: int


@dataclass(frozen=True)
class PlanProgram:
    """Plans x of one player, with a bound p on what each opponent infoset concedes.

    E x = e, x >= 0, A'x >= F'p: the first entry of p is then guaranteed by x. Payoffs are scaled to at most 1, so that
    tolerances mean the same in every game. Dominated sequences are never played, and replies with them never feared.
    """

    form: PlanForm
    player: int
    dominated: Bools | None = None  # [sequences of both players]

    @cached_property
    def own(self) -> Sparse:
        return incidence(self.form, self.player)

    @cached_property
    def other(self) -> Sparse:
        return incidence(self.form, 1 - self.player)

    @cached_property
    def payoff(self) -> Sparse:
        return payoff_matrix(self.form, self.player)

    @cached_property
    def unit(self) -> float:
        return float(np.abs(self.payoff.data).max()) if self.payoff.nnz else 1.0

    @cached_property
    def _matrix(self) -> Sparse:
        """Columns x, p; rows E x and A'x - F'p."""
        own, other, payoff = self.own.tocoo(), self.other.tocoo(), self.payoff.tocoo()
        rows, sequences = self.own.shape
        entries, replies = self.other.shape
        row = np.concatenate([own.row, payoff.col + rows, other.col + rows])
        column = np.concatenate([own.col, payoff.row, other.row + sequences])
        value = np.concatenate([own.data, payoff.data / self.unit, -other.data])
        return sparse.csc_array((value, (row, column)), shape=(rows + replies, sequences + entries))

    def maximise(
        self,
        goal: Goal | None = None,
        *,
        method: str = "choose",
        seconds: float | None = None,
        iterations: int | None = None,
        start: Start | None = None,
        watch: Watch | None = None,
        unfinished: bool = False,
    ) -> PlanSolution:
        """The best plan for a goal; without one, the plan with the greatest guarantee. Limits as those of `highs.maximise`."""
        wanted = goal or Goal()
        rows, sequences = self.own.shape
        entries, replies = self.other.shape
        root = np.eye(1, rows)[0]
        payoff = np.zeros(sequences) if wanted.payoff is None else wanted.payoff / self.unit
        weight = np.eye(1, entries)[0] if wanted.weight is None else wanted.weight
        least = np.zeros(sequences) if wanted.least is None else wanted.least
        own, other = self._removed(self.player), self._removed(1 - self.player)
        program = LinearProgram(
            cost=np.concatenate([payoff, weight]),
            matrix=self._matrix,
            row_lower=np.concatenate([root, np.where(other, -np.inf, 0.0)]),
            row_upper=np.concatenate([root, np.full(replies, np.inf)]),
            lower=np.concatenate([least, [wanted.floor / self.unit], np.full(entries - 1, -np.inf)]),
            upper=np.concatenate([np.where(own, 0.0, np.inf), np.full(entries, np.inf)]),
        )
        purpose = f"player {self.player + 1} of '{self.form.name}'"
        limits: dict[str, Any] = {"seconds": seconds, "iterations": iterations, "start": start, "watch": watch}
        found = maximise(program, purpose, method=method, unfinished=unfinished, **limits)
        return PlanSolution(
            status=found.status,
            plan=found.point[:sequences],
            opponent=-found.multiplier[rows:],
            objective=found.objective * self.unit,
            guarantee=float(found.point[sequences]) * self.unit,
            iterations=found.iterations,
        )

    def _removed(self, player: int) -> Bools:
        count = self.form.sequences[player]
        if self.dominated is None:
            return np.zeros(count, np.bool_)
        return self.dominated[int(self.form.offset[player]) : int(self.form.offset[player]) + count]
