"""What betting after the flop was worth when a table was last measured: one vector of classes for each line and seat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilibrist.cards.allins.classes import CLASSES
from equilibrist.core.arrays import Floats, Longs
from equilibrist.forms.table_tree.table_tree import TableTree
from equilibrist.games.tables.flop_spots import positions

FLOP_TABLES = "flop."  # names of the tables of flops in a solution's state begin so


@dataclass(frozen=True)
class PlayedWorth:
    """Beyond checking down, times the chance to meet the opponent; against the average strategies that were measured."""

    ends: Longs  # [line]
    value: Floats  # [line, player, class] of the average strategies; players are out of position, in position
    best: Floats  # [line, player, class] of best responses

    def add(self, tree: TableTree, seat: int, met: Floats, out: Floats, *, best: bool = False) -> None:
        """Add to out [end, class] what a seat has of it; `met` [row, class] are chances to meet what seats play."""
        for number, end in enumerate(self.ends.tolist()):
            seats = positions(tree.flop_ends[end])
            if seat in seats:
                found = (self.best if best else self.value)[number, seats.index(seat)]
                out[end] += found * folded_chance(tree, end, met)


def folded_chance(tree: TableTree, end: int, met: Floats) -> Floats:
    """[class] the chance that all seats but those that stay have folded, by rows `met` [row, class]."""
    out = np.ones(CLASSES)
    for seat in range(tree.table.seats):
        if seat not in tree.staying[end]:
            out = out * met[tree.rows[end, seat]]
    return out
