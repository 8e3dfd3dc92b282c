"""Boards of many deals as one: a batch of subgames whose betting has one shape is played on them side by side.

Boards of the first street are one for each deal. Places are those of the widest deal; hands are padded as `PlayerBoards` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from math import prod

import numpy as np

from equilibrist.cards.evaluator import boards_strengths, hand_index
from equilibrist.cards.isomorphism import suit_relabellings
from equilibrist.compute.threads import in_spans
from equilibrist.core.arrays import Bools, Floats, Ints
from equilibrist.forms.boards._kernels import deals
from equilibrist.forms.boards.street_boards import LANES, Deal, PlayerBoards, StreetBoards, block_shape


def join_boards(dealt: Sequence[Sequence[StreetBoards]]) -> tuple[StreetBoards, ...]:
    """The streets of all deals, deal by deal."""
    joined = list[StreetBoards]()
    for depth, streets in enumerate(zip(*dealt, strict=True)):
        widths = [player.places for player in joined[-1].player] if joined else [None, None]
        players = [_join_players([street.player[p] for street in streets], widths[p]) for p in range(2)]
        first = [0, *accumulate(len(street.cards) for street in (each[depth - 1] for each in dealt))] if depth else []
        parents = [street.parent + first[k] if depth else np.array([k]) for k, street in enumerate(streets)]
        joined.append(
            StreetBoards(
                cards=tuple(cards for street in streets for cards in street.cards),
                parent=np.concatenate(parents).astype(np.int32),
                first_child=_joined_starts([street.first_child for street in streets]),
                copies=np.concatenate([street.copies for street in streets]),
                share=np.concatenate([street.share for street in streets]),
                first_image=_joined_starts([street.first_image for street in streets]),
                player=(players[0], players[1]),
                group_start=_joined_starts([street.group_start for street in streets]),
                groups=np.concatenate([street.groups for street in streets]),
            )
        )
    return tuple(joined)


def _joined_starts(starts: Sequence[Ints]) -> Ints:
    """Where rows begin, one list after the other; each ends with where its rows end."""
    ends = [0, *accumulate(int(each[-1]) for each in starts)]
    shifted = [each[:-1] + end for each, end in zip(starts, ends, strict=False)]
    return np.append(np.concatenate(shifted), ends[-1]).astype(np.int32)


def _join_players(parts: Sequence[PlayerBoards], before: int | None) -> PlayerBoards:
    """`before`: places on the street before, joined."""
    places = max(part.places for part in parts)

    def padded(name: str, filling: int) -> Ints:
        rows = [getattr(part, name) for part in parts]
        out = np.full((sum(map(len, rows)), places), filling, dtype=np.int32)
        for start, row in zip(accumulate(map(len, rows), initial=0), rows, strict=False):
            out[start : start + len(row), : row.shape[1]] = row
        return out

    count = np.concatenate([part.count for part in parts])
    order = padded("order", 0)
    order[np.arange(places) >= count[:, None]] = places if before is None else before
    images = np.tile(np.arange(places, dtype=np.int32), (sum(len(part.images) for part in parts), 1))
    for start, part in zip(accumulate((len(part.images) for part in parts), initial=0), parts, strict=False):
        images[start : start + len(part.images), : part.places] = part.images
    return PlayerBoards(
        count=count,
        pair=padded("pair", -1),
        order=order,
        card1=padded("card1", 0),
        card2=padded("card2", 0),
        twin=padded("twin", -1),
        images=images,
        blocks=1,
        block=places,
    )


def deal_rivers(boards: Ints, weights: Sequence[Floats], *, blocks: bool = False) -> tuple[StreetBoards, ...]:
    """`join_boards` of rivers [board, 5], all at once; `weights` [board, 1326] of each player.

    With room for whole `blocks` there are as many places as any of the boards has by itself.
    """
    return (_rivers(boards, np.arange(len(boards), dtype=np.int32), weights, blocks),)


def deal_turns(boards: Ints, weights: Sequence[Floats]) -> tuple[StreetBoards, ...]:
    """`join_boards` of turns [board, 4] of which none is left alone by a relabelling of suits (`suits_merge`), all at once."""
    number, deal = len(boards), Deal.holdem(boards[0].tolist())
    dealt = np.zeros((number, deal.deck.size), dtype=np.bool_)
    np.put_along_axis(dealt, boards.astype(np.int64), True, axis=1)
    owner, cards = (each.astype(np.int32) for each in np.nonzero(~dealt))
    first, second = (_first_hands(given, deal) for given in weights)
    turn = _boards_alone(boards, owner, (first, second))
    river = _rivers(np.column_stack([boards[owner], cards]).astype(np.int32), owner, weights, False)
    for own, before in zip(river.player, turn.player, strict=True):
        _place_before(own, before, owner)
    return turn, replace(river, parent=owner)


def suits_merge(boards: Ints, weights: Sequence[Floats]) -> Bools:
    """[board] whether a relabelling of suits changes neither the board nor the weights [board, 1326] of either player."""
    deal = Deal.holdem(boards[0].tolist())
    moves = suit_relabellings(deal.deck)[1:]
    maps = np.stack([hand_index(move[deal.hands.astype(np.int64)]) for move in moves.astype(np.int64)]).astype(np.int64)
    out = np.empty(len(boards), dtype=np.bool_)
    first, second = weights

    def look(part: slice) -> None:
        deals.find_merging(boards[part], first[part], second[part], moves, maps, out[part])

    in_spans(len(boards), look)
    return out


def _first_hands(weights: Floats, deal: Deal) -> PlayerBoards:
    """One player's hands on the boards that games begin with."""
    count, hands = (weights > 0.0).sum(axis=1).astype(np.int32), deal.hands.astype(np.int64)
    own = _unfilled(count, True)

    def fill(part: slice) -> None:
        deals.fill_first(
            weights[part], hands, count[part], own.pair[part], own.order[part], own.card1[part], own.card2[part]
        )

    in_spans(len(count), fill)
    return own


