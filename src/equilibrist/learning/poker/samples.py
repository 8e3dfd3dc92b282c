"""Samples of walks as fits see them: what a net is asked, what it should answer, and how much it counts."""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor, nn

from equilibrist.learning.memories.on_device import DeviceReservoir
from equilibrist.learning.networks.card_net import CardNet
from equilibrist.learning.poker.fused_fit import FusedFit, Tiling, fusible
from equilibrist.learning.poker.held import Held
from equilibrist.learning.regression.fitting import FitBatch, masked_loss
from equilibrist.learning.regression.step_graphs import CLIP, Loss


class PokerSamples:
    """A memory, and what its hands and decisions look like to a net."""

    tiling = Tiling()

    def __init__(self, memory: DeviceReservoir, cards: Tensor, numbers: Tensor, legal: Tensor, shown: Tensor) -> None:
        """`cards` [hand, card], `shown` [hand, place] the same as zeros and ones, for captured steps."""
        self.memory, self.cards, self.numbers, self.legal = memory, cards, numbers, legal.float()
        self.shown, self.device = shown, memory.device
        self.mean = torch.ones((), device=self.device)

    def __len__(self) -> int:
        return len(self.memory)

    @property
    def seen(self) -> bool:
        return len(self) > 0

    def begin(self) -> None:
        """Weights count as shares of their mean."""
        if self.seen:
            self.mean.copy_(self.memory["weight"].mean())

    def batch(self, size: int, random: torch.Generator) -> FitBatch:
        """Drawn evenly."""
        chosen = torch.randint(len(self.memory), (size,), generator=random, device=self.device)
        decision = self.memory["decision"][chosen].long()
        inputs = (self.cards[self.memory["hand"][chosen].long()], self.numbers[decision])
        return FitBatch(
            inputs, self.legal[decision], self.memory["values"][chosen], self.memory["weight"][chosen] / self.mean
        )

    def loss_of(self, net: nn.Module, shares: bool, compiled: bool) -> Loss:
        """The loss of samples by number, as products of matrices."""
        held, work = self.held(), _compiled_loss() if compiled else sampled_loss
        return lambda chosen: work(net, held, chosen, shares)

    def fused_of(self, net: nn.Module, batch: int, shares: bool) -> FusedFit | None:
        """Steps in a few kernels, where there are such for a net."""
        if not fusible(net, self.held()):
            return None
        return FusedFit(net, self.held(), batch, shares, CLIP, self.tiling)

    def held(self) -> Held:
        """All of it, where it lies."""
        hand, decision, weight, values = (self.memory.columns[key] for key in ("hand", "decision", "weight", "values"))
        return Held(hand, decision, weight, values, self.mean, self.shown, self.numbers, self.legal)


def sampled_loss(net: CardNet, held: Held, chosen: Tensor, shares: bool) -> Tensor:
    """As `masked_loss` of `batch`."""
    decision = held.decision[chosen].long()
    out = net.by_places(held.shown[held.hand[chosen].long()], decision, held.numbers)
    return masked_loss(out, held.legal[decision], held.values[chosen], held.weight[chosen] / held.mean, shares)


@cache
def _compiled_loss():  # type: ignore[no-untyped-def]
    return torch.compile(sampled_loss, dynamic=False)


def shown_places(cards: Tensor, groups: tuple[int, ...], deck: int) -> Tensor:
    """[hand, group x deck] uint8: which cards of each group of [hand, card] are there."""
    out = torch.zeros((len(cards), len(groups) * deck), dtype=torch.uint8, device=cards.device)
    begin = 0
    for group, size in enumerate(groups):
        for card in range(begin, begin + size):
            rows = (cards[:, card] >= 0).nonzero().squeeze(1)
            out[rows, group * deck + cards[rows, card].long()] = 1
        begin += size
    return out
