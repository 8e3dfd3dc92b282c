"""What the strategies of a solved table are worth to each seat, worked out once where it is looked at."""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np

from equilibrist.cards.allins.classes import CLASSES
from equilibrist.cards.allins.pairs import removal
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats
from equilibrist.forms.table_tree.table_tree import TableTree
from equilibrist.solvers.tables._kernels.passes import respond_up
from equilibrist.solvers.tables.flop_worth import PlayedWorth
from equilibrist.solvers.tables.table_cfr import EndValues

KEPT_BYTES = 256_000_000  # of seats whose values are remembered; at least one is
RARE = 1e-9  # reach below which a hand is not there


class TableWorth:
    """Values of all places for one seat at a time; several threads may ask."""

    def __init__(self, tree: TableTree, strategy: Floats, flops: PlayedWorth | None = None) -> None:
        """`flops`: what betting after the flop is worth under this strategy, where flops are played."""
        self.tree, self.strategy, self.flops = tree, strategy, flops  # strategy [slot, class]
        self._kept: OrderedDict[int, tuple[Floats, Floats, Floats]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def keeps_all(self) -> bool:
        """Whether values of all seats are remembered together."""
        tree = self.tree
        return 8 * CLASSES * (2 * tree.decisions + tree.ends) * tree.table.seats <= KEPT_BYTES

    def of(self, seat: int) -> tuple[Floats, Floats]:
        """[decision, class] and [end, class]: payoffs of a seat times the chance that the others come there."""
        values, ends, _ = self._seat(seat)
        return values, ends

    def met(self, seat: int, decision: int, rows: Floats) -> Floats:
        """[class] that chance at a decision; `rows` are the reaches of all seats there."""
        if self.tree.table.bunching:
            chance: Floats = self._seat(seat)[2][decision]
            return chance
        met, meets = np.ones(CLASSES), removal().T
        for other in range(self.tree.table.seats):
            if other != seat:
                met = met * (rows[other] @ meets)
        return met

    def _seat(self, seat: int) -> tuple[Floats, Floats, Floats]:
        with self._lock:
            if seat not in self._kept:
                self._kept[seat] = self._work_out(seat)
                while len(self._kept) > 1 and sum(a.nbytes for each in self._kept.values() for a in each) > KEPT_BYTES:
                    self._kept.popitem(last=False)
            return self._kept[seat]

    def _work_out(self, seat: int) -> tuple[Floats, Floats, Floats]:
        tree, ends = self.tree, EndValues(self.tree, Team(1))
        for each in range(tree.table.seats):
            ends.play(each, self.strategy)
        if ends.three is not None:
            ends.look()
        worth = ends.of(seat)
        if self.flops is not None:
            self.flops.add(tree, seat, ends.met, worth)
        values, best = np.empty((2, tree.decisions, CLASSES))
        respond_up(
            seat,
            tree.seat,
            tree.first,
            tree.slots,
            tree.children,
            *tree.locks,
            worth,
            worth,
            self.strategy,
            values,
            best,
        )
        return values, worth, ends.chance
