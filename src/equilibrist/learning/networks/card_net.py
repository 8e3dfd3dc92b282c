"""The network of Deep CFR for poker ([Brown20, §4.1.2]): a branch for cards, one for bets, and what joins them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class CardNet(nn.Module):
    """Each card is the sum of embeddings of its rank, its suit and itself, cards dealt together are added up.

    Layers are ReLU(Ax + b [+ x]), with a skip where widths match; the joint features are normalised to mean 0 and variance 1 before a
    linear head, which starts at zero: an untrained net predicts nothing. Cards are numbered rank by rank.
    """

    def __init__(self, groups: Sequence[int], ranks: int, suits: int, bets: int, outputs: int, width: int = 64) -> None:
        """`groups`: how many cards are dealt together, in their order; `bets`: numbers that describe the betting."""
        super().__init__()
        self.groups, self.suits = tuple(groups), suits
        self.rank, self.suit, self.card = (
            nn.ModuleList(nn.Embedding(size, width) for _ in groups) for size in (ranks, suits, ranks * suits)
        )
        self.card_layers = _layers(len(groups) * width, width, 3)
        self.bet_layers = _layers(bets, width, 2)
        self.joint_layers = _layers(2 * width, width, 3)
        self.head = nn.Linear(width, outputs)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, cards: Tensor, bets: Tensor) -> Tensor:
        """[B, outputs] for cards [B, cards] (-1: not dealt yet) and betting [B, bets]."""
        joined = torch.cat([self.see_cards(cards), self.see_bets(bets)], dim=1)
        return self._join(self.joint_layers[0](joined))

    def see_cards(self, cards: Tensor) -> Tensor:
        """[B, width]."""
        parts, begin = [], 0
        for group, size in enumerate(self.groups):
            own = cards[:, begin : begin + size].long()
            there = (own >= 0).unsqueeze(2)
            own = own.clamp(min=0)
            seen = self.rank[group](own // self.suits) + self.suit[group](own % self.suits) + self.card[group](own)
            parts.append((seen * there).sum(dim=1))
            begin += size
        return _through(self.card_layers, torch.cat(parts, dim=1))

    def see_bets(self, bets: Tensor) -> Tensor:
        """[B, width]."""
        return _through(self.bet_layers, bets)

    def by_places(self, shown: Tensor, lines: Tensor, numbers: Tensor) -> Tensor:
        """`forward` as products of matrices: [B, outputs] for cards as zeros and ones [B, group x card] and lines [B] of betting.

        Embeddings go through the first layer card by card, betting through its branch line by line (`numbers` [line, bets]).
        """
        card, joint = self.card_layers[0], self.joint_layers[0]
        width = joint.weight.shape[0]
        placed = torch.cat(
            [
                nn.functional.linear(self._of_cards(group), card.weight[:, group * width : (group + 1) * width])
                for group in range(len(self.groups))
            ]
        )
        x = torch.relu(torch.addmm(card.bias, shown.to(placed.dtype), placed))
        for layer in list(self.card_layers)[1:]:
            x = torch.relu(layer(x) + x)
        by_line = nn.functional.linear(self.see_bets(numbers), joint.weight[:, width:], joint.bias)
        here = lines.unsqueeze(1) == torch.arange(len(numbers), device=lines.device)
        return self._join(torch.addmm(x @ joint.weight[:, :width].T, here.to(x.dtype), by_line))

    def _of_cards(self, group: int) -> Tensor:
        """[card, width] what each card of a group adds."""
        by_rank, by_suit = self.rank[group].weight, self.suit[group].weight
        both = (by_rank.unsqueeze(1) + by_suit.unsqueeze(0)).flatten(0, 1)
        return both + self.card[group].weight

    def every_pair(self, cards: Tensor, bets: Tensor) -> Tensor:
        """[M, B, outputs] of B hands, as `see_cards` sees them, with M lines of betting, as `see_bets` sees them."""
        first = self.joint_layers[0]
        width = cards.shape[1]
        by_card = nn.functional.linear(cards, first.weight[:, :width])
        by_bet = nn.functional.linear(bets, first.weight[:, width:], first.bias)
        return self._join(by_bet.unsqueeze(1) + by_card.unsqueeze(0))

    def _join(self, x: Tensor) -> Tensor:
        x = torch.relu(x)
        for layer in list(self.joint_layers)[1:]:
            x = torch.relu(layer(x) + x)
        x = nn.functional.layer_norm(x, x.shape[-1:])
        out: Tensor = self.head(x)
        return out


def _layers(inputs: int, width: int, count: int) -> nn.ModuleList:
    return nn.ModuleList(nn.Linear(inputs if k == 0 else width, width) for k in range(count))


def _through(layers: nn.ModuleList, x: Tensor) -> Tensor:
    for k, layer in enumerate(layers):
        x = torch.relu(layer(x) + x if k else layer(x))
    return x
