"""Ends of a street where a few of the cards that may come are drawn in each pass and asked about; the others are worth their equity there.

What the network adds to equities is summed over the drawn cards and scaled up, so that its mean is what asking about all of them gives;
equities themselves are exact over all cards. A pass takes a sixth of the time with 6 of 49 cards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from equilibrist.core.arrays import Floats32
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.learning.hand_values.edge_values import Both, NetStreetEnds
from equilibrist.learning.hand_values.network_values import NetworkValues
from equilibrist.learning.hand_values.value_file import SavedValues

MEASURED = 3  # times as many cards where strategies are measured


class SampledStreetEnds(NetStreetEnds):
    """Values at the leaves of one spot's first street, with so many `cards` a pass; 0: all."""

    def __init__(
        self, values: SavedValues, spot: CompiledSpot, cards: int, random: np.random.Generator, **how: Any
    ) -> None:
        super().__init__(values, spot, **how)
        self.cards, self.random = cards, random
        self.odds: Tensor | None = None
        self._measured: list[int] | None = None
        self.reach: tuple[Floats32, Floats32] | None = None  # what was asked about last

    def ask(self, player: int, reach: tuple[Floats32, Floats32]) -> Floats32:
        """[leaf, hand]"""
        self.reach = reach
        return self._about(player, reach, self._draw(self.cards)) if self.samples else super().ask(player, reach)

    def measure(self, player: int, reach: tuple[Floats32, Floats32]) -> Floats32:
        """With cards that are drawn once, more of them."""
        if not self.samples:
            return super().ask(player, reach)
        if self._measured is None:
            self._measured = self._draw(min(MEASURED * self.cards, len(self.after.left)))
        return self._about(player, reach, self._measured)

    @property
    def samples(self) -> bool:
        """Whether only some of the cards are asked about."""
        return 0 < self.cards < len(self.after.left)

    def _draw(self, cards: int) -> list[int]:
        drawn: list[int] = np.sort(self.random.choice(len(self.after.left), cards, replace=False)).tolist()
        return drawn

    def _about(self, player: int, reach: tuple[Floats32, Floats32], cards: list[int]) -> Floats32:
        """Equities over all cards, and what the network adds to them, over some."""
        first, second = (torch.from_numpy(each).to(self.device) for each in reach)
        added = self._over_cards(player, (first, second), [slice(card, card + 1) for card in cards])
        return self._in_chips(self._equities(player, (first, second)) + added * (len(self.after.left) / len(cards)))

    def checked_down(self, player: int, reach: tuple[Floats32, Floats32]) -> Floats32:
        """[row, hand] a player's counterfactual values as shares of the pot if nobody bets any more; both players' `reach` [row, hand]."""
        first, second = (torch.from_numpy(each).to(self.device) for each in reach)
        found: Floats32 = (self._equities(player, (first, second)) / self.after.chances).cpu().numpy()
        return found

    def _equities(self, player: int, reach: Both) -> Tensor:
        """Summed over all cards that may come."""
        if self.odds is None:
            self.odds = self._odds()
        won = reach[1] @ self.odds.T if player == 0 else -(reach[0] @ self.odds)
        return 0.5 * won

    def _odds(self) -> Tensor:
        """[hand of oop, hand of ip] chance to win less chance to lose, summed over all cards."""
        after, alike = self.after, self._alike
        out = torch.zeros_like(after.odds[0])
        there = after.there
        for move, number in enumerate(alike.number):
            some = torch.zeros_like(out)
            for card in torch.nonzero(number).flatten().tolist():
                some += number[card] * after.odds[card] * there[0][card][:, None] * there[1][card]
            out += some[alike.places[0][move]][:, alike.places[1][move]]
        return out

    def _share(self, here: Any, player: int, edge: Both, met: Both, belief: Both) -> Tensor:
        """What the network adds to equities, where only some cards are asked about."""
        if not self.samples:
            return super()._share(here, player, edge, met, belief)
        out = torch.zeros_like(edge[player])
        if len(self._some):
            out[:, self._some] = self._said(here, player, edge, met, belief) - 0.5 * edge[player][:, self._some]
        return out


@dataclass(frozen=True)
class SampledValues(NetworkValues):
    """The same for searches: `Continuations(values=SampledValues("runs/rebel", cards=8))`."""

    cards: int = 8
    seed: int = 0

    def bind(self, spot: CompiledSpot, threads: int = 1, device: str = "cpu") -> SampledStreetEnds:
        """For one spot; refuses a network of another street."""
        saved = self.saved(len(spot.deal.board_cards))
        return SampledStreetEnds(
            saved, spot, self.cards, np.random.default_rng(self.seed), threads=threads, device=device
        )
