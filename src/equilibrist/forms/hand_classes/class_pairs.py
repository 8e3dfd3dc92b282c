"""ClassPairs: how likely two classes meet in a round, and how much oftener the first one wins ([Gilpin09, §10.2.1], B and W)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from equilibrist.cards.hand_order import HandOrder
from equilibrist.core.arrays import Floats, Longs
from equilibrist.forms.hand_classes._kernels.showdowns import pair_classes
from equilibrist.forms.hand_classes.classes import HandClasses
from equilibrist.forms.hand_classes.showdowns import Showdowns, showdowns
from equilibrist.games.poker.rules import PokerRules

Numbers = NDArray[Any]  # whole numbers or floats
ENTRIES_AT_ONCE = 1 << 22  # pairs of classes collected before equal ones are added up


@dataclass(frozen=True, eq=False)
class ClassPairs:
    """One round: pairs of classes that can meet, as sparse rows of the first player.

    Numbers are whole numbers of complete deals, or weights where deals are not equally likely (beliefs, samples).
    """

    shape: tuple[int, int]
    start: Longs  # [classes of the first player + 1]
    column: NDArray[np.int32]  # [entries] class of the second player
    deals: Numbers  # [entries] complete deals (both hands and the whole board)
    balance: Numbers  # [entries] deals won by the first player minus deals lost

    @property
    def total(self) -> float:
        """All complete deals of the game: 6,497,400 in Rhode Island hold'em."""
        total: float = self.deals.sum().item()  # whole numbers stay whole
        return total

    @property
    def meeting(self) -> int:
        """Pairs of classes that can meet."""
        return len(self.column)

    @property
    def decided(self) -> int:
        """Pairs of classes of which one wins oftener than the other."""
        return int(np.count_nonzero(self.balance))

    def transposed(self) -> ClassPairs:
        """The same seen by the second player."""
        row = np.repeat(np.arange(self.shape[0]), np.diff(self.start))
        return _collect(self.shape[::-1], self.column.astype(np.int64), row, self.deals, -self.balance)

    def merged(self, first: Longs, second: Longs) -> ClassPairs:
        """Coarser classes: class a of the first player becomes first[a], b of the second second[b]."""
        row = first[np.repeat(np.arange(self.shape[0]), np.diff(self.start))]
        shape = (int(first.max()) + 1, int(second.max()) + 1)
        return _collect(shape, row, second[self.column], self.deals, self.balance)


def weighted_pairs(weight: Floats | Longs, balance: Floats | Longs) -> ClassPairs:
    """From tables [classes, classes]: how much weight deals of two classes have, and wins minus losses in the same measure."""
    row, column = np.nonzero(weight > 0)
    return _collect((weight.shape[0], weight.shape[1]), row, column, weight[row, column], balance[row, column])


def class_pairs(
    rules: PokerRules, first: HandClasses, second: HandClasses | None = None, order: HandOrder | None = None
) -> tuple[ClassPairs, ...]:
    """Pairs of each betting round, from all deals; `second` are the second player's classes, where they differ."""
    theirs = second or first
    found: list[ClassPairs | None] = [None] * len(first.seen)
    for part in showdowns(rules, order):
        for round in range(len(first.seen)):
            pairs = _pairs_on(part, first, theirs, round)
            known = found[round]
            found[round] = pairs if known is None else _added(known, pairs)
    return tuple(pairs for pairs in found if pairs is not None)


def _pairs_on(part: Showdowns, first: HandClasses, second: HandClasses, round: int) -> ClassPairs:
    hands = part.hand[first.seen[round]]
    mine, theirs = first.table[round][hands], second.table[round][hands]
    shape = (first.counts[round], second.counts[round])
    boards, count = hands.shape
    near = min(count, shape[0]) * min(count, shape[1])  # entries of one board
    step = max(1, ENTRIES_AT_ONCE // near)
    places = [np.full(size, -1, np.int64) for size in shape]
    members = [np.empty(count, np.int64) for _ in range(2)]
    room = [np.empty(near, np.int64) for _ in range(2)]
    out = [np.empty(near * min(step, boards), np.int64) for _ in range(4)]
    found: ClassPairs | None = None
    for begin in range(0, boards, step):
        some = slice(begin, begin + step)
        written = pair_classes(
            part.holes[some], part.strength[some], part.weight[some], mine[some], theirs[some],
            *places, *members, *room, *out,
        )  # fmt: skip
        pairs = _collect(shape, *(array[:written] for array in out))
        found = pairs if found is None else _added(found, pairs)
    assert found is not None
    return found


def _added(one: ClassPairs, other: ClassPairs) -> ClassPairs:
    rows = [np.repeat(np.arange(pairs.shape[0]), np.diff(pairs.start)) for pairs in (one, other)]
    joined = (
        np.concatenate(rows),
        np.concatenate([one.column, other.column]).astype(np.int64),
        np.concatenate([one.deals, other.deals]),
        np.concatenate([one.balance, other.balance]),
    )
    return _collect(one.shape, *joined)


def _collect(shape: tuple[int, int], row: Longs, column: Longs, deals: Numbers, balance: Numbers) -> ClassPairs:
    """Sparse rows with equal entries added up; a balance of zero keeps its place. Counts below 2^53 are exact in floats."""
    added = [sparse.csr_array((values.astype(float), (row, column)), shape=shape) for values in (deals, balance)]
    for matrix in added:
        matrix.sum_duplicates()
        matrix.sort_indices()
    counted, net = added
    start, where = counted.indptr.astype(np.int64), counted.indices.astype(np.int32)
    kept = (counted.data.astype(deals.dtype), net.data.astype(deals.dtype))
    return ClassPairs(shape, start, where, *kept)
