"""External sampling on tensors: all walks of an iteration go through the betting together, node by node, each with its own deal.

A walk takes all own actions and one of the opponent's, so at an own node a walk is there or not; regrets and strategies of walks that
are there are what memories are offered. The board is drawn with the deal, once for all lines of a walk.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from equilibrist.learning.poker.betting import BettingLines


@dataclass(frozen=True)
class Found:
    """Samples: hand, decision and one number per output of each."""

    hand: Tensor  # [n] int64
    decision: Tensor  # [n] int64
    values: Tensor  # [n, outputs]


@dataclass(frozen=True)
class WalksFound:
    """What the walks of one player came to."""

    regrets: Found
    strategies: Found
    nodes: int


def walk(
    betting: BettingLines,
    player: int,
    hands: Tensor,
    wins: Tensor,
    strategies: Tensor,
    draws: Tensor,
    unit: float,
) -> WalksFound:
    """Walks of one player.

    `hands` [K, player, round], `wins` [K] as the walking player sees showdowns, `strategies` [decision, K, output], `draws` [decision, K]
    in [0, 1); payoffs are divided by `unit`.
    """
    tree, count = betting.tree, len(wins)
    there: dict[int, Tensor] = {0: torch.ones(count, dtype=torch.bool, device=wins.device)}
    taken: dict[int, Tensor] = {}
    seen = torch.zeros((), dtype=torch.int64, device=wins.device)
    for node in range(len(tree)):
        here = there[node]
        seen += here.sum()
        number = int(betting.place[node])
        if number < 0:
            continue
        children = betting.children(number)
        if tree.player[node] != player:
            taken[node] = _drawn(strategies[number][:, betting.outputs_of[number]], draws[number])
        for a, child in enumerate(children):
            there[child] = here if node not in taken else here & (taken[node] == a)
    values: dict[int, Tensor] = {}
    gains: list[Tensor] = []
    own: list[int] = []
    for node in reversed(range(len(tree))):
        number = int(betting.place[node])
        if number < 0:
            amount, shown = betting.stake(node, player)
            values[node] = wins * (amount / unit) if shown else torch.full_like(wins, amount / unit)
            continue
        below = torch.stack([values.pop(child) for child in betting.children(number)], dim=1)
        if node in taken:
            values[node] = below.gather(1, taken[node].unsqueeze(1)).squeeze(1)
            continue
        mix = strategies[number][:, betting.outputs_of[number]]
        values[node] = (mix * below).sum(dim=1)
        gain = torch.zeros((count, betting.outputs), device=wins.device)
        gain[:, betting.outputs_of[number]] = below - values[node].unsqueeze(1)
        gains.append(gain)
        own.append(number)
    others = [number for number in range(len(betting.decisions)) if betting.player[number] != player]
    regrets = _sampled(betting, own, gains, there, hands, player)
    met = _sampled(betting, others, [strategies[number] for number in others], there, hands, 1 - player)
    return WalksFound(regrets, met, int(seen))


def _drawn(mix: Tensor, draw: Tensor) -> Tensor:
    """[K] actions drawn from [K, A]; never one of probability zero."""
    last = (mix > 0.0).int().cumsum(dim=1).argmax(dim=1)
    drawn = (mix.cumsum(dim=1) <= draw.unsqueeze(1)).sum(dim=1)
    return torch.minimum(drawn, last)


def _sampled(
    betting: BettingLines,
    numbers: list[int],
    values: list[Tensor],
    there: dict[int, Tensor],
    hands: Tensor,
    player: int,
) -> Found:
    """Rows of those walks that are at a decision."""
    if not numbers:
        empty = torch.zeros(0, dtype=torch.int64, device=hands.device)
        return Found(empty, empty, torch.zeros((0, betting.outputs), device=hands.device))
    mask = torch.stack([there[int(betting.decisions[number])] for number in numbers])
    rows, columns = mask.nonzero(as_tuple=True)
    decision = torch.tensor(numbers, device=hands.device)[rows]
    street = torch.from_numpy(betting.round).to(hands.device)[decision]
    return Found(hands[columns, player, street], decision, torch.stack(values)[rows, columns])
