"""Boards dealt one by one in plain NumPy, with the symmetries of each board worked out by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.cards.board_sample import BoardSample
from equilibrist.cards.evaluator import hand_index
from equilibrist.cards.isomorphism import isomorphic_sets, symmetries
from equilibrist.core.arrays import Floats, Ints, Longs
from equilibrist.forms.boards.street_boards import Deal, PlayerBoards, StreetBoards, block_shape


def deal_plainly(
    deal: Deal, weights: Sequence[Floats], isomorphism: bool = True, sample: BoardSample | None = None
) -> tuple[StreetBoards, ...]:
    """What `deal_boards` makes."""
    return PlainDealer(deal, weights, isomorphism, sample).deal()


def _moves(
    deal: Deal, groups: Sequence[Sequence[int]], weights: Sequence[Floats], isomorphism: bool
) -> npt.NDArray[np.int8]:
    if not isomorphism:
        return np.arange(deal.deck.size, dtype=np.int8)[None]
    return symmetries(groups, weights, deal.deck, deal.hands.astype(np.int64))


@dataclass
class _Board:
    groups: tuple[tuple[int, ...], ...]  # cards by street
    parent: int
    copies: int
    share: float
    hands: list[Longs]  # of each player, in the order they are kept
    order: list[Longs]  # their places on the board before
    symmetry: Longs  # [S, H] images of all hands, the identity left out

    @property
    def cards(self) -> tuple[int, ...]:
        return tuple(card for group in self.groups for card in group)


class PlainDealer:
    """Deals street by street, board by board."""

    def __init__(
        self, deal: Deal, weights: Sequence[Floats], isomorphism: bool, sample: BoardSample | None = None
    ) -> None:
        self.dealt, self.isomorphism, self.sample = deal, isomorphism, sample
        self.weights = [np.asarray(w, dtype=np.float64) for w in weights]
        self.hands = deal.hands.astype(np.int64)
        self.last = len(deal.board_cards) + sum(deal.streets)
        self.telling = self.weights

    def deal(self) -> tuple[StreetBoards, ...]:
        free = ~np.isin(self.hands, self.dealt.board_cards).any(axis=1)
        root = [np.flatnonzero((w > 0) & free) for w in self.weights]
        streets = [[self._board(self.dealt.board, -1, 1, 1.0, root, None)]]
        for cards in self.dealt.streets:
            before = streets[-1]
            streets.append(
                [
                    child
                    for number, board in enumerate(before)
                    for child in self._deals(board, number, cards, len(streets) - 1, len(before))
                ]
            )
        built: list[StreetBoards] = []
        for depth, boards in enumerate(streets):
            following = streets[depth + 1] if depth + 1 < len(streets) else []
            widths = [player.places for player in built[-1].player] if built else [None, None]
            built.append(self._lay_out(boards, following, widths))
        return tuple(built)

    def _deals(self, parent: _Board, number: int, cards: int, street: int, parents: int) -> list[_Board]:
        """Boards one street further, one for each class of isomorphic deals."""
        free = np.setdiff1d(np.arange(self.dealt.deck.size), parent.cards)
        moves = _moves(self.dealt, parent.groups, self.telling, self.isomorphism)
        dealt, copies = isomorphic_sets(free, cards, moves)
        weight = np.ones(len(copies))
        if self.sample is not None:
            kept, weight = self.sample.choose(copies.astype(np.int64), street, number, parents)
            dealt, copies = dealt[kept], copies[kept]
        return [
            self._board(
                (*parent.groups, tuple(new)), number, int(count), count * w / len(moves), parent.hands, parent.hands
            )
            for new, count, w in zip(dealt.tolist(), copies.tolist(), weight.tolist(), strict=True)
        ]

    def _board(
        self,
        groups: tuple[tuple[int, ...], ...],
        parent: int,
        copies: int,
        share: float,
        before: Sequence[Longs],
        places: Sequence[Longs] | None,
    ) -> _Board:
        """A board whose hands are those of the board before that do not collide with it."""
        cards = tuple(card for group in groups for card in group)
        strengths = self.dealt.strengths(cards) if len(cards) == self.last else None
        hands, order = [], []
        for own in before:
            live = own[~np.isin(self.hands[own], groups[-1] if groups else ()).any(axis=1)]
            if strengths is not None:
                live = live[np.argsort(strengths[live], kind="stable")]
            place = np.full(len(self.hands), len(own))
            place[own] = np.arange(len(own))
            hands.append(live)
            order.append(place[live] if places is not None else np.arange(len(live)))
        symmetry = np.zeros((0, len(self.hands)), dtype=np.int64)
        if strengths is None:
            moved = _moves(self.dealt, groups, self.telling, self.isomorphism)[1:].astype(np.int64)
            symmetry = np.array([hand_index(move[self.hands]) for move in moved], dtype=np.int64).reshape(
                -1, len(self.hands)
            )
        return _Board(groups, parent, copies, share, hands, order, symmetry)

    def _lay_out(self, boards: list[_Board], following: list[_Board], widths: Sequence[int | None]) -> StreetBoards:
        players = tuple(self._player(boards, p, widths[p]) for p in range(2))
        if self.dealt.hole > 1:  # a hand of one card is taken away once only
            for p in range(2):
                for b, board in enumerate(boards):
                    where = np.full(len(self.hands), -1)
                    where[board.hands[1 - p]] = np.arange(len(board.hands[1 - p]))
                    players[p].twin[b, : len(board.hands[p])] = where[board.hands[p]]
        group_start, groups = self._strength_groups(boards)
        children = np.searchsorted([child.parent for child in following], np.arange(len(boards) + 1)).astype(np.int32)
        return StreetBoards(
            cards=tuple(board.cards for board in boards),
            parent=np.array([board.parent for board in boards], dtype=np.int32),
            first_child=children,
            copies=np.array([board.copies for board in boards], dtype=np.int32),
            share=np.array([board.share for board in boards], dtype=np.float64),
            first_image=np.cumsum([0, *(len(board.symmetry) for board in boards)]).astype(np.int32),
            player=(players[0], players[1]),
            group_start=group_start,
            groups=groups,
        )

    def _player(self, boards: list[_Board], p: int, width: int | None) -> PlayerBoards:
        """`width`: places on the street before; its next column is always zero, and the padding points there."""
        count = np.array([len(board.hands[p]) for board in boards], dtype=np.int32)
        blocks, block = block_shape(int(count.max(initial=1)))
        places = blocks * block
        shape = (len(boards), places)
        pair = np.full(shape, -1, dtype=np.int32)
        order = np.full(shape, places if width is None else width, dtype=np.int32)
        card1, card2 = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32)
        images = []
        for b, board in enumerate(boards):
            n, own = count[b], board.hands[p]
            pair[b, :n] = own
            card1[b, :n] = self.hands[own, -1]
            card2[b, :n] = self.hands[own, 0] if self.dealt.hole > 1 else self.dealt.deck.size + p
            order[b, :n] = board.order[p]
            images += [self._image(own, moved, places) for moved in board.symmetry]
        return PlayerBoards(
            count=count,
            pair=pair,
            order=order,
            card1=card1,
            card2=card2,
            twin=np.full(shape, -1, dtype=np.int32),
            images=np.array(images, dtype=np.int32).reshape(-1, places),
            blocks=blocks,
            block=block,
        )

    def _image(self, own: Longs, moved: Longs, places: int) -> Ints:
        place = np.full(len(self.hands), -1)
        place[own] = np.arange(len(own))
        out = np.arange(places, dtype=np.int32)
        out[: len(own)] = place[moved[own]]
        return out

    def _strength_groups(self, boards: list[_Board]) -> tuple[Ints, Ints]:
        if len(boards[0].cards) < self.last:
            return np.zeros(len(boards) + 1, dtype=np.int32), np.zeros((0, 2), dtype=np.int32)
        start, rows = [0], []
        for board in boards:
            strengths = self.dealt.strengths(board.cards)
            own = [strengths[hands].astype(np.int64) for hands in board.hands]
            levels = np.unique(np.concatenate(own))
            begin = np.stack([np.searchsorted(each, levels) for each in own], axis=1)
            rows += [begin, np.array([[len(own[0]), len(own[1])]])]
            start.append(start[-1] + len(levels) + 1)
        return np.array(start, dtype=np.int32), np.concatenate(rows).astype(np.int32)
