"""SequenceForm: two players with perfect recall as infoset trees and a payoff operator ([KMvS94]; [Gilpin09, §2.3.2]).

Both players' sequences share one numbering: player p owns offset[p] .. offset[p+1]-1, the first being its empty
sequence. A *plan* holds for each sequence the product of own probabilities along it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import InfosetIndex, TabularPolicy
from equilibrist.forms._kernels.treeplex import PayoffRows, Treeplex
from equilibrist.forms.history_tree.game_tree import GameTree
from equilibrist.forms.history_tree.infoset_forest import InfosetForest, grow_forest, payoff_ranges

if TYPE_CHECKING:
    from equilibrist.core.arrays import Floats, Ints


class PayoffOperator(Protocol):
    """What a player's sequences are worth against the opponent's plan: explicit or implicit, never a policy."""

    def gradient(self, player: int, opponent_plan: Floats) -> Floats:
        """[sequences of player] from [sequences of the opponent]."""


@dataclass(frozen=True)
class SparsePayoff:
    """One entry per pair of sequences that end the game together; rows are the sequences of both players."""

    offset: Ints  # [3]
    start: Ints  # [S + 1] where each row begins
    column: Ints  # [nnz] sequence of the other player
    value: Floats  # [nnz] chance probability times the row player's payoff

    def gradient(self, player: int, opponent_plan: Floats) -> Floats:
        expected = int(self.offset[2 - player] - self.offset[1 - player])
        if opponent_plan.shape != (expected,):
            raise ValueError(f"a plan of {opponent_plan.size} sequences was given where {expected} were expected")
        row, column, value = self.coordinates(player)
        sequences = int(self.offset[player + 1] - self.offset[player])
        return np.bincount(row, weights=value * opponent_plan[column], minlength=sequences).astype(
            np.float64, copy=False
        )

    @property
    def rows(self) -> PayoffRows:
        """What kernels read."""
        return PayoffRows(self.start, self.column, self.value)

    @property
    def nonzeros(self) -> int:
        return len(self.value) // 2

    def coordinates(self, player: int) -> tuple[Ints, Ints, Floats]:
        """(own sequence, opponent sequence, value) of one player's payoff matrix, counted from 0 for each player."""
        rows = slice(self.offset[player], self.offset[player + 1] + 1)
        begin, end = self.start[rows][0], self.start[rows][-1]
        row = np.repeat(np.arange(self.offset[player + 1] - self.offset[player]), np.diff(self.start[rows]))
        return row.astype(np.int32), self.column[begin:end] - self.offset[1 - player], self.value[begin:end]


@dataclass(frozen=True, repr=False)
class SequenceForm:
    """Infosets are grouped by player and come after the sequence they follow."""

    infosets: InfosetIndex
    offset: Ints  # [3] first sequence of each player, total
    first_infoset: Ints  # [3]
    infoset: Ints  # [I] number in the game's index
    first_sequence: Ints  # [I]
    actions: Ints  # [I]
    parent: Ints  # [I] own sequence before the infoset
    slot: Ints  # [S] slot in the game's index, -1 for the empty sequences
    payoff: SparsePayoff
    zero_sum: bool
    name: str = ""
    tree: GameTree | None = field(
        default=None, repr=False, compare=False
    )  # what it was made from, if that was a game tree

    def __repr__(self) -> str:
        return f"<SequenceForm of {self.name!r}: {self.sequences[0]:,} and {self.sequences[1]:,} sequences>"

    @property
    def treeplex(self) -> Treeplex:
        """What kernels read of the infosets."""
        return Treeplex(self.offset, self.first_infoset, self.first_sequence, self.actions, self.parent)

    @property
    def sequences(self) -> tuple[int, int]:
        return int(self.offset[1]), int(self.offset[2] - self.offset[1])

    def gradient(self, player: int, plan: Floats, out: Floats) -> None:
        """As `forms.form.Form` asks: out[own sequences] from the opponent's plan."""
        out[:] = self.payoff.gradient(player, plan)

    @property
    def matrix(self) -> tuple[Ints, Ints, Floats]:
        """The payoffs as `forms.form.MatrixForm` asks."""
        return self.payoff.start, self.payoff.column, self.payoff.value

    def spread(self) -> Floats:
        """[I] range of payoffs below each infoset: from the game tree or, without one, a bound from the payoff matrix."""
        if self.tree is not None:
            return payoff_ranges(self.tree)[self.infoset]
        row = np.repeat(np.arange(len(self.slot)), np.diff(self.payoff.start))
        below = np.bincount(row, weights=np.abs(self.payoff.value), minlength=len(self.slot))
        spread = np.zeros(len(self.infoset))
        for i in range(len(self.infoset) - 1, -1, -1):
            part = below[self.first_sequence[i] : self.first_sequence[i] + self.actions[i]]
            spread[i] = 2.0 * part.max()
            below[self.parent[i]] += part.max()
        return spread

    def strategy(self, policy: TabularPolicy) -> Floats:
        """Behaviour probability of every sequence; 1 for the empty ones."""
        return np.where(self.slot >= 0, policy.probabilities[np.maximum(self.slot, 0)], 1.0)

    def policy(self, strategy: Floats) -> TabularPolicy:
        """The reverse of `strategy`."""
        out = np.empty(self.infosets.slots)
        own = self.slot >= 0
        out[self.slot[own]] = strategy[own]
        return TabularPolicy(self.infosets, out)

    def plan(self, strategy: Floats) -> Floats:
        """Realisation plan [S] of behaviour probabilities [S]."""
        plan = np.ones(int(self.offset[2]))
        for i in range(len(self.infoset)):
            first, n = self.first_sequence[i], self.actions[i]
            plan[first : first + n] = plan[self.parent[i]] * strategy[first : first + n]
        return plan

    def behaviour(self, plan: Floats) -> Floats:
        """Behaviour probabilities [S] of a plan; uniform where the plan never comes."""
        members = np.repeat(self.first_sequence, self.actions) + _within(self.actions)
        group = np.repeat(np.arange(len(self.infoset)), self.actions)
        total = np.bincount(group, weights=plan[members], minlength=len(self.infoset))[group]
        width = np.repeat(self.actions, self.actions)
        out = np.ones(len(plan))
        out[members] = np.where(total > 0, plan[members] / np.where(total > 0, total, 1.0), 1.0 / width)
        return out


