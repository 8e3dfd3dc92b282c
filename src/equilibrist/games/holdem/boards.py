"""Board tables: which hands each player can hold on each board, in which order, and how boards are copies of each other.

A street's boards are numbered one after the other; a board's hands are places in the list of the board it comes from. On the
river hands are sorted by strength and `groups` marks hands of equal strength. Isomorphic deals are kept once; `members` says where
the values of their copies go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.games.cards.evaluator import board_strengths
from equilibrist.games.cards.isomorphism import isomorphic_deals

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

HANDS = 1326
LANES = 16  # hands handled together; blocks are multiples of it
LONGEST_BLOCK = 128

_HIGH, _LOW = np.array([(h, low) for h in range(52) for low in range(h)], dtype=np.int32).T  # pair C(h, 2) + low


@dataclass(frozen=True)
class PlayerBoards:
    """One player's hands on all boards of a street; places are padded to whole blocks."""

    count: Ints  # [B] hands
    pair: Ints  # [B, places] hand number 0..1325, -1 in the padding
    order: Ints  # [B, places] place on the board before; the padding points one past its last place
    card1: Ints  # [B, places]
    card2: Ints  # [B, places]
    twin: Ints  # [B, places] place of the same hand in the other player's list, -1 if absent
    members: Ints  # [B, copies, places] places of isomorphic copies on the board before
    blocks: int
    block: int  # hands in a block

    @property
    def places(self) -> int:
        return self.blocks * self.block


@dataclass(frozen=True)
class StreetBoards:
    """All boards of one street up to isomorphism."""

    cards: tuple[tuple[int, ...], ...]  # the board cards
    parent: Ints  # [B] board of the street before
    first_child: Ints  # [B + 1] boards of the next street (empty on the river)
    copies: Ints  # [B] how many deals this board stands for
    player: tuple[PlayerBoards, PlayerBoards]
    group_start: Ints  # [B + 1] into groups (river only)
    groups: Ints  # [G, 2] first place of each strength group for both players; one closing row per board


def street_boards(
    board: Sequence[int], weights: Sequence[Floats], isomorphism: bool = True
) -> tuple[StreetBoards, ...]:
    """Tables for every street from the given board (3 to 5 cards) to the river."""
    root = [_live_pairs(np.asarray(w), board) for w in weights]
    if len(board) == 5:
        strengths = board_strengths(board)
        root = [pairs[np.argsort(strengths[pairs], kind="stable")] for pairs in root]
    streets: list[list[_Board]] = [[_Board(tuple(board), -1, root, [np.arange(len(pairs)) for pairs in root], [])]]
    while len(streets[-1][0].cards) < 5:
        streets.append(
            [child for parent, one in enumerate(streets[-1]) for child in _deals(one, parent, weights, isomorphism)]
        )
    built: list[StreetBoards] = []
    for depth, boards in enumerate(streets):
        following = streets[depth + 1] if depth + 1 < len(streets) else []
        widths = [player.places for player in built[-1].player] if built else [None, None]
        built.append(_lay_out(boards, following, widths))
    return tuple(built)


@dataclass
class _Board:
    cards: tuple[int, ...]
    parent: int
    pairs: list[npt.NDArray[np.int64]]  # hands of each player, in the order they are kept
    order: list[npt.NDArray[np.int64]]  # their places on the board before
    copies: list[list[npt.NDArray[np.int64]]]  # per copy and player: places on the board before


def _live_pairs(weights: Floats, board: Sequence[int]) -> npt.NDArray[np.int64]:
    free = ~(np.isin(_HIGH, board) | np.isin(_LOW, board))
    return np.flatnonzero((weights > 0) & free)


def _deals(parent: _Board, number: int, weights: Sequence[Floats], isomorphism: bool) -> list[_Board]:
    """Boards one card further, one for each class of isomorphic cards."""
    flop, later = parent.cards[:3], parent.cards[3:]
    groups = [list(flop), *([card] for card in later)]
    out = []
    if not isomorphism:
        free = [card for card in range(52) if card not in parent.cards]
        return [_deal(parent, number, card, [np.arange(HANDS)]) for card in free]
    following = isomorphic_deals(groups, [np.asarray(w) for w in weights])
    for card in following.cards:
        maps = [
            np.argsort(following.hand_map(int(other)))  # from the representative's hands back to those of the copy
            for other in np.flatnonzero(following.representative == card)
        ]
        out.append(_deal(parent, number, int(card), maps))
    return out


