"""Many subgames of one shape solved side by side on a GPU: each with its own board, ranges, amounts and goal."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats, Ints, Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.precision import Precision
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import Deal, StreetBoards
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.iteration_loop import LONGEST_SILENCE
from equilibrist.solvers.postflop.gpu.cuda_device import cupy
from equilibrist.solvers.postflop.gpu.device_passes import DevicePasses
from equilibrist.solvers.postflop.gpu.synced_street import SyncedStreet
from equilibrist.solvers.postflop.tables import make_street
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

FIRST_CHECK, GROWTH = 20, 1.1  # iterations at which games may end


class DeviceBatch:
    """Vector CFR for a batch; a game that has reached its goal is left as it is while the others go on."""

    def __init__(
        self,
        betting: Sequence[Sequence[StreetForest]],
        which: Longs,
        deal: Deal,
        boards: Sequence[StreetBoards],
        weights: Sequence[Floats],
        schedule: Schedule,
        *,
        predictive: bool = False,
    ) -> None:
        """`betting` [street][k], of which each game has the one that `which` [game] says; `boards` as `join_boards` gives them; `weights`
        [game, hand] of each player; `deal` of any game."""
        different = list(zip(*betting, strict=True))  # of which many games may share one
        if any(Precision.of(forests).needs_double for forests in different):
            raise NotApplicableError(
                "A game of this batch is so deep that single precision is not enough; solve it by itself."
            )
        self.streets = [
            SyncedStreet.of(make_street(each[0], here, chance, deal.deck.size, predictive, 32))
            for each, here, chance in zip(betting, boards, deal.chances, strict=True)
        ]
        self.passes = DevicePasses(self.streets, betting, schedule, which)
        self.games, self.iteration = len(weights[0]), 0
        self.pair = [own.pair for own in boards[0].player]
        self._raked = any((each.tie != 0.0).any() for forests in different for each in forests)
        given = [
            np.where(own >= 0, np.take_along_axis(w, np.maximum(own, 0), 1), 0.0)
            for own, w in zip(self.pair, weights, strict=True)
        ]
        for p in range(2):
            self.passes.set_ranges(p, given[p][:, None, :].astype(np.float32))
        self.met = [self._met(deal, given[1 - p], self.pair[1 - p]) for p in range(2)]
        own = np.take_along_axis(self.met[0], np.maximum(self.pair[0], 0), 1)
        self.normaliser = (given[0] * own).sum(axis=1)
        self.iterations = np.zeros(self.games, dtype=np.int64)
        self.exploitability = np.full(self.games, np.inf)
        self.seconds = np.zeros(self.games)  # when each had ended

    def _met(self, deal: Deal, given: Floats, pair: Ints) -> Floats:
        """[game, hand]: weight of the opponent's hands that share no card with each hand."""
        held = np.zeros((len(given), len(deal.hands)))
        rows, places = np.nonzero(pair >= 0)
        held[rows, pair[rows, places]] = given[rows, places]
        return deal.met(held)

    def solve(self, goals: Floats, most: int, told: Callable[[int, int], None] | None = None) -> None:
        """Until each game has an exploitability of its goal in chips, and for `most` iterations at most.

        `told` hears of the iteration and the games left.
        """
        left, check, begun = np.arange(self.games), FIRST_CHECK, time.perf_counter()
        while len(left):
            upto = min(check, most)
            self.passes.advance(self.iteration, upto - self.iteration)
            self.iteration = upto
            gap = self._gaps()[left]
            self.exploitability[left], self.iterations[left] = gap, upto
            self.seconds[left] = time.perf_counter() - begun
            on = gap > goals[left] if upto < most else np.zeros(len(left), dtype=bool)
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
        gap: Floats = np.maximum(best / self.normaliser, 0.0) / 2.0
        return gap

    def values(self) -> tuple[Floats, list[Floats]]:
        """[game, player] value of each game, and for each player [game, hand] what a hand is worth, not a number where it is not held.

        In chips, net of half the pot, against the opponent's hands that it can meet.
        """
        whole = self.passes.weighed("value") / self.normaliser[:, None]
        by_hand = []
        for p, pair in enumerate(self.pair):
            found = cupy().asnumpy(self.passes.root_values(p))[:, 0, : pair.shape[1]].astype(np.float64)
            out = np.full(self.met[p].shape, np.nan)
            rows, places = np.nonzero(pair[:, : found.shape[1]] >= 0)
            hands = pair[rows, places]
            with np.errstate(divide="ignore", invalid="ignore"):
                out[rows, hands] = found[rows, places] / self.met[p][rows, hands]
            by_hand.append(out)
        return whole, by_hand

    def tables(self, game: int, depth: int, player: int, name: str) -> Any:
        """[board, slot, place] of one game on one street."""
        street = self.passes.streets[depth]
        return street.rows(player, name, np.flatnonzero(street.games.owner == game))
