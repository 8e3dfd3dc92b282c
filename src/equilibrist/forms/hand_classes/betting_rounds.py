"""BettingRounds: the betting of a two-player game round by round, without cards, as columns that every class of hands repeats.

A *column* is one sequence of a player within a round. Columns have two numberings. In *walk* order the actions of an infoset
stand next to each other, history by history; this is what solvers see. In *lane* order infosets alike (as many own actions
before them in the round, as many actions to choose from) stand next to each other, action by action, so that loops over one row
of columns are vector instructions. A player who has not acted when a round ends gets a *carried* column that merely repeats the
sequence before; it exists in lane order only. A *place* is a (round, walk column) pair; the empty sequence is (-1, 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.games.poker.betting import BettingNode, first_node
from equilibrist.games.poker.game import settle
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import CHANCE, TERMINAL

CARRIED = ("",)  # the one action of a carried column
PASSIVE = ("x", "c", *CARRIED)

OUTSIDE = (
    -2
)  # in `groups`: parents are columns of the round before; in the first round the empty sequence is its column 0


@dataclass(frozen=True, eq=False)
class Columns:
    """One player's sequences of one round: I infosets in walk order, C columns, L infosets and carried columns in lanes."""

    labels: tuple[str, ...]  # [I] the betting line at each infoset
    names: tuple[tuple[str, ...], ...]  # [I] actions
    actions: Longs  # [I]
    first: Longs  # [I] first column, walk order
    parent: Longs  # [I, 2] place of the sequence before it
    place: Longs  # [lane columns, 2] place of each; a carried column has that of the sequence it repeats
    groups: (
        Longs  # [G, 5] first lane column, lanes, actions, first parent if these are a run or OUTSIDE or -1, first lane
    )
    lane_parent: (
        Longs  # [L] lane column before each lane: of this round, or of the round before in groups that say OUTSIDE
    )
    runs: Longs  # [R, 3] first leaf, first lane column, length: leaves and columns that follow each other
    passive: NDArray[np.bool_]  # [lane columns] checks, calls and carried columns

    @property
    def count(self) -> int:
        """Sequences of one class."""
        return int(self.actions.sum())

    @property
    def infosets(self) -> int:
        return len(self.actions)

    @property
    def width(self) -> int:
        """Columns in lane order, carried ones included."""
        return len(self.place)


@dataclass(frozen=True, eq=False)
class BettingRound:
    """One round: columns of both players, and leaves: first those ended by a fold, then those shown down."""

    number: int  # of the rules' rounds
    histories: int  # ways to come here
    nodes: int  # betting situations, ends of the round included
    continuing: int  # ends from which the betting goes on in a later round
    columns: tuple[Columns, Columns]
    folds: int
    leaf_column: Longs  # [leaves, 2] lane columns of both players
    closer: Longs  # [leaves] whose action ends the game
    payoff: Floats  # [leaves] to the first player: at a fold what it nets, at a showdown what it nets if it wins

    @property
    def leaves(self) -> int:
        return len(self.payoff)

    def payoff_to(self, player: int) -> Floats:
        """[leaves] to one player; what a showdown wins is the same for both."""
        sign = np.where(np.arange(self.leaves) < self.folds, 1.0 - 2.0 * player, 1.0)
        out: Floats = self.payoff * sign
        return out


def betting_rounds(rules: PokerRules) -> tuple[BettingRound, ...]:
    """All rounds in which somebody can act."""
    if rules.players != 2:
        raise NotApplicableError(f"Rounds of betting are for two players, but these rules are for {rules.players}.")
    found: list[BettingRound] = []
    starts = [_Start(first_node(rules), (0, 0))]
    start = _Order(np.zeros(1, np.int64), np.array([[-1, 0]], np.int64))
    orders = (start, start)
    while starts:
        walk = _RoundWalk(starts)
        orders = (
            _in_lanes(walk.infosets[0], orders[0], len(found)),
            _in_lanes(walk.infosets[1], orders[1], len(found)),
        )
        found.append(_finish(walk, orders))
        starts = walk.next_starts
    if not any(columns.infosets for columns in found[0].columns):
        raise NotApplicableError("Nobody can act in this game, so there is nothing to solve; allow some bets.")
    return tuple(found)


_Leaf = tuple[int, int, int, float]  # walk columns of both players, who acted last, payoff


