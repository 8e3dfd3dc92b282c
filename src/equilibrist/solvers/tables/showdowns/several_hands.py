"""Which ends are won by odds: those of more than three hands, and those of three where the table says so."""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Longs
from equilibrist.forms.table_tree.table_tree import TableTree
from equilibrist.games.tables.payoffs import MOST_RANKED, order_of, pot_winners, weak_orders
from equilibrist.games.tables.table import THREE_BY_ODDS
from equilibrist.solvers.tables._kernels.several_hands import SeveralHands


def nowhere_several(ends: int, places: int = MOST_RANKED) -> SeveralHands:
    """Hands are compared in other ways at all ends."""
    nothing = np.zeros(0, np.int64)
    return SeveralHands(
        np.full(ends, -1),
        np.zeros(1, np.int64),
        np.zeros((0, places), np.int64),
        nothing,
        np.zeros((0, places), np.int64),
    )


def several_hands(tree: TableTree) -> SeveralHands:
    """All ways in which pots are won, once for each shape of pots that ends have."""
    wanted = tree.showing >= (MOST_RANKED if tree.table.three_way == THREE_BY_ODDS else MOST_RANKED + 1)
    shapes: dict[tuple[int, ...], int] = {}
    number, places = np.full(tree.ends, -1), tree.staying.shape[1]
    for end in np.flatnonzero(wanted).tolist():
        number[end] = shapes.setdefault(tuple(tree.tops[end, : tree.showing[end]].tolist()), len(shapes))
    ways = [pot_winners(tops) for tops in shapes]
    rows = [
        _row(way, len(tops), n) for tops, all_ways in zip(shapes, ways, strict=True) for n, way in enumerate(all_ways)
    ]
    return SeveralHands(
        number=number,
        first=np.cumsum([0, *map(len, ways)]),
        winners=_filled([way for all_ways in ways for way in all_ways], places),
        row=np.array(rows, np.int64),
        tops=_filled(list(shapes), places),
    )


def _filled(rows: list[tuple[int, ...]], places: int) -> Longs:
    """Rows of one length, with -1 after what they hold."""
    out = np.full((len(rows), places), -1)
    for number, row in enumerate(rows):
        out[number, : len(row)] = row
    return out


def _row(way: tuple[int, ...], hands: int, place: int) -> int:
    """What an outcome pays is at its place, but for three hands, whose orders are all there."""
    return place if hands > MOST_RANKED else weak_orders(hands).index(order_of(way, hands))
