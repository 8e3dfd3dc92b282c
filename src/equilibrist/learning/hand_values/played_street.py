"""One street of betting played by regret matching, hands at its end worth what they win by showdown: where beliefs come from.

Strategies are as rough as the iterations are few; what matters is which hands bet, call and fold together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from equilibrist.core.arrays import Floats32, Longs
from equilibrist.forms.boards.street_betting import DEAL, FOLD, IP, StreetForest

Reach = tuple[Floats32, Floats32]  # of both players


@dataclass
class PlayedStreet:
    """CFR+ with linear averages for both players at once; H hands, N nodes of the betting."""

    betting: StreetForest
    odds: Floats32  # [H, H] chance of a hand to win less chance to lose; 0 where two hands share a card
    apart: Floats32  # [H, H] whether they share none
    starts: Reach  # [H] what each player begins with
    beside: Reach  # [H] shares of the pot that a hand is worth at the end beyond its showdowns, where there is something left to bet
    iterations: int = 0
    regret: list[Floats32] = field(init=False)  # [slot, H]
    average: list[Floats32] = field(init=False)

    def __post_init__(self) -> None:
        shapes = [(slots, self.odds.shape[0]) for slots in self.betting.slots]
        self.regret, self.average = ([np.zeros(shape, dtype=np.float32) for shape in shapes] for _ in range(2))

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            self.iterations += 1
            played = [self._matched(p, self.regret[p]) for p in range(2)]
            reach = self._reach(played)
            ends = self._ends(reach)
            for p in range(2):
                self._learn(p, played[p], reach[p], ends[p])

    def beliefs(self, node: int, averages: bool) -> Reach:
        """[H] what both players hold where play has come to a node, by their present strategies or by their averages."""
        tables = self.average if averages else self.regret
        played = [self._matched(p, tables[p]) for p in range(2)]
        first, second = self._reach(played)
        return first[node], second[node]

    def _matched(self, player: int, table: Floats32) -> Floats32:
        """[slot, H] shares of a player's table at each node; even where there is nothing."""
        out = table.copy()
        for slots in self._decisions(player):
            total = out[slots].sum(axis=0)
            out[slots] = np.where(
                total > 0.0, out[slots] / np.where(total > 0.0, total, 1.0), 1.0 / (slots.stop - slots.start)
            )
        return out

    def _decisions(self, player: int) -> list[slice]:
        """Slots of each node where a player acts."""
        acting = self.betting.kind == player
        first = self.betting.slot[acting].tolist()
        return [slice(a, a + n) for a, n in zip(first, self.betting.children[acting].tolist(), strict=True)]

    def _reach(self, played: Sequence[Floats32]) -> Reach:
        """[N, H] of each player by its own strategy."""
        betting = self.betting
        out = [np.empty((len(betting), self.odds.shape[0]), dtype=np.float32) for _ in range(2)]
        for p in range(2):
            out[p][0] = self.starts[p]
        for node in np.flatnonzero(betting.kind <= IP).tolist():
            actor, first, count = int(betting.kind[node]), int(betting.first_child[node]), int(betting.children[node])
            slot = int(betting.slot[node])
            out[actor][first : first + count] = out[actor][node] * played[actor][slot : slot + count]
            out[1 - actor][first : first + count] = out[1 - actor][node]
        return out[0], out[1]

    def _ends(self, reach: Reach) -> list[Floats32]:
        """[player][N, H] counterfactual values where betting is over; elsewhere 0."""
        betting = self.betting
        folds, shown = np.flatnonzero(betting.kind == FOLD), np.flatnonzero(betting.kind > FOLD)
        more = (betting.kind[shown] == DEAL) & (betting.paid[shown, 0] < betting.stack)
        stake = betting.stake.astype(np.float32)[:, None]
        lost = _product([each[shown] for each in reach], self.odds)
        met = _product([each[np.concatenate([folds, shown[more]])] for each in reach], self.apart)
        out = []
        for p, (theirs, there) in enumerate(zip(np.split(lost, 2)[::-1], np.split(met, 2)[::-1], strict=True)):
            values = np.zeros_like(reach[p])
            sign = np.where(betting.folder[folds] == p, -1.0, 1.0).astype(np.float32)[:, None]
            values[folds] = sign * stake[folds] * there[: len(folds)]
            values[shown] = -stake[shown] * theirs
            values[shown[more]] += 2.0 * stake[shown[more]] * self.beside[p] * there[len(folds) :]
            out.append(values)
        return out

    def _learn(self, me: int, played: Floats32, reach: Floats32, values: Floats32) -> None:
        """Values from the ends up, regrets and averages on the way."""
        betting = self.betting
        for node in np.flatnonzero(betting.kind <= IP)[::-1].tolist():
            first, count = int(betting.first_child[node]), int(betting.children[node])
            below = values[first : first + count]
            if betting.kind[node] != me:
                values[node] = below.sum(axis=0)
                continue
            slots = slice(int(betting.slot[node]), int(betting.slot[node]) + count)
            values[node] = (played[slots] * below).sum(axis=0)
            self.regret[me][slots] = np.maximum(self.regret[me][slots] + below - values[node], 0.0)
            self.average[me][slots] += self.iterations * reach[node] * played[slots]


def _product(rows: Sequence[Floats32], matrix: Floats32) -> Floats32:
    """Rows one after the other times a matrix; many streets are played side by side, and threads of their own would be in their way."""
    from equilibrist.learning.hand_values._kernels.meetings import add_products

    joined = np.concatenate(rows)
    out = np.zeros((len(joined), matrix.shape[1]), dtype=np.float32)
    add_products(joined, matrix, out)
    return out


def open_ends(betting: StreetForest, least: float) -> tuple[Longs, list[float]]:
    """Nodes where a card comes and at least so many pots are left to bet, and how many there are."""
    ends = np.flatnonzero(betting.kind == DEAL)
    left = (betting.stack - betting.paid[ends].max(axis=1)) / (2.0 * betting.stake[ends])
    deep = left >= least
    return ends[deep], left[deep].tolist()