@dataclass(frozen=True)
class _Start:
    """Where a round begins, with the column (walk order) that each player brings along."""

    node: BettingNode
    column: tuple[int, int]


@dataclass
class _Infosets:
    """One player's infosets of a round in walk order; carried columns are infosets of one action."""

    actions: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    carried: list[bool] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    names: list[tuple[str, ...]] = field(default_factory=list)
    columns: int = 0

    def add(self, names: Sequence[str], parent: int, depth: int, label: str, carried: bool = False) -> int:
        """First column of a new infoset."""
        actions = len(names)
        self.actions.append(actions)
        self.names.append(tuple(names))
        self.first.append(self.columns)
        self.parent.append(parent)
        self.depth.append(depth)
        self.carried.append(carried)
        self.labels.append(label)
        self.columns += actions
        return self.columns - actions


class _RoundWalk:
    """All betting of one round, history by history."""

    def __init__(self, starts: Sequence[_Start]) -> None:
        self.number, self.histories = starts[0].node.round, len(starts)
        if any(start.node.round != self.number for start in starts):
            raise NotApplicableError("Some lines skip a round of betting that others have; this is not supported.")
        self.infosets = (_Infosets(), _Infosets())
        self.folds: list[_Leaf] = []
        self.shown: list[_Leaf] = []
        self.next_starts: list[_Start] = []
        self.nodes = 0
        for start in starts:
            self._carried: dict[int, int] = {}
            self._visit(start.node, start.column, (0, 0), 0)

    def _visit(self, node: BettingNode, column: tuple[int, int], depth: tuple[int, int], actor: int) -> None:
        self.nodes += 1
        if node.player < 0 or node.round != self.number:
            self._end(node, self._acted(column, depth), actor)
            return
        p = node.player
        first = self.infosets[p].add(node.labels, column[p], depth[p], node.line)
        deeper = (depth[0] + (p == 0), depth[1] + (p == 1))
        for action in range(len(node.labels)):
            after = (first + action, column[1]) if p == 0 else (column[0], first + action)
            self._visit(node.after(action), after, deeper, p)

    def _acted(self, column: tuple[int, int], depth: tuple[int, int]) -> tuple[int, int]:
        """Columns of this round for both; whoever has not acted gets a carried one, the same all through a history."""
        out = list(column)
        for p in range(2):
            if depth[p] == 0:
                if p not in self._carried:
                    self._carried[p] = self.infosets[p].add(CARRIED, column[p], 0, "", carried=True)
                out[p] = self._carried[p]
        return out[0], out[1]

    def _end(self, node: BettingNode, column: tuple[int, int], actor: int) -> None:
        while node.player == CHANCE:
            node = node.after_deal
        if node.player != TERMINAL:
            self.next_starts.append(_Start(node, column))
        elif any(node.folded):
            self.folds.append((*column, actor, settle(node, (0, 0))[0]))
        else:
            won, lost = settle(node, (1, 0))[0], settle(node, (0, 1))[0]
            if abs(won + lost) > 1e-9:
                raise NotApplicableError("A showdown must win as much as it can lose; these rules have unequal stakes.")
            self.shown.append((*column, actor, won))


@dataclass(frozen=True, eq=False)
class _Order:
    """Where the walk columns of a round, carried ones included, have gone."""

    lane_column: Longs  # [columns]
    place: Longs  # [columns, 2]
    groups: Longs = field(default_factory=lambda: np.zeros((0, 5), np.int64))
    lane_parent: Longs = field(default_factory=lambda: np.zeros(0, np.int64))
    parent_place: Longs = field(default_factory=lambda: np.zeros((0, 2), np.int64))  # [infosets, carried ones included]