def _boards_alone(boards: Ints, children: Ints, player: tuple[PlayerBoards, PlayerBoards]) -> StreetBoards:
    """Boards that nothing came before; `children` are the boards that each later one comes from."""
    number = len(boards)
    for p, own in enumerate(player):
        other, where = player[1 - p], np.full(1326, -1, dtype=np.int32)
        own.twin[:] = -1
        deals.find_twins(own.count, own.pair, other.count, other.pair, where, own.twin)
    return StreetBoards(
        cards=tuple(map(tuple, boards.tolist())),
        parent=np.arange(number, dtype=np.int32),
        first_child=np.searchsorted(children, np.arange(number + 1)).astype(np.int32),
        copies=np.ones(number, dtype=np.int32),
        share=np.ones(number),
        first_image=np.zeros(number + 1, dtype=np.int32),
        player=player,
        group_start=np.zeros(number + 1, dtype=np.int32),
        groups=np.zeros((0, 2), dtype=np.int32),
    )


def _place_before(own: PlayerBoards, before: PlayerBoards, parent: Ints) -> None:
    """Where the hands of later boards lie on those that they come from."""

    def find(part: slice) -> None:
        where = np.zeros(1326, dtype=np.int32)
        deals.find_before(
            own.count[part], own.pair[part], parent[part], before.count, before.pair, where, own.order[part]
        )

    in_spans(len(parent), find)


def _rivers(boards: Ints, game: Ints, weights: Sequence[Floats], blocks: bool) -> StreetBoards:
    """Rivers [board, 5] of games [board], with weights [game, 1326] of each player."""
    number, deal = len(boards), Deal.holdem(boards[0].tolist())
    hands, (ones, others) = deal.hands.astype(np.int64), weights
    strengths, ordered = (np.empty((number, len(hands)), dtype=np.uint16) for _ in range(2))
    held, levels = (np.empty(number, dtype=np.int32) for _ in range(2))
    count = np.empty((2, number), dtype=np.int32)

    def rank(part: slice) -> None:
        boards_strengths(boards[part], deal.deck, strengths[part])
        each = count[0][part], count[1][part]
        deals.order_rivers(strengths[part], game[part], ones, others, ordered[part], held[part], each, levels[part])

    in_spans(number, rank)
    start = np.zeros(number + 1, dtype=np.int32)
    np.cumsum(levels + 1, out=start[1:])
    groups = np.empty((int(start[-1]), 2), dtype=np.int32)
    first, second = (_unfilled(own, blocks) for own in count)

    def fill(part: slice) -> None:
        one, other = (
            (own.pair[part], own.order[part], own.card1[part], own.card2[part], own.twin[part])
            for own in (first, second)
        )
        deals.fill_rivers(
            strengths[part], game[part], (ones, others), ordered[part], held[part], hands, start[part], groups, one, other
        )  # fmt: skip

    in_spans(number, fill)
    empty = np.zeros(number + 1, dtype=np.int32)
    return StreetBoards(
        cards=tuple(map(tuple, boards.tolist())),
        parent=np.arange(number, dtype=np.int32),
        first_child=empty,
        copies=np.ones(number, dtype=np.int32),
        share=np.ones(number),
        first_image=empty,
        player=(first, second),
        group_start=start,
        groups=groups,
    )


def _unfilled(count: Ints, blocks: bool) -> PlayerBoards:
    """Room for the hands of one player on each board."""
    places = max(LANES, -(-int(count.max()) // LANES) * LANES)
    if blocks:
        places = max(prod(block_shape(hands)) for hands in set(count.tolist()))
    pair, order, card1, card2, twin = (np.empty((len(count), places), dtype=np.int32) for _ in range(5))
    images = np.zeros((0, places), dtype=np.int32)
    return PlayerBoards(count, pair, order, card1, card2, twin, images, 1, places)
