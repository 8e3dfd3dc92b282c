"""What a network of values says of the ends of a street: the mean over the cards that may come, of what hands are worth after each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import torch

from equilibrist.cards.range_text import STANDARD
from equilibrist.core.arrays import Bools, Floats, Floats32, Longs
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.forms.boards.street_betting import DEAL
from equilibrist.learning.hand_values.belief_states import HANDS, even_outcomes
from equilibrist.learning.hand_values.meetings import EquityOrder, bands_of
from equilibrist.learning.hand_values.value_file import SavedValues
from equilibrist.learning.hand_values.value_net import FACED, OUTCOMES, HandQuestion
from equilibrist.solvers.postflop.depth_limited.showdown_odds import exact_odds

LEAST_MET = 1e-6  # of a belief: below this nothing can be said of what a hand is worth
LEAST_DEPTH = 0.02  # of the pot behind: nobody can bet any more, so hands are worth their equity
ROWS_AT_ONCE = 1 << 14  # hands at leaves in one call of the network: what it works on stays in the cache


class NetStreetEnds:
    """Values at the leaves of one spot's first street; bound once, asked in every pass."""

    def __init__(self, values: SavedValues, spot: CompiledSpot, threads: int = 1) -> None:
        self.net, self.street, self.error = values.net, values.street, float(values.errors["in_range"])
        first, second = (own.pair[0, : own.count[0]].astype(np.int64) for own in spot.boards[0].player)
        self.hands = first, second
        betting = spot.forests[0]
        leaves = np.flatnonzero(betting.kind == DEAL)
        self.pots: Floats = 2.0 * betting.stake[leaves]
        behind = min(spot.spot.stacks) + 0.5 * spot.spot.pot - 0.5 * self.pots
        self.depths = np.maximum(behind, 0.0) / self.pots
        self.asked: Bools = self.depths > LEAST_DEPTH
        self._limits = values.depths
        self.after = _AfterCards.of(spot.deal.board_cards, self.hands, OUTCOMES * self.net.outcomes)
        self.pool = ThreadPoolExecutor(threads) if threads > 1 else None
        torch.set_num_threads(1)  # threads take cards

    @property
    def outside(self) -> float:
        """By which factor the depth of some leaf lies outside what was trained, at most; 1 if none does."""
        asked = self.depths[self.asked]
        return float(np.exp(np.abs(np.log(asked) - np.log(np.clip(asked, *self._limits))).max(initial=0.0)))

    def told(self) -> Mapping[str, Any]:
        """What answers say of their leaves."""
        return {"values": self.street, "values_error": self.error, "outside": round(self.outside, 3)}

    @cached_property
    def _depth(self) -> torch.Tensor:
        return torch.from_numpy(np.log(np.clip(self.depths[self.asked], *self._limits)).astype(np.float32))

    def ask(self, player: int, reach: tuple[Floats32, Floats32]) -> Floats32:
        """[leaf, hand]"""
        cards = len(self.after.left)
        rows = max(1, int(self.asked.sum())) * sum(map(len, self.hands))
        step = max(1, ROWS_AT_ONCE // rows)
        parts = [slice(begin, min(begin + step, cards)) for begin in range(0, cards, step)]
        work = partial(self._after, player=player, reach=reach)
        summed = map(work, parts) if self.pool is None else self.pool.map(work, parts)
        total: Floats = np.sum(list(summed), axis=0)
        found: Floats32 = (total * (self.pots / self.after.chances)[:, None]).astype(np.float32)
        return found

    def _after(self, part: slice, player: int, reach: tuple[Floats32, Floats32]) -> Floats:
        """[leaf, hand] values times what is met, as shares of the pots, summed over some cards."""
        here = self.after
        held = [reach[p] * here.there[p][part, None] for p in range(2)]  # [card, leaf, hand]
        mass = [np.maximum(each.sum(axis=2, keepdims=True), np.float32(1e-30)) for each in held]
        belief = [each / total for each, total in zip(held, mass, strict=True)]
        met = [belief[1] @ here.apart.T, belief[0] @ here.apart]
        won = [belief[1] @ here.odds[part].transpose(0, 2, 1), -(belief[0] @ here.odds[part])]
        met = [
            np.where((here.there[p][part, None] > 0.0) & (met[p] > LEAST_MET), met[p], np.float32(0.0))
            for p in range(2)
        ]
        edge = [np.where(met[p] > 0.0, won[p] / np.where(met[p] > 0.0, met[p], 1.0), 0.0) for p in range(2)]
        share = 0.5 * edge[player]
        if self.asked.any():
            share[:, self.asked] = self._said(part, player, edge, met, belief)
        value: Floats = (share * met[player] * mass[1 - player]).sum(axis=0)
        return value

    def _said(
        self, part: slice, player: int, edge: Sequence[Floats32], met: Sequence[Floats32], belief: Sequence[Floats32]
    ) -> Floats32:
        """[card, asked leaf, hand] what the network answers for one player."""
        here, some, leaves = self.after, self.asked, int(self.asked.sum())
        edge, met, belief = ([each[:, some] for each in both] for both in (edge, met, belief))
        ranks = [
            np.stack([order[p].ranks(held) for order, held in zip(here.orders[part], belief[p], strict=True)])
            for p in range(2)
        ]
        faced = [self._faced(p, ranks[1 - p], belief[1 - p], met[p]) for p in range(2)]
        known = [
            [np.repeat(each[part][:, None, hands], leaves, axis=1) for hands in self.hands]
            for each in (here.equity, here.spread)
        ]
        shown = [np.repeat(here.outcomes[part][:, None, hands], leaves, axis=1) for hands in self.hands]
        tensors = [self._joined(both) for both in (*known, shown, ranks, edge, met, faced, belief)]
        asked = HandQuestion._make([*tensors, self._depth.repeat(len(edge[0]))])
        with torch.no_grad():
            found = self.net(asked)[:, player, : len(self.hands[player])].numpy()
        answer: Floats32 = found.reshape(len(edge[0]), leaves, -1)
        return answer

    def _joined(self, both: Sequence[Floats32]) -> torch.Tensor:
        """[card x leaf, 2, H, …] of two players' arrays [card, leaf, hand, …], whose hands may be fewer than H."""
        cards, leaves, _, *more = both[0].shape
        out = np.zeros((cards * leaves, 2, max(map(len, self.hands)), *more), dtype=np.float32)
        for p, each in enumerate(both):
            out[:, p, : each.shape[2]] = each.reshape(cards * leaves, *each.shape[2:])
        return torch.from_numpy(out)

    def _faced(self, player: int, ranks: Floats32, belief: Floats32, met: Floats32) -> Floats32:
        """[card, leaf, hand, band] how much of what a player's hands meet is in each band of the other's ranks."""
        band, apart = bands_of(ranks), self.after.apart.T if player == 0 else self.after.apart
        found = np.stack([(belief * (band == b)) @ apart for b in range(FACED)], axis=-1)
        out: Floats32 = np.where(met > 0.0, 1.0 / np.where(met > 0.0, met, 1.0), 0.0)[..., None] * found
        return out


@dataclass(frozen=True, eq=False)
class _AfterCards:
    """What the cards that may come make of both players' hands."""

    left: Longs  # [C]
    chances: float  # cards that may come when both hands are known
    there: tuple[Floats32, Floats32]  # by player [C, H]: whether a card leaves the hand
    odds: Floats32  # [C, H of oop, H of ip] chance to win less chance to lose
    apart: Floats32  # [H of oop, H of ip] whether two hands share no card
    equity: Floats32  # [C, 1326] against an even range
    spread: Floats32
    outcomes: Floats32  # [C, 1326, knot]
    orders: list[tuple[EquityOrder, EquityOrder]]  # by card and player

    @classmethod
    def of(cls, board: Sequence[int], hands: tuple[Longs, Longs], knots: int) -> _AfterCards:
        left = np.setdiff1d(np.arange(STANDARD.size), board)
        cards = [np.stack([HANDS.low[each], HANDS.high[each]]) for each in hands]
        shared = (cards[0][:, None, :, None] == cards[1][None, :, None, :]).any(axis=(0, 1))
        first, second = ((each[:, None] != left[:, None]).all(axis=0).astype(np.float32) for each in cards)
        odds = np.stack([exact_odds((*board, int(card)), *hands) for card in left])
        even = [even_outcomes((*board, int(card)), knots) for card in left]
        equity, spread, outcomes = (
            np.nan_to_num(np.stack(each)).astype(np.float32) for each in zip(*even, strict=True)
        )
        orders = [(EquityOrder.of(row[hands[0]]), EquityOrder.of(row[hands[1]])) for row, _, _ in even]
        chances = float(STANDARD.size - len(board) - 4)
        return cls(left, chances, (first, second), odds, (~shared).astype(np.float32), equity, spread, outcomes, orders)