def _in_lanes(infosets: _Infosets, before: _Order, round: int) -> _Order:
    """Infosets of one depth and width become a group; inside it they follow their parents."""
    actions, parent, depth, first = (
        np.array(x, np.int64) for x in (infosets.actions, infosets.parent, infosets.depth, infosets.first)
    )
    lane_column = np.full(infosets.columns, -1, np.int64)
    groups: list[list[int]] = []
    parents: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    column = lane = 0
    for level, width in sorted(set(zip(infosets.depth, infosets.actions, strict=True))):
        members = np.flatnonzero((depth == level) & (actions == width))
        above = (lane_column if level else before.lane_column)[parent[members]]
        run = OUTSIDE
        if level:
            order = np.argsort(above, kind="stable")
            members, above = members[order], above[order]
            run = int(above[0]) if np.array_equal(above, above[0] + np.arange(len(above))) else -1
        for action in range(width):
            lane_column[first[members] + action] = column + action * len(members) + np.arange(len(members))
        groups.append([column, len(members), width, run, lane])
        parents.append(above.astype(np.int64))
        column += width * len(members)
        lane += len(members)
    place, parent_place = _places(infosets, before.place, round)
    return _Order(
        lane_column.astype(np.int64),
        place,
        np.array(groups, np.int64).reshape(-1, 5),
        np.concatenate(parents).astype(np.int64),
        parent_place,
    )


def _places(infosets: _Infosets, before: Longs, round: int) -> tuple[Longs, Longs]:
    """Places of all walk columns [columns, 2], and of what comes before each infoset [infosets, 2]."""
    carried = np.repeat(np.array(infosets.carried, np.bool_), np.array(infosets.actions, np.int64))
    place = np.stack([np.full(len(carried), round), np.cumsum(~carried) - 1], axis=1).astype(np.int64)
    parent_place = np.empty((len(infosets.actions), 2), np.int64)
    for i, above in enumerate(infosets.parent):
        parent_place[i] = place[above] if infosets.depth[i] else before[above]
        if infosets.carried[i]:
            place[infosets.first[i]] = parent_place[i]
    return place, parent_place


def _finish(walk: _RoundWalk, orders: tuple[_Order, _Order]) -> BettingRound:
    leaves = [_sorted_leaves(found, orders) for found in (walk.folds, walk.shown)]
    leaf_column, closer, payoff = (np.concatenate(arrays) for arrays in zip(*leaves, strict=True))
    folds = len(walk.folds)
    both = [
        _columns(walk.infosets[p], orders[p], _runs(leaf_column[:folds, p], leaf_column[folds:, p])) for p in range(2)
    ]
    return BettingRound(
        number=walk.number,
        histories=walk.histories,
        nodes=walk.nodes,
        continuing=len(walk.next_starts),
        columns=(both[0], both[1]),
        folds=folds,
        leaf_column=leaf_column,
        closer=closer,
        payoff=payoff,
    )


def _sorted_leaves(found: list[_Leaf], orders: tuple[_Order, _Order]) -> tuple[Longs, Longs, Floats]:
    """Lane columns [leaves, 2], who acted last, and payoffs, in the order of the first player's columns."""
    table = np.array(found, np.float64).reshape(-1, 4)
    columns = np.stack([orders[p].lane_column[table[:, p].astype(np.int64)] for p in range(2)], axis=1)
    order = np.lexsort((columns[:, 1], columns[:, 0]))
    return columns[order].astype(np.int64), table[order, 2].astype(np.int64), table[order, 3]


def _runs(*parts: Longs) -> Longs:
    """[R, 3]: stretches of leaves whose columns follow each other; no stretch crosses from one part to the next."""
    out, at = [], 0
    for columns in parts:
        breaks = np.flatnonzero(np.diff(columns) != 1) + 1
        bounds = [0, *breaks.tolist(), len(columns)] if len(columns) else [0]
        out += [[at + a, int(columns[a]), b - a] for a, b in pairwise(bounds)]
        at += len(columns)
    return np.array(out, np.int64).reshape(-1, 3)


def _columns(infosets: _Infosets, order: _Order, runs: Longs) -> Columns:
    kept = ~np.array(infosets.carried, np.bool_)
    place = np.empty_like(order.place)
    place[order.lane_column] = order.place
    passive = np.empty(len(place), np.bool_)
    passive[order.lane_column] = [name in PASSIVE for names in infosets.names for name in names]
    first = np.array(infosets.first, np.int64)[kept]
    return Columns(
        labels=tuple(label for label, stays in zip(infosets.labels, kept, strict=True) if stays),
        names=tuple(names for names, stays in zip(infosets.names, kept, strict=True) if stays),
        actions=np.array(infosets.actions, np.int64)[kept],
        first=order.place[first, 1],
        parent=order.parent_place[kept],
        place=place,
        groups=order.groups,
        lane_parent=order.lane_parent,
        runs=runs,
        passive=passive,
    )
