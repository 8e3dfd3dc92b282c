"""What a network of values says of the ends of a street: the mean over the cards that may come, of what hands are worth after each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from equilibrist.cards.evaluator import hand_index
from equilibrist.cards.isomorphism import symmetries
from equilibrist.cards.range_text import STANDARD
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Bools, Floats, Floats32, Longs
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.forms.boards.street_betting import DEAL
from equilibrist.learning.hand_values.belief_states import HANDS, even_outcomes
from equilibrist.learning.hand_values.meetings import BANDS, EquityOrder
from equilibrist.learning.hand_values.value_file import SavedValues
from equilibrist.learning.hand_values.value_net import FACED, OUTCOMES, HandQuestion
from equilibrist.learning.networks.torch_extra import torch_device
from equilibrist.solvers.postflop.depth_limited.showdown_odds import exact_odds

LEAST_MET = 1e-6  # of a belief: below this nothing can be said of what a hand is worth
LEAST_DEPTH = 0.02  # of the pot behind: nobody can bet any more, so hands are worth their equity
ROWS_AT_ONCE = 1 << 14  # hands at leaves in one call of the network: what it works on stays in the cache
ROWS_ON_DEVICE = 1 << 22
Both = tuple[Tensor, Tensor]  # of each player


class NetStreetEnds:
    """Values at the leaves of one spot's first street; bound once, asked in every pass."""

    def __init__(
        self,
        values: SavedValues,
        spot: CompiledSpot,
        threads: int = 1,
        device: str = "cpu",
        after: _AfterCards | None = None,
    ) -> None:
        """`after`: what was found for the same board and hands before."""
        self.device = torch_device(device)
        self.net = values.net if self.device.type == "cpu" else deepcopy(values.net).to(self.device)
        self.street, self.error = values.street, float(values.errors["in_range"])
        first, second = (own.pair[0, : own.count[0]].astype(np.int64) for own in spot.boards[0].player)
        self.hands = first, second
        betting = spot.forests[0]
        leaves = np.flatnonzero(betting.kind == DEAL)
        self.pots: Floats = 2.0 * betting.stake[leaves]
        behind = min(spot.spot.stacks) + 0.5 * spot.spot.pot - 0.5 * self.pots
        self.depths = np.maximum(behind, 0.0) / self.pots
        self.asked: Bools = self.depths > LEAST_DEPTH
        self._limits = values.depths
        asked = np.clip(self.depths[self.asked], *self._limits)
        self._depth = torch.from_numpy(np.log(asked).astype(np.float32)).to(self.device)
        self._some = torch.from_numpy(np.flatnonzero(self.asked)).to(self.device)
        knots = OUTCOMES * self.net.outcomes
        deal, weights = spot.deal, [np.asarray(each, dtype=np.float64) for each in spot.weights]
        self._alike = _CardsAlike.of(
            np.setdiff1d(np.arange(STANDARD.size), deal.board_cards),
            symmetries(deal.board, weights, deal.deck, deal.hands)[: None if spot.isomorphism else 1],
            self.hands,
            self.device,
        )
        self.after = after or _AfterCards.of(
            deal.board_cards, self._alike.kept, self.hands, knots, threads, self.device
        )
        self.pool = ThreadPoolExecutor(threads) if threads > 1 and self.device.type == "cpu" else None

    @property
    def outside(self) -> float:
        """By which factor the depth of some leaf lies outside what was trained, at most; 1 if none does."""
        asked = self.depths[self.asked]
        return float(np.exp(np.abs(np.log(asked) - np.log(np.clip(asked, *self._limits))).max(initial=0.0)))

    def told(self) -> Mapping[str, Any]:
        """What answers say of their leaves."""
        return {"values": self.street, "values_error": self.error, "outside": round(self.outside, 3)}

    def ask(self, player: int, reach: tuple[Floats32, Floats32]) -> Floats32:
        """[leaf, hand]"""
        first, second = (torch.from_numpy(each).to(self.device) for each in reach)
        rows = max(1, len(self._some)) * sum(map(len, self.hands))
        step = max(1, (ROWS_AT_ONCE if self.device.type == "cpu" else ROWS_ON_DEVICE) // rows)
        cards = len(self.after.left)
        parts = [slice(begin, min(begin + step, cards)) for begin in range(0, cards, step)]
        return self._in_chips(self._over_cards(player, (first, second), parts))

    def measure(self, player: int, reach: tuple[Floats32, Floats32]) -> Floats32:
        """The same."""
        return self.ask(player, reach)

    def _over_cards(self, player: int, reach: Both, parts: Sequence[slice]) -> Tensor:
        """[leaf, hand] shares of the pots times what is met, summed over some of the kept cards and those that are like them."""
        work = partial(self._after, player=player, reach=reach)
        summed = map(work, parts) if self.pool is None else self.pool.map(work, parts)
        return self._alike.spread(player, torch.stack(list(summed)).sum(0))

    def _in_chips(self, shares: Tensor) -> Floats32:
        """Sums over all cards as the run takes them."""
        total: Floats = shares.cpu().numpy().astype(np.float64)
        found: Floats32 = (total * (self.pots / self.after.chances)[:, None]).astype(np.float32)
        return found

    def _after(self, part: slice, player: int, reach: Both) -> Tensor:
        """[move, leaf, hand] values times what is met, as shares of the pots, summed over some cards: of `_CardsAlike`."""
        with torch.no_grad():
            here = self.after.part(part)
            held = [reach[p] * here.there[p][:, None] for p in range(2)]  # [card, leaf, hand]
            mass = [each.sum(2, keepdim=True).clamp(min=1e-30) for each in held]
            belief = held[0] / mass[0], held[1] / mass[1]
            met = here.met(belief)
            won = belief[1] @ here.odds.mT, -(belief[0] @ here.odds)
            edge = tuple(w / m.clamp(min=LEAST_MET) * (m > 0.0) for w, m in zip(won, met, strict=True))
            share = self._share(here, player, (edge[0], edge[1]), met, belief)
            value = share * met[player] * mass[1 - player]
            return torch.einsum("mc,clh->mlh", self._alike.number[:, part], value)

    def _share(self, here: _AfterCards, player: int, edge: Both, met: Both, belief: Both) -> Tensor:
        """[card, leaf, hand] shares of the pot: equities, and what the network answers where somebody can bet."""
        share = 0.5 * edge[player]
        if len(self._some):
            share[:, self._some] = self._said(here, player, edge, met, belief)
        return share

    def _said(self, here: _AfterCards, player: int, edge: Both, met: Both, belief: Both) -> Tensor:
        """[card, asked leaf, hand] what the network answers for one player."""
        cards, leaves = len(here.left), len(self._some)
        edge, met, belief = ((each[0][:, self._some], each[1][:, self._some]) for each in (edge, met, belief))
        ranks = here.ranks(belief)
        faced = here.faced(ranks, belief, met)
        known = [
            tuple(each[:, None].expand(-1, leaves, *each.shape[1:]) for each in both)
            for both in (here.equity, here.spread, here.outcomes)
        ]
        tensors = [_joined(both) for both in (*known, ranks, edge, met, faced, belief)]
        found = self.net(HandQuestion._make([*tensors, self._depth.repeat(cards)]))
        answer: Tensor = found[:, player, : len(self.hands[player])].reshape(cards, leaves, -1)
        return answer


def _joined(both: Sequence[Tensor]) -> Tensor:
    """[card x leaf, 2, H, …] of two players' tensors [card, leaf, hand, …], whose hands may be fewer than H."""
    cards, leaves, _, *more = both[0].shape
    out = both[0].new_zeros((cards, leaves, 2, max(each.shape[2] for each in both), *more))
    for p, each in enumerate(both):
        out[:, :, p, : each.shape[2]] = each
    return out.flatten(0, 1)


@dataclass(frozen=True)
class _CardsAlike:
    """Cards that may come and that relabellings of suits turn into each other, where they change neither board nor ranges: one is asked.

    After the others each hand is worth what the relabelled hand is worth after the kept one.
    """

    kept: Longs  # [C]
    number: Tensor  # [move, C] cards that a move takes to each kept one
    places: Both  # [move, hand] where a move takes each hand

    @classmethod
    def of(cls, left: Longs, moves: Any, hands: tuple[Longs, Longs], device: torch.device) -> _CardsAlike:
        lowest, by = moves[:, left].min(axis=0).astype(np.int64), moves[:, left].argmin(axis=0)
        kept = np.unique(lowest)
        used = np.unique(by)
        number = np.stack([np.bincount(np.searchsorted(kept, lowest[by == m]), minlength=len(kept)) for m in used])
        places = []
        for own in hands:
            cards = np.stack([HANDS.low[own], HANDS.high[own]], axis=1)
            where = np.zeros(HANDS.count, dtype=np.int64)
            where[own] = np.arange(len(own))
            places.append(torch.from_numpy(np.stack([where[hand_index(moves[m][cards])] for m in used])).to(device))
        return cls(kept, torch.from_numpy(number.astype(np.float32)).to(device), (places[0], places[1]))

    def spread(self, player: int, found: Tensor) -> Tensor:
        """[leaf, hand] over all cards, from sums over those kept [move, leaf, hand]."""
        return torch.stack([each[:, place] for each, place in zip(found, self.places[player], strict=True)]).sum(0)


@dataclass(frozen=True)
class _AfterCards:
    """What the C cards that may come make of both players' hands; tensors of each player."""

    left: Longs  # [C]
    chances: float  # cards that may come when both hands are known
    there: Both  # [C, H] whether a card leaves the hand
    equity: Both  # [C, H] against an even range
    spread: Both
    outcomes: Both  # [C, H, knot]
    order: Both  # [C, H] as of `EquityOrder`
    below: Both
    up_to: Both
    odds: Tensor  # [C, H of oop, H of ip] chance to win less chance to lose
    apart: Tensor  # [H of oop, H of ip] whether two hands share no card
    bands: Tensor

    @classmethod
    def of(
        cls,
        board: Sequence[int],
        left: Longs,
        hands: tuple[Longs, Longs],
        knots: int,
        threads: int,
        device: torch.device,
    ) -> _AfterCards:
        """`left`: cards that may come."""
        team = Team(threads)
        odds = team.run([partial(exact_odds, (*board, int(card)), *hands) for card in left])
        even = team.run([partial(even_outcomes, (*board, int(card)), knots) for card in left])
        cards = [np.stack([HANDS.low[each], HANDS.high[each]]) for each in hands]
        shared = (cards[0][:, None, :, None] == cards[1][None, :, None, :]).any(axis=(0, 1))

        def both(each: Any, dtype: torch.dtype = torch.float32) -> Both:
            """By a function of a player's number, of arrays [C, H, …]."""
            first, second = (torch.from_numpy(np.ascontiguousarray(each(p))).to(device, dtype) for p in range(2))
            return first, second

        orders = [[EquityOrder.of(row[hands[p]]) for row, _, _ in even] for p in range(2)]
        known = [np.nan_to_num(np.stack(each)) for each in zip(*even, strict=True)]
        return cls(
            left=left,
            chances=float(STANDARD.size - len(board) - 4),
            there=both(lambda p: (cards[p][:, None] != left[:, None]).all(axis=0)),
            equity=both(lambda p: known[0][:, hands[p]]),
            spread=both(lambda p: known[1][:, hands[p]]),
            outcomes=both(lambda p: known[2][:, hands[p]]),
            order=both(lambda p: np.stack([each.order for each in orders[p]]), torch.int64),
            below=both(lambda p: np.stack([each.below for each in orders[p]]), torch.int64),
            up_to=both(lambda p: np.stack([each.up_to for each in orders[p]]), torch.int64),
            odds=torch.from_numpy(np.stack(odds)).to(device),
            apart=torch.from_numpy((~shared).astype(np.float32)).to(device),
            bands=torch.from_numpy(BANDS).to(device),
        )

    def part(self, some: slice) -> _AfterCards:
        """Some of the cards."""
        cut = {key: (both[0][some], both[1][some]) for key, both in vars(self).items() if isinstance(both, tuple)}
        return _AfterCards(
            left=self.left[some], chances=self.chances, odds=self.odds[some], apart=self.apart, bands=self.bands, **cut
        )

    def _met_by(self, player: int, theirs: Tensor) -> Tensor:
        """[…, hand] how much of what the other holds […, hand] shares no card with each hand."""
        out: Tensor = theirs @ (self.apart.T if player == 0 else self.apart)
        return out

    def met(self, belief: Both) -> Both:
        """[card, leaf, hand]; nothing where it is so little that nothing can be said."""
        first, second = (self._met_by(p, belief[1 - p]) * self.there[p][:, None] for p in range(2))
        return torch.where(first > LEAST_MET, first, 0.0), torch.where(second > LEAST_MET, second, 0.0)

    def ranks(self, belief: Both) -> Both:
        """[card, leaf, hand] share of a belief with less equity, hands with the same counted half."""
        first, second = (self._ranks(p, belief[p]) for p in range(2))
        return first, second

    def _ranks(self, p: int, belief: Tensor) -> Tensor:
        leaves = belief.shape[1]
        order, below, up_to = (each[p][:, None].expand(-1, leaves, -1) for each in (self.order, self.below, self.up_to))
        sums = torch.nn.functional.pad(torch.cumsum(torch.gather(belief, 2, order), 2), (1, 0))
        found: Tensor = 0.5 * (torch.gather(sums, 2, below) + torch.gather(sums, 2, up_to))
        return found.clamp(0.0, 1.0)

    def faced(self, ranks: Both, belief: Both, met: Both) -> Both:
        """[card, leaf, hand, band] how much of what a player's hands meet is in each band of the other's ranks."""
        out = []
        for p in range(2):
            band = torch.bucketize(ranks[1 - p].contiguous(), self.bands, right=True)
            parts = torch.stack([belief[1 - p] * (band == b) for b in range(FACED)])
            share = self._met_by(p, parts) / met[p].clamp(min=LEAST_MET) * (met[p] > 0.0)
            out.append(share.permute(1, 2, 3, 0))
        return out[0], out[1]
