"""A street's betting as a walk: what a block of threads does line by line, depth first, for one player's values.

Each thread keeps some hands, so reach and values of a line stay its own; only the ends of a line mix hands. The walk holds the
opponent's reach on the way down (one row for each of its actions above), what an own node is worth so far, and the sum of the action
that is being looked at. Steps are four numbers each; a step that leads nowhere, since nobody is left, says where to go on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Ints
from equilibrist.forms.boards.street_betting import DEAL, FOLD, SHOWDOWN, StreetForest
from equilibrist.solvers.postflop.gpu.tree_program import roots_of

# REACH: row `to` is row `from` times a slot of the opponent, or go on at step [3] if nobody gets there: [2] slot
# EVALUATE: what row `from` pays per chip, [2]: 1 at showdowns, 2 at folds, 3 both
# PAY: add [2] times the showdown and [3] times the fold to the sum
# DEAL: add what comes from below, or on the way down hand row `from` on: [2] root of the next street
# OPEN, CLOSE: an own node begins, ends: [2] first slot, [3] actions; ACT: the sum was an action of it: [2] slot; END: PAY alone, then
# ACT: [1] slot
REACH, EVALUATE, PAY, DEALT, OPEN, ACT, CLOSE, END = STEPS = range(8)
SHOWN, FOLDED = 1, 2
MOST_ROWS = 255


@dataclass(frozen=True)
class WalkProgram:
    """What one player's walk over a street does, root by root."""

    steps: Ints  # [S, 4] step | to << 8 | from << 16, then three numbers; amounts are the bits of a float32
    roots: Ints  # [R, 4] number of the root, first step, one past the last, 0; largest first within a group
    groups: Ints  # [G + 1] first of `roots` of each group
    rows: int  # of reach
    depth: int  # own nodes that are open at a time

    @property
    def evaluations(self) -> int:
        """Rows whose ends are paid, all roots together."""
        return int((self.steps[:, 0] & 255 == EVALUATE).sum())


def walk_program(forest: StreetForest, me: int, group: int) -> WalkProgram:
    """My values against the opponent's reach; roots in groups of about `group` steps."""
    return _collect(forest, _Writer(forest, me), group)


def reach_program(forest: StreetForest, me: int, group: int) -> WalkProgram:
    """The opponent's reach where cards come, and nothing else."""
    return _collect(forest, _ReachWriter(forest, me), group)


def _collect(forest: StreetForest, writer: _Writer, group: int) -> WalkProgram:
    """Roots without a step are left out: nothing happens there."""
    spans, size = list[tuple[int, int, int, int]](), np.bincount(roots_of(forest), minlength=forest.roots)
    for root in np.argsort(-size, kind="stable").tolist():
        begin = len(writer.steps)
        writer.node(root, 0)
        if len(writer.steps) > begin:
            spans.append((root, begin, len(writer.steps), 0))
    groups, filled = [0], 0
    for number, (_, begin, end, _) in enumerate(spans):
        if filled and filled + end - begin > group:
            groups.append(number)
            filled = 0
        filled += end - begin
    if writer.rows > MOST_ROWS:
        raise AssertionError("betting is never that deep")
    return WalkProgram(
        np.array(writer.steps, dtype=np.int32).reshape(-1, 4),
        np.array(spans, dtype=np.int32).reshape(-1, 4),
        np.array([*groups, len(spans)] if spans else [0], dtype=np.int32),
        writer.rows,
        writer.depth,
    )


def bits_of(amount: float) -> int:
    """A float32 as a whole number."""
    return int(np.array(amount + 0.0, dtype=np.float32).view(np.int32))  # nothing has no sign


class _Writer:
    """Writes steps node by node."""

    def __init__(self, forest: StreetForest, me: int) -> None:
        self.forest, self.me = forest, me
        self.kind = forest.kind.tolist()
        self.steps, self.rows, self.depth, self._open = list[list[int]](), 1, 0, 0

    def node(self, node: int, row: int) -> None:
        """What a node is worth is added to the sum; `row` has the opponent's reach there."""
        kind = self.kind[node]
        if kind == DEAL:
            self._step(DEALT, (0, row), int(self.forest.next_root[node]))
        elif kind == self.me:
            self._own(node, row)
        elif kind == 1 - self.me:
            self._theirs(node, row)
        else:
            self._evaluate([node], row)
            self._step(PAY, (0, 0), *self._amounts(node))

    def _theirs(self, node: int, row: int) -> None:
        self.rows = max(self.rows, row + 2)
        for slot, child in self._actions(node):
            reach = len(self.steps)
            self._step(REACH, (row + 1, row), slot)
            self.node(child, row + 1)
            self.steps[reach][3] = len(self.steps)

    def _own(self, node: int, row: int) -> None:
        actions = list(self._actions(node))
        ends = [(slot, child) for slot, child in actions if self.kind[child] in (FOLD, SHOWDOWN)]
        self._evaluate([child for _, child in ends], row)
        self._step(OPEN, (0, 0))
        self._open += 1
        self.depth = max(self.depth, self._open)
        for slot, child in ends:
            self.steps.append([END, slot, *self._amounts(child)])
        for slot, child in actions:
            if self.kind[child] not in (FOLD, SHOWDOWN):
                self.node(child, row)
                self._step(ACT, (0, 0), slot)
        self._open -= 1
        self._step(CLOSE, (0, 0), int(self.forest.slot[node]), len(actions))

    def _actions(self, node: int) -> Iterator[tuple[int, int]]:
        """Slots, and the nodes that they lead to."""
        first, slot = int(self.forest.first_child[node]), int(self.forest.slot[node])
        return ((slot + a, first + a) for a in range(int(self.forest.children[node])))

    def _evaluate(self, ends: Sequence[int], row: int) -> None:
        """What is asked for at these ends, if there are any."""
        amounts = [self._amounts(node) for node in ends]
        asked = SHOWN * any(show for show, _ in amounts) + FOLDED * any(fold for _, fold in amounts)
        if asked:
            self._step(EVALUATE, (0, row), asked)

    def _amounts(self, node: int) -> tuple[int, int]:
        """Chips by a showdown and by a fold, per unit of reach; rake takes the same from any reach."""
        forest = self.forest
        if self.kind[node] == FOLD:
            return 0, bits_of(float((forest.lose if forest.folder[node] == self.me else forest.win)[node]))
        stake = (float(forest.win[node]) - float(forest.lose[node])) / 2.0
        return bits_of(stake), bits_of(float(forest.tie[node]))

    def _step(self, step: int, rows: tuple[int, int], *numbers: int) -> None:
        to, source = rows
        self.steps.append([step | to << 8 | source << 16, 0, *numbers, *(0,) * (2 - len(numbers))])


class _ReachWriter(_Writer):
    """Only what leads to cards."""

    def node(self, node: int, row: int) -> None:
        if self._deals[node]:
            super().node(node, row)

    def __init__(self, forest: StreetForest, me: int) -> None:
        super().__init__(forest, me)
        self._deals = forest.kind == DEAL
        for node in range(len(forest.kind) - 1, forest.roots - 1, -1):
            self._deals[forest.parent[node]] |= self._deals[node]

    def _theirs(self, node: int, row: int) -> None:
        self.rows = max(self.rows, row + 2)
        for slot, child in self._actions(node):
            if self._deals[child]:
                reach = len(self.steps)
                self._step(REACH, (row + 1, row), slot)
                self.node(child, row + 1)
                self.steps[reach][3] = len(self.steps)

    def _own(self, node: int, row: int) -> None:
        for _, child in self._actions(node):
            self.node(child, row)
