"""What a batch of samples is made of."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor


class Held(NamedTuple):
    """Everything that a batch is made of, in tensors that stay where they are."""

    hand: Tensor  # [sample]
    decision: Tensor  # [sample]
    weight: Tensor  # [sample]
    values: Tensor  # [sample, output]
    mean: Tensor  # [] of the weights
    shown: Tensor  # [hand, place] cards as zeros and ones
    numbers: Tensor  # [decision, bets]
    legal: Tensor  # [decision, output]
