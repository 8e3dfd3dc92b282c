"""Many subgames of one shape solved side by side on a GPU: each with its own board, ranges, amounts and goal."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.precision import Precision
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.iteration_loop import LONGEST_SILENCE
from equilibrist.solvers.postflop.batches.batch_layout import BatchLayout
from equilibrist.solvers.postflop.gpu.cuda_device import Properties, cupy
from equilibrist.solvers.postflop.gpu.device_passes import WINDOW, DevicePasses, plan_streets
from equilibrist.solvers.postflop.gpu.street_plan import device_bytes
from equilibrist.solvers.postflop.gpu.synced_street import SyncedStreet
from equilibrist.solvers.postflop.tables import lock_street, make_street
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

FIRST_CHECK, GROWTH = 20, 1.1  # iterations at which games may end


class DeviceBatch:
    """Vector CFR for a batch; a game that has reached its goal is left as it is while the others go on."""

    def __init__(
        self,
        betting: Sequence[Sequence[StreetForest]],
        which: Longs,
        layout: BatchLayout,
        schedule: Schedule,
        *,
        predictive: bool = False,
    ) -> None:
        """`betting` [street][k], of which each game has the one that `which` [game] says."""
        different = list(zip(*betting, strict=True))
        if any(Precision.of(forests).needs_double for forests in different):
            raise NotApplicableError(
                "A game of this batch is so deep that single precision is not enough; solve it by itself."
            )
        self.streets = _streets(betting, layout, predictive)
        for depth, street in enumerate(self.streets if layout.locks else ()):
            lock_street(street, [lock for lock in layout.locks if lock.depth == depth])
        self.passes = DevicePasses(self.streets, betting, schedule, which, layout.hands)
        self.layout = replace(layout, hands=())  # those of the device will do
        self.games, self.iteration = len(which), 0
        self._raked = any((each.tie != 0.0).any() for forests in different for each in forests)
        for p in range(2):
            self.passes.set_ranges(p, layout.rows[p][:, None, :])
        self.iterations = np.zeros(self.games, dtype=np.int64)
        self.exploitability = np.full(self.games, np.inf)
        self.seconds = np.zeros(self.games)  # when each had ended

    def solve(self, goals: Floats, most: Longs, told: Callable[[int, int], None] | None = None) -> None:
        """Until each game has an exploitability of its goal in chips, and for its `most` iterations at most.

        `told` hears of the iteration and the games left.
        """
        left, check, begun = np.arange(self.games), FIRST_CHECK, time.perf_counter()
        while len(left):
            upto = min(check, int(most[left].min()))
            self.passes.advance(self.iteration, upto - self.iteration)
            self.iteration = upto
            gap = self._gaps()[left]
            self.exploitability[left], self.iterations[left] = gap, upto
            self.seconds[left] = time.perf_counter() - begun
            on = (gap > goals[left]) & (upto < most[left])
            if on.any():
                check = max(check + FIRST_CHECK // 2, int(check * GROWTH), self._soonest(gap[on], goals[left[on]]))
            if not on.all():
                left = left[on]
                self.passes.select(left)
            if told is not None:
                told(upto, len(left))
        self.passes.select(np.arange(self.games))

    def _soonest(self, gap: Floats, goals: Floats) -> int:
        """No game is at its goal before this iteration, by the rule of single runs; some games have none."""
        wanted = goals > 0.0
        above = float((gap[wanted] / goals[wanted]).min(initial=np.inf))
        return int(self.iteration * min(above ** (1.0 / BoardCFR.steepest), LONGEST_SILENCE))

    def _gaps(self) -> Floats:
        best = self.passes.weighed("respond").sum(axis=1)
        if self._raked:
            best = best - self.passes.weighed("value").sum(axis=1)
        gap: Floats = np.maximum(best / self.layout.normaliser, 0.0) / 2.0
        return gap

    def values(self) -> tuple[Floats, list[Floats]]:
        """[game, player] value of each game, and for each player [game, hand] what a hand is worth, not a number where it is not held.

        In chips, net of half the pot, against the opponent's hands that it can meet.
        """
        whole = self.passes.weighed("value") / self.layout.normaliser[:, None]
        found = [cupy().asnumpy(self.passes.root_values(p))[:, 0] for p in range(2)]
        return whole, [self.layout.values(p, found[p]) for p in range(2)]

    def tables(self, game: int, depth: int, player: int, name: str) -> Any:
        """[board, slot, place] of one game on one street."""
        street = self.passes.streets[depth]
        return street.rows(player, name, np.flatnonzero(street.games.owner == game))


def batch_bytes(
    betting: Sequence[Sequence[StreetForest]], which: Longs, layout: BatchLayout, *, predictive: bool = False
) -> int:
    """What such a batch will take on the device."""
    plans = plan_streets(_streets(betting, layout, predictive), betting, Properties(), which)
    return device_bytes(plans, WINDOW)


def _streets(betting: Sequence[Sequence[StreetForest]], layout: BatchLayout, predictive: bool) -> list[SyncedStreet]:
    deck = layout.deal.deck.size
    return [
        SyncedStreet.of(make_street(each[0], here, chance, deck, predictive, 32, elsewhere=True))
        for each, here, chance in zip(betting, layout.boards, layout.deal.chances, strict=True)
    ]
