"""KroneckerForm: a two-player poker game played with classes of hands, as infoset trees and an implicit payoff operator.

It stands where a `SequenceForm` stands: `offset`, `first_infoset`, `first_sequence`, `actions` and `parent` have the same meaning
(both players' sequences share one numbering, each player's empty sequence comes first, infosets come after the sequence they
follow), and `gradient(player, plan, out)` is the payoff matrix times the opponent's plan. That matrix is never made: in round j it
is F_j ⊗ B_j + S_j ⊗ W_j ([Gilpin09, §10.2.1]), where F and S are fold payoffs and showdown stakes between betting sequences, and B and
W say how likely two classes meet and how much oftener one wins.

Sequences of player p: offset[p] is empty; then, round by round, class by class, the columns of `betting_rounds` in walk order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from equilibrist.compute.threads import Span, Team, share_out
from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError, ParameterError, TooLargeError
from equilibrist.forms.hand_classes._kernels.kronecker import add_carried, multiply_rows, pack_carried, pack_rows
from equilibrist.forms.hand_classes.betting_rounds import BettingRound, betting_rounds
from equilibrist.forms.hand_classes.class_pairs import ClassPairs, class_pairs
from equilibrist.forms.hand_classes.classes import ClassTree, HandClasses
from equilibrist.forms.sequence_form.sequence_form import SparsePayoff, sparse_payoff
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.size_estimate import memory_limit

BYTES_PER_NONZERO = 120  # of a payoff matrix written out, while it is sorted
WORTH_SHARING = 200_000  # multiplications below which threads cost more than they save


@dataclass(frozen=True, eq=False)
class KroneckerForm:
    """Made by `kronecker_form`; `pairs[p][j]` has the classes of player p in rows."""

    name: str
    rules: PokerRules
    classes: tuple[ClassTree, ClassTree]
    rounds: tuple[BettingRound, ...]
    pairs: tuple[tuple[ClassPairs, ...], tuple[ClassPairs, ...]]
    team: Team = field(default_factory=Team)

    zero_sum = True

    def hand_classes(self, player: int) -> HandClasses:
        """The classes of a player as tables of hands; forms made of buckets alone have none."""
        found = self.classes[player]
        if not isinstance(found, HandClasses):
            raise NotApplicableError(
                f"'{self.name}' is played with buckets alone, which do not say what cards they hold."
            )
        return found

    # -- infoset trees ------------------------------------------------------------------------------------------

    @cached_property
    def layouts(self) -> tuple[Layout, Layout]:
        return _layout(self, 0), _layout(self, 1)

    @property
    def sequences(self) -> tuple[int, int]:
        return self.layouts[0].sequences, self.layouts[1].sequences

    @property
    def infosets(self) -> tuple[int, int]:
        return self.layouts[0].infosets, self.layouts[1].infosets

    @cached_property
    def offset(self) -> Ints:
        return np.array([0, self.sequences[0], sum(self.sequences)], np.int32)

    @cached_property
    def first_infoset(self) -> Ints:
        return np.array([0, self.infosets[0], sum(self.infosets)], np.int32)

    @cached_property
    def _trees(self) -> tuple[Ints, Ints, Ints]:
        """First sequence, actions and parent sequence of all infosets."""
        parts = [_tree(self, p) for p in range(2)]
        first, actions, parent = (np.concatenate(pair) for pair in zip(*parts, strict=True))
        return first.astype(np.int32), actions.astype(np.int32), parent.astype(np.int32)

    @property
    def first_sequence(self) -> Ints:
        return self._trees[0]

    @property
    def actions(self) -> Ints:
        return self._trees[1]

    @property
    def parent(self) -> Ints:
        return self._trees[2]

    # -- payoffs ------------------------------------------------------------------------------------------------

    def gradient(self, player: int, plan: Floats, out: Floats | None = None) -> Floats:
        """[sequences of player]: what each is worth against the opponent's plan [sequences of the opponent]."""
        out = np.empty(self.sequences[player]) if out is None else out
        for name, array, wanted in (("plan", plan, self.sequences[1 - player]), ("out", out, self.sequences[player])):
            if array.shape != (wanted,) or array.dtype != np.float64:
                raise ParameterError(
                    f"The {name} of player {player + 1}'s gradient is an array of {wanted} 64-bit floats, but one of shape "
                    f"{list(array.shape)} and type {array.dtype} was given."
                )
        out[:] = 0.0
        for product in self.products[player]:
            product.add(plan, out, self.team)
        return out

    @cached_property
    def products(self) -> tuple[list[RoundProduct], list[RoundProduct]]:
        """By player and round."""
        return _products(self, 0), _products(self, 1)

    def spread(self) -> Floats:
        """[I] twice the most that is at stake from the round of an infoset on, times the chance of its class."""
        most = np.maximum.accumulate([np.abs(betting.payoff).max(initial=0.0) for betting in reversed(self.rounds)])[
            ::-1
        ]
        parts = []
        for p in range(2):
            for r, (betting, product) in enumerate(zip(self.rounds, self.products[p], strict=True)):
                row = np.repeat(np.arange(len(product.start) - 1), np.diff(product.start))
                held = np.bincount(row, product.chance, len(product.start) - 1)
                parts.append(np.repeat(2.0 * most[r] * held, betting.columns[p].infosets))
        return np.concatenate(parts)

    @cached_property
    def payoff_nonzeros(self) -> int:
        """Non-zero entries that the payoff matrix would have."""
        return sum(self._nonzeros(round) for round in range(len(self.rounds)))

    def _nonzeros(self, round: int) -> int:
        """Each leaf is an entry for every pair of classes, but at carried leaves several pairs share one."""
        product, pairs, betting = self.products[0][round], self.pairs[0][round], self.rounds[round]
        shared = np.union1d(product.own.carried, product.other.carried)
        folds = betting.folds - int((shared < betting.folds).sum())
        shown = betting.leaves - len(shared) - folds
        first, second, value = self._entries(round, shared)
        summed = sparse.coo_array((value, (first, second)), shape=self.sequences).tocsr()
        few = int((np.abs(summed.data) > 1e-12 * np.abs(betting.payoff).max()).sum())
        return pairs.meeting * folds + pairs.decided * shown + few

    @cached_property
    def payoff(self) -> SparsePayoff:
        """The payoff matrix written out, for linear programs and comparisons; refused where it does not fit in memory."""
        need = self.payoff_nonzeros * BYTES_PER_NONZERO
        if need > memory_limit():
            raise TooLargeError(
                f"Written out, the payoffs of '{self.name}' have {self.payoff_nonzeros:,} entries and need about "
                f"{need / 1e9:.1f} GB; use a method that needs only products, such as dcfr."
            )
        first, second, value = (
            np.concatenate(arrays) for arrays in zip(*map(self._entries, range(len(self.rounds))), strict=True)
        )
        return sparse_payoff(first, second + self.offset[1], np.stack([value, -value], axis=1), self.offset)

    def write_matrix(self) -> tuple[Ints, Ints, Floats]:
        """The payoffs as `forms.form.WritableForm` asks."""
        return self.payoff.start, self.payoff.column, self.payoff.value

    def _entries(
        self, round: int, leaves: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
        """One round's ends of the game: both players' sequences, and the first one's payoff times chance."""
        product, pairs = self.products[0][round], self.pairs[0][round]
        some = np.arange(len(product.payoff)) if leaves is None else leaves
        row = np.repeat(np.arange(pairs.shape[0]), np.diff(pairs.start))
        value = np.where(some < product.folds, product.chance[:, None], product.balance[:, None]) * product.payoff[some]
        first, second = product.own.sequences(some)[row], product.other.sequences(some)[pairs.column]
        kept = value != 0.0
        return first[kept], second[kept], value[kept]

    def with_threads(self, threads: int) -> KroneckerForm:
        """The same form with products shared among threads."""
        return KroneckerForm(self.name, self.rules, self.classes, self.rounds, self.pairs, Team(threads))


def kronecker_form(
    rules: PokerRules,
    first: HandClasses,
    second: HandClasses | None = None,
    *,
    name: str = "",
    threads: int = 1,
    pairs: Sequence[ClassPairs] | None = None,
) -> KroneckerForm:
    """The game of `rules` in which players tell apart classes only; `second` are the second player's, where they differ.

    `pairs` saves counting deals again where coarser classes are merged from known ones.
    """
    counted = pairs or class_pairs(rules, first, second)
    return form_of_pairs(rules, (first, second or first), counted, name=name, threads=threads)


def form_of_pairs(
    rules: PokerRules,
    classes: tuple[ClassTree, ClassTree],
    pairs: Sequence[ClassPairs],
    *,
    name: str = "",
    threads: int = 1,
) -> KroneckerForm:
    """The betting of `rules` over classes of which only `pairs` by betting round are known."""
    rounds = betting_rounds(rules)
    used = tuple(pairs[betting.number] for betting in rounds)
    mirrored = tuple(each.transposed() for each in used)
    return KroneckerForm(name, rules, classes, rounds, (used, mirrored), Team(threads))


@dataclass(frozen=True, eq=False)
class Layout:
    """Where one player's sequences and infosets of each round begin; entry 0 is the empty sequence."""

    base: NDArray[np.int64]  # [rounds + 1]
    count: NDArray[np.int64]  # [rounds + 1] sequences of one class
    classes: NDArray[np.int64]  # [rounds + 1]
    ancestors: tuple[NDArray[np.int64], ...]  # by round [rounds + 1, classes]: class in each earlier round
    sequences: int
    infosets: int


def _layout(form: KroneckerForm, player: int) -> Layout:
    columns = [betting.columns[player] for betting in form.rounds]
    numbers = [betting.number for betting in form.rounds]
    counts = form.classes[player].counts
    classes = np.array([1, *(counts[j] for j in numbers)], np.int64)
    count = np.array([1, *(c.count for c in columns)], np.int64)
    base = np.concatenate([[0], np.cumsum(classes * count)[:-1]])
    ancestors = []
    for r, number in enumerate(numbers):
        own = np.zeros((len(numbers) + 1, counts[number]), np.int64)
        current, at = np.arange(counts[number]), number
        for earlier in range(r, -1, -1):
            while at > numbers[earlier]:
                current, at = form.classes[player].parent[at][current], at - 1
            own[earlier + 1] = current
        ancestors.append(own)
    infosets = int(sum(n * c.infosets for n, c in zip(classes[1:], columns, strict=True)))
    return Layout(base, count, classes, tuple(ancestors), int((classes * count).sum()), infosets)


def _tree(form: KroneckerForm, player: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """First sequence, actions and parent sequence of one player's infosets, round by round, class by class."""
    layout, offset = form.layouts[player], int(form.offset[player])
    parts = []
    for r, betting in enumerate(form.rounds):
        columns, rows = betting.columns[player], np.arange(layout.classes[r + 1])[:, None]
        first = layout.base[r + 1] + rows * layout.count[r + 1] + columns.first
        where = columns.parent[:, 0] + 1
        parent = layout.base[where] + layout.ancestors[r][where].T * layout.count[where] + columns.parent[:, 1]
        actions = np.broadcast_to(columns.actions, first.shape)
        parts.append([(first + offset).ravel(), actions.ravel(), (parent + offset).ravel()])
    first, actions, parent = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return first, actions, parent


@dataclass(frozen=True, eq=False)
class LeafSequences:
    """Where the leaves of a round lie among one player's sequences."""

    classes: int
    first: int  # first sequence of the round
    width: int  # sequences of one class
    place: NDArray[np.uint32]  # [leaves] column; 0 for carried leaves
    carried: NDArray[np.int64]  # leaves whose sequence is of an earlier round
    sequence: NDArray[np.int64]  # [carried leaves, classes] which one

    def sequences(self, leaves: NDArray[np.int64]) -> NDArray[np.int64]:
        """[classes, leaves]: the sequence that ends in each of these leaves."""
        out = self.first + np.arange(self.classes)[:, None] * self.width + self.place.astype(np.int64)
        out[:, self.carried] = self.sequence.T
        return out[:, leaves]


@dataclass(frozen=True, eq=False)
class RoundProduct:
    """One player's payoff matrix of one round: arrays for the kernels."""

    start: NDArray[np.int64]
    column: Ints
    chance: Floats  # [entries] probability that the classes meet
    balance: Floats  # [entries] the same, wins minus losses
    folds: int
    own: LeafSequences
    other: LeafSequences
    payoff: Floats  # [leaves] to this player

    def add(self, plan: Floats, out: Floats, team: Team) -> None:
        """Adds this round's product with the opponent's plan to `out`."""
        own, other, leaves = self.own, self.other, len(self.payoff)
        packed = np.empty((other.classes, leaves))
        late = np.empty((len(own.carried), own.classes))
        threads = team.threads if len(self.column) * leaves > WORTH_SHARING else 1

        def pack(span: Span) -> None:
            pack_rows(*span, other.first, other.width, other.place, self.payoff, plan, packed)

        def multiply(span: Span) -> None:
            multiply_rows(
                *span, self.start, self.column, self.chance, self.balance, packed, self.folds,
                own.first, own.width, own.place, own.carried, np.empty(leaves), out, late,
            )  # fmt: skip

        team.run([partial(pack, span) for span in share_out(np.arange(other.classes + 1), threads)])
        pack_carried(other.carried, other.sequence, self.payoff, plan, packed)
        team.run([partial(multiply, span) for span in share_out(self.start, threads)])
        add_carried(own.sequence, late, out)


def _side(form: KroneckerForm, round: int, player: int) -> LeafSequences:
    betting, layout = form.rounds[round], form.layouts[player]
    place = betting.columns[player].place[betting.leaf_column[:, player]]
    here = place[:, 0] == round
    earlier = place[~here].astype(np.int64)
    where = earlier[:, 0] + 1
    ancestor = layout.ancestors[round][where]  # [carried leaves, classes]
    return LeafSequences(
        classes=int(layout.classes[round + 1]),
        first=int(layout.base[round + 1]),
        width=int(layout.count[round + 1]),
        place=np.where(here, place[:, 1], 0).astype(np.uint32),
        carried=np.flatnonzero(~here),
        sequence=(layout.base[where] + earlier[:, 1])[:, None] + ancestor * layout.count[where][:, None],
    )


def _products(form: KroneckerForm, player: int) -> list[RoundProduct]:
    return [
        RoundProduct(
            start=pairs.start,
            column=pairs.column,
            chance=pairs.deals / pairs.total,
            balance=pairs.balance / pairs.total,
            folds=betting.folds,
            own=_side(form, r, player),
            other=_side(form, r, 1 - player),
            payoff=betting.payoff_to(player),
        )
        for r, (betting, pairs) in enumerate(zip(form.rounds, form.pairs[player], strict=True))
    ]