def _deal(parent: _Board, number: int, card: int, maps: list[npt.NDArray[np.int64]]) -> _Board:
    cards = (*parent.cards, card)
    pairs, order = [], []
    copies: list[list[npt.NDArray[np.int64]]] = [[] for _ in maps]
    strengths = board_strengths(cards) if len(cards) == 5 else None
    for own in parent.pairs:
        place = np.full(HANDS, len(own))
        place[own] = np.arange(len(own))
        live = own[(_HIGH[own] != card) & (_LOW[own] != card)]
        if strengths is not None:
            live = live[np.argsort(strengths[live], kind="stable")]
        pairs.append(live)
        order.append(place[live])
        for copy, hand_map in zip(copies, maps, strict=True):
            copy.append(place[hand_map[live]])
    return _Board(cards, number, pairs, order, copies)


def block_shape(hands: int) -> tuple[int, int]:
    """Blocks and hands per block: as few blocks as possible, hands a multiple of the lanes."""
    blocks = max(1, -(-hands // LONGEST_BLOCK))
    block = -(-hands // (blocks * LANES)) * LANES
    return blocks, max(block, LANES)


def _lay_out(boards: list[_Board], following: list[_Board], widths: Sequence[int | None]) -> StreetBoards:
    players = tuple(_player(boards, p, widths[p]) for p in range(2))
    for p in range(2):
        for b, board in enumerate(boards):
            where = np.full(HANDS, -1)
            where[board.pairs[1 - p]] = np.arange(len(board.pairs[1 - p]))
            players[p].twin[b, : len(board.pairs[p])] = where[board.pairs[p]]
    group_start, groups = _strength_groups(boards)
    children = np.searchsorted([child.parent for child in following], np.arange(len(boards) + 1)).astype(np.int32)
    return StreetBoards(
        cards=tuple(board.cards for board in boards),
        parent=np.array([board.parent for board in boards], dtype=np.int32),
        first_child=children,
        copies=np.array([max(1, len(board.copies)) for board in boards], dtype=np.int32),
        player=(players[0], players[1]),
        group_start=group_start,
        groups=groups,
    )


def _player(boards: list[_Board], p: int, width: int | None) -> PlayerBoards:
    """`width`: places on the street before; its next column is always zero, and the padding points there."""
    count = np.array([len(board.pairs[p]) for board in boards], dtype=np.int32)
    blocks, block = block_shape(int(count.max(initial=1)))
    places, copies = blocks * block, max(max(1, len(board.copies)) for board in boards)
    shape = (len(boards), places)
    pair = np.full(shape, -1, dtype=np.int32)
    order = np.zeros(shape, dtype=np.int32)
    card1, card2 = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32)
    members = np.zeros((len(boards), copies, places), dtype=np.int32)
    for b, board in enumerate(boards):
        n, own = count[b], board.pairs[p]
        pair[b, :n] = own
        card1[b, :n], card2[b, :n] = _HIGH[own], _LOW[own]
        order[b] = members[b] = places if width is None else width
        order[b, :n] = board.order[p]
        for c, copy in enumerate(board.copies or [board.order]):
            members[b, c, :n] = copy[p]
    return PlayerBoards(count, pair, order, card1, card2, np.full(shape, -1, dtype=np.int32), members, blocks, block)


def _strength_groups(boards: list[_Board]) -> tuple[Ints, Ints]:
    if len(boards[0].cards) < 5:
        return np.zeros(len(boards) + 1, dtype=np.int32), np.zeros((0, 2), dtype=np.int32)
    start, rows = [0], []
    for board in boards:
        strengths = board_strengths(board.cards)
        own = [strengths[pairs].astype(np.int64) for pairs in board.pairs]
        levels = np.unique(np.concatenate(own))
        begin = np.stack([np.searchsorted(each, levels) for each in own], axis=1)
        rows += [begin, np.array([[len(own[0]), len(own[1])]])]
        start.append(start[-1] + len(levels) + 1)
    return np.array(start, dtype=np.int32), np.concatenate(rows).astype(np.int32)
