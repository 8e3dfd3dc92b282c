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
from equilibrist.solvers.blueprint.exact._kernels.board_losses import Losses, Own, board_losses
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


@dataclass(frozen=True)
class BoardLosses:
    """What a best response of each player wins on one board, sorted by where; in the unit of `BoardWorth`, over all hands."""

    here: tuple[
        Floats, Floats
    ]  # [slot] on this street: by this action, where it is the best, instead of the blueprint's row
    later: tuple[Floats, Floats]  # [root of the next street] below this deal


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
        below = self._below(cards, pause)
        (best, value), (other, _) = (below.play(me, reach[1 - me]) for me in range(2))
        return BoardWorth((best, other), value)

    def losses(self, cards: Sequence[int], reach: Sequence[Floats]) -> BoardLosses:
        """Where on this street, and below which of its lines, best responses win; `cards` and `reach` as for `worth`."""
        below = self._below(cards, lambda: None)
        (here, best, value), (there, other, _) = (below.losses(me, reach) for me in range(2))
        return BoardLosses((here, there), (best - value, other + value))  # what one player wins the other loses

    def _below(self, cards: Sequence[int], pause: Callable[[], None]) -> _DealtBoard:
        whole = self.streets.deal
        ends = list(accumulate(whole.streets[: self.first], initial=0))
        known = tuple(tuple(cards[start:end]) for start, end in pairwise(ends))
        deal = Deal(whole.deck, whole.hole, known, whole.streets[self.first :])
        boards = deal_boards(deal, [np.ones(len(deal.hands))] * 2, self.streets.merged)
        return _DealtBoard(self, deal, boards, pause)

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
    slots: tuple[Longs, Longs]  # [slot] of the whole street

    @classmethod
    def of(cls, forest: StreetForest, roots: Longs, rows: Sequence[Floats32]) -> Part:
        """The lines from these roots on, which follow each other."""
        inside, _ = nodes_below(forest, roots)
        own = forests_below((forest,), 0, roots.tolist())[0]
        packed, kept, found = pack_betting(own), list[Floats32](), list[Longs]()
        for player in range(2):
            acting = inside[forest.kind[inside] == player]
            spans = [forest.slot[node] + np.arange(forest.children[node]) for node in acting.tolist()]
            slots = np.concatenate([np.zeros(0, dtype=np.int64), *spans]).astype(np.int64)
            kept.append(np.ascontiguousarray(rows[player][slots]).ravel())
            found.append(slots)
        both = (kept[0], kept[1]), (found[0], found[1])
        return cls((int(roots[0]), int(roots[-1]) + 1), packed, pack_payoffs(own, packed), *both)


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
        own, link = self.boards[0].player[me], self._link(0, me)
        link.reach[:] = self._given(1 - me, reach)
        self._boards(0, 0, 1, me, link)
        best, value = np.zeros((2, self.roots[0], len(self.deal.hands)))
        for values, whole in ((link.best, best), (link.value, value)):
            whole[:, own.pair[0, : own.count[0]]] = values.reshape(self.roots[0], -1)[:, : own.count[0]]
        return best, value

    def losses(self, me: int, reach: Sequence[Floats]) -> tuple[Floats, Floats, Floats]:
        """What my best response wins by slot of mine; what it and, for the first player, my rows are worth by root of the next street."""
        link, own = self._link(0, me), self._given(me, reach[me])
        link.reach[:] = self._given(1 - me, reach[1 - me])
        deals = self.roots[1] if len(self.roots) > 1 else 1
        here, best, value = np.zeros(self.streets.forests[self.first].slots[me]), np.zeros(deals), np.zeros(deals)
        for part, scratch in zip(self.betting[0], self.scratch[0], strict=True):
            found = Losses(np.zeros(len(part.slots[me])), best, value)
            self._part_losses(me, part, scratch[me], self._lines(part, link), own, found)
            here[part.slots[me]] += found.here
        return here, best, value

    def _part_losses(
        self, me: int, part: Part, scratch: Any, above: kernels.Link, own: Floats32, found: Losses
    ) -> None:
        """Some lines of the first street; what follows them is answered as ever."""
        mine, theirs, street, below = (
            self._side(0, part, me),
            self._side(0, part, 1 - me),
            self._street(0, part),
            self._link(1, me),
        )
        kernels.board_down(
            0, 1 - me, street.forest, theirs.hands, theirs.rows, street.factor, above.reach, above.reach_width, scratch,
            below.reach, below.reach_width,
        )  # fmt: skip
        if len(self.boards) > 1:
            self._boards(1, 0, len(self.boards[1].cards), me, below)
            for values in (below.best, below.value):
                symmetrise(0, mine.hands, self.roots[1], below.value_width, values, scratch.spare)
        width = above.value_width
        start = np.ascontiguousarray(own[part.roots[0] * width : part.roots[1] * width])
        memory = Own(start, width, np.zeros(len(part.forest.kind) * mine.hands.size, np.float32))
        board_losses(
            0, me, kernels.MODES[0], street.forest, street.group_start, street.groups, mine, theirs, scratch, memory, above, below, found
        )  # fmt: skip

    def _given(self, player: int, reach: Floats) -> Floats32:
        """Reach [root, hand of the deal] as the first street takes it: by places, and a column that is zero."""
        own = self.boards[0].player[player]
        given = np.zeros((self.roots[0], own.places + 1), dtype=np.float32)
        given[:, : own.count[0]] = reach[:, own.pair[0, : own.count[0]]]
        return given.ravel()

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
            lines = self._lines(part, above)
            kernels.last_boards(
                first, last, me, kernels.MODES, self._street(depth, part), self._side(depth, part, me),
                self._side(depth, part, 1 - me), scratch[me], lines, nothing,
            )  # fmt: skip

    def _lines(self, part: Part, above: kernels.Link) -> kernels.Link:
        """What passes to and from some lines."""
        begin, end = part.roots
        theirs = slice(begin * above.reach_width, end * above.reach_width)
        mine = slice(begin * above.value_width, end * above.value_width)
        return above._replace(reach=above.reach[theirs], best=above.best[mine], value=above.value[mine])
