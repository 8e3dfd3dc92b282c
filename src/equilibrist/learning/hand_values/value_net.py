"""The network: what each hand of both players is worth at the start of a street.

A hand is known by what suits cannot change: its equity against an even range and how far that may still move, where it stands in its own
player's belief, how it fares against the other's if nobody bets, and which part of that its cards take away. What a range consists of is
the mean of its hands' features; both ranges and the depth of stacks then say how much more than its equity each hand is worth. Values of
both players add up to nothing, by construction; exchanging suits changes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

KNOTS = 16  # of equities
FACED = 5  # bands of ranks
DEPTHS = 10  # of stacks, on a logarithmic scale
DEEPEST = 2.75  # logarithm of the largest depth that is told apart


class HandQuestion(NamedTuple):
    """B states; each player's hands have places of their own, H of them."""

    equity: Tensor  # [B, 2, H] against an even range
    spread: Tensor  # [B, 2, H]
    rank: Tensor  # [B, 2, H] share of the player's own belief that has less equity
    edge: Tensor  # [B, 2, H] against the other's belief
    met: Tensor  # [B, 2, H]
    faced: Tensor  # [B, 2, H, band] how much of what a hand meets is in each band of the other's ranks
    belief: Tensor  # [B, 2, H] 0 at places without a hand
    depth: Tensor  # [B] logarithm of stacks as shares of the pot


class HandValueNet(nn.Module):
    """`width` features of a hand, `wide` of a pair of ranges; before it has learned, values are those of checking down."""

    def __init__(self, width: int = 32, wide: int = 128) -> None:
        super().__init__()
        self.width, self.wide = width, wide
        self.hand = nn.Sequential(
            nn.Linear(3 * KNOTS + 2 + FACED, width), nn.GELU(), nn.Linear(width, width), nn.GELU()
        )
        self.ranges = nn.Sequential(
            nn.Linear(2 * (width + KNOTS) + DEPTHS + 1, wide), nn.GELU(), nn.Linear(wide, wide), nn.GELU(), nn.Linear(wide, width)
        )  # fmt: skip
        self.mixed = nn.Linear(width, width)
        self.worth = nn.Sequential(nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))
        nn.init.zeros_(self.worth[-1].weight)
        nn.init.zeros_(self.worth[-1].bias)

    def forward(self, asked: HandQuestion) -> Tensor:
        """[B, 2, H] shares of the pot net of half of it, given the hand."""
        edges = hats(0.5 * (asked.edge + 1.0), KNOTS)
        numbers = torch.stack([asked.spread, asked.met], -1), 4.0 * asked.faced
        each = self.hand(torch.cat([edges, hats(asked.equity, KNOTS), hats(asked.rank, KNOTS), *numbers], -1))
        of_range = torch.einsum("bph,bphd->bpd", asked.belief, torch.cat([each, edges], -1))
        deep = self._depths(asked.depth)
        added = [self._added(each[:, p], of_range[:, p], of_range[:, 1 - p], deep, p) for p in range(2)]
        return balanced(0.5 * asked.edge + torch.stack(added, 1), asked)

    def _added(self, each: Tensor, own: Tensor, other: Tensor, deep: Tensor, player: int) -> Tensor:
        last = torch.full_like(deep[:, :1], float(player))
        told = self.ranges(torch.cat([own, other, deep, last], 1))
        found: Tensor = self.worth(self.mixed(each) + told[:, None]).squeeze(-1)
        return found

    def _depths(self, depth: Tensor) -> Tensor:
        at = torch.linspace(-DEEPEST, DEEPEST, DEPTHS, device=depth.device)
        return torch.exp(-((depth[:, None] - at) ** 2))


def hats(x: Tensor, knots: int) -> Tensor:
    """[..., knots] how near a number from 0 to 1 is to each of so many knots; they sum to one."""
    at = torch.linspace(0.0, 1.0, knots, device=x.device)
    return torch.clamp(1.0 - (x[..., None] - at).abs() * (knots - 1), min=0.0)


def balanced(values: Tensor, asked: HandQuestion) -> Tensor:
    """Both players' values shifted so that what one expects the other loses."""
    weight = asked.belief * asked.met
    mass = weight.sum(2).clamp(min=1e-12)
    surplus = ((weight * values).sum(2) / mass).sum(1)
    return values - 0.5 * surplus[:, None, None]
