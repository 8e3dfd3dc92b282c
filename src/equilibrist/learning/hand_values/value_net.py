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
OUTCOMES = 8  # of equities on the river
FACED = 5  # bands of ranks
DEPTHS = 10  # of stacks, on a logarithmic scale
DEEPEST = 2.75  # logarithm of the largest depth that is told apart


class HandQuestion(NamedTuple):
    """B states; each player's hands have places of their own, H of them."""

    equity: Tensor  # [B, 2, H] against an even range
    spread: Tensor  # [B, 2, H]
    outcomes: Tensor  # [B, 2, H, `OUTCOMES`] how its equity will be spread once all cards are there; [..., 0] where the network asks none
    rank: Tensor  # [B, 2, H] share of the player's own belief that has less equity
    edge: Tensor  # [B, 2, H] against the other's belief
    met: Tensor  # [B, 2, H]
    faced: Tensor  # [B, 2, H, band] how much of what a hand meets is in each band of the other's ranks
    belief: Tensor  # [B, 2, H] 0 at places without a hand
    depth: Tensor  # [B] logarithm of stacks as shares of the pot


class HandValueNet(nn.Module):
    """`width` features of a hand, `wide` of a pair of ranges, which are looked at `rounds` times.

    Before it has learned, values are those of checking down. With `outcomes` it is told how equities will be spread on the river.
    """

    def __init__(self, width: int = 32, wide: int = 128, rounds: int = 1, outcomes: bool = False) -> None:
        super().__init__()
        self.width, self.wide, self.outcomes = width, wide, outcomes
        told = 3 * KNOTS + 2 + FACED + OUTCOMES * outcomes
        self.hand = nn.Sequential(nn.Linear(told, width), nn.GELU(), nn.Linear(width, width), nn.GELU())
        self.looks = nn.ModuleList(_Look(width, wide) for _ in range(rounds - 1))
        self.ranges = _of_ranges(width, wide)
        self.mixed = nn.Linear(width, width)
        self.worth = nn.Sequential(nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))
        nn.init.zeros_(self.worth[-1].weight)
        nn.init.zeros_(self.worth[-1].bias)

    def forward(self, asked: HandQuestion) -> Tensor:
        """[B, 2, H] shares of the pot net of half of it, given the hand."""
        edges = hats(0.5 * (asked.edge + 1.0), KNOTS)
        numbers = torch.stack([asked.spread, asked.met], -1), 4.0 * asked.faced
        known = [edges, hats(asked.equity, KNOTS), hats(asked.rank, KNOTS), *numbers]
        each = self.hand(torch.cat([*known, asked.outcomes] if self.outcomes else known, -1))
        deep, of_edges = self._depths(asked.depth), torch.einsum("bph,bphd->bpd", asked.belief, edges)
        for look in self.looks:
            each = look(each, self._told(look.ranges, each, of_edges, asked.belief, deep))
        told = self._told(self.ranges, each, of_edges, asked.belief, deep)
        added = self.worth(self.mixed(each) + told[:, :, None]).squeeze(-1)
        return balanced(0.5 * asked.edge + added, asked)

    def _told(self, ranges: nn.Module, each: Tensor, of_edges: Tensor, belief: Tensor, deep: Tensor) -> Tensor:
        """[B, 2, width] what both ranges and the depth say to each player's hands."""
        own = torch.cat([torch.einsum("bph,bphd->bpd", belief, each), of_edges], -1)
        player = torch.arange(2.0, device=own.device).view(1, 2, 1).expand(len(own), 2, 1)
        out: Tensor = ranges(torch.cat([own, own.flip(1), deep[:, None].expand(-1, 2, -1), player], -1))
        return out

    def _depths(self, depth: Tensor) -> Tensor:
        at = torch.linspace(-DEEPEST, DEEPEST, DEPTHS, device=depth.device)
        return torch.exp(-((depth[:, None] - at) ** 2))


class _Look(nn.Module):
    """Hands learn from what ranges consist of, and then say more of what they consist of."""

    def __init__(self, width: int, wide: int) -> None:
        super().__init__()
        self.ranges, self.mixed = _of_ranges(width, wide), nn.Linear(width, width)
        self.more = nn.Sequential(nn.GELU(), nn.Linear(width, width), nn.GELU())

    def forward(self, each: Tensor, told: Tensor) -> Tensor:
        out: Tensor = each + self.more(self.mixed(each) + told[:, :, None])
        return out


def _of_ranges(width: int, wide: int) -> nn.Sequential:
    told = 2 * (width + KNOTS) + DEPTHS + 1
    return nn.Sequential(nn.Linear(told, wide), nn.GELU(), nn.Linear(wide, wide), nn.GELU(), nn.Linear(wide, width))


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
