"""StreetPasses: everything below one board of a street, for all lines that lead to it at once.

Later cards are dealt up to suits (`forms/boards/street_boards.py`). Each board is passed once for each player: the opponent's reach
goes down by its rows, terminals are paid, values come up as the best that each hand can do and, beside it, as its own rows
do. Only the boards below the first one are held, no tables of strategies on them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import comb
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats, Floats32, Ints, Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import LONGEST_BLOCK, Deal, StreetBoards, block_shape, deal_boards
from equilibrist.forms.boards.subforest import forests_below, nodes_below
from equilibrist.solvers.blueprint.exact._kernels import bucket_boards as kernels
from equilibrist.solvers.blueprint.exact.bucketed_streets import BucketedStreets
from equilibrist.solvers.postflop._kernels.layout import Street
from equilibrist.solvers.postflop._kernels.symmetry import symmetrise
from equilibrist.solvers.postflop.tables import pack_betting, pack_hands, pack_payoffs, scratch_for

BOARD_BYTES = 110  # per place of a board at the peak of dealing: lists of both players, buckets, hands as cards
PART = 400  # nodes of the last street that are worked on together: their rows stay in a cache of a megabyte


@dataclass(frozen=True)
class BoardWorth:
    """What one board is worth, line by line; counterfactual, 0 for hands that collide with it."""

    best: tuple[Floats, Floats]  # [root, hand of the deal] of each player's best response
    value: Floats  # [root, hand of the deal] of the first player where both follow the blueprint


class StreetPasses:
    """Betting and strategies from a street on (1: the flop), ready for one board after the other; several threads may call it."""

    def __init__(self, streets: BucketedStreets, first: int = 1) -> None:
        self.streets, self.first = streets, first
        rows = [(streets.rows(street, 0), streets.rows(street, 1)) for street in range(first, len(streets.forests))]
        self.betting = [
            [Part.of(forest, np.arange(forest.roots), both)]
            for forest, both in zip(streets.forests[first:-1], rows[:-1], strict=True)
        ]
        last = streets.forests[-1]
        self.betting.append([Part.of(last, roots, rows[-1]) for roots in root_groups(last, PART)])

    def worth(
        self, cards: Sequence[int], reach: Sequence[Floats], pause: Callable[[], None] = lambda: None
    ) -> BoardWorth:
        """`reach` of both players [root, hand of the deal] where the last of the cards come; `pause` is called between boards.

        Cards of earlier streets come first. They stay apart: what brought the hands here knows which street a card came on.
        """
        whole = self.streets.deal
        ends = list(accumulate(whole.streets[: self.first], initial=0))
        known = tuple(tuple(cards[start:end]) for start, end in pairwise(ends))
        deal = Deal(whole.deck, whole.hole, known, whole.streets[self.first :])
        boards = deal_boards(deal, [np.ones(len(deal.hands))] * 2, self.streets.merged)
        below = _DealtBoard(self, deal, boards, pause)
        (best, value), (other, _) = (below.play(me, reach[1 - me]) for me in range(2))
        return BoardWorth((best, other), value)

    def memory(self) -> int:
        """Bytes that one board takes at the most: all boards below it, and rows of one board of every street."""
        deal, boards, total = self.streets.deal, 1, 0
        left = deal.deck.size - sum(deal.streets[: self.first])
        for dealt, parts in zip((0, *deal.streets[self.first :]), self.betting, strict=True):
            boards *= comb(left, dealt)
            left -= dealt
            places = places_of(comb(left, deal.hole))
            total += boards * places * BOARD_BYTES
            for part in parts:
                nodes, lanes = len(part.forest.kind), max(part.forest.ends0.lanes, part.forest.ends1.lanes)
                total += 4 * (4 * nodes * min(places, LONGEST_BLOCK) + 6 * places * lanes)  # scratch of both players
                total += 4 * 3 * part.forest.roots * (places + 1)  # what passes between streets
        return total


@dataclass(frozen=True, eq=False)
class Part:
    """Some lines side by side on one street: betting, payoffs and rows of both players."""

    roots: tuple[int, int]  # first and last + 1 of the street's roots
    forest: Any  # `layout.Forest`
    payoffs: tuple[Any, Any]
    rows: tuple[Floats32, Floats32]  # [slot * buckets], flat

    @classmethod
    def of(cls, forest: StreetForest, roots: Longs, rows: Sequence[Floats32]) -> Part:
        """The lines from these roots on, which follow each other."""
        inside, _ = nodes_below(forest, roots)
        own = forests_below((forest,), 0, roots.tolist())[0]
        packed, kept = pack_betting(own), list[Floats32]()
        for player in range(2):
            acting = inside[forest.kind[inside] == player]
            spans = [forest.slot[node] + np.arange(forest.children[node]) for node in acting.tolist()]
            slots = np.concatenate([np.zeros(0, dtype=np.int64), *spans]).astype(np.int64)
            kept.append(np.ascontiguousarray(rows[player][slots]).ravel())
        return cls((int(roots[0]), int(roots[-1]) + 1), packed, pack_payoffs(own, packed), (kept[0], kept[1]))


def root_groups(forest: StreetForest, nodes: int) -> list[Longs]:
    """Roots in groups whose trees have about so many nodes together."""
    size = np.ones(len(forest), dtype=np.int64)
    for node in range(len(forest) - 1, forest.roots - 1, -1):
        size[forest.parent[node]] += size[node]
    before = np.cumsum(size[: forest.roots]) - size[: forest.roots]
    return np.split(np.arange(forest.roots), np.flatnonzero(np.diff(before // nodes)) + 1)


def buckets_on(streets: BucketedStreets, deal: Deal, boards: StreetBoards, street: int) -> Ints:
    """[board, place] the bucket of every hand; the same for both players, who can hold the same hands."""
    own = boards.player[0]
    out, held = np.zeros(own.pair.shape, dtype=np.int32), own.pair >= 0
    cards = np.repeat(np.array(boards.cards, dtype=np.int8), own.count, axis=0)
    hands = deal.hands.astype(np.int8)[own.pair[held]]
    out[held] = streets.blueprint.abstract.buckets.bucket(street, np.hstack([hands, cards]))
    for b in np.flatnonzero(np.diff(boards.first_image)).tolist():
        images = own.images[boards.first_image[b] : boards.first_image[b + 1]]
        if (out[b][images] != out[b]).any():
            raise NotApplicableError("Buckets tell some hands apart by suits alone, and others not; train with others.")
    return out


def places_of(hands: int) -> int:
    """Places of a board with so many hands."""
    return int(np.prod(block_shape(hands)))


class _DealtBoard:
    """One board with all that can follow it."""

    def __init__(
        self, passes: StreetPasses, deal: Deal, boards: Sequence[StreetBoards], pause: Callable[[], None]
    ) -> None:
        self.deal, self.boards, self.pause = deal, boards, pause
        self.betting, self.streets, self.first = passes.betting, passes.streets, passes.first
        self.hands = [pack_hands(each) for each in boards]
        self.buckets = [
            buckets_on(passes.streets, deal, each, n).ravel() for n, each in enumerate(boards, passes.first)
        ]
        self.groups = [np.ascontiguousarray(each.groups.ravel()) for each in boards]
        self.roots = [parts[-1].roots[1] for parts in self.betting]
        self.scratch = [
            [[scratch_for(part.forest, hands, me, deal.deck.size + 2, shared=False) for me in range(2)] for part in parts]
            for parts, hands in zip(self.betting, self.hands, strict=True)
        ]  # fmt: skip

    def play(self, me: int, reach: Floats) -> tuple[Floats, Floats]:
        """[root, hand] my values by a best response and by the blueprint, against the opponent's reach [root, hand]."""
        own, theirs = (self.boards[0].player[p] for p in (me, 1 - me))
        given = np.zeros((self.roots[0], theirs.places + 1), dtype=np.float32)
        given[:, : theirs.count[0]] = reach[:, theirs.pair[0, : theirs.count[0]]]
        link = self._link(0, me)
        link.reach[:] = given.ravel()
        self._boards(0, 0, 1, me, link)
        best, value = np.zeros((2, self.roots[0], len(self.deal.hands)))
        for values, whole in ((link.best, best), (link.value, value)):
            whole[:, own.pair[0, : own.count[0]]] = values.reshape(self.roots[0], -1)[:, : own.count[0]]
        return best, value

    def _link(self, depth: int, me: int) -> kernels.Link:
        """Zeros between a street and the one before."""
        before = self.boards[max(depth - 1, 0)].player
        mine, theirs = before[me].places + 1, before[1 - me].places + 1
        sizes = (self.roots[depth] * theirs, self.roots[depth] * mine) if depth < len(self.boards) else (1, 1)
        return kernels.Link(
            np.zeros(sizes[0], np.float32), theirs, np.zeros(sizes[1], np.float32), np.zeros(sizes[1], np.float32), mine
        )

    def _side(self, depth: int, part: Part, player: int) -> kernels.BucketSide:
        rows = kernels.Rows(part.rows[player], self.streets.buckets[depth + self.first], self.buckets[depth])
        return kernels.BucketSide(self.hands[depth][player], rows, part.payoffs[player])

    def _street(self, depth: int, part: Part) -> Street:
        boards = self.boards[depth]
        chance = np.float32(self.deal.chances[depth])
        return Street(part.forest, boards.group_start, self.groups[depth], boards.first_child, chance)

    def _boards(self, depth: int, first: int, last: int, me: int, above: kernels.Link) -> None:
        """Boards first .. last-1 of a street with everything under them: my values are added to those above."""
        if depth + 1 == len(self.boards):
            self._last(first, last, me, above)
            return
        part, scratch = self.betting[depth][0], self.scratch[depth][0][me]
        mine, theirs = self._side(depth, part, me), self._side(depth, part, 1 - me)
        street, below = self._street(depth, part), self._link(depth + 1, me)
        for board in range(first, last):
            self.pause()
            kernels.board_down(
                board, 1 - me, street.forest, theirs.hands, theirs.rows, street.factor, above.reach, above.reach_width, scratch,
                below.reach, below.reach_width,
            )  # fmt: skip
            below.best[:] = 0.0
            below.value[:] = 0.0
            begin, end = self.boards[depth].first_child[board : board + 2].tolist()
            self._boards(depth + 1, begin, end, me, below)
            for values in (below.best, below.value):
                symmetrise(board, mine.hands, self.roots[depth + 1], below.value_width, values, scratch.spare)
            kernels.board_up(
                board, me, kernels.MODES, street.forest, street.group_start, street.groups, mine, theirs, scratch, above, below
            )  # fmt: skip

    def _last(self, first: int, last: int, me: int, above: kernels.Link) -> None:
        """The last street, part by part."""
        depth, nothing = len(self.boards) - 1, self._link(len(self.boards), me)
        for part, scratch in zip(self.betting[depth], self.scratch[depth], strict=True):
            begin, end = part.roots
            theirs = slice(begin * above.reach_width, end * above.reach_width)
            mine = slice(begin * above.value_width, end * above.value_width)
            lines = above._replace(reach=above.reach[theirs], best=above.best[mine], value=above.value[mine])
            kernels.last_boards(
                first, last, me, kernels.MODES, self._street(depth, part), self._side(depth, part, me),
                self._side(depth, part, 1 - me), scratch[me], lines, nothing,
            )  # fmt: skip
