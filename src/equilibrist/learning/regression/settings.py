"""Settings of Deep CFR and SD-CFR."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from equilibrist.core.names import Name
from equilibrist.learning.regression.fitting import FitPlan

POLICY_STEPS = 4  # times the steps of an advantage net


@dataclass(frozen=True)
class DeepCFRSettings:
    """The defaults are those of [Steinberger19] for Leduc poker with nets of [Brown20, §4.1.2]."""

    title: str = field(default="sd-cfr", repr=False, compare=False)
    average: str = "nets"  # over all nets (SD-CFR), or "net": one net for the average (Deep CFR)
    traversals: int = 1500
    steps: int = 750
    growth: float = 0.0  # steps grow with iteration^growth from the 100th iteration on
    batch: int = 2048
    width: int = 64
    depth: int = 3
    rate: float = 1e-3
    anneal: bool = True
    memory: int = (
        0  # samples of each memory; 0: sums by infoset, as if memories never filled up (poker on boards: 4 million)
    )
    window: bool = False  # the newest samples are kept instead of a reservoir
    restart: bool = True  # each net is fitted from new random weights
    linear: bool = True  # iteration t counts t times
    uniform: bool = False  # where no advantage is positive play evenly instead of the largest

    iterations: int = field(default=200, repr=False)

    def __repr__(self) -> str:
        plain = type(self)(self.title, self.average)
        given = {key: getattr(self, key) for key in OWN if getattr(self, key) != getattr(plain, key)}
        return str(Name(self.title, given))

    def fit_plan(self, iteration: int) -> FitPlan:
        """How nets of an iteration are fitted."""
        steps = round(self.steps * max(1.0, iteration / 100) ** self.growth)
        return FitPlan(steps, self.batch, self.rate, self.anneal)


OWN: Mapping[str, Any] = {
    key: getattr(DeepCFRSettings(), key)
    for key in (
        "traversals", "steps", "growth", "batch", "width", "depth", "rate", "anneal", "memory", "window", "restart",
        "linear", "uniform",
    )
}  # fmt: skip
BOUNDS: Mapping[str, tuple[float, float]] = {
    "traversals": (1, 10_000_000),
    "steps": (1, 1_000_000),
    "growth": (0.0, 2.0),
    "batch": (1, 1_000_000),
    "width": (1, 4096),
    "depth": (1, 32),
    "rate": (1e-8, 1.0),
    "memory": (0, 200_000_000),
}
