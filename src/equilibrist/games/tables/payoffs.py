"""What the outcomes of a hand pay every seat: big blinds won, or prize money by ICM with bounties."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import product

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.games.tables.betting import Situation
from equilibrist.games.tables.pots import Settled, last_pots, layers, settle
from equilibrist.games.tables.table import Table
from equilibrist.games.tournaments.icm import icm_many
from equilibrist.games.tournaments.knockouts import bounty_flow

Worth = Callable[[Floats, Sequence[float]], Floats]  # of stacks [row, seat] after a hand, given those before it
MOST_RANKED = 3  # hands whose orders are all told apart, split pots included; of more only who wins which pot


@lru_cache(maxsize=8)
def weak_orders(hands: int) -> tuple[tuple[int, ...], ...]:
    """All ways in which so many hands can rank, ties included: 1, 3, 13, 75 …; 0 is the best, ranks without gaps."""
    ranked = product(range(hands), repeat=hands)
    return tuple(order for order in ranked if set(order) == set(range(max(order) + 1)))


@lru_cache(maxsize=4096)
def pot_winners(tops: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """All ways to win pots without a split: who wins the main pot, then who wins the first pot that this hand is not in, and so on.

    `tops` [place] are the last pots that hands can win. With n hands and one pot there are n, at most 2**(n - 1).
    """

    def go_on(pot: int) -> list[tuple[int, ...]]:
        if pot > max(tops):
            return [()]
        able = [place for place, top in enumerate(tops) if top >= pot]
        return [(place, *rest) for place in able for rest in go_on(tops[place] + 1)]

    return tuple(go_on(0))


def order_of(winners: Sequence[int], hands: int) -> tuple[int, ...]:
    """An order of so many hands in which these win their pots; the others are last."""
    return tuple(winners.index(place) if place in winners else len(winners) for place in range(hands))


def orders_of(tops: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The orders of hands that show by which their outcomes are told apart: all of them, or one for all ways to win the pots."""
    if len(tops) <= MOST_RANKED:
        return weak_orders(len(tops))
    return tuple(order_of(winners, len(tops)) for winners in pot_winners(tops))


class Payoffs:
    """Payoffs of hands that are over, all seats at once; equal stacks are valued once."""

    def __init__(self, table: Table, worth: Worth | None = None) -> None:
        """`worth`: what stacks are worth after the hand, where that is not ICM."""
        self.table, self.worth = table, worth
        self._wanted: list[Settled] = []

    def add(self, end: Situation, order: Sequence[int] | None = None) -> tuple[int, tuple[int, ...]]:
        """Ask for all outcomes of a hand, or for one order; their first row among `values`, and the last pot that each hand can win."""
        begin, pots = len(self._wanted), layers(end)
        tops = last_pots(end, pots)
        self._wanted += [settle(end, pots, each) for each in (orders_of(tops) if order is None else [order])]
        return begin, tops

    def values(self) -> Floats:
        """[outcome, seat] of all that was asked for."""
        table = self.table
        stacks = np.array([each.stacks for each in self._wanted]).reshape(-1, table.seats)
        if not table.payouts:
            won: Floats = (stacks - np.array(table.stacks)) / table.big_blind
            return won
        different, which = np.unique(np.round(stacks, 9), axis=0, return_inverse=True)
        prizes: Floats = self._prizes(different)[which.ravel()]
        if not table.bounties:
            return prizes
        heads: Floats = np.array([self._bounties(each) for each in self._wanted])
        return prizes + heads

    def _prizes(self, stacks: Floats) -> Floats:
        if self.worth is not None:
            return self.worth(stacks, self.table.stacks)
        return icm_many(stacks, self.table.payouts, before=self.table.stacks)

    def _bounties(self, settled: Settled) -> Floats:
        """[seat] cash for heads taken in this hand, and expected cash from those that are left."""
        table = self.table
        heads, cash = np.array(table.bounties), np.zeros(table.seats)
        for gone, takers in settled.takers.items():
            for taker in takers:
                share = table.bounties[gone] / len(takers)
                cash[taker] += (1.0 - table.progressive) * share
                heads[taker] += table.progressive * share
            heads[gone] = 0.0
        alive = [seat for seat, chips in enumerate(settled.stacks) if chips > 0.0]
        flow = _flow(tuple(settled.stacks[seat] for seat in alive), table.progressive)
        cash[alive] += heads[alive] @ flow
        return cash


@lru_cache(maxsize=4096)
def _flow(stacks: tuple[float, ...], progressive: float) -> Floats:
    return bounty_flow(np.array(stacks), progressive)
