"""How far a network of values is off on states that it has not seen, in % of the pot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from equilibrist.core.arrays import Floats, Longs
from equilibrist.learning.hand_values.belief_states import KINDS
from equilibrist.learning.hand_values.value_net import HandQuestion, HandValueNet

AT_ONCE = 50  # states
Batches = Callable[[torch.Tensor], tuple[HandQuestion, torch.Tensor]]


@dataclass(frozen=True)
class ValueErrors:
    """Mean absolute errors, % of the pot."""

    each: Floats  # [N] of each state, hands as they are held
    any_hand: float  # all hands that may be held alike
    check_down: float  # hands as they are held, if they were worth their equity
    kinds: Longs | None = None  # [N] which of `KINDS`

    @property
    def in_range(self) -> float:
        return float(self.each.mean())

    def plain(self) -> dict[str, float]:
        return {
            "in_range": round(self.in_range, 4),
            "any_hand": round(self.any_hand, 4),
            "check_down": round(self.check_down, 4),
            "worst_tenth": round(float(np.sort(self.each)[-max(1, len(self.each) // 10) :].mean()), 4),
        } | {name: round(error, 4) for name, error in self.by_kind().items()}

    def by_kind(self) -> dict[str, float]:
        """Of the kinds of beliefs that there are."""
        if self.kinds is None:
            return {}
        there = [(name, self.kinds == number) for number, name in enumerate(KINDS)]
        return {name: float(self.each[some].mean()) for name, some in there if some.any()}


def measured_errors(net: HandValueNet, batch: Batches, number: int, kinds: Longs | None = None) -> ValueErrors:
    each, any_hand, plain = [], [], []
    device = next(net.parameters()).device
    with torch.no_grad():
        for begin in range(0, number, AT_ONCE):
            asked, values = batch(torch.arange(begin, min(begin + AT_ONCE, number), device=device))
            off, equity = (net(asked) - values).abs(), (0.5 * asked.edge - values).abs()
            held = asked.belief * (asked.met > 0.0)
            mass = held.sum((1, 2))
            there = (asked.met > 0.0).float()
            each.append(((off * held).sum((1, 2)) / mass).cpu().numpy())
            plain.append(((equity * held).sum((1, 2)) / mass).cpu().numpy())
            any_hand.append(((off * there).sum((1, 2)) / there.sum((1, 2))).cpu().numpy())
    found = [100.0 * np.concatenate(part).astype(np.float64) for part in (each, any_hand, plain)]
    return ValueErrors(found[0], float(found[1].mean()), float(found[2].mean()), kinds)
