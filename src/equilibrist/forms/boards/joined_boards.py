"""Boards of many deals as one: a batch of subgames whose betting has one shape is played on them side by side.

Boards of the first street are one for each deal. Places are those of the widest deal; hands are padded as `PlayerBoards` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from equilibrist.cards.evaluator import all_hands, boards_strengths
from equilibrist.compute.threads import in_spans
from equilibrist.core.arrays import Floats, Ints
from equilibrist.forms.boards._kernels.river_boards import count_hands, lay_out_rivers
from equilibrist.forms.boards.street_boards import Deal, PlayerBoards, StreetBoards


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


def deal_rivers(boards: Sequence[Sequence[int]], weights: Sequence[Floats]) -> tuple[StreetBoards, ...]:
    """`join_boards` of rivers, all at once; `weights` [board, 1326] of each player."""
    number, deal = len(boards), Deal.holdem(boards[0])
    cards, strengths = np.asarray(boards), np.empty((number, len(deal.hands)), dtype=np.uint16)
    live = [np.ascontiguousarray(each > 0.0) for each in weights]
    counts = np.zeros((2, number), dtype=np.int32)
    groups = np.zeros(number, dtype=np.int32)

    def count(part: slice) -> None:
        boards_strengths(cards[part], deal.deck, strengths[part])
        count_hands(strengths[part], live[0][part], live[1][part], counts[:, part], groups[part])

    in_spans(number, count)
    places = [max(16, -(-int(each.max()) // 16) * 16) for each in counts]
    start = np.concatenate([[0], np.cumsum(groups)]).astype(np.int32)
    rows = np.zeros((int(start[-1]), 2), dtype=np.int32)
    pair = [np.full((number, width), -1, dtype=np.int32) for width in places]
    twin = [np.full((number, width), -1, dtype=np.int32) for width in places]

    def lay_out(part: slice) -> None:
        lay_out_rivers(
            strengths[part], live[0][part], live[1][part], start[part], rows, pair[0][part], pair[1][part], twin[0][part], twin[1][part]
        )  # fmt: skip

    in_spans(number, lay_out)
    hands = all_hands(deal.deck, 2).astype(np.int32)
    players = [
        PlayerBoards(
            count=counts[p],
            pair=pair[p],
            order=np.where(pair[p] >= 0, np.arange(places[p], dtype=np.int32), places[p]).astype(np.int32),
            card1=np.where(pair[p] >= 0, hands[pair[p], 1], 0).astype(np.int32),
            card2=np.where(pair[p] >= 0, hands[pair[p], 0], 0).astype(np.int32),
            twin=twin[p],
            images=np.zeros((0, places[p]), dtype=np.int32),
            blocks=1,
            block=places[p],
        )
        for p in range(2)
    ]
    empty = np.zeros(number + 1, dtype=np.int32)
    river = StreetBoards(
        cards=tuple(tuple(int(card) for card in board) for board in boards),
        parent=np.arange(number, dtype=np.int32),
        first_child=empty,
        copies=np.ones(number, dtype=np.int32),
        share=np.ones(number),
        first_image=empty,
        player=(players[0], players[1]),
        group_start=start,
        groups=rows,
    )
    return (river,)
