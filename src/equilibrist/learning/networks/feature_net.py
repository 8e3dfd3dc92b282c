"""A net from numbers to one output per action: fully connected layers with skips, as the joint part of [Brown20, §4.1.2]."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class FeatureNet(nn.Module):
    """`depth` layers ReLU(Ax + b [+ x]), their output normalised to mean 0 and variance 1 within a row, and a linear head.

    The head starts at zero: an untrained net predicts nothing, and whoever plays by it plays evenly.
    """

    def __init__(self, inputs: int, outputs: int, width: int = 64, depth: int = 3) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(inputs if k == 0 else width, width) for k in range(depth))
        self.head = nn.Linear(width, outputs)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, x: Tensor) -> Tensor:
        for k, layer in enumerate(self.layers):
            x = torch.relu(layer(x) + x if k else layer(x))
        x = nn.functional.layer_norm(x, x.shape[-1:])
        out: Tensor = self.head(x)
        return out
