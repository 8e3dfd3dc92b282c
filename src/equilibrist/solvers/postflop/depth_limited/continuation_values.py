"""Follower: values below the frontier of a search, where both players follow continuations of a blueprint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from equilibrist.compute.lanes import LANES, aligned
from equilibrist.core.arrays import Floats32
from equilibrist.forms.boards.street_betting import DEAL, StreetForest
from equilibrist.solvers.postflop._kernels.terminals import terminals
from equilibrist.solvers.postflop.depth_limited._kernels import followed
from equilibrist.solvers.postflop.passes.worker import Worker
from equilibrist.solvers.postflop.tables import Street

Preference = tuple[float, float, float]  # by how much fold, call (or check) and raise (or bet) are preferred

_KINDS = {"f": 0, "c": 1, "x": 1}  # of actions, by the first letter of their label; all others bet or raise


def _padded(count: int) -> int:
    return -(-count // LANES) * LANES


def street_ways(forest: StreetForest, street: Street, player: int, preferences: Sequence[Preference]) -> Any:
    """One player's continuations on one street, as the kernels want them (`followed.Ways`)."""
    nodes = np.flatnonzero(forest.kind == player)
    kinds = [_KINDS.get(label[:1], 2) for node in nodes.tolist() for label in forest.labels(node)]
    bias = even = np.ones((len(preferences), 1), dtype=np.float32)
    if kinds:
        bias = np.array(preferences, dtype=np.float32)[:, kinds]
        widths = forest.children[nodes]
        total = np.add.reduceat(bias, np.cumsum(widths) - widths, axis=1)
        even = bias / np.repeat(total, widths, axis=1)
    deals = np.flatnonzero(forest.kind == DEAL)
    following = _padded(len(deals))
    rows = street.forest.row0 if player == 0 else street.forest.row1
    deal_row = np.full(following, len(forest), dtype=np.int32)
    deal_node = np.full(following, len(forest) + 1, dtype=np.int32)
    deal_row[: len(deals)], deal_node[: len(deals)] = rows[deals], deals
    roots = _padded(forest.roots)
    return followed.Ways(
        bias=np.ascontiguousarray(bias.ravel()),
        even=np.ascontiguousarray(even.ravel()),
        deal_row=deal_row,
        deal_node=deal_node,
        numbers=np.arange(roots, dtype=np.int32),
        ways=len(preferences),
        roots=roots,
        next_roots=following,
    )


def make_walk(street: Street, me: int, roots: int) -> Any:
    """Memory of a walk over one board of a street, for `me`'s values."""
    rows = max(len(street.forest.kind) + 2, roots)
    mine, theirs = (rows * street.hands[p].size for p in (me, 1 - me))
    return followed.Walk(
        reach=aligned(theirs, stagger=1),
        value=aligned(mine, stagger=14),
        sums=aligned(theirs, stagger=27),
        block=aligned(LANES * LANES, stagger=40),
    )


class ContinuationValues:
    """One thread's walk over the boards below the first street; uses the scratch memory of a worker."""

    def __init__(self, worker: Worker, ways: Sequence[Sequence[Any]]) -> None:
        """`ways` [street][player]."""
        self.worker, self.ways = worker, ways
        self.walks = [[self._walk(depth, me) for me in range(2)] for depth in range(len(ways))]
        # links between streets [street above][player]
        self.reach = [[self._link(depth, p) for p in range(2)] for depth in range(len(ways) - 1)]
        self.value = [[self._link(depth, p) for p in range(2)] for depth in range(len(ways) - 1)]
        self.spare = [[self._link(depth, p) for p in range(2)] for depth in range(len(ways) - 1)]

    def _walk(self, depth: int, me: int) -> Any:
        return make_walk(self.worker.streets[depth], me, self.ways[depth][0].roots)

    def _link(self, depth: int, player: int) -> Floats32:
        own = self.ways[depth][player]
        size = (self.worker.streets[depth].hands[player].places + 1) * own.ways * own.next_roots
        link: Floats32 = aligned(size)
        return link

    def link(self, player: int, spread: Floats32) -> Floats32:
        """Reach [leaf, way, place] at the frontier as the boards below want it."""
        own = self.ways[0][player]
        out: Floats32 = np.zeros((spread.shape[2], own.ways, own.next_roots), dtype=np.float32)
        out[:, :, : spread.shape[0]] = spread.transpose(2, 1, 0)
        return out.ravel()

    def unlink(self, player: int, link: Floats32, leaves: int) -> Floats32:
        """Values [leaf, way, place] at the frontier."""
        own = self.ways[0][player]
        whole = link.reshape(-1, own.ways, own.next_roots)[:, :, :leaves]
        return np.ascontiguousarray(whole.transpose(2, 1, 0))

    def boards(self, numbers: Sequence[int], me: int, reach: Floats32) -> Floats32:
        """My values, as a link, added up over some boards of the second street."""
        out = self.value[0][me]
        out[:] = 0.0
        for b in numbers:
            self._below(1, b, b + 1, me, reach, out)
        return out

    def _below(self, depth: int, first: int, last: int, me: int, reach: Floats32, value: Floats32) -> None:
        worker, them = self.worker, 1 - me
        s, scratch, walk = worker.streets[depth], worker.scratch[depth][me], self.walks[depth][me]
        mine, theirs = self.ways[depth][me], self.ways[depth][them]
        if depth + 1 == len(worker.streets):
            own = followed.Followed(s.hands[me], s.tables[me], mine)
            other = followed.Followed(s.hands[them], s.tables[them], theirs)
            followed.follow_last(
                first, last, me, s.packed(), own, other, s.payoff[me], reach, value, scratch, walk, worker.nothing
            )
            return
        under, following = self.value[depth][me], self.reach[depth][them]
        for b in range(first, last):
            followed.follow_down(
                b, them, s.forest, s.hands[them], s.tables[them], theirs, reach, scratch, walk, following
            )
            under[:] = 0.0
            children = s.boards.first_child[b : b + 2]
            self._below(depth + 1, int(children[0]), int(children[1]), me, following, under)
            self.symmetrise(depth, b, me, under)
            terminals(
                b, me, s.forest, s.boards.group_start, s.groups, s.hands[me], s.hands[them], s.payoff[me], scratch
            )
            followed.follow_up(b, me, s.forest, s.hands[me], s.tables[me], mine, s.factor, scratch, walk, under, value)

    def symmetrise(self, depth: int, board: int, me: int, values: Floats32) -> None:
        """What the boards below have added up to stands for their suit-copies too."""
        own = self.ways[depth][me]
        hands = self.worker.streets[depth].hands[me]
        followed.symmetrise_links(board, hands, own.ways * own.next_roots, values, self.spare[depth][me])