def sequence_form(tree: GameTree) -> SequenceForm:
    """Two-player games with perfect recall only."""
    if tree.players != 2:
        raise NotApplicableError(
            f"The sequence form is for two players, but '{tree.game.name}' has {tree.players}; "
            "use a CFR solver, which works on the game tree."
        )
    forest = grow_forest(tree, "The sequence form (linear programs, first-order methods, vector CFR)")
    infosets = tree.infosets
    order = np.argsort(infosets.player, kind="stable").astype(np.int32)  # by player, parents still first
    actions = np.diff(infosets.first_slot)[order]
    count = np.bincount(infosets.player, minlength=2)
    first_infoset = np.array([0, count[0], count.sum()], dtype=np.int32)
    owned = [int(actions[: count[0]].sum()), int(actions[count[0] :].sum())]
    offset = np.array([0, owned[0] + 1, owned[0] + owned[1] + 2], dtype=np.int32)
    player = infosets.player[order]
    first_sequence = np.empty(len(order), dtype=np.int32)
    for p in range(2):
        part = actions[player == p]
        first_sequence[player == p] = offset[p] + 1 + np.concatenate([[0], np.cumsum(part)[:-1]]) if len(part) else 0
    sequence_of_slot = np.empty(infosets.slots + 1, dtype=np.int32)
    slot = np.full(int(offset[2]), -1, dtype=np.int32)
    members = np.repeat(first_sequence, actions) + _within(actions)
    slots = np.repeat(infosets.first_slot[order], actions) + _within(actions)
    sequence_of_slot[slots] = members
    slot[members] = slots
    parent_slot = forest.parent_slot[order]
    parent = np.where(parent_slot >= 0, sequence_of_slot[parent_slot], offset[player]).astype(np.int32)
    return SequenceForm(
        infosets=infosets,
        offset=offset,
        first_infoset=first_infoset,
        infoset=order,
        first_sequence=first_sequence,
        actions=actions.astype(np.int32),
        parent=parent,
        slot=slot,
        payoff=_sparse_payoff(forest, tree.returns, sequence_of_slot, offset),
        zero_sum=bool(np.allclose(tree.returns.sum(axis=1), 0.0, atol=1e-9)),
        name=tree.game.name,
        tree=tree,
    )


def payoff_coefficients(tree: GameTree, form: SequenceForm) -> Floats:
    """[nnz, 1 + d] entries of `form.payoff` as functions of the tree's parameters: constant, then slopes."""
    forest = grow_forest(tree, "The sequence form")
    sequence = np.empty(tree.infosets.slots + 1, dtype=np.int32)
    own = form.slot >= 0
    sequence[form.slot[own]] = np.flatnonzero(own)
    columns = [
        _sparse_payoff(forest, tree.payoff[:, :, c], sequence, form.offset).value for c in range(tree.payoff.shape[2])
    ]
    return np.ascontiguousarray(np.stack(columns, axis=1))


def _within(counts: Ints) -> Ints:
    """0, 1, …, counts[0]-1, 0, 1, … for all groups in turn."""
    total = int(counts.sum())
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    return (np.arange(total) - starts).astype(np.int32)


def _sparse_payoff(forest: InfosetForest, returns: Floats, sequence_of_slot: Ints, offset: Ints) -> SparsePayoff:
    ends = [
        np.where(forest.terminal_slot[:, p] >= 0, sequence_of_slot[forest.terminal_slot[:, p]], offset[p])
        for p in range(2)
    ]
    return sparse_payoff(ends[0], ends[1], returns * forest.terminal_chance[:, None], offset)


def sparse_payoff(
    first: npt.NDArray[np.integer], second: npt.NDArray[np.integer], weighted: Floats, offset: Ints
) -> SparsePayoff:
    """From ends of the game: last sequences of both players, and payoffs [ends, 2] times chance; equal pairs are added up."""
    pair = first.astype(np.int64) * int(offset[2]) + second
    unique, inverse = np.unique(pair, return_inverse=True)
    values = [np.bincount(inverse, weights=weighted[:, p], minlength=len(unique)) for p in range(2)]
    row0, row1 = (unique // int(offset[2])).astype(np.int32), (unique % int(offset[2])).astype(np.int32)
    by_row1 = np.lexsort((row0, row1))
    row = np.concatenate([row0, row1[by_row1]])
    start = np.zeros(int(offset[2]) + 1, dtype=np.int32)
    np.cumsum(np.bincount(row, minlength=int(offset[2])), out=start[1:])
    return SparsePayoff(
        offset=offset,
        start=start,
        column=np.concatenate([row1, row0[by_row1]]),
        value=np.concatenate([values[0], values[1][by_row1]]),
    )
