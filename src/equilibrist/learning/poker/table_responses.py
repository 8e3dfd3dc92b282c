"""Exact exploitability of tables that lie on a device: strategies never leave it, only values of hands do."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from equilibrist.solvers.blueprint.strategy import WHOLE
from equilibrist.solvers.blueprint.values.streamed_responses import StreamedResponses
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedProfile
from equilibrist.solvers.postflop.streamed_buckets.bucketed_responses import respond_fully


class TableResponses(StreamedResponses):
    """Responses to the shares of sums [slots], rounded as a blueprint keeps them."""

    def of_sums(self, sums: Tensor) -> float:
        """Chips a hand: the mean of what best responses win."""
        rows = [[self._table_rows(street, player, sums) for player in range(2)] for street in range(2)]
        first = [each.cpu().numpy()[:, self._bucket[0][0]].astype(np.float64) for each in rows[0]]
        below: list[Any] = [each.numpy() if each.device.type == "cpu" else each for each in rows[1]]
        profile = BucketedProfile((first[0], first[1]), (below[0], below[1]))
        return sum(respond_fully(self.stream, profile, me).average for me in range(2)) / 2.0

    def _table_rows(self, street: int, player: int, sums: Tensor) -> Tensor:
        """[slot, class] of a player on a street."""
        forest, classes = self.abstract.forests[street], self.game.buckets.sizes[street]
        out = torch.zeros((int(forest.slots[player]), classes), device=sums.device)
        for node in np.flatnonzero(forest.kind == player).tolist():
            slot, width = int(forest.slot[node]), int(forest.children[node])
            first = int(self.game.first_slot[self._nodes[street][node]])
            table = sums[first : first + width * classes].view(classes, width)
            out[slot : slot + width] = (in_bytes(table).double() / WHOLE).float().T
        return out


def in_bytes(table: Tensor) -> Tensor:
    """[row, action] shares of sums as numbers that add up to 255 in every row; the largest takes what rounding leaves."""
    total = table.double().sum(dim=1, keepdim=True)
    chance = torch.where(total > 0.0, table.double() / total.clamp(min=1e-300), 1.0 / table.shape[1]).float()
    out = torch.floor(chance.double() * WHOLE + 0.5).long()
    best, top = torch.zeros_like(out[:, :1]), chance[:, :1].clone()
    for action in range(1, table.shape[1]):
        more = chance[:, action : action + 1] > top
        best, top = torch.where(more, action, best), torch.where(more, chance[:, action : action + 1], top)
    return out.scatter_add_(1, best, WHOLE - out.sum(dim=1, keepdim=True))
