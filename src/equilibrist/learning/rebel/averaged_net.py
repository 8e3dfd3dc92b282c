"""A moving average of a network's weights: what is learned jumps from one iteration to the next, and its mean hardly does."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy.typing as npt
import torch

from equilibrist.learning.networks.state import Arrays, load_net, net_arrays
from equilibrist.learning.rebel.value_net import ValueNet

NAME = "average"
YOUNG = 10  # the first averages forget faster: after k iterations they keep no more than (k - 1) / (k + 9)


class AveragedNet:
    """Weights after every iteration, each counting `share` as much as the one after it."""

    def __init__(self, net: ValueNet, share: float) -> None:
        self.net, self.share = copy.deepcopy(net).requires_grad_(False), share

    def take(self, newest: ValueNet, iteration: int) -> None:
        """Count the weights after an iteration (from 1); the first ones are taken as they are."""
        share = min(self.share, (iteration - 1) / (iteration - 1 + YOUNG))
        with torch.no_grad():
            for own, other in zip(self.net.parameters(), newest.parameters(), strict=True):
                own.lerp_(other, 1.0 - share)

    def small_state(self) -> Arrays:
        return net_arrays(self.net, NAME)

    def restore(self, small: Mapping[str, npt.NDArray[Any]]) -> None:
        load_net(self.net, small, NAME)
